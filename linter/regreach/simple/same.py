"""Whether two registrations of one key register the same: one object, or word for word the same code."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from regreach.facts.parse import ModuleFacts
from regreach.program import Program
from regreach.simple.origins import Origins
from regreach.simple.uses import Use

_MAX_NAMES = 400


class Sameness:
    """Compares statements of two modules: their text, and what each of their names stands for."""

    def __init__(self, program: Program, origins: Origins, ignored: Collection[str]) -> None:
        """``ignored`` are definitions, ``module:name``, that may differ: the registrars themselves."""
        self._program, self._origins, self._ignored = program, origins, frozenset(ignored)
        self._trees: dict[str, ast.Module | None] = {}

    def register_the_same(self, one: Use, other: Use) -> bool:
        """Return whether it makes no difference which of two registrations is kept."""
        first, second = self._statement(one), self._statement(other)
        if first is None or second is None:
            return False
        return self._same(one.module, first, other.module, second, set())

    def _same(
        self, one: str, first: ast.stmt, other: str, second: ast.stmt, seen: set[str]
    ) -> bool:
        if ast.dump(first) != ast.dump(second):
            return False
        for name in _names(first):
            if name in seen:
                continue
            seen.add(name)
            if len(seen) > _MAX_NAMES or not self._same_name(one, other, name, seen):
                return False
        return True

    def _same_name(self, one: str, other: str, name: str, seen: set[str]) -> bool:
        first, second = self._origins.of(one, name), self._origins.of(other, name)
        if first == second or {first, second} <= self._ignored:
            return True
        here, there = self._binders(one, name), self._binders(other, name)
        if len(here) != len(there):
            return False
        for a, b in zip(here, there, strict=True):
            if isinstance(a, (ast.Import, ast.ImportFrom)):
                if self._imported(one, a, name) != self._imported(other, b, name):
                    return False
            elif not self._same(one, a, other, b, seen):
                return False
        return True

    def _imported(self, module: str, node: ast.stmt, name: str) -> str | None:
        for alias in node.names if isinstance(node, (ast.Import, ast.ImportFrom)) else ():
            if (alias.asname or alias.name.partition(".")[0]) == name:
                base = ""
                if isinstance(node, ast.ImportFrom):
                    base = "." * node.level + f"{node.module or ''}."
                    base = base if node.module else "." * node.level
                return self._origins.absolute(module, base + alias.name)
        return None

    def _binders(self, module: str, name: str) -> list[ast.stmt]:
        tree = self._tree(module)
        return [s for s in _margin(tree.body) if name in _bound(s)] if tree is not None else []

    def _statement(self, use: Use) -> ast.stmt | None:
        tree = self._tree(use.module)
        for node in _margin(tree.body) if tree is not None else ():
            decorators = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(d.lineno for d in decorators)])
            if first <= use.spot.line <= (node.end_lineno or node.lineno):
                return node
        return None

    def _tree(self, module: str) -> ast.Module | None:
        if module not in self._trees:
            facts: ModuleFacts | None = self._program.readable_facts(module)
            try:
                self._trees[module] = ast.parse(facts.text) if facts is not None else None
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                self._trees[module] = None
        return self._trees[module]


def _margin(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a module that are run when it is loaded, blocks opened."""
    for node in body:
        blocks = [getattr(node, name, None) for name in ("body", "orelse", "finalbody")]
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) or not any(
            blocks
        ):
            yield node
            continue
        for block in blocks:
            yield from _margin(block or [])
        for handler in getattr(node, "handlers", []):
            yield from _margin(handler.body)


def _bound(node: ast.stmt) -> set[str]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {alias.asname or alias.name.partition(".")[0] for alias in node.names}
    return {
        each.id
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }


def _names(node: ast.stmt) -> list[str]:
    return sorted({each.id for each in ast.walk(node) if isinstance(each, ast.Name)})
