"""What the tests of `regreach.facts` share: CPython's `ast` of a text beside the facts of it."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass

import libcst as cst
from regreach.facts import ir
from regreach.facts.lower import Lowering
from regreach.facts.outline import logical_lines
from regreach.facts.parse import ModuleFacts

_KINDS: dict[type[ast.stmt], type] = {
    ast.Import: ir.Import,
    ast.ImportFrom: ir.ImportFrom,
    ast.Assign: ir.Assign,
    ast.AnnAssign: ir.AnnAssign,
    ast.AugAssign: ir.AugAssign,
    ast.Expr: ir.ExprStmt,
    ast.Return: ir.Return,
    ast.Raise: ir.Raise,
    ast.Assert: ir.Assert,
    ast.Delete: ir.Delete,
    ast.Global: ir.Scope,
    ast.Nonlocal: ir.Scope,
    ast.Pass: ir.Jump,
    ast.Break: ir.Jump,
    ast.Continue: ir.Jump,
    ast.If: ir.If,
    ast.For: ir.For,
    ast.AsyncFor: ir.For,
    ast.While: ir.While,
    ast.Try: ir.Try,
    ast.With: ir.With,
    ast.AsyncWith: ir.With,
    ast.FunctionDef: ir.FunctionDef,
    ast.AsyncFunctionDef: ir.FunctionDef,
    ast.ClassDef: ir.ClassDef,
    ast.Match: ir.Match,
}
if hasattr(ast, "TryStar"):
    _KINDS[ast.TryStar] = ir.Try


def parsed(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def differences(text: str) -> Iterator[str]:
    """Yield where the statements of a text, function bodies included, are not those of `ast`."""
    facts = ModuleFacts(text)
    yield from _Comparison(facts, text.split("\n")).bodies(parsed(text).body, facts.body, 0)


class _Comparison:
    """A statement has the line on which its logical line begins, also behind a `;` or a `:`."""

    def __init__(self, facts: ModuleFacts, lines: Sequence[str]) -> None:
        self._facts = facts
        self._lines = lines

    def bodies(
        self, theirs: Sequence[ast.stmt], ours: Sequence[ir.Stmt], header: int
    ) -> Iterator[str]:
        if len(theirs) != len(ours):
            yield f"after line {header}: {len(ours)} statements instead of {len(theirs)}"
            return
        line = header
        for node, mine in zip(theirs, ours, strict=True):
            line = node.lineno if self._begins_line(node) else line
            if _KINDS.get(type(node), ir.ExprStmt) is not type(mine):
                yield f"line {line}: {type(mine).__name__} instead of {type(node).__name__}"
            elif mine.line != line:
                yield f"line {line}: {type(mine).__name__} is said to be on line {mine.line}"
            else:
                yield from self._inside(node, mine)

    def _begins_line(self, node: ast.stmt) -> bool:
        if getattr(node, "decorator_list", []):
            return True
        before = self._lines[node.lineno - 1].encode()[: node.col_offset].decode()
        above = self._lines[node.lineno - 2] if node.lineno > 1 else ""
        joined = above.endswith("\\") and "#" not in above and above.strip() != "\\"
        return not before.strip() and not joined

    def _inside(self, node: ast.stmt, mine: ir.Stmt) -> Iterator[str]:
        line = mine.line
        decorators = getattr(node, "decorator_list", [])
        if [d.lineno for d in decorators] != [d.line for d in getattr(mine, "decorators", ())]:
            yield f"line {line}: decorators on other lines"
        if isinstance(mine, ir.FunctionDef):
            yield from self.bodies(node.body, self._facts.body_of(mine), line)  # type: ignore[attr-defined]
        elif isinstance(mine, (ir.ClassDef, ir.With)):
            yield from self.bodies(node.body, mine.body, line)  # type: ignore[attr-defined]
        elif isinstance(mine, (ir.If, ir.For, ir.While)):
            yield from self.bodies(node.body, mine.body, line)  # type: ignore[attr-defined]
            yield from self._after_keyword(node.orelse, mine.orelse)  # type: ignore[attr-defined]
        elif isinstance(mine, ir.Try):
            yield from self.bodies(node.body, mine.body, line)  # type: ignore[attr-defined]
            for handler, ours in zip(node.handlers, mine.handlers, strict=True):  # type: ignore[attr-defined]
                if handler.lineno != ours.line:
                    yield f"line {handler.lineno}: except is said to be on line {ours.line}"
                yield from self.bodies(handler.body, ours.body, handler.lineno)
            yield from self._after_keyword(node.orelse, mine.orelse)  # type: ignore[attr-defined]
            yield from self._after_keyword(node.finalbody, mine.final)  # type: ignore[attr-defined]
        elif isinstance(mine, ir.Match):
            for case, own in zip(node.cases, mine.cases, strict=True):  # type: ignore[attr-defined]
                if case.pattern.lineno != own.line:
                    yield f"line {case.pattern.lineno}: case is said to be on line {own.line}"
                yield from self.bodies(case.body, own.body, own.line)

    def _after_keyword(self, theirs: Sequence[ast.stmt], ours: Sequence[ir.Stmt]) -> Iterator[str]:
        """`else` and `finally` have no node in `ast`: what stands on their line has their line."""
        header = ours[0].line if ours else 0
        yield from self.bodies(theirs, ours, header)


def uncut(text: str) -> ir.Body:
    """Return the statements of a text that was parsed in one piece."""
    numbers = [line.line for line in logical_lines(text)]
    return Lowering(numbers, None).module(cst.parse_module(text))


def with_bodies(facts: ModuleFacts) -> object:
    """Return all that the facts say as nested tuples, function bodies put where they belong."""
    return _plain(facts.body, facts)


def plain(body: ir.Body) -> object:
    """Return statements as nested tuples that can be compared."""
    return _plain(body, None)


def _plain(node: object, facts: ModuleFacts | None) -> object:
    if isinstance(node, tuple):
        return tuple(_plain(item, facts) for item in node)
    if isinstance(node, ir.Const):
        return ("Const", type(node.value).__name__, repr(node.value))
    if not is_dataclass(node):
        return node
    values: list[object] = [type(node).__name__]
    for each in fields(node):
        value = getattr(node, each.name)
        if isinstance(node, ir.FunctionDef) and each.name == "body" and facts is not None:
            value = facts.body_of(node)
        if isinstance(node, ir.FunctionDef) and each.name == "params":
            value = facts.params_of(node) if facts is not None else node.params
        if not (isinstance(node, ir.FunctionDef) and each.name == "slice"):
            values.append(_plain(value, facts))
    return tuple(values)
