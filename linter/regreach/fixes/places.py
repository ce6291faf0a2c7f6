"""Where in a file a statement can be added: found in its syntax tree by line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import libcst as cst
from libcst.metadata import CodeRange

Positions = Mapping[cst.CSTNode, CodeRange]

_HEADERS = (
    cst.If,
    cst.Else,
    cst.MatchCase,
    cst.For,
    cst.While,
    cst.With,
    cst.Try,
    cst.TryStar,
    cst.ExceptHandler,
    cst.ExceptStarHandler,
    cst.Finally,
)
_STATEMENTS = (cst.SimpleStatementLine, cst.BaseCompoundStatement, *_HEADERS)


@dataclass(frozen=True, slots=True)
class Suite:
    """A block: the innermost function that it is in, the column of its header or of its statement.

    ``place`` is the index of a statement in it.
    """

    suite: Any
    function: cst.FunctionDef | None
    column: int
    place: int = 0


def suite_at(module: cst.Module, positions: Positions, line: int) -> Suite | None:
    """Return the block whose header begins on a line."""
    finder = _Finder(positions, line, _HEADERS)
    module.visit(finder)
    if not finder.found:
        return None
    header: Any = finder.found[-1]
    return Suite(header.body, _function(finder.found), positions[header].start.column)


def statement_at(module: cst.Module, positions: Positions, line: int) -> Suite | None:
    """Return the block of a function, and in it the statement that begins on a line.

    For an ``elif``, an ``else`` and the like that is the statement which they are part of.
    """
    finder = _Finder(positions, line, _STATEMENTS)
    module.visit(finder)
    path = finder.found
    function = _function(path)
    for place in range(len(path) - 1, 0, -1):
        block = path[place - 1]
        if isinstance(block, cst.IndentedBlock) and function is not None:
            index = next(i for i, each in enumerate(block.body) if each is path[place])
            return Suite(block, function, positions[path[place]].start.column, index)
    return None


def last_import(body: Sequence[cst.CSTNode], package: str) -> int:
    """Return after how many statements of a module an import of a package belongs.

    That is after the last import of modules of that package, else after the last import of all, else
    after the docstring.
    """
    last = last_own = 0
    if body and isinstance(body[0], cst.SimpleStatementLine) and _is_docstring(body[0]):
        last = 1
    for place, node in enumerate(body, start=1):
        small = node.body if isinstance(node, cst.SimpleStatementLine) else ()
        for each in small:
            if isinstance(each, (cst.Import, cst.ImportFrom)):
                last = place
                if _is_own(each, package):
                    last_own = place
    return last_own or last


def _is_own(node: cst.Import | cst.ImportFrom, package: str) -> bool:
    if isinstance(node, cst.Import):
        return any(a.evaluated_name.partition(".")[0] == package for a in node.names)
    first: cst.CSTNode | None = node.module
    while isinstance(first, cst.Attribute):
        first = first.value
    return bool(node.relative) or (isinstance(first, cst.Name) and first.value == package)


def _is_docstring(line: cst.SimpleStatementLine) -> bool:
    first = line.body[0]
    strings = (cst.SimpleString, cst.ConcatenatedString)
    return isinstance(first, cst.Expr) and isinstance(first.value, strings)


def _function(path: Sequence[cst.CSTNode]) -> cst.FunctionDef | None:
    return next((n for n in reversed(path) if isinstance(n, cst.FunctionDef)), None)


class _Finder(cst.CSTVisitor):
    """Finds the path to the first node of some kinds that begins on a line."""

    def __init__(
        self, positions: Positions, line: int, kinds: tuple[type[cst.CSTNode], ...]
    ) -> None:
        super().__init__()
        self.found: list[cst.CSTNode] = []
        self._positions = positions
        self._line = line
        self._kinds = kinds
        self._path: list[cst.CSTNode] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Go on until it is found."""
        if self.found:
            return False
        self._path.append(node)
        if isinstance(node, self._kinds) and self._positions[node].start.line == self._line:
            self.found = list(self._path)
            return False
        return isinstance(node, (cst.Module, cst.BaseSuite, *_STATEMENTS))

    def on_leave(self, original_node: cst.CSTNode) -> None:
        """Take the node off the path."""
        if self._path and self._path[-1] is original_node:
            self._path.pop()
