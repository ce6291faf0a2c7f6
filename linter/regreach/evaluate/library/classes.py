"""``isinstance``, ``issubclass``, ``type`` and ``callable``."""

from __future__ import annotations

import builtins
from typing import Any

from regreach.evaluate.ancestry import class_mro, class_of
from regreach.evaluate.frames import Frame
from regreach.evaluate.library.models import CALLABLES, Args, Keywords, Site, model
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import (
    FALSE,
    MISSING,
    TRUE,
    UNKNOWN,
    Class,
    Const,
    External,
    Tuple,
    Union,
    Value,
    alternatives,
)


@model("builtins.isinstance")
def _isinstance(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    return is_instance(args[0], args[1]) if len(args) == 2 else UNKNOWN


def is_instance(value: Value, kinds: Value) -> Value:
    """Return ``isinstance(value, kinds)``."""
    return _verdict(
        {_is_subclass(class_of(v), kinds) for v in alternatives(value) if v is not MISSING}
    )


@model("builtins.issubclass")
def _issubclass(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    return _verdict({_is_subclass(args[0], args[1])}) if len(args) == 2 else UNKNOWN


_PROTOCOLS = {External("typing.Protocol"), External("typing_extensions.Protocol")}


def _verdict(verdicts: set[bool | None]) -> Value:
    if len(verdicts) != 1:
        return UNKNOWN
    verdict = verdicts.pop()
    return UNKNOWN if verdict is None else Const(verdict)


def _is_subclass(cls: Value, kinds: Value) -> bool | None:
    if isinstance(kinds, Tuple):
        verdicts = [_is_subclass(cls, k) for k in kinds.items]
        if True in verdicts:
            return True
        return None if None in verdicts else False
    if cls is UNKNOWN or kinds is UNKNOWN or isinstance(kinds, Union):
        return None
    if isinstance(kinds, Class) and _PROTOCOLS & set(class_mro(kinds)):
        return None  # structural: whoever has the methods is an instance
    if isinstance(cls, Class):
        order = class_mro(cls)
        if kinds in order or kinds == External("builtins.object"):
            return True
        outside = [c for c in order if not isinstance(c, Class)]
        return None if outside and isinstance(kinds, External) else False
    if isinstance(cls, External):
        if cls == kinds:
            return True
        left = _builtin_type(cls)
        right = _builtin_type(kinds) if isinstance(kinds, External) else None
        if isinstance(left, type):
            if isinstance(right, type):
                return issubclass(left, right)
            return False if isinstance(kinds, Class) else None
        return False if isinstance(kinds, Class) else None
    return None


def _builtin_type(value: External) -> Any:
    name = value.path.removeprefix("builtins.")
    return type(None) if name == "NoneType" else getattr(builtins, name, None)


@model("builtins.callable")
def _callable(machine: Machine, frame: Frame, args: Args, *_: Any) -> Value:
    if args and isinstance(args[0], CALLABLES):
        return TRUE
    return FALSE if args and isinstance(args[0], (Const, Tuple)) else UNKNOWN


@model("builtins.type")
def _type(machine: Machine, frame: Frame, args: Args, *_: Any) -> Value:
    return class_of(args[0]) if len(args) == 1 else UNKNOWN
