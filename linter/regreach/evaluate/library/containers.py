"""What makes containers, and what goes through their items."""

from __future__ import annotations

from typing import Any

from regreach.evaluate.calls import call
from regreach.evaluate.comparisons import truth
from regreach.evaluate.constants import plain
from regreach.evaluate.frames import Frame
from regreach.evaluate.items import length, new_listing, put_items, set_item, update_dict
from regreach.evaluate.iteration import MAX_ITEMS, items_of, ordered_items
from regreach.evaluate.library.models import CALLS, Args, Keywords, Model, Site, model
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import (
    NONE,
    OPEN,
    UNKNOWN,
    Const,
    Dict,
    Generated,
    Listing,
    Tuple,
    Value,
)


@model("builtins.len")
def _len(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    found = length(machine, frame, args[0]) if args else None
    return UNKNOWN if found is None else Const(found)


@model("builtins.tuple")
def _tuple(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    items = ordered_items(machine, frame, args[0]) if args else []
    return UNKNOWN if items is None else Tuple(tuple(items))


@model("builtins.reversed")
def _reversed(machine: Machine, frame: Frame, args: Args, _: Keywords, site: Site) -> Value:
    items = ordered_items(machine, frame, args[0]) if args else []
    backwards = None if items is None else items[::-1]
    return new_listing(machine, frame, "iterator", backwards, "reversed()", *site)


@model("builtins.sorted")
def _sorted(machine: Machine, frame: Frame, args: Args, keywords: Keywords, site: Site) -> Value:
    items = items_of(machine, frame, args[0]) if args else None
    values = [plain(machine, item) for item in items or ()]
    ordered: list[Value] | None = None
    if items is not None and not keywords and None not in values:
        pairs = list(zip([p[0] for p in values if p is not None], items, strict=True))
        try:
            ordered = [item for _, item in sorted(pairs, key=lambda pair: pair[0])]
        except TypeError as error:
            raise machine.error(frame, "TypeError", str(error)) from None
    return new_listing(machine, frame, "list", ordered, "sorted()", *site)


@model("builtins.list")
def _list(machine: Machine, frame: Frame, args: Args, _: Keywords, site: Site) -> Value:
    items = ordered_items(machine, frame, args[0]) if args else []
    return new_listing(machine, frame, "list", items, "list()", *site)


@model("builtins.set", "builtins.frozenset")
def _set(machine: Machine, frame: Frame, args: Args, _: Keywords, site: Site) -> Value:
    items = items_of(machine, frame, args[0]) if args else []
    return new_listing(machine, frame, "set", items, "set()", *site)


@model("collections.defaultdict")
def _defaultdict(
    machine: Machine, frame: Frame, args: Args, keywords: Keywords, site: Site
) -> Value:
    made = _dict(machine, frame, args[1:], keywords, site)
    assert isinstance(made, Dict)
    made.factory = args[0] if args and args[0] != NONE else None
    return made


@model("builtins.dict", "collections.OrderedDict")
def _dict(machine: Machine, frame: Frame, args: Args, keywords: Keywords, site: Site) -> Value:
    made = machine.allocate(Dict, frame, "dict()", *site)
    assert isinstance(made, Dict)
    made.factory = None
    for arg in args:
        if isinstance(arg, Dict):
            update_dict(machine, frame, made, arg)
            continue
        items = items_of(machine, frame, arg)
        if items is None:
            machine.heap.write(made, OPEN, UNKNOWN)
            continue
        for item in items:
            if isinstance(item, Tuple) and len(item.items) == 2:
                set_item(machine, frame, made, item.items[0], item.items[1])
            else:
                machine.heap.write(made, OPEN, UNKNOWN)
    for name, value in keywords.items():
        machine.heap.write(made, Const(name), value)
    return made


@model("builtins.range")
def _range(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    numbers = [a.value for a in args if isinstance(a, Const) and isinstance(a.value, int)]
    if len(numbers) != len(args) or not args:
        return UNKNOWN
    try:
        result = range(*numbers)
    except (TypeError, ValueError):
        return UNKNOWN
    return Const(result) if len(result) <= MAX_ITEMS else UNKNOWN


@model("builtins.enumerate")
def _enumerate(machine: Machine, frame: Frame, args: Args, k: Keywords, site: Site) -> Value:
    items = ordered_items(machine, frame, args[0]) if args else None
    start = args[1] if len(args) > 1 else k.get("start", Const(0))
    pairs: list[Value] | None = None
    if items is not None and isinstance(start, Const) and isinstance(start.value, int):
        pairs = [Tuple((Const(start.value + i), v)) for i, v in enumerate(items)]
    return new_listing(machine, frame, "iterator", pairs, "enumerate()", *site)


@model("builtins.zip")
def _zip(machine: Machine, frame: Frame, args: Args, keywords: Keywords, site: Site) -> Value:
    columns = [ordered_items(machine, frame, a) for a in args]
    known = [c for c in columns if c is not None]
    rows: list[Value] | None = None
    if len(known) == len(columns) and not keywords:
        rows = [Tuple(row) for row in zip(*known, strict=False)]
    return new_listing(machine, frame, "iterator", rows, "zip()", *site)


def _quantified(wanted: bool) -> Model:
    def run(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
        items = items_of(machine, frame, args[0]) if args else None
        if items is None:
            return UNKNOWN
        verdicts = [truth(machine, frame, i) for i in items]
        if wanted in verdicts:
            return Const(wanted)
        return UNKNOWN if None in verdicts else Const(not wanted)

    return run


CALLS["builtins.any"] = _quantified(True)
CALLS["builtins.all"] = _quantified(False)


@model("typing.cast")
def _last(machine: Machine, frame: Frame, args: Args, *_: Any) -> Value:
    return args[-1] if args else UNKNOWN


@model("builtins.iter")
def _iter(machine: Machine, frame: Frame, args: Args, _: Keywords, site: Site) -> Value:
    if len(args) == 2:  # calls a function until it returns the other: perhaps
        machine.maybe(
            frame,
            lambda: call(machine, frame, args[0], (), {}, site=("iter", *site)),
            machine.place(frame),
        )
        return UNKNOWN
    if len(args) != 1 or isinstance(args[0], Generated):
        return args[0] if len(args) == 1 else UNKNOWN
    if isinstance(args[0], Listing) and args[0].kind == "iterator":
        return args[0]
    items = ordered_items(machine, frame, args[0])
    if items is None and not isinstance(args[0], (Listing, Dict)):
        return UNKNOWN
    return new_listing(machine, frame, "iterator", items, "iter()", *site)


@model("builtins.next")
def _next(machine: Machine, frame: Frame, args: Args, *_: Any) -> Value:
    iterator = args[0] if args else UNKNOWN
    if not isinstance(iterator, Listing) or iterator.kind != "iterator":
        return UNKNOWN
    items = items_of(machine, frame, iterator)
    if items is None:
        return UNKNOWN
    put_items(machine, iterator, items[1:])
    if items:
        return items[0]
    if len(args) == 1:
        raise machine.error(frame, "StopIteration")
    return args[1]
