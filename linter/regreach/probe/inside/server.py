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
import select
import signal
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from . import cases, facts
from .cases import Loads, Plan, Result
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
    facts.forgive(plan["forgiven"])
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
        results = [cases.run(plan, ground, loads, group["first"])]
        results += [
            _forked(lambda case=case: [cases.run(plan, ground, loads, case)], plan["timeout"], 1)[0]  # type: ignore[misc]
            for case in group["then"]
        ]
        return results

    count = 1 + len(group["then"])
    return _forked(run, plan["timeout"] * count, count)


def _forked(action: Callable[[], list[Result]], timeout: float, count: int) -> list[Result]:
    """Run something in a fork; kill it when that takes too long."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if not child:
        code = 1
        try:
            os.close(reading)
            with os.fdopen(writing, "w", encoding="utf-8") as stream:
                json.dump(action(), stream)
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    text, late = _read(reading, time.monotonic() + timeout)
    os.close(reading)
    if late:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    try:
        results: list[Result] = json.loads(text)
    except ValueError:
        what = f"no end after {timeout:g} s" if late else _death(status)
        results = [{"ok": False, "exception": None, "message": what, "died": True}] * count
    return results


def _read(stream: int, until: float) -> tuple[bytes, bool]:
    """Read all that a process writes before a moment; say whether it was late."""
    parts: list[bytes] = []
    while True:
        left = until - time.monotonic()
        ready, _, _ = select.select([stream], [], [], max(0, left))
        if not ready:
            return b"".join(parts), True
        part = os.read(stream, 1 << 16)
        if not part:
            return b"".join(parts), False
        parts.append(part)


def _death(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"the process was ended by {signal.Signals(os.WTERMSIG(status)).name}"
    return f"the process ended with {os.WEXITSTATUS(status)}"
