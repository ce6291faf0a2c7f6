"""The platform's facts, brought about: modules outside the tree answer as they do on that platform."""

from __future__ import annotations

import builtins
import contextlib
import importlib
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .stand_in import Ground, StandIn, StandInModule


def apply(ground: Ground, facts: Mapping[str, Any]) -> list[str]:
    """Let ``a.b.c`` have a value and ``a.b.f()`` return one; return what had to be left as it is.

    A fact is ``["value", x]``, ``["missing"]`` for an attribute that is not there, or what a call raises:
    ``["raise", "AssertionError", message]``. Those of the standard library are not touched: too much
    else relies on them.
    """
    untouched = []
    for path, fact in facts.items():
        top = path.partition(".")[0]
        if top in sys.stdlib_module_names:
            if not _holds(ground, path, fact):
                untouched.append(path)
            continue
        _set(ground, path, fact)
    return untouched


def forgive(ground: Ground, functions: Sequence[str]) -> None:
    """Let these functions, which make decorators, decorate with nothing when they fail.

    They name something that a package defines which is stood in for.
    """
    for path in functions:
        *above, name = path.split(".")
        owner = _owner(ground, above)
        original = getattr(owner, name, None)
        if owner is not None and callable(original) and not isinstance(owner, StandInModule):
            setattr(owner, name, _forgiving(original))


def _forgiving(original: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **keywords: Any) -> Any:
        try:
            made = original(*args, **keywords)
        except Exception:
            return lambda function: function
        if not callable(made):
            return made

        def decorate(function: Any) -> Any:
            try:
                return made(function)
            except Exception:
                return function

        return decorate

    return call


def _set(ground: Ground, path: str, fact: Sequence[Any]) -> None:
    *above, last = path.split(".")
    owner = _owner(ground, above)
    if owner is None and fact[0] != "missing" and len(above) > 1:
        # what the platform's own package adds to another one
        base = _owner(ground, above[:-1])
        owner = StandIn(ground, ".".join(above))
        if base is not None:
            setattr(base, above[-1], owner)
    if owner is None:
        return
    name = last.removesuffix("()")
    if fact[0] == "missing":
        if isinstance(owner, StandInModule):
            owner.__dict__["_gone"].add(name)
        with contextlib.suppress(AttributeError):
            delattr(owner, name)
        return
    if fact[0] == "raise":
        setattr(owner, name, _raising(getattr(builtins, fact[1]), fact[2]))
        return
    value = _plain(fact[1])
    setattr(owner, name, (lambda *_, **__: value) if last.endswith("()") else value)


def _raising(kind: type[Exception], message: str) -> Callable[..., Any]:
    def call(*_: Any, **__: Any) -> Any:
        raise kind(message)

    return call


def _owner(ground: Ground, parts: Sequence[str]) -> Any:
    """Return what a dotted path names; its modules are imported, what its calls return is kept."""
    found: Any = None
    for end, part in enumerate(parts, 1):
        name = part.removesuffix("()")
        if name == part and (end == 1 or isinstance(found, types.ModuleType)):
            with contextlib.suppress(ImportError):
                found = importlib.import_module(".".join(parts[:end]))
                continue
        owner, found = found, getattr(found, name, None)
        if found is None:
            return None
        if part.endswith("()"):
            try:
                found = found()
            except Exception:  # what has to be asked for is not here
                found = StandIn(ground, ".".join(parts[:end]))
            setattr(owner, name, lambda *_, always=found, **__: always)
    return found


def _holds(ground: Ground, path: str, fact: Sequence[Any]) -> bool:
    *above, last = path.split(".")
    owner, name = _owner(ground, above), last.removesuffix("()")
    if fact[0] == "missing":
        return not hasattr(owner, name)
    found: Any = getattr(owner, name, None)
    if path.endswith("()") and callable(found):
        found = found()
    value = _plain(fact[1])
    return tuple(found)[: len(value)] == value if isinstance(value, tuple) else found == value


def _plain(value: Any) -> Any:
    return tuple(map(_plain, value)) if isinstance(value, list) else value
