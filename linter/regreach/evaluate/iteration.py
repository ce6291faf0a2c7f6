"""What a ``for`` loop, an unpacking or a comprehension gets out of a value."""

from __future__ import annotations

from collections.abc import Iterable

from regreach.evaluate.frames import Frame
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import (
    OPEN,
    UNKNOWN,
    Class,
    Const,
    Dict,
    Generated,
    Instance,
    Listing,
    Tuple,
    Value,
    may_be_missing,
)

MAX_ITEMS = 2_000


def iterate(machine: Machine, frame: Frame, value: Value) -> Iterable[Value] | None:
    """Return the items one by one, as a loop asks for them; None when they are not all known."""
    if isinstance(value, Generated):
        return value.items()
    return items_of(machine, frame, value)


def is_unordered(value: Value) -> bool:
    """Return whether the order of a value's items is not that in which they are known: that of a set."""
    if not isinstance(value, Listing) or value.kind != "set":
        return False
    items = value.cells.get("items", UNKNOWN)
    return not isinstance(items, Tuple) or len(items.items) > 1


def ordered_items(machine: Machine, frame: Frame, value: Value) -> list[Value] | None:
    """Return the items of a value in order; None when they or their order are not known."""
    items = items_of(machine, frame, value)
    return None if is_unordered(value) else items


def items_of(machine: Machine, frame: Frame, value: Value) -> list[Value] | None:
    """Return the items that iterating over a value gives; None when they are not all known.

    Raises Abrupt(TypeError) for what certainly cannot be iterated over.
    """
    if isinstance(value, Tuple):
        return list(value.items)
    if isinstance(value, Listing):
        machine.replay.read(value)
        if "of" in value.cells:
            return _items_of_view(machine, value)
        items = value.cells.get("items", UNKNOWN)
        if value.kind == "iterator":
            # who asks may stop at any item, and the others come when it is asked again
            machine.heap.write(value, "items", UNKNOWN)
        return list(items.items) if isinstance(items, Tuple) else None
    if isinstance(value, Const) and not isinstance(value.value, (str, bytes, range)):
        kind = type(value.value).__name__
        raise machine.error(frame, "TypeError", f"{kind!r} object is not iterable")
    if isinstance(value, Const):
        if len(value.value) > MAX_ITEMS:
            return None
        return [Const(v) for v in value.value]
    if isinstance(value, Dict):
        entries = _entries(machine, value)
        return None if entries is None else [key for key, _ in entries]
    if isinstance(value, Class) and value.is_enum:
        return enum_members(value)
    if isinstance(value, Generated):
        return list(value.items())
    return None


def _entries(machine: Machine, owner: Dict) -> list[tuple[Value, Value]] | None:
    machine.replay.read(owner)
    if OPEN in owner.cells or any(may_be_missing(v) for v in owner.cells.values()):
        return None
    return list(owner.cells.items())


def _items_of_view(machine: Machine, view: Listing) -> list[Value] | None:
    """Return what the keys, values or items of a dict are now."""
    owner = view.cells["of"]
    entries = _entries(machine, owner) if isinstance(owner, Dict) else None
    if entries is None or view.kind == "items":
        return None if entries is None else [Tuple(entry) for entry in entries]
    return [key if view.kind == "keys" else value for key, value in entries]


def enum_members(cls: Class) -> list[Value]:
    """Return the members of an enum, in order of definition."""
    return [cls.cells[name] for name in cls.members if isinstance(cls.cells.get(name), Instance)]
