"""Runs small packages in CPython: one forked process for each case. Started by `cpython.py`, by its path.

Reads requests, one JSON object a line, from standard input, and answers each with one line.
"""

from __future__ import annotations

import contextlib
import enum
import importlib.util
import json
import os
import pkgutil
import sys
import tempfile
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

# Loaded before the fork, so that no case pays for them.
PRELOADED = (contextlib, enum, pkgutil, typing)


def encoded(value: Any, top: str) -> list[Any]:
    """Return a value as JSON that `abstract.py` makes of the abstract value, too."""
    if value is None or type(value) in (bool, int, float, str):
        return ["const", repr(value)]
    if isinstance(value, types.ModuleType):
        inside = value.__name__.partition(".")[0] == top
        return ["module", value.__name__] if inside else ["other"]
    if isinstance(value, enum.Enum):
        return ["member", type(value).__qualname__, value.name]
    if type(value) is dict:
        return ["dict", [[encoded(k, top), encoded(v, top)] for k, v in value.items()]]
    if type(value) in (set, frozenset):
        return ["set", sorted((encoded(v, top) for v in value), key=repr)]
    if type(value).__module__.partition(".")[0] == top:
        return ["instance", type(value).__qualname__]
    if type(value) in (tuple, list):
        return [type(value).__name__, [encoded(v, top) for v in value]]
    if isinstance(value, types.FunctionType):
        return ["function", value.__qualname__]
    if isinstance(value, type) and value.__module__.partition(".")[0] == top:
        names = {k: encoded(v, top) for k, v in vars(value).items() if not k.startswith("__")}
        return ["class", value.__qualname__, names]
    return ["other"]


def described(error: BaseException) -> str:
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


class Finder:
    """Notes in which order modules begin to be loaded; `sys.modules` has the order in which they end."""

    def __init__(self) -> None:
        self.asked: dict[str, bool] = {}

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        self.asked.pop(name, None)
        self.asked[name] = True


def imported(folder: str, top: str, names: Sequence[str]) -> list[dict[str, Any]]:
    """Import modules one after the other; return how each import ends and what is there after it."""
    sys.path.insert(0, folder)
    finder = Finder()
    sys.meta_path.insert(0, finder)
    steps = []
    for name in names:
        try:
            importlib.import_module(name)
            ended = "ok"
        except BaseException as error:
            ended = described(error)
        loaded = [m for m in finder.asked if m in sys.modules and m.partition(".")[0] == top]
        bound = {
            m: {
                k: encoded(v, top)
                for k, v in vars(sys.modules[m]).items()
                if not k.startswith("__")
            }
            for m in loaded
            if isinstance(sys.modules[m], types.ModuleType)
        }
        steps.append({"ended": ended, "loaded": loaded, "bound": bound})
    return steps


def called(source: str, calls: Sequence[str]) -> list[list[Any]]:
    """Run a module's text and evaluate expressions in it; return the value or the exception of each."""
    namespace: dict[str, Any] = {"__name__": "p"}
    exec(compile(source, "<p>", "exec", dont_inherit=True), namespace)
    results = []
    for expression in calls:
        try:
            results.append(["value", encoded(eval(expression, namespace), "p")])
        except Exception as error:
            results.append(["raised", described(error)])
    return results


def executed(text: str, head: str, outside: Mapping[str, str]) -> dict[str, Any]:
    """Run the text of `p`; return how it ends and what it binds. ``outside`` is what `outside` holds."""
    given = types.ModuleType("outside")
    for name, expression in outside.items():
        setattr(given, name, eval(expression))
    sys.modules["outside"] = given
    module = sys.modules["p"] = types.ModuleType("p")
    beside = sys.modules["p.head"] = types.ModuleType("p.head")
    exec(compile(head, "<head>", "exec", dont_inherit=True), vars(beside))
    if head:  # as the import of a submodule does
        module.head = beside  # type: ignore[attr-defined]
    before = dict(os.environ)
    ended = "ok"
    try:
        exec(compile(text, "<p>", "exec", dont_inherit=True), vars(module))
    except BaseException as error:
        ended = described(error)
    os.environ.clear()
    os.environ.update(before)
    bound = {k: encoded(v, "p") for k, v in vars(module).items() if not k.startswith("__")}
    return {"ended": ended, "bound": bound}


def in_fork(action: Callable[[], Any]) -> Any:
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            with os.fdopen(write, "w") as pipe, Path(os.devnull).open("w") as nothing:
                sys.stdout = sys.stderr = nothing
                json.dump(action(), pipe)
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return json.loads(answer) if answer else None


def import_in_orders(request: Mapping[str, Any]) -> list[Any]:
    with tempfile.TemporaryDirectory(prefix="regreach-") as folder:
        for name, text in request["files"].items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return [
            in_fork(lambda names=names: imported(folder, request["top"], names))  # type: ignore[misc]
            for names in request["orders"]
        ]


def answer(request: Mapping[str, Any]) -> Any:
    if "text" in request:
        text, head = request["text"], request["head"]
        return in_fork(lambda: [executed(text, head, o) for o in request["outside"]])
    if "source" in request:
        return in_fork(lambda: called(request["source"], request["calls"]))
    return import_in_orders(request)


def main() -> None:
    sys.dont_write_bytecode = True
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


main()
