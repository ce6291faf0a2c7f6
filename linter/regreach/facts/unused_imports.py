"""Which imports of a file a fixer of unused imports would delete (ruff's F401 is the judge).

Only the statements that name one of some words are looked at, each in the smallest text that shows
its scope: the outermost function around it, else the whole file. ``ast`` is used, not libcst: it is
ten times as quick, and the standard library has its symbol tables.
"""

from __future__ import annotations

import ast
import re
import tokenize
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from regreach.facts import noqa
from regreach.facts.parse import ModuleFacts
from regreach.facts.scopes import Piece, Scope, bindings, occurrences

_WORD = re.compile(r"\w+")
_RELATIVE = re.compile(r"\bfrom[ \t\f\\\n]*\.")
_REFUSED = (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError)
_MISSING = ("ImportError", "ModuleNotFoundError")

Statement = ast.Import | ast.ImportFrom
Protection = Literal["noqa", "try", "class", "alias", "all", "rebound"]
"""What keeps a fixer from an import that is not used: a comment, ``try`` with ``except ImportError``, the body
of a class, ``import a as a``, ``__all__``, another binding of the name that stands later."""


@dataclass(frozen=True, slots=True)
class Found:
    """An import statement and what is around it, innermost last.

    ``tried`` says that a failure is expected: it stands in a ``try`` with ``except ImportError``.
    """

    node: Statement
    scopes: tuple[Scope, ...]
    tried: bool
    piece: Piece

    @property
    def scope(self) -> Scope | ast.Module:
        """The definition, or module, that the names are bound in."""
        return self.scopes[-1] if self.scopes else self.piece.tree

    @property
    def line(self) -> int:
        """The line of the file on which the statement begins."""
        return self.node.lineno + self.piece.above

    @property
    def at(self) -> tuple[int, int]:
        """Where the statement begins: the line of the file, and the bytes in front of it there."""
        return self.line, self.node.col_offset


class UnusedImports:
    """The imports of one file, as an unused-import fixer sees them."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._text = facts.text
        self._spans = facts.functions or ()
        self._pieces: dict[int | None, Piece | None] = {}
        self._found: dict[int | None, list[Found]] = {}
        self._keeps_file: bool | None = None
        self._global_use: dict[str, bool] = {}

    def naming(
        self, words: frozenset[str], homes: frozenset[str], *, every: bool = False
    ) -> Iterator[Found]:
        """Yield the import statements that may load a module of these names, in order.

        ``words`` are the last parts of the modules' names, ``homes`` those of their packages. Left out
        is what is for type checkers only, and what is quickly seen to stay, unless ``every`` one is wanted.
        """
        seen: set[int] = set()
        for begin, offset, end in _mentions(self._text, words, homes):
            if not every and self._stays(begin, offset, end):
                continue
            line = self._text.count("\n", 0, offset) + 1
            for found in self._imports(self._span_at(offset)):
                last = (found.node.end_lineno or found.node.lineno) + found.piece.above
                if found.line <= line <= last and id(found.node) not in seen:
                    seen.add(id(found.node))
                    yield found

    def deletable(self, found: Found) -> list[ast.alias]:
        """Return those names of a statement that a fixer would delete."""
        if found.tried or isinstance(found.scope, ast.ClassDef) or self._is_exempt(found):
            return []
        return [alias for alias in found.node.names if self._is_deletable(found, alias)]

    def unused(
        self, found: Found, aliases: Iterable[ast.alias]
    ) -> Iterator[tuple[ast.alias, tuple[Protection, ...]]]:
        """Yield those names of a statement that nothing in the file reads, with what keeps a fixer from each.

        Left out is ``*``, which binds no name of its own.
        """
        for alias in aliases:
            if alias.name == "*" or _is_future(found.node):
                continue
            name = bound_name(found.node, alias) or alias.name.partition(".")[0]
            try:
                if not found.piece.is_used(name, found.scopes):
                    yield alias, tuple(self._protections(found, alias, name))
            except _REFUSED:
                continue

    def _protections(self, found: Found, alias: ast.alias, name: str) -> Iterator[Protection]:
        if self._is_exempt(found) or self._is_kept_on_its_line(found, alias):
            yield "noqa"
        if found.tried:
            yield "try"
        if isinstance(found.scope, ast.ClassDef):
            yield "class"
        if bound_name(found.node, alias) is None:
            yield "alias"
        if not found.scopes and self._is_exported(name):
            yield "all"
        if self._is_rebound(found, alias, name):
            yield "rebound"

    def _is_exported(self, name: str) -> bool:
        whole = self._piece(None)
        return whole is not None and name in _exported(whole.tree.body)

    def _stays(self, begin: int, offset: int, end: int) -> bool:
        """Return whether the statement in a part of the text is seen to stay without more of the file."""
        text = self._text[begin:end]
        if "\n" not in text and noqa.keeps_on_line(self._line_at(begin)):
            return True
        if text[:1].isspace() or self._span_at(offset) is not None:
            return False
        try:
            (node,) = ast.parse(text).body
        except (*_REFUSED, TypeError):
            return False
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            return False
        names = [bound_name(node, alias) for alias in node.names]
        return all(name is None or self._is_read_in_a_function(name) for name in names)

    def _line_at(self, begin: int) -> str:
        end = self._text.find("\n", begin)
        return self._text[begin : end if end >= 0 else None]

    def _imports(self, index: int | None) -> list[Found]:
        if index not in self._found:
            piece = self._piece(index)
            self._found[index] = list(_imports(piece)) if piece is not None else []
        return self._found[index]

    def _is_deletable(self, found: Found, alias: ast.alias) -> bool:
        name = bound_name(found.node, alias)
        if name is None or self._is_kept_on_its_line(found, alias):
            return False
        try:
            return not self._is_used(found, name) and not self._is_rebound(found, alias, name)
        except _REFUSED:
            return False

    def _is_exempt(self, found: Found) -> bool:
        if self._keeps_file is None:
            self._keeps_file = noqa.keeps_file(self._text)
        last = (found.node.end_lineno or found.node.lineno) + found.piece.above
        return self._keeps_file or noqa.keeps_by_range(self._text, found.line, last)

    def _is_kept_on_its_line(self, found: Found, alias: ast.alias) -> bool:
        own = (alias.end_lineno or alias.lineno) + found.piece.above
        try:
            lines = {noqa.comment_line(self._text, line) for line in (found.line, own)}
        except _REFUSED:
            return True
        texts = self._text.split("\n")
        return any(noqa.keeps_on_line(texts[line - 1]) for line in lines)

    def _is_used(self, found: Found, name: str) -> bool:
        if not found.scopes:
            if self._is_read_in_a_function(name):
                return True
            return found.piece.is_used(name, ()) or self._is_exported(name)
        return found.piece.is_used(name, found.scopes)

    def _is_read_in_a_function(self, name: str) -> bool:
        """Return whether a function reads a global: most imports are told to be used so, and quickly."""
        if name not in self._global_use:
            spans = {self._span_at(offset) for offset in occurrences(self._text, name)}
            pieces = (self._piece(span) for span in sorted(spans - {None}, key=str))
            self._global_use[name] = any(p is not None and p.reads_global(name) for p in pieces)
        return self._global_use[name]

    def _is_rebound(self, found: Found, alias: ast.alias, name: str) -> bool:
        """Return whether what stands later binds the name again, and stays itself."""
        here = (alias.lineno, alias.col_offset)
        if any(position > here for position in bindings(found.scope, name)):
            return True
        return any(
            other.tried or not self._may_go(other, later)
            for other in _imports(found.piece, executed=False)
            if other.scope is found.scope
            for later in other.node.names
            if (later.lineno, later.col_offset) > here and _binds(other.node, later, name)
        )

    def _may_go(self, found: Found, alias: ast.alias) -> bool:
        """Return whether an import of a name that is not used would be deleted."""
        return bound_name(found.node, alias) is not None and not self._is_kept_on_its_line(
            found, alias
        )

    def _span_at(self, offset: int) -> int | None:
        for index, span in enumerate(self._spans):
            if span.start <= offset < span.end:
                return index
        return None

    def _piece(self, index: int | None) -> Piece | None:
        """Return the text of an outermost function, or of the file; None when it is not Python here."""
        if index not in self._pieces:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # invalid escapes in the audited tree
                try:
                    self._pieces[index] = Piece(*self._cut(index))
                except _REFUSED:
                    self._pieces[index] = None
        return self._pieces[index]

    def _cut(self, index: int | None) -> tuple[str, int]:
        if index is None:
            return self._text, 0
        span = self._spans[index]
        text = self._text[span.start : span.end]
        if text[:1] in (" ", "\t", "\f"):
            return f"if 1:\n{text}", span.line - 2
        return text, span.line - 1


def bound_name(node: Statement, alias: ast.alias) -> str | None:
    """Return the name that an import binds; None where it is no fixer's: ``*``, ``from a import b as b``."""
    if alias.name in ("*", alias.asname):
        return None
    if _is_future(node):
        return None
    if alias.asname is not None or isinstance(node, ast.ImportFrom):
        return alias.asname or alias.name
    return alias.name.partition(".")[0]


def _is_future(node: Statement) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _binds(node: Statement, alias: ast.alias, name: str) -> bool:
    return name == (bound_name(node, alias) or alias.name)


def _mentions(
    text: str, words: frozenset[str], homes: frozenset[str]
) -> Iterator[tuple[int, int, int]]:
    """Yield where a statement that may import such a module begins, has its ``import``, and ends."""
    offset = text.find("import")
    while offset >= 0:
        begin = text.rfind("\n", 0, offset) + 1
        while begin > 1 and text[begin - 2] == "\\":
            begin = text.rfind("\n", 0, begin - 1) + 1
        end = text.find("\n", offset)
        while end > 0 and text[end - 1] == "\\":
            end = text.find("\n", end + 1)
        end = len(text) if end < 0 else end
        bracket = text.find("(", offset, end)
        if bracket >= 0:
            end = max(end, text.find(")", bracket) + 1)
        named = _WORD.findall(text, begin, end)
        if not words.isdisjoint(named):
            if not homes.isdisjoint(named) or _RELATIVE.search(text, begin, offset):
                yield begin, offset, end
        offset = text.find("import", offset + 6)


def _imports(piece: Piece, *, executed: bool = True) -> Iterator[Found]:
    """Yield the import statements of a text; those for type checkers only if all are wanted."""
    yield from _walk(piece, piece.tree.body, (), False, executed)


def _walk(
    piece: Piece, body: Sequence[ast.stmt], scopes: tuple[Scope, ...], tried: bool, executed: bool
) -> Iterator[Found]:
    for node in body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield Found(node, scopes, tried, piece)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from _walk(piece, node.body, (*scopes, node), False, executed)
        elif isinstance(node, ast.ClassDef):
            yield from _walk(piece, node.body, (*scopes, node), tried, executed)
        else:
            for part, inner in _blocks(node, tried, executed):
                yield from _walk(piece, part, scopes, inner, executed)


def _blocks(
    node: ast.stmt, tried: bool, executed: bool
) -> Iterator[tuple[Sequence[ast.stmt], bool]]:
    handlers: list[ast.ExceptHandler] = getattr(node, "handlers", [])
    if not (executed and isinstance(node, ast.If) and _is_type_checking(node.test)):
        expected = any(_catches_missing(h.type) for h in handlers)
        yield getattr(node, "body", ()), tried or expected
    for handler in handlers:
        yield handler.body, tried
    for case in node.cases if isinstance(node, ast.Match) else ():
        yield case.body, tried
    yield getattr(node, "orelse", ()), tried
    yield getattr(node, "finalbody", ()), tried


def _catches_missing(caught: ast.expr | None) -> bool:
    if isinstance(caught, ast.Tuple):
        return any(_catches_missing(each) for each in caught.elts)
    return _last_name(caught) in _MISSING


def _is_type_checking(test: ast.expr) -> bool:
    return _last_name(test) == "TYPE_CHECKING"


def _last_name(node: ast.expr | None) -> str:
    text = node.attr if isinstance(node, ast.Attribute) else ""
    return node.id if isinstance(node, ast.Name) else text


def _exported(body: Sequence[ast.stmt]) -> set[str]:
    """Return the names that a module puts into ``__all__`` where ruff sees it."""
    names: set[str] = set()
    for node in body:
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, (ast.AnnAssign, ast.AugAssign)) and node.value is not None:
            targets, value = [node.target], node.value
        else:
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                for part, _ in _blocks(node, tried=False, executed=False):
                    names |= _exported(part)
            continue
        if any(isinstance(t, ast.Name) and t.id == "__all__" for t in targets):
            names.update(_texts(value))
    return names


def _texts(value: ast.expr) -> Iterator[str]:
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        yield from _texts(value.left)
        yield from _texts(value.right)
    elif isinstance(value, ast.Call) and _last_name(value.func) in ("list", "tuple"):
        for each in value.args:
            yield from _texts(each)
    elif isinstance(value, (ast.List, ast.Tuple)):
        for each in value.elts:
            if isinstance(each, ast.Constant) and isinstance(each.value, str):
                yield each.value
