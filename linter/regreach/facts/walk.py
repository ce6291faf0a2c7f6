"""Walk over the statements of a module with what surrounds each: scope, guards, kind of execution."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace

from regreach.facts import ir
from regreach.facts.parse import ModuleFacts


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition around a statement: ``kind`` is if, else, try, except, for, while, with or case."""

    kind: str
    line: int
    test: ir.Expr | None = None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where a statement stands. ``scope`` is the dotted name of the enclosing definitions."""

    scope: str = ""
    in_function: bool = False
    guards: tuple[Guard, ...] = ()

    def inside(self, kind: str, line: int, test: ir.Expr | None = None) -> Surroundings:
        """Return the surroundings under one more guard."""
        return replace(self, guards=(*self.guards, Guard(kind, line, test)))

    def within(self, name: str, *, function: bool) -> Surroundings:
        """Return the surroundings inside a definition."""
        scope = f"{self.scope}.{name}" if self.scope else name
        return replace(self, scope=scope, in_function=self.in_function or function)


def statements(
    facts: ModuleFacts, *words: str | re.Pattern[str]
) -> Iterator[tuple[ir.Stmt, Surroundings]]:
    """Yield every statement with its surroundings.

    Of the function bodies, only those are looked into in whose text one of the words is found.
    """
    wanted = set(facts.slices_with(*words))
    yield from _walk(facts, facts.body, Surroundings(), wanted)


def targets(node: ir.Stmt) -> tuple[ir.Expr, ...]:
    """Return what an assignment assigns to; nothing for any other statement."""
    if isinstance(node, ir.Assign):
        return node.targets
    return (node.target,) if isinstance(node, (ir.AnnAssign, ir.AugAssign)) else ()


def assigns(node: ir.Stmt, name: str) -> bool:
    """Return whether a statement assigns to a name."""
    return any(isinstance(target, ir.Name) and target.id == name for target in targets(node))


def _walk(
    facts: ModuleFacts, body: ir.Body, around: Surroundings, wanted: set[int]
) -> Iterator[tuple[ir.Stmt, Surroundings]]:
    for node in body:
        yield node, around
        if isinstance(node, ir.FunctionDef):
            if node.slice is None or node.slice in wanted:
                inner = around.within(node.name, function=True)
                yield from _walk(facts, facts.body_of(node), inner, wanted)
        elif isinstance(node, ir.ClassDef):
            yield from _walk(facts, node.body, around.within(node.name, function=False), wanted)
        else:
            for part, inner in _blocks(node, around):
                yield from _walk(facts, part, inner, wanted)


def _blocks(node: ir.Stmt, around: Surroundings) -> list[tuple[ir.Body, Surroundings]]:
    if isinstance(node, ir.If):
        return [
            (node.body, around.inside("if", node.line, node.test)),
            (node.orelse, around.inside("else", node.line, node.test)),
        ]
    if isinstance(node, (ir.For, ir.While)):
        kind = "for" if isinstance(node, ir.For) else "while"
        return [(node.body, around.inside(kind, node.line)), (node.orelse, around)]
    if isinstance(node, ir.Try):
        inner = around.inside("try", node.line) if node.handlers else around
        return [
            (node.body, inner),
            *((h.body, around.inside("except", h.line, h.type)) for h in node.handlers),
            (node.orelse, inner),
            (node.final, around),
        ]
    if isinstance(node, ir.With):
        return [(node.body, around)]
    if isinstance(node, ir.Match):
        return [(c.body, around.inside("case", c.line)) for c in node.cases]
    return []


def blocks(node: ir.Stmt) -> list[ir.Body]:
    """Return the blocks of a compound statement that is no definition."""
    return [body for body, _ in _blocks(node, Surroundings())]


def calls(node: object) -> Iterator[ir.Call]:
    """Yield the calls in an expression, or in the expressions (not the blocks) of a statement."""
    if isinstance(node, ir.Call):
        yield node
    if isinstance(node, tuple):
        for item in node:
            yield from calls(item)
    elif is_dataclass(node) and not isinstance(node, type):
        for field in fields(node):
            if field.name in _BLOCKS and isinstance(node, _COMPOUND):
                continue
            value = getattr(node, field.name)
            if isinstance(value, tuple) or is_dataclass(value):
                yield from calls(value)


_BLOCKS = {"body", "orelse", "handlers", "final", "cases"}
_COMPOUND = (
    ir.If,
    ir.For,
    ir.While,
    ir.Try,
    ir.With,
    ir.FunctionDef,
    ir.ClassDef,
    ir.Match,
)


def names_in(node: object) -> Iterator[str]:
    """Yield the names in an expression, or in a statement and its blocks."""
    if isinstance(node, ir.Name):
        yield node.id
    elif isinstance(node, tuple):
        for item in node:
            yield from names_in(item)
    elif is_dataclass(node) and not isinstance(node, type):
        for field in fields(node):
            yield from names_in(getattr(node, field.name))


def bindings_of_imports(facts: ModuleFacts, *words: str) -> dict[str, str]:
    """Return what the imports of a module bind: name -> dotted origin.

    Imports at module level, and those in functions whose text has one of the words.
    """
    result: dict[str, str] = {}
    for node, _ in statements(facts, *words):
        if isinstance(node, ir.Import):
            for dotted, alias in node.names:
                result[alias or dotted.partition(".")[0]] = (
                    dotted if alias else dotted.partition(".")[0]
                )
        elif isinstance(node, ir.ImportFrom):
            origin = "." * node.level + (node.module or "")
            for name, alias in node.names:
                result[alias or name] = f"{origin}.{name}" if origin.strip(".") else origin + name
    return result


def dotted_name(node: ir.Expr) -> str | None:
    """Return ``a.b.c`` for a name or a chain of attributes, else None."""
    parts: list[str] = []
    while isinstance(node, ir.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ir.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


def is_generator(body: ir.Body) -> bool:
    """Return whether the statements of a function make it a generator."""
    found = _GENERATORS.get(id(body))
    if found is None or found[0] is not body:
        found = _GENERATORS[id(body)] = (body, _yields(body))
    return found[1]


_GENERATORS: dict[int, tuple[ir.Body, bool]] = {}


def _yields(node: object) -> bool:
    """Return whether ``yield`` stands in a node, outside the functions and classes defined in it."""
    if isinstance(node, tuple):
        return any(map(_yields, node))
    if isinstance(node, ir.Name):
        return node.id == "yield"
    if isinstance(node, (ir.FunctionDef, ir.ClassDef, ir.Lambda)) or not is_dataclass(node):
        return False
    return any(_yields(getattr(node, field.name)) for field in fields(node))
