"""Items of dicts, lists, ``os.environ`` and ``sys.modules``: read and set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from regreach.evaluate.ancestry import has_own, look_up_in_class
from regreach.evaluate.calls import call
from regreach.evaluate.constants import is_like_its_value, text_of
from regreach.evaluate.frames import Abrupt, Frame
from regreach.evaluate.iteration import is_unordered, items_of
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import (
    MAX_ITEMS,
    MISSING,
    NONE,
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
        return _item_of_any(machine, frame, owner, key)
    if isinstance(owner, Dict):
        machine.replay.read(owner)
        value = dict_get(owner, key)
        if owner.factory is not None and may_be_missing(value):
            return _default_item(machine, frame, owner, key, value)
        _must_be_there(machine, frame, key, value)
        return without_missing(value)
    if isinstance(owner, External):
        if owner.path == "os.environ":
            return _environ_item(machine, frame, key)
        if owner.path == "sys.modules":
            return _loaded_module(machine, frame, key)
        return External(f"{owner.path}[]")
    if isinstance(owner, Class):
        if owner.is_enum and isinstance(key, Const):
            member = owner.cells.get(key.value, MISSING)
            if not isinstance(member, Instance) and OPEN not in owner.cells:
                raise machine.error(frame, "KeyError", text_of(key))
            return UNKNOWN if member is MISSING else member
        return owner  # a generic alias
    if isinstance(owner, Instance):
        getter = look_up_in_class(owner.cls, "__getitem__")
        if isinstance(getter, Function):
            return call(machine, frame, getter, (owner, key), {}, site=("getitem",))
        return UNKNOWN
    if isinstance(owner, Const) and not isinstance(owner.value, (str, bytes, range)):
        kind = type(owner.value).__name__
        raise machine.error(frame, "TypeError", f"{kind!r} object is not subscriptable")
    if isinstance(owner, Listing) and owner.kind != "list":
        return UNKNOWN
    items = items_of(machine, frame, owner)
    if items is not None and isinstance(key, Const) and isinstance(key.value, int):
        if -len(items) <= key.value < len(items):
            return items[key.value]
        raise machine.error(frame, "IndexError")
    return UNKNOWN


def _item_of_any(machine: Machine, frame: Frame, owners: Union, key: Value) -> Value:
    """Return ``owner[key]`` for what has such an item; raises Abrupt when nothing has."""
    found: list[Value] = []
    failed: Abrupt | None = None
    for owner in owners.values:
        if owner is not MISSING:
            try:
                found.append(get_item(machine, frame, owner, key))
            except Abrupt as abrupt:
                failed = abrupt
    if failed is not None and not found:
        raise failed
    return union(found)


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
    machine.heap.write(owner, key_in(owner, key), value)
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
    if isinstance(value, Instance):
        own = value.cls.is_dataclass or has_own(value.cls, "__eq__", "__hash__")
        return not own
    return isinstance(value, (Const, Class, Function, Module))


def dict_get(owner: Dict, key: Value) -> Value:
    """Return the value under a key: MISSING, a value, or a union that says what it may be."""
    if isinstance(key, Union):
        return union(dict_get(owner, k) for k in key.values if k is not MISSING)
    if not is_hashable_constant(key):
        return union((UNKNOWN, MISSING)) if owner.cells else MISSING
    value = owner.cells.get(key_in(owner, key), MISSING)
    if value is MISSING and OPEN in owner.cells:
        return union((UNKNOWN, MISSING))
    return value


def key_in(owner: Dict, key: Value) -> Value:
    """Return the key of a dict that is equal to this one (True and 1 are), else this one."""
    cells = owner.cells
    if key in cells:
        return key
    wanted: Any
    candidates: list[Any]
    if isinstance(key, Const) and isinstance(key.value, str):
        wanted, candidates = key.value, [k for k in cells if type(k) is Instance]
    elif isinstance(key, Tuple) and all(map(_is_text, key.items)):
        # what is hashed otherwise and is equal all the same has an enum's member in it
        wanted = comparable(key)
        candidates = [k for k in cells if type(k) is Tuple and not all(map(_is_text, k.items))]
    elif isinstance(key, (Const, Tuple)) or (isinstance(key, Instance) and is_like_its_value(key)):
        wanted, candidates = comparable(key), [k for k in cells if k is not OPEN]
    else:
        return key
    return next((k for k in candidates if comparable(k) == wanted), key)


def _is_text(value: Value) -> bool:
    return type(value) is Const and type(value.value) is str


def comparable(key: Value) -> Any:
    """Return what is equal, and hashed alike, for keys that are equal in Python."""
    if isinstance(key, Const):
        return key.value
    if isinstance(key, Tuple):
        return tuple(map(comparable, key.items))
    if isinstance(key, Instance) and is_like_its_value(key):
        return comparable(key.cells.get("value", UNKNOWN))
    return key


def put_item(machine: Machine, target: Dict, key: Value, value: Value, *, sure: bool) -> None:
    """Set an entry of a dict; where that is not ``sure``, it may be or stay what it was."""
    keys = [k for k in alternatives(key) if k is not MISSING]
    for each in keys:
        if not is_hashable_constant(each):
            machine.heap.write(target, OPEN, UNKNOWN)
            continue
        found = key_in(target, each)
        if sure and len(keys) == 1:
            machine.heap.write(target, found, value)
        else:
            machine.replay.read(target)
            old = dict_get(target, found)
            machine.heap.write(target, found, union((old, value)))


def remove_item(
    machine: Machine, frame: Frame, owner: Dict, key: Value, default: Value | None
) -> Value:
    """Take an entry out of a dict; raises Abrupt(KeyError) when there is none, and no default."""
    machine.replay.read(owner)
    found = dict_get(owner, key)
    if default is None:
        _must_be_there(machine, frame, key, found)
    _forget_item(machine, owner, key)
    if found is MISSING:
        return NONE if default is None else default
    present = without_missing(found)
    return present if default is None or not may_be_missing(found) else union((present, default))


def _must_be_there(machine: Machine, frame: Frame, key: Value, found: Value) -> None:
    """Raise KeyError, or perhaps, for a key under which a dict has nothing, or perhaps."""

    def fail() -> Value:
        raise machine.error(frame, "KeyError", text_of(key))

    if found is MISSING:
        fail()
    if may_be_missing(found):
        machine.maybe(frame, fail, machine.place(frame))


def _forget_item(machine: Machine, owner: Dict, key: Value) -> None:
    if is_hashable_constant(key):
        machine.heap.write(owner, key_in(owner, key), MISSING)
        return
    keys = alternatives(key)
    known = all(is_hashable_constant(k) for k in keys)
    for each in [key_in(owner, k) for k in keys] if known else list(owner.cells):
        value = owner.cells.get(each, MISSING)
        if value is not MISSING and each is not OPEN:
            machine.heap.write(owner, each, union((value, MISSING)))


def set_item(machine: Machine, frame: Frame, owner: Value, key: Value, value: Value) -> None:
    """Run ``owner[key] = value``."""
    targets = alternatives(owner)
    for target in targets:
        if isinstance(target, Dict):
            put_item(machine, target, key, value, sure=len(targets) == 1)
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


def delete_item(machine: Machine, frame: Frame, owner: Value, key: Value) -> None:
    """Run ``del owner[key]``."""
    targets = alternatives(owner)
    for target in targets:
        if isinstance(target, Dict):
            if len(targets) == 1:
                remove_item(machine, frame, target, key, None)
            else:
                machine.replay.read(target)
                _forget_item(machine, target, union((key, UNKNOWN)))
        elif isinstance(target, Listing):
            _delete_at(machine, frame, target, key, sure=len(targets) == 1)
        elif isinstance(target, External) and target.path == "os.environ":
            remove_variable(machine, frame, key, None)
        elif isinstance(target, Instance):
            method = look_up_in_class(target.cls, "__delitem__")
            if isinstance(method, Function):
                call(machine, frame, method, (target, key), {}, site=("delitem",))


def _delete_at(machine: Machine, frame: Frame, target: Listing, key: Value, *, sure: bool) -> None:
    items = items_of(machine, frame, target)
    index = key.value if isinstance(key, Const) and isinstance(key.value, int) else None
    if items is None or index is None or not sure:
        machine.heap.write(target, "items", UNKNOWN)
        return
    if not -len(items) <= index < len(items):
        raise machine.error(frame, "IndexError", "list assignment index out of range")
    del items[index]
    put_items(machine, target, items)


def remove_variable(machine: Machine, frame: Frame, key: Value, default: Value | None) -> Value:
    """Take a variable out of ``os.environ``; raises Abrupt(KeyError) when it is unset, without default."""
    value = environment(machine, key)
    if isinstance(key, Const):
        machine.heap.write(machine.environ, key, MISSING)
    if value is not MISSING:
        return value
    if default is None:
        raise machine.error(frame, "KeyError", text_of(key))
    return default


def update_dict(machine: Machine, frame: Frame, target: Dict, other: Value) -> None:
    """Run ``target.update(other)``."""
    if isinstance(other, Dict):
        machine.replay.read(other)
        for key, value in list(other.cells.items()):
            if key is OPEN:
                machine.heap.write(target, OPEN, UNKNOWN)
            else:
                sure = not may_be_missing(value)
                put_item(machine, target, key, without_missing(value), sure=sure)
    else:
        machine.heap.write(target, OPEN, UNKNOWN)


def new_listing(
    machine: Machine, frame: Frame, kind: str, items: list[Value] | None, *site: Any
) -> Value:
    """Return a new list, set or iterator; its items are unknown when ``items`` is None."""
    listing = machine.allocate(lambda: Listing(kind), frame, "listing", *site)
    assert isinstance(listing, Listing)
    put_items(machine, listing, items)
    return listing


def put_items(machine: Machine, listing: Listing, items: Sequence[Value] | None) -> None:
    """Set all items of a list, set or iterator; a set takes each once, and too many are not known."""
    if items is not None and len(items) > MAX_ITEMS:
        items = None
    if items is not None and listing.kind == "set":
        items = _distinct(items)
    machine.heap.write(listing, "items", UNKNOWN if items is None else Tuple(tuple(items)))


def _distinct(items: Sequence[Value]) -> list[Value]:
    """Return the items without those that are certainly equal to one before."""
    found: dict[Any, Value] = {}
    for item in items:
        found.setdefault(comparable(item) if is_hashable_constant(item) else item, item)
    return list(found.values())


def length(machine: Machine, frame: Frame, value: Value) -> int | None:
    """Return ``len(value)``; None when it is not known."""
    items = items_of(machine, frame, value)
    if items is None or (is_unordered(value) and not all(map(is_hashable_constant, items))):
        return None  # items that are not known may be equal
    return len(items)
