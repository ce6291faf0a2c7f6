"""Statements that put something into a container."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from regreach.discover.scopes import Scope
from regreach.facts import ir, walk

ADDING = ("append", "add", "appendleft", "insert")
ONE = ("setdefault", "__setitem__", "update", *ADDING)
# Methods of objects outside the tree that take a key and a thing.
_TAKES_ENTRIES = re.compile(r"impl$|_*(?:register|add)(?:_|$)")


@dataclass(frozen=True, slots=True)
class Store:
    """A statement that puts a value into something: ``into`` is the container's expression."""

    scope: Scope
    line: int
    into: ir.Expr
    key: tuple[ir.Expr, ...] | None  # the parts of the key; None where a value has none
    value: ir.Expr
    keyed: bool


def stores_in(scope: Scope) -> Iterator[Store]:
    """Yield what the statements of a scope itself put into containers."""
    for node in scope.statements:
        if isinstance(node, (ir.Assign, ir.AnnAssign)) and node.value is not None:
            for target in walk.targets(node):
                if isinstance(target, ir.Subscript):
                    yield _into(scope, node.line, target.value, (target.index,), node.value)
    for call in scope.calls():
        yield from _by_call(scope, call.line, call)


def handed_out(scope: Scope) -> Iterator[Store]:
    """Yield what the statements of a scope give to methods of objects: a key first, then a thing."""
    for call in scope.calls():
        if isinstance(call.func, ir.Attribute) and _TAKES_ENTRIES.match(call.func.attr):
            values = [a.value for a in call.args if not a.star and a.keyword is None]
            if len(values) >= 2 and isinstance(values[1], ir.Name):
                yield Store(scope, call.line, call.func.value, (values[0],), values[1], keyed=True)


def _by_call(scope: Scope, line: int, call: ir.Call) -> Iterator[Store]:
    if not isinstance(call.func, ir.Attribute) or call.func.attr not in ONE:
        return
    into, values = call.func.value, [a.value for a in call.args if not a.star]
    name = call.func.attr
    if name in ADDING and values:
        yield _into(scope, line, into, (), values[-1])
    elif name in ("setdefault", "__setitem__") and len(values) == 2:
        yield _into(scope, line, into, (values[0],), values[1])
    elif name == "update":
        for value in values:
            if isinstance(value, ir.Dict):
                for key, item in value.items:
                    if key is not None:
                        yield _into(scope, line, into, (key,), item)
            else:
                yield Store(scope, line, into, None, value, keyed=True)


def _into(
    scope: Scope, line: int, into: ir.Expr, key: tuple[ir.Expr, ...], value: ir.Expr
) -> Store:
    """Return the store, the container being what is left without subscripts and defaults."""
    keyed = bool(key)
    place: ir.Expr = into
    while True:
        if isinstance(place, ir.Subscript):
            key = (place.index, *key)
            place = place.value
        elif isinstance(place, ir.Call) and isinstance(place.func, ir.Attribute) and place.args:
            if place.func.attr not in ("setdefault", "get"):
                break
            key = (place.args[0].value, *key)
            place = place.func.value
        else:
            break
    parts = [
        each
        for part in key
        for each in (
            part.items if isinstance(part, ir.Sequence) and part.kind == "tuple" else (part,)
        )
    ]
    return Store(scope, line, place, tuple(parts) if parts else None, value, keyed)
