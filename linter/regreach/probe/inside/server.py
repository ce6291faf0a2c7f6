"""Processes for cases: one that has what is slow to import is forked for each.

A plan is read from the first line of standard input, groups of cases from the others; each gives lines of
JSON on standard output. Every process has a time limit. They all stay in the process group of the first,
so that whoever started that can be sure to end them all.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
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
    ground, loads = prepare(plan)

    def tell(result: Result) -> None:
        out.write(json.dumps(result) + "\n")
        out.flush()

    untouched = facts.apply(ground, plan["facts"])
    facts.forgive(ground, plan["forgiven"])
    tell({"untouched": untouched, "python": sys.version.split()[0]})
    for line in sys.stdin:
        group = json.loads(line)
        results = _group(plan, ground, loads, group)
        _import_once(results[0].pop("installed", ()))
        for result in results:
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
    _keep_compiled(plan["import_root"])
    gc.disable()  # each process ends soon, and collecting would copy the pages that forks share
    gc.freeze()
    hide(ground)
    return ground, loads


def _import_once(modules: Sequence[str]) -> None:
    """Import here what a fork had to import of the packages that are imported here already.

    Every other fork would do so again, and it can take most of its time: ``torch.compile`` does.
    """
    for module in modules:
        if module not in sys.modules:
            with contextlib.suppress(Exception):
                importlib.import_module(module)


def _keep_compiled(root: str) -> None:
    """Let processes share what they compile, in this process's own folder and nowhere else.

    ``sys.pycache_prefix`` would do so, but also have all installed packages compiled anew.
    """
    external: Any = importlib._bootstrap_external
    original = external.cache_from_source
    folder = str(Path.cwd() / "compiled")

    def cache_from_source(path: str, *args: Any, **keywords: Any) -> str:
        usual = str(original(path, *args, **keywords))
        if not path.startswith(root) and Path(usual).exists():
            return usual
        return folder + usual

    external.cache_from_source = cache_from_source


def _group(plan: Plan, ground: Ground, loads: Loads, group: Mapping[str, Any]) -> list[Result]:
    """Run cases each from a state that a first case has brought about; the first's result comes first."""

    def run() -> list[Result]:
        ground.absent |= frozenset(group["absent"])
        before = set(sys.modules)
        results = [_run(plan, ground, loads, group["first"])]
        tops = {path.partition(".")[0] for path in plan["facts"]} - sys.stdlib_module_names
        new = [name for name in sys.modules if name not in before]
        results[0]["installed"] = [name for name in new if name.partition(".")[0] in tops]
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
