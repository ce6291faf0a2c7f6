"""Processes for cases: one that has what is slow to import is forked for each.

A plan is read from the first line of standard input, groups of cases from the others; each gives lines of
JSON on standard output. Every process has a time limit. They all stay in the process group of the first,
so that whoever started that can be sure to end them all.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
from collections.abc import Mapping
from typing import Any

from . import cases, facts
from .cases import Loads, Plan, Result
from .explore import explore
from .forks import forked
from .stand_in import Finder, Ground, Without, hide


def main() -> None:
    """Serve until standard input ends."""
    plan = json.loads(sys.stdin.readline())
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the tree's code prints what it likes
    sys.dont_write_bytecode = True
    ground, loads = prepare(plan)

    def tell(result: Result) -> None:
        out.write(json.dumps(result) + "\n")
        out.flush()

    untouched = facts.apply(ground, plan["facts"])
    facts.forgive(ground, plan["forgiven"])
    tell({"untouched": untouched, "python": sys.version.split()[0]})
    for line in sys.stdin:
        group = json.loads(line)
        for result in _group(plan, ground, loads, group):
            tell(result)


def prepare(plan: Plan) -> tuple[Ground, Loads]:
    """Make this process one in which the tree can be imported; nothing of it is yet."""
    ground = Ground(plan["package"], plan["absent"])
    loads = Loads(plan["package"])
    for name in dict.fromkeys(path.partition(".")[0] for path in plan["facts"]):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)  # it may be slow, and is needed by every case
    others = [Without(finder, ground) for finder in sys.meta_path]
    sys.meta_path[:] = [loads, *others, Finder(ground)]
    sys.path.insert(0, plan["import_root"])
    hide(ground)
    return ground, loads


def _group(plan: Plan, ground: Ground, loads: Loads, group: Mapping[str, Any]) -> list[Result]:
    """Run cases each from a state that a first case has brought about; the first's result comes first."""

    def run() -> list[Result]:
        ground.absent |= frozenset(group["absent"])
        results = [_run(plan, ground, loads, group["first"])]
        results += [
            forked(lambda case=case: [_run(plan, ground, loads, case)], plan["timeout"], 1)[0]  # type: ignore[misc]
            for case in group["then"]
        ]
        return results

    count = 1 + len(group["then"])
    return forked(run, plan["timeout"] * count, count)


def _run(plan: Plan, ground: Ground, loads: Loads, case: Mapping[str, Any]) -> Result:
    """Run a case, whose ``what`` names what is done; add what stand-ins decided."""
    before = len(ground.decisions)
    what = case["what"]
    result: Result
    if what == "import":
        result = cases.import_modules(plan, case["modules"])
    elif what == "members":
        result = {"ok": True, "members": cases.members(plan)}
    elif what == "construct":
        result = cases.construct(plan, ground, case["consumer"], case["choice"])
    elif what == "explore":
        result = explore(plan, ground, case)
    else:
        result = cases.look_up(
            plan, ground, case["consumer"], case["choice"], case["lookup"], case["key"]
        )
    root = plan["import_root"].rstrip(os.sep) + os.sep
    decisions = dict.fromkeys(d.removeprefix(root) for d in ground.decisions[before:])
    return {**result, "modules": loads.names(), "decisions": list(decisions)}
