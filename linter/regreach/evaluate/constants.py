"""What is known of a value in full, as Python's own value and as text."""

from __future__ import annotations

import sys
from typing import Any

from regreach.evaluate.ancestry import class_mro, has_own, is_mixed_enum, look_up_in_class
from regreach.evaluate.calls import call
from regreach.evaluate.frames import Frame
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import (
    MISSING,
    UNKNOWN,
    Const,
    Dict,
    External,
    Function,
    Instance,
    Listing,
    Tuple,
    Value,
)

MAX_TEXT = 10_000  # a constant longer than this is not computed further
MAX_BITS = 10_000  # nor is a larger integer, of which a few products would take for ever


def plain(machine: Machine, value: Value) -> tuple[Any] | None:
    """Return the Python value of a constant or a tuple of constants, in a 1-tuple; else None."""
    if isinstance(value, Const):
        return (value.value,)
    if isinstance(value, Tuple):
        parts = [plain(machine, v) for v in value.items]
        if all(p is not None for p in parts):
            return (tuple(p[0] for p in parts if p is not None),)
    if isinstance(value, Listing):
        machine.replay.read(value)
    if isinstance(value, Listing) and value.kind == "list":
        items = plain(machine, value.cells.get("items", UNKNOWN))
        return None if items is None else (list(items[0]),)
    if isinstance(value, Listing) and value.kind == "set":
        items = plain(machine, value.cells.get("items", UNKNOWN))
        try:
            return None if items is None else (frozenset(items[0]),)
        except TypeError:
            return None
    if isinstance(value, Instance) and is_like_its_value(value):
        return plain(machine, value.cells.get("value", UNKNOWN))
    return None


def is_like_its_value(value: Instance) -> bool:
    """Return whether this is a member of an enum that is equal to, and hashed as, its value."""
    return (
        value.member is not None
        and is_mixed_enum(value.cls)
        and not has_own(value.cls, "__eq__", "__hash__")
    )


def string_of(
    machine: Machine, frame: Frame, value: Value, *, formatted: bool = False
) -> str | None:
    """Return ``str(value)``, or ``format(value)``; None when it is not known."""
    text: str | None = None
    if isinstance(value, Const):
        text = str(value.value)
    elif isinstance(value, Instance) and has_own(value.cls, "__str__", "__format__"):
        method = look_up_in_class(value.cls, "__str__")
        if isinstance(method, Function) and not has_own(value.cls, "__format__"):
            result = call(machine, frame, method, (value,), {}, site=("str",))
            known = isinstance(result, Const) and isinstance(result.value, str)
            text = result.value if known else None  # type: ignore[union-attr]
    elif isinstance(value, Instance) and value.member is not None:
        text = _text_of_member(machine, value, formatted)
    elif isinstance(value, Tuple) and not value.names:
        items = [item.value for item in value.items if isinstance(item, Const)]
        text = str(tuple(items)) if len(items) == len(value.items) else None
    return text if text is None or len(text) <= MAX_TEXT else None


_SHOWN_AS_VALUES = {External("enum.IntEnum"), External("enum.StrEnum"), External("enum.IntFlag")}


def _text_of_member(machine: Machine, value: Instance, formatted: bool) -> str | None:
    """Return the text of a member of an enum, which some versions of Python show as its value."""
    inner = plain(machine, value)
    as_value = any(c in _SHOWN_AS_VALUES for c in class_mro(value.cls))
    if sys.version_info < (3, 11):
        as_value = External("enum.StrEnum") in class_mro(value.cls) or (
            formatted and is_mixed_enum(value.cls)
        )
    if as_value:
        return None if inner is None else str(inner[0])
    return f"{value.cls.qualname.rpartition('.')[2]}.{value.member}"


def text_of(value: Value) -> str:
    """Return a value as a person would write it."""
    if isinstance(value, Const):
        return repr(value.value)
    if isinstance(value, Tuple):
        return "(" + ", ".join(text_of(v) for v in value.items) + ")"
    if isinstance(value, External):
        return value.path
    return repr(value)


def example_of(value: Value) -> Any:
    """Return an object of a value's type; MISSING when that is no builtin one."""
    if isinstance(value, Const):
        return value.value
    if isinstance(value, Tuple):
        return () if not value.names else MISSING
    if isinstance(value, Listing):
        return {"list": [], "set": set()}.get(value.kind, MISSING)
    return {} if isinstance(value, Dict) and value.factory is None else MISSING
