"""What is tried in one process: import modules, choose selector values, construct the consumer, look."""

from __future__ import annotations

import importlib
import inspect
import operator
import os
import sys
import traceback
import types
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any

from .stand_in import Ground, StandIn

Plan = Mapping[str, Any]
Result = dict[str, Any]


class Loads:
    """Sees the modules of the tree being loaded; first on ``sys.meta_path``."""

    def __init__(self, package: str) -> None:
        self._package = package
        self._found: dict[str, None] = {}

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        """Note the name, and leave the finding to others."""
        if name.partition(".")[0] == self._package:
            self._found.pop(name, None)  # one that was only looked for before is loaded now
            self._found[name] = None

    def names(self) -> list[str]:
        """Return the modules that are loaded, in the order in which they began to be."""
        return [name for name in self._found if name in sys.modules]


def import_modules(plan: Plan, modules: Sequence[str]) -> Result:
    """Import modules one after the other; say how that ended and what is in the registries."""
    ended: Result = {"ok": True}
    for module in modules:
        ended = attempted(plan, lambda module=module: importlib.import_module(module))  # type: ignore[misc]
        if not ended["ok"]:
            break
    return {**ended, "registries": contents(plan)}


def members(plan: Plan) -> dict[str, list[str]]:
    """Return the members of each selector's enum, by value; none where there is no such enum now."""
    found = {}
    for name, selector in plan["selectors"].items():
        cls = resolve(selector["enum"], load=False)
        is_enum = isinstance(cls, type) and issubclass(cls, Enum)
        found[name] = [text(member) for member in cls] if is_enum else []
    return found


def construct(
    plan: Plan,
    ground: Ground,
    consumer: Mapping[str, Any],
    choice: Mapping[str, str],
    others: Mapping[str, Any] | None = None,
) -> Result:
    """Construct the consumer for these values of the selectors; say how that ended and what was read.

    ``others`` are arguments that neither a selector nor the pack gives.
    """
    reads: dict[str, list[list[str]]] = {}
    for name in consumer["ambient"]:
        for source in plan["selectors"][name]["sources"]:
            _answer(source, member(plan, name, choice[name]))
    for registry in plan["registries"]:
        if registry["consumer"] == consumer["name"]:
            for lookup in registry["lookups"]:
                _watch(lookup, lambda r=registry: reads.setdefault(r["id"], _keys(r)))  # type: ignore[misc]
    ended = attempted(plan, lambda: _made(plan, ground, consumer, choice, others or {}))
    return {**ended, "reads": reads, "registries": contents(plan)}


def look_up(
    plan: Plan,
    ground: Ground,
    consumer: Mapping[str, Any],
    choice: Mapping[str, str],
    lookup: str,
    key: list[str],
) -> Result:
    """Construct the consumer, then look a key up."""
    before = construct(plan, ground, consumer, choice)
    ended = attempted(plan, lambda: bound(lookup)(*key))
    return {**ended, "registries": before["registries"]}


def contents(plan: Plan) -> dict[str, list[list[str]]]:
    """Return the keys of each registry whose module is loaded."""
    return {registry["id"]: _keys(registry) for registry in plan["registries"]}


def _keys(registry: Mapping[str, Any]) -> list[list[str]]:
    container = resolve(registry["container"], load=False)
    if not isinstance(container, Mapping):
        return []
    keys = (key if isinstance(key, tuple) else (key,) for key in list(container))
    return sorted([text(part) for part in key] for key in keys)


def _made(
    plan: Plan,
    ground: Ground,
    consumer: Mapping[str, Any],
    choice: Mapping[str, str],
    others: Mapping[str, Any],
) -> Any:
    given: dict[str, Any] = dict(others)
    for parameter, name in consumer["selectors"].items():
        given[parameter] = member(plan, name, choice[name])
    for parameter, made in consumer["made"].items():
        cls = resolve(made["class"])
        accepted = inspect.signature(cls).parameters
        fields = {k: _field(ground, k, v) for k, v in made["fields"].items() if k in accepted}
        given[parameter] = cls(**fields)
    return resolve(f"{consumer['module']}:{consumer['callable']}")(**given)


def _field(ground: Ground, name: str, value: Sequence[Any]) -> Any:
    if value[0] == "object":
        return StandIn(ground, f"the argument {name}")
    return tuple(value[1]) if isinstance(value[1], list) else value[1]


def member(plan: Plan, selector: str, value: str) -> Any:
    """Return the member of a selector's enum that has this value, as text. Raises LookupError."""
    enum = plan["selectors"][selector]["enum"]
    for each in resolve(enum) or ():
        if text(each) == value:
            return each
    raise LookupError(f"{enum} has no member {value!r}")


def text(value: Any) -> str:
    """Return a member of an enum, or a part of a key, as text."""
    return str(value.value if isinstance(value, Enum) else value)


def resolve(path: str, *, load: bool = True) -> Any:
    """Return what ``module:a.b`` names; None when it is not there, or its module not loaded."""
    module, _, names = path.partition(":")
    try:
        found: Any = importlib.import_module(module) if load else sys.modules.get(module)
    except ImportError:
        return None
    for name in names.split("."):
        found = inspect.getattr_static(found, name, None) if found is not None else None
        found = getattr(found, "__func__", found)  # of a static or class method
    return found


def bound(path: str) -> Any:
    """Return what ``module:a.b`` names as Python gives it to those who ask."""
    module, _, names = path.partition(":")
    return operator.attrgetter(names)(importlib.import_module(module))


_bodies: list[tuple[types.FunctionType, types.CodeType]] = []


def restore_bodies() -> None:
    """Give all functions back what they did at first."""
    while _bodies:
        function, code = _bodies.pop()
        function.__code__ = code


def _answer(path: str, value: Any) -> None:
    """Let a function return a value, also where others have imported it already."""
    replace_body(path, lambda original: lambda *args, **keywords: value)


def _watch(path: str, note: Callable[[], Any]) -> None:
    """Let a function note its call before it runs."""

    def watched(original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **keywords: Any) -> Any:
            note()
            return original(*args, **keywords)

        return call

    replace_body(path, watched)


def replace_body(path: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Let a function do what ``make`` makes of it, also where others have imported it already."""
    function = inspect.unwrap(resolve(path))
    if not isinstance(function, types.FunctionType):
        return
    original = types.FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    original.__kwdefaults__ = function.__kwdefaults__
    hook = f"__regreach_{len(function.__globals__)}__"
    function.__globals__[hook] = make(original)
    space: dict[str, Any] = {}
    # a body with as many free variables as the one that it replaces
    free = function.__code__.co_freevars
    lines = [f"def outer({', '.join(free)}):", " def inner(*args, **keywords):"]
    lines += [f"  {name}" for name in free]
    lines += [f"  return {hook}(*args, **keywords)", " return inner"]
    exec("\n".join(lines), space)
    _bodies.append((function, function.__code__))
    function.__code__ = space["outer"](*free).__code__


def attempted(plan: Plan, action: Callable[[], Any]) -> Result:
    """Do something; say how that ended."""
    try:
        action()
    except BaseException as error:  # what the tree's code raises may be anything, SystemExit too
        return {
            "ok": False,
            "exception": type(error).__name__,
            "message": str(error),
            "raised_at": _raised_at(error, plan["import_root"]),
        }
    return {"ok": True}


def _raised_at(error: BaseException, root: str) -> list[Any] | None:
    """Return path and line of the innermost frame inside the tree."""
    prefix = root.rstrip(os.sep) + os.sep
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename.startswith(prefix):
            return [frame.filename.removeprefix(prefix).replace(os.sep, "/"), frame.lineno]
    return None
