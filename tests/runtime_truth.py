"""What CPython does with a fixture tree.

Started as a script (isolated, nothing of the virtual environment on the path) it prints the answers
as JSON. Every question is asked in a fork of a process that has imported nothing of the tree, so
that no answer depends on the one before; nothing is written into the tree.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any, TypedDict, cast

PACKAGE = "sglang"
UTILS = "sglang.srt.layers.moe.utils"
BASE = "sglang.srt.layers.moe.moe_runner.base"
RUNNER = "sglang.srt.layers.moe.moe_runner.runner"
PROCESS_ROOTS = (
    "sglang.srt.managers.scheduler",
    "sglang.srt.entrypoints.http_server",
    "sglang.launch_server",
)


class Cell(TypedDict):
    """One pair, the runner having been imported first and nothing else."""

    key: list[str]
    after_import: str
    at_lookup: str
    outcome: str
    exception: str | None
    raised_at: str | None


class Arrival(TypedDict):
    """One construction of the runner by a call site, whose module was imported first."""

    path: str
    line: int
    key: list[str]
    loaded: bool


class Truth(TypedDict):
    """All that is asked of one tree."""

    eager: list[str]
    cells: list[Cell]
    arrivals: list[Arrival]
    process: list[list[str]]
    registered: list[list[str]]


def ask_cpython(
    tree: Path, call_sites: Sequence[tuple[str, str]], python: str = sys.executable
) -> Truth:
    """Run the tree in a fresh interpreter; a call site is its path and ``Class.method``."""
    done = subprocess.run(
        [python, "-I", "-S", "-B", __file__, str(tree)],
        input=json.dumps(list(call_sites)),
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.defpath},
    )
    if done.returncode:
        raise RuntimeError(f"{tree}: {done.stderr}")
    return cast(Truth, json.loads(done.stdout))


# What follows runs in the fresh interpreter.


def in_fork(question: Callable[..., Any], *arguments: Any) -> Any:
    """Answer a question in a copy of this process and forget what it imported."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            with os.fdopen(writer, "w") as pipe:
                json.dump(question(*arguments), pipe)
            code = 0
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            sys.stderr.flush()
            os._exit(code)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        answer = pipe.read()
    if os.waitpid(pid, 0)[1]:
        raise RuntimeError("a question was not answered")
    return json.loads(answer)


class Recorder:
    """Note the tree's modules in the order in which their execution starts."""

    def __init__(self) -> None:
        self.started: list[str] = []

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name.partition(".")[0] != PACKAGE:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is None:
            return None
        if spec.loader is None:  # a namespace package: found, and there is nothing to execute
            self.started.append(name)
            return spec
        loader: Any = spec.loader
        execute = loader.exec_module

        def noted(module: ModuleType) -> None:
            self.started.append(name)
            execute(module)

        loader.exec_module = noted
        return spec


def module_names(root: Path) -> list[str]:
    names = set()
    for file in (root / PACKAGE).rglob("*.py"):
        parts = file.relative_to(root).with_suffix("").parts
        names.add(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return sorted(names)


def pool() -> Any:
    return importlib.import_module(BASE).FusedOpPool


def keys() -> list[list[str]]:
    """The keys in the registry, which may not have been imported at all."""
    return sorted(map(list, pool()._fused_funcs)) if BASE in sys.modules else []


def pairs() -> Iterator[tuple[Any, Any]]:
    utils = importlib.import_module(UTILS)
    for a2a in utils.MoeA2ABackend:
        for backend in utils.MoeRunnerBackend:
            yield a2a, backend


def choose(a2a: Any, backend: Any) -> None:
    utils: Any = importlib.import_module(UTILS)
    utils.MOE_A2A_BACKEND = a2a
    utils.MOE_RUNNER_BACKEND = backend


def place(error: BaseException, root: Path) -> str | None:
    """The line of the tree that raised."""
    found = None
    trace = error.__traceback__
    while trace is not None:
        file = Path(trace.tb_frame.f_code.co_filename)
        if file.is_relative_to(root):
            found = f"{file.relative_to(root).as_posix()}:{trace.tb_lineno}"
        trace = trace.tb_next
    return found


def construct(a2a: Any, backend: Any, root: Path) -> Cell:
    """Construct the runner as the first thing that this process does with it."""
    key = [a2a.value, backend.value]
    cell = Cell(
        key=key,
        after_import="yes" if key in keys() else "no",
        at_lookup="no",
        outcome="ok",
        exception=None,
        raised_at=None,
    )
    registry = pool()
    read = registry.get_fused_func

    def watched(dispatch_name: str, runner_name: str) -> Any:
        found = read(dispatch_name, runner_name)
        if found is not None and [dispatch_name, runner_name] == key:
            cell["at_lookup"] = "yes"
        return found

    registry.get_fused_func = watched
    choose(a2a, backend)
    try:
        config = importlib.import_module(BASE).MoeRunnerConfig()
        importlib.import_module(RUNNER).MoeRunner(backend, config)
    except Exception as error:
        cell["outcome"] = "raises"
        cell["exception"] = type(error).__name__
        cell["raised_at"] = place(error, root)
    return cell


def runner_first(root: Path) -> dict[str, Any]:
    recorder = Recorder()
    sys.meta_path.insert(0, cast(Any, recorder))
    try:
        importlib.import_module(RUNNER)
    except ModuleNotFoundError:  # a release without a runner
        return {"eager": [], "cells": []}
    eager = [name for name in recorder.started if name in sys.modules]
    cells = [in_fork(construct, a2a, backend, root) for a2a, backend in pairs()]
    return {"eager": eager, "cells": cells}


def arrive(method: str, a2a: Any, backend: Any, module: ModuleType, root: Path) -> list[Arrival]:
    """Call one call site, the process having chosen these two; note what reaches the runner."""
    arrivals: list[Arrival] = []
    consumer = importlib.import_module(RUNNER).MoeRunner
    construct_runner = consumer.__init__

    def watched(self: Any, runner_backend: Any, *rest: Any, **named: Any) -> None:
        caller = sys._getframe(1)
        key = [a2a.value, runner_backend.value]
        path = Path(caller.f_code.co_filename).relative_to(root).as_posix()
        arrivals.append(Arrival(path=path, line=caller.f_lineno, key=key, loaded=key in keys()))
        construct_runner(self, runner_backend, *rest, **named)

    consumer.__init__ = watched
    choose(a2a, backend)
    owner, _, name = method.partition(".")
    config = importlib.import_module(BASE).MoeRunnerConfig()
    with contextlib.suppress(Exception):  # how it ends is asked of the runner, above
        getattr(getattr(module, owner)(), name)(None, config)
    return arrivals


def site_first(path: str, method: str, root: Path) -> list[Arrival]:
    module = importlib.import_module(path.removesuffix(".py").replace("/", "."))
    found: list[Arrival] = []
    for a2a, backend in pairs():
        found += in_fork(arrive, method, a2a, backend, module, root)
    return found


def keys_after(name: str) -> list[list[str]]:
    with contextlib.suppress(Exception):
        importlib.import_module(name)
    return keys()


def union(answers: Iterator[list[list[str]]]) -> list[list[str]]:
    return sorted(map(list, {tuple(key) for answer in answers for key in answer}))


def main(tree: str, call_sites: list[tuple[str, str]]) -> Truth:
    root = Path(tree).resolve()
    sys.path.insert(0, str(root))
    names = module_names(root)
    roots = [name for name in PROCESS_ROOTS if name in names]
    arrivals: list[Arrival] = []
    for path, method in call_sites:
        arrivals += in_fork(site_first, path, method, root)
    first = in_fork(runner_first, root)
    return Truth(
        eager=first["eager"],
        cells=first["cells"],
        arrivals=arrivals,
        process=union(in_fork(keys_after, name) for name in roots),
        registered=union(in_fork(keys_after, name) for name in names),
    )


if __name__ == "__main__":
    json.dump(main(sys.argv[1], json.load(sys.stdin)), sys.stdout)
