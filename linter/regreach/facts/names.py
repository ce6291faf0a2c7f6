"""Which names a function binds, and so are its own in the whole of its body."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache

from regreach.facts import ir

_BLOCKS = ("body", "orelse", "final")
_INNER = (*_BLOCKS, "handlers", "cases")
_COMPOUND = (ir.If, ir.For, ir.While, ir.Try, ir.With, ir.Match)


def local_names(body: ir.Body) -> frozenset[str]:
    """Return the names that a function with this body binds; its parameters are not looked at."""
    bound: set[str] = set()
    outer: set[str] = set()
    for node in _own_statements(body):
        if isinstance(node, ir.Scope):
            outer.update(node.names)
        else:
            bound.update(_bound_by(node))
    return frozenset(bound - outer)


def names_of(node: ir.Stmt) -> frozenset[str]:
    """Return the names that a statement binds, those in its blocks too."""
    return frozenset(name for each in _own_statements((node,)) for name in _bound_by(each))


@cache
def bound_names(body: ir.Body) -> frozenset[str]:
    """Return the names that these statements bind, wherever they are declared to belong."""
    return frozenset(name for node in _own_statements(body) for name in _bound_by(node))


def surely_bound(body: ir.Body) -> frozenset[str]:
    """Return the names that these statements bind on all ways through them that do not raise."""
    names: frozenset[str] = frozenset()
    for node in body:
        names |= _surely_bound_by(node)
    return names


def _surely_bound_by(node: ir.Stmt) -> frozenset[str]:
    if isinstance(node, ir.If):
        return _on_all(node.body, node.orelse)
    if isinstance(node, ir.With):
        return surely_bound(node.body)
    if isinstance(node, ir.Try):
        ways = [(*node.body, *node.orelse), *(handler.body for handler in node.handlers)]
        return _on_all(*ways) | surely_bound(node.final)
    if isinstance(node, (ir.For, ir.While, ir.Match, ir.Delete)):
        return frozenset()
    if isinstance(node, ir.AnnAssign) and node.value is None:
        return frozenset()
    return frozenset(_bound_by(node))


def _on_all(*ways: ir.Body) -> frozenset[str]:
    bound = [surely_bound(way) for way in ways if not (way and isinstance(way[-1], ir.Raise))]
    return frozenset.intersection(*bound) if bound else frozenset()


@cache
def added_to(body: ir.Body) -> tuple[ir.Expr, ...]:
    """Return the attributes and items to which these statements add (``a.b += 1``)."""
    return tuple(
        node.target
        for node in _own_statements(body)
        if isinstance(node, ir.AugAssign) and not isinstance(node.target, ir.Name)
    )


@cache
def names_bound_around(node: ir.Comprehension) -> frozenset[str]:
    """Return the names that a comprehension binds where it stands, by ``:=``."""
    return frozenset(_walrus_names(node))


def _own_statements(body: ir.Body) -> Iterator[ir.Stmt]:
    for node in body:
        yield node
        if isinstance(node, (ir.FunctionDef, ir.ClassDef)):
            continue
        for name in _BLOCKS:
            yield from _own_statements(getattr(node, name, ()))
        for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            yield from _own_statements(part.body)


def _bound_by(node: ir.Stmt) -> Iterator[str]:
    yield from _walrus_names(node)
    if isinstance(node, (ir.FunctionDef, ir.ClassDef)):
        yield node.name
    elif isinstance(node, ir.Import):
        yield from (alias or dotted.partition(".")[0] for dotted, alias in node.names)
    elif isinstance(node, ir.ImportFrom):
        yield from (alias or name for name, alias in node.names)
    elif isinstance(node, (ir.Assign, ir.Delete)):
        for target in node.targets:
            yield from target_names(target)
    elif isinstance(node, (ir.AnnAssign, ir.AugAssign, ir.For)):
        yield from target_names(node.target)
    elif isinstance(node, ir.With):
        for _, name in node.items:
            if name is not None:
                yield from target_names(name)
    elif isinstance(node, ir.Try):
        yield from (handler.name for handler in node.handlers if handler.name is not None)
    elif isinstance(node, ir.Match):
        for case in node.cases:
            yield from case.pattern.bound_names()


def target_names(target: ir.Expr) -> Iterator[str]:
    """Yield the names that an assignment to this target binds."""
    if isinstance(target, ir.Name):
        yield target.id
    elif isinstance(target, ir.Starred):
        yield from target_names(target.value)
    elif isinstance(target, ir.Sequence):
        for item in target.items:
            yield from target_names(item)


def _walrus_names(node: object) -> Iterator[str]:
    """Yield the names bound by ``:=`` in the expressions of a statement, not in its blocks."""
    if isinstance(node, tuple):
        for item in node:
            yield from _walrus_names(item)
    elif is_dataclass(node) and not isinstance(node, (ir.Lambda, ir.FunctionDef, ir.ClassDef)):
        if isinstance(node, ir.Walrus):
            yield node.name
        for field in fields(node):
            if not (isinstance(node, _COMPOUND) and field.name in _INNER):
                yield from _walrus_names(getattr(node, field.name))
