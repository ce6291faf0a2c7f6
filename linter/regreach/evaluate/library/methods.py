"""Methods of values of builtin types."""

from __future__ import annotations

from typing import Any

from regreach.evaluate.comparisons import equal
from regreach.evaluate.constants import text_of
from regreach.evaluate.frames import Frame
from regreach.evaluate.items import (
    dict_get,
    new_listing,
    put_items,
    remove_item,
    set_item,
    update_dict,
)
from regreach.evaluate.iteration import MAX_ITEMS, items_of, ordered_items
from regreach.evaluate.library.models import Args, Keywords, Model, Site
from regreach.evaluate.library.texts import TEXT_METHODS, text_method
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import (
    MISSING,
    NONE,
    OPEN,
    UNKNOWN,
    Builtin,
    Const,
    Dict,
    Listing,
    Tuple,
    Value,
    may_be_missing,
    union,
    without_missing,
)


def method_of(owner: Value, name: str) -> Value:
    """Return a method of a value of a builtin type; UNKNOWN for anything else."""
    if isinstance(owner, Const) and isinstance(owner.value, str) and name in TEXT_METHODS:
        return Builtin(
            f"str.{name}", lambda m, f, a, k, s: text_method(m, f, owner, name, a, k, s), owner
        )
    table = (
        _DICT_METHODS
        if isinstance(owner, Dict)
        else _LIST_METHODS
        if isinstance(owner, Listing) and owner.kind in ("list", "set")
        else None
    )
    if table is not None and name in table:
        method = table[name]
        return Builtin(
            f"{type(owner).__name__}.{name}",
            lambda m, f, a, k, s: method(m, f, (owner, *a), k, s),
            owner,
        )
    if isinstance(owner, Dict) or (isinstance(owner, Listing) and name in _CHANGES_LIST):
        return Builtin("change", lambda m, f, a, k, s: _change(m, owner), owner)
    return UNKNOWN


_CHANGES_LIST = {
    "sort", "reverse", "__delitem__", "__setitem__",
    "difference_update", "intersection_update", "symmetric_difference_update",
}  # fmt: skip


def _change(machine: Machine, owner: Dict | Listing) -> Value:
    key = OPEN if isinstance(owner, Dict) else "items"
    machine.replay.read(owner)
    machine.heap.write(owner, key, UNKNOWN)
    return UNKNOWN


def _dict_get(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    owner = args[0]
    assert isinstance(owner, Dict)
    default = args[2] if len(args) > 2 else NONE
    machine.replay.read(owner)
    value = dict_get(owner, args[1]) if len(args) > 1 else UNKNOWN
    if value is MISSING:
        return default
    return union((without_missing(value), default)) if may_be_missing(value) else value


def _dict_setdefault(machine: Machine, frame: Frame, args: Args, k: Keywords, s: Site) -> Value:
    owner = args[0]
    assert isinstance(owner, Dict)
    value = _dict_get(machine, frame, args, k, s)
    if len(args) > 1:
        present = dict_get(owner, args[1])
        if may_be_missing(present):
            set_item(machine, frame, owner, args[1], value)
    return value


def _dict_update(machine: Machine, frame: Frame, args: Args, k: Keywords, _: Site) -> Value:
    owner = args[0]
    assert isinstance(owner, Dict)
    for other in args[1:]:
        update_dict(machine, frame, owner, other)
    for name, value in k.items():
        machine.heap.write(owner, Const(name), value)
    return NONE


def _dict_pop(machine: Machine, frame: Frame, args: Args, k: Keywords, s: Site) -> Value:
    owner = args[0]
    assert isinstance(owner, Dict)
    if len(args) < 2:
        return _change(machine, owner)
    return remove_item(machine, frame, owner, args[1], args[2] if len(args) > 2 else None)


def _dict_popitem(machine: Machine, frame: Frame, args: Args, k: Keywords, s: Site) -> Value:
    owner = args[0]
    assert isinstance(owner, Dict)
    if not owner.cells:
        raise machine.error(frame, "KeyError", "'popitem(): dictionary is empty'")
    remove_item(machine, frame, owner, UNKNOWN, NONE)
    return UNKNOWN


def _dict_view(kind: str) -> Model:
    def run(machine: Machine, frame: Frame, args: Args, _: Keywords, site: Site) -> Value:
        view = machine.allocate(lambda: Listing(kind), frame, "view", *site)
        assert isinstance(view, Listing)
        machine.heap.write(view, "of", args[0])
        return view

    return run


def _dict_copy(machine: Machine, frame: Frame, args: Args, _: Keywords, site: Site) -> Value:
    made = machine.allocate(Dict, frame, "copy", *site)
    assert isinstance(made, Dict)
    update_dict(machine, frame, made, args[0])
    return made


def _clear(machine: Machine, frame: Frame, args: Args, *_: Any) -> Value:
    owner = args[0]
    if isinstance(owner, Dict):
        machine.heap.clear(owner)
    elif isinstance(owner, Listing):
        machine.heap.write(owner, "items", Tuple(()))
    return NONE


_DICT_METHODS: dict[str, Model] = {
    "get": _dict_get,
    "setdefault": _dict_setdefault,
    "update": _dict_update,
    "pop": _dict_pop,
    "popitem": _dict_popitem,
    "keys": _dict_view("keys"),
    "values": _dict_view("values"),
    "items": _dict_view("items"),
    "copy": _dict_copy,
    "clear": _clear,
}


def _append(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    owner = args[0]
    assert isinstance(owner, Listing)
    items = items_of(machine, frame, owner)
    machine.replay.read(owner)
    known = items is not None and len(args) == 2 and len(items) < MAX_ITEMS
    put_items(machine, owner, (*(items or ()), args[1]) if known else None)
    return NONE


def _extend(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    owner = args[0]
    assert isinstance(owner, Listing)
    items = items_of(machine, frame, owner)
    more = ordered_items(machine, frame, args[1]) if len(args) == 2 else None
    machine.replay.read(owner)
    known = items is not None and more is not None
    put_items(machine, owner, (*(items or ()), *(more or ())) if known else None)
    return NONE


def _listing_copy(machine: Machine, frame: Frame, args: Args, _: Keywords, site: Site) -> Value:
    owner = args[0]
    assert isinstance(owner, Listing)
    return new_listing(machine, frame, owner.kind, items_of(machine, frame, owner), "copy", *site)


def _known_items(machine: Machine, args: Args) -> tuple[Listing, list[Value] | None]:
    owner = args[0]
    assert isinstance(owner, Listing)
    machine.replay.read(owner)
    items = owner.cells.get("items", UNKNOWN)
    return owner, list(items.items) if isinstance(items, Tuple) else None


def _pop(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    owner, items = _known_items(machine, args)
    index = args[1] if len(args) > 1 else Const(-1)
    if items is not None and not items:
        kind = "KeyError" if owner.kind == "set" else "IndexError"
        raise machine.error(frame, kind, f"pop from empty {owner.kind}")
    if items is None or owner.kind == "set" or not isinstance(index, Const):
        return _change(machine, owner)
    try:
        found = items.pop(index.value)
    except IndexError as error:
        raise machine.error(frame, "IndexError", str(error)) from None
    put_items(machine, owner, items)
    return found


def _remove(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    owner, items = _known_items(machine, args)
    if items is None or len(args) != 2:
        return _change(machine, owner)
    for index, item in enumerate(items):
        verdict = equal(machine, frame, item, args[1])
        if verdict is None:
            return _change(machine, owner)
        if verdict:
            put_items(machine, owner, items[:index] + items[index + 1 :])
            return NONE
    if owner.kind == "set":
        raise machine.error(frame, "KeyError", text_of(args[1]))
    raise machine.error(frame, "ValueError", "list.remove(x): x not in list")


def _discard(machine: Machine, frame: Frame, args: Args, k: Keywords, s: Site) -> Value:
    _, items = _known_items(machine, args)
    absent = items is not None and all(equal(machine, frame, i, args[1]) is False for i in items)
    return NONE if absent else _remove(machine, frame, args, k, s)


def _insert(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    owner, items = _known_items(machine, args)
    if items is None or len(args) != 3 or not isinstance(args[1], Const):
        return _change(machine, owner)
    items.insert(args[1].value, args[2])
    put_items(machine, owner, items)
    return NONE


_LIST_METHODS: dict[str, Model] = {
    "append": _append,
    "pop": _pop,
    "remove": _remove,
    "discard": _discard,
    "insert": _insert,
    "add": _append,
    "extend": _extend,
    "update": _extend,
    "copy": _listing_copy,
    "clear": _clear,
}
