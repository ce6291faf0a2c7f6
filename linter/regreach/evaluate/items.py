"""Items of dicts, lists, ``os.environ`` and ``sys.modules``: read and set."""

from __future__ import annotations

from typing import Any

from regreach.evaluate.ancestry import look_up_in_class
from regreach.evaluate.calls import call
from regreach.evaluate.constants import text_of
from regreach.evaluate.frames import Frame
from regreach.evaluate.iteration import items_of
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import (
    MISSING,
    OPEN,
    UNKNOWN,
    Class,
    Const,
    Dict,
    External,
    Function,
    Instance,
    Listing,
    Module,
    Tuple,
    Union,
    Value,
    alternatives,
    may_be_missing,
    union,
    without_missing,
)


def get_item(machine: Machine, frame: Frame, owner: Value, key: Value) -> Value:
    """Return ``owner[key]``; raises Abrupt(KeyError) when the key certainly is not there."""
    if isinstance(owner, Union):
        return union(get_item(machine, frame, o, key) for o in owner.values if o is not MISSING)
    if isinstance(owner, Dict):
        machine.replay.read(owner)
        value = dict_get(owner, key)
        if owner.factory is not None and may_be_missing(value):
            return _default_item(machine, frame, owner, key, value)
        if value is MISSING:
            raise machine.error(frame, "KeyError", text_of(key))
        if may_be_missing(value):

            def fail() -> Value:
                raise machine.error(frame, "KeyError", text_of(key))

            machine.maybe(frame, fail, machine.place(frame))
        return without_missing(value)
    if isinstance(owner, External):
        if owner.path == "os.environ":
            return _environ_item(machine, frame, key)
        if owner.path == "sys.modules":
            return _loaded_module(machine, frame, key)
        return External(f"{owner.path}[]")
    if isinstance(owner, Class):
        if owner.is_enum and isinstance(key, Const):
            return without_missing(owner.cells.get(key.value, UNKNOWN))
        return owner  # a generic alias
    if isinstance(owner, Instance):
        getter = look_up_in_class(owner.cls, "__getitem__")
        if isinstance(getter, Function):
            return call(machine, frame, getter, (owner, key), {}, site=("getitem",))
        return UNKNOWN
    items = items_of(machine, frame, owner)
    if items is not None and isinstance(key, Const) and isinstance(key.value, int):
        if -len(items) <= key.value < len(items):
            return items[key.value]
        raise machine.error(frame, "IndexError")
    return UNKNOWN


def _loaded_module(machine: Machine, frame: Frame, key: Value) -> Value:
    """Return ``sys.modules[key]``."""
    if not isinstance(key, Const) or not isinstance(key.value, str):
        return UNKNOWN
    value = machine.modules.cells.get(key.value, MISSING)
    machine.replay.asked_for(key.value, value)
    if value is not MISSING:
        return without_missing(value)
    if key.value.partition(".")[0] == machine.top_level:
        raise machine.error(frame, "KeyError", text_of(key))
    return External(key.value)


def _default_item(machine: Machine, frame: Frame, owner: Dict, key: Value, present: Value) -> Value:
    assert owner.factory is not None
    made = call(machine, frame, owner.factory, (), {}, site=("default", id(owner), key))
    if not is_hashable_constant(key):
        machine.heap.write(owner, OPEN, UNKNOWN)
        return UNKNOWN
    value = union((made, without_missing(present))) if present is not MISSING else made
    machine.heap.write(owner, _plain_key(key), value)
    return value


def _environ_item(machine: Machine, frame: Frame, key: Value) -> Value:
    value = environment(machine, key)
    if value is MISSING:
        raise machine.error(frame, "KeyError", text_of(key))
    return value


def environment(machine: Machine, key: Value) -> Value:
    """Return the value of an environment variable: MISSING when it is unset, UNKNOWN when not known."""
    if not isinstance(key, Const):
        return (
            MISSING if machine.world.environment_closed and not machine.environ.cells else UNKNOWN
        )
    machine.replay.read(machine.environ)
    value = machine.environ.cells.get(key, MISSING)
    if value is MISSING and not machine.world.environment_closed:
        return UNKNOWN
    return UNKNOWN if isinstance(value, Union) else value


def is_hashable_constant(value: Value) -> bool:
    """Return whether a value can be told from any other, as a dict key."""
    if isinstance(value, Tuple):
        return all(is_hashable_constant(v) for v in value.items)
    return isinstance(value, (Const, Instance, Class, Function, Module))


def dict_get(owner: Dict, key: Value) -> Value:
    """Return the value under a key: MISSING, a value, or a union that says what it may be."""
    if isinstance(key, Union):
        return union(dict_get(owner, k) for k in key.values)
    if not is_hashable_constant(key):
        return union((UNKNOWN, MISSING)) if owner.cells else MISSING
    value = owner.cells.get(_plain_key(key), MISSING)
    if value is MISSING and OPEN in owner.cells:
        return union((UNKNOWN, MISSING))
    return value


def _plain_key(key: Value) -> Value:
    # True and 1 are one key in Python
    if isinstance(key, Const) and isinstance(key.value, bool):
        return Const(int(key.value))
    return key


def set_item(machine: Machine, frame: Frame, owner: Value, key: Value, value: Value) -> None:
    """Run ``owner[key] = value``."""
    targets = alternatives(owner)
    for target in targets:
        if isinstance(target, Dict):
            for each in alternatives(key):
                if is_hashable_constant(each):
                    sure = len(targets) == 1 and not isinstance(key, Union)
                    plain = _plain_key(each)
                    if not sure:
                        machine.replay.read(target)
                    old = target.cells.get(plain, MISSING)
                    machine.heap.write(target, plain, value if sure else union((old, value)))
                else:
                    machine.heap.write(target, OPEN, UNKNOWN)
        elif isinstance(target, Listing):
            machine.heap.write(target, "items", UNKNOWN)
        elif isinstance(target, External):
            if target.path == "os.environ" and isinstance(key, Const):
                machine.heap.write(machine.environ, key, value)
            elif target.path == "sys.modules" and isinstance(key, Const):
                machine.replay.spoil()
                machine.heap.write(machine.modules, key.value, value)
        elif isinstance(target, Instance):
            setter = look_up_in_class(target.cls, "__setitem__")
            if isinstance(setter, Function):
                call(machine, frame, setter, (target, key, value), {}, site=("setitem",))


def update_dict(machine: Machine, frame: Frame, target: Dict, other: Value) -> None:
    """Run ``target.update(other)``."""
    if isinstance(other, Dict):
        machine.replay.read(other)
        for key, value in list(other.cells.items()):
            if may_be_missing(value):
                machine.replay.read(target)
                old = target.cells.get(key, MISSING)
                machine.heap.write(target, key, union((old, value)))
            else:
                machine.heap.write(target, key, value)
    else:
        machine.heap.write(target, OPEN, UNKNOWN)


def new_listing(
    machine: Machine, frame: Frame, kind: str, items: list[Value] | None, *site: Any
) -> Value:
    """Return a new list or set; its items are unknown when ``items`` is None."""
    listing = machine.allocate(lambda: Listing(kind), frame, "listing", *site)
    machine.heap.write(listing, "items", UNKNOWN if items is None else Tuple(tuple(items)))
    assert isinstance(listing, Listing)
    return listing
