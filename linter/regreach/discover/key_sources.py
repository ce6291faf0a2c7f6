"""Where a function that registers takes the key from: a parameter, or what is stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from regreach.discover.scopes import Scope
from regreach.facts import ir, walk

_DEPTH = 6  # so many local names are followed


@dataclass(frozen=True, slots=True)
class Source:
    """Where (a part of) a key comes from.

    ``kind`` is param (the argument for ``name``), attr (the attribute ``name`` of what is stored), self
    (what is stored is its own key) or const (``name`` is the value). With ``each``, the items.
    """

    kind: Literal["param", "attr", "self", "const"]
    name: object = None
    each: bool = False


Part = tuple[Source, ...]
"""The sources one of which gives a part of a key, the preferred one first."""


def sources(
    scope: Scope, value: ir.Expr, stored: str, params: Mapping[str, ir.Param], depth: int = _DEPTH
) -> Part:
    """Return where a key, or a part of one, comes from; ``stored`` names what is stored."""

    def each_of(parts: list[ir.Expr]) -> Part:
        found = (s for part in parts for s in sources(scope, part, stored, params, depth - 1))
        return _unique(found)

    if depth <= 0:
        return ()
    if isinstance(value, ir.Const):
        return (Source("const", value.value),) if value.value is not None else ()
    if isinstance(value, ir.Name):
        assigned, items = scope.values(value.id), scope.items(value.id)
        found: list[Source] = []
        if value.id == stored:
            found.append(Source("self"))
        elif value.id in params:
            star = params[value.id].kind == "star"
            found.append(Source("param", value.id, each=star))
        found += each_of([v for v in assigned if v is not value])
        for each in each_of(items):
            found.append(Source(each.kind, each.name, each=True))
        return _unique(found)
    if isinstance(value, ir.Attribute):
        return _attribute(scope, value.value, value.attr, stored, params, depth)
    if isinstance(value, ir.Call):
        called = walk.dotted_name(value.func) or ""
        given = [a.value for a in value.args]
        if called in ("getattr", "vars") and len(given) >= 2:
            attr = given[1]
            if isinstance(attr, ir.Const) and isinstance(attr.value, str):
                return _attribute(scope, given[0], attr.value, stored, params, depth)
        receiver = [value.func.value] if isinstance(value.func, ir.Attribute) else []
        return each_of([*given, *receiver])
    if isinstance(value, ir.BoolOp):
        return each_of([value.left, value.right])
    if isinstance(value, ir.Conditional):
        return each_of([value.body, value.orelse])
    if isinstance(value, ir.Walrus):
        return each_of([value.value])
    if isinstance(value, (ir.Subscript, ir.Starred)):
        return each_of([value.value])
    if isinstance(value, ir.Binary):
        return each_of([value.left, value.right])
    if isinstance(value, (ir.Sequence, ir.FString)):
        return each_of(list(value.items if isinstance(value, ir.Sequence) else value.parts))
    if isinstance(value, ir.Opaque):
        return each_of(list(value.children))
    return ()


def _attribute(
    scope: Scope,
    owner: ir.Expr,
    attr: str,
    stored: str,
    params: Mapping[str, ir.Param],
    depth: int,
) -> Part:
    found = sources(scope, owner, stored, params, depth - 1)
    return _unique(
        Source("attr", attr) if each.kind == "self" else each
        for each in found
        if each.kind != "attr" or attr not in ("__name__",)
    )


def _unique(found: Iterator[Source] | list[Source]) -> Part:
    """Return the sources, each once, without constants where there are others."""
    unique = list(dict.fromkeys(found))
    real = [s for s in unique if s.kind != "const"]
    return tuple(real or unique)
