"""What is known of a value in full, as Python's own value and as text."""

from __future__ import annotations

from typing import Any

from regreach.evaluate.ancestry import is_mixed_enum
from regreach.evaluate.frames import Frame
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import (
    MISSING,
    UNKNOWN,
    Const,
    Dict,
    External,
    Instance,
    Listing,
    Tuple,
    Value,
)

MAX_TEXT = 10_000  # a constant longer than this is not computed further


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
    if isinstance(value, Listing):
        items = plain(machine, value.cells.get("items", UNKNOWN))
        try:
            return None if items is None else (frozenset(items[0]),)
        except TypeError:
            return None
    if isinstance(value, Instance) and value.member is not None and is_mixed_enum(value.cls):
        return plain(machine, value.cells.get("value", UNKNOWN))
    return None


def string_of(machine: Machine, frame: Frame, value: Value) -> str | None:
    """Return ``str(value)``, None when it is not known."""
    if isinstance(value, Const):
        text = str(value.value)
        return text if len(text) <= MAX_TEXT else None
    if isinstance(value, Instance) and value.member is not None:
        inner = plain(machine, value)
        return str(inner[0]) if inner is not None else f"{value.cls.qualname}.{value.member}"
    if isinstance(value, Tuple) and not value.names:
        items = [item.value for item in value.items if isinstance(item, Const)]
        return str(tuple(items)) if len(items) == len(value.items) else None
    return None


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
        return [] if value.kind == "list" else set()
    return {} if isinstance(value, Dict) and value.factory is None else MISSING
