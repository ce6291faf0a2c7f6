"""One more import in a Python file, all else of which stays byte for byte."""

from __future__ import annotations

import codecs
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from regreach.facts.source import SourceError, decode_as_it_is
from regreach.fixes.errors import CannotEditError
from regreach.fixes.places import Suite, last_import, statement_at, suite_at
from regreach.model import Place

_WIDTH = 88  # black's
_NOQA = "# noqa: F401"


@dataclass(frozen=True, slots=True)
class Added:
    """An edited file: the line at which the import now begins, the import on one line, and beside what.

    That is the header of the branch or the statement that it stands in front of; nothing at the top.
    """

    data: bytes
    line: int
    statement: str
    near: str


def add_import(data: bytes, statement: str, place: Place, line: int, reason: str) -> Added:
    """Add an import to a file.

    Args:
        data: the file.
        statement: ``from package import name`` or ``import package.name``.
        place: ``branch`` (the first statement of the block whose header is on ``line``), ``before`` (in
            front of the statement that begins there) or ``top`` (after the last import of its kind).
        line: counted from 1; of no meaning at the top.
        reason: stands above it as a comment.

    Raises:
        CannotEditError: in one line, why it would not be the only thing to change.
    """
    try:
        text, encoding = decode_as_it_is(data)
        module = cst.parse_module(text)
    except (SourceError, cst.ParserSyntaxError, RecursionError) as error:
        raise CannotEditError(f"the file cannot be parsed: {_first_line(error)}") from None
    if module.code != text:
        raise CannotEditError("the file cannot be written as it is: its text is not kept by libcst")
    edit = _Edit(module, text)
    edited = edit.made(statement, place, line, reason)
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    # what a decoder of this name takes away, its encoder would put in front a second time
    plain = "utf-8" if codecs.lookup(encoding).name == "utf-8-sig" else encoding
    try:
        result = mark + edited.encode(plain)
    except UnicodeEncodeError:
        raise CannotEditError(f"the comment cannot be written in {encoding}") from None
    if not _is_only_more(data, result):
        raise CannotEditError("the file cannot be edited without changing more of it")
    near = _lines_of(text)[line - 1].strip() if place != "top" else ""
    return Added(result, _line_of(edit.added, text, edited), edit.statement, near)


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _is_only_more(before: bytes, after: bytes) -> bool:
    """Return whether in ``after`` something is added in one place, and nothing else is different.

    White space may have gone there: between the colon and the statement of a suite on one line.
    """
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    return not before[start : len(before) - end].strip(b" \t\f")


def _common(one: bytes, other: bytes) -> int:
    """Return how many bytes two have in common at their beginnings."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))


def _lines_of(text: str) -> list[str]:
    """Return the lines as Python counts them: a form feed ends none."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _line_of(added: str, before: str, after: str) -> int:
    """Return the line with what was added; comments above it were added too."""
    old, new = _lines_of(before), _lines_of(after)
    line = next((i for i, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), 0)
    while new[line].strip() != added:
        line += 1
    return line + 1


class _Edit:
    def __init__(self, module: cst.Module, text: str) -> None:
        wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
        self._module = wrapper.module
        self._positions = wrapper.resolve(PositionProvider)
        self._ends = _line_ends(text)
        self.added = ""  # the first line of the import itself, stripped
        self.statement = ""

    def made(self, statement: str, place: Place, line: int, reason: str) -> str:
        """Return the text with the import in it."""
        if place == "top":
            return self._at_top(statement, reason)
        if place == "before":
            return self._before(statement, line, reason)
        return self._in_branch(statement, line, reason)

    def _in_branch(self, statement: str, line: int, reason: str) -> str:
        found = suite_at(self._module, self._positions, line)
        if found is None:
            raise CannotEditError(f"no block begins on line {line}")
        suite = found.suite
        if isinstance(suite, cst.IndentedBlock):
            column = self._positions[suite.body[0]].start.column if suite.body else 0
            new = self._statement(statement, found, column, line, reason)
            changed: cst.BaseSuite = suite.with_changes(body=[new, *suite.body])
        else:
            assert isinstance(suite, cst.SimpleStatementSuite)
            column = found.column + len(self._module.default_indent)
            new = self._statement(statement, found, column, line, reason)
            old = cst.SimpleStatementLine(suite.body, (), suite.trailing_whitespace)
            header = cst.TrailingWhitespace(newline=cst.Newline(self._end(line)))
            changed = cst.IndentedBlock([new, old], header)
        return self._changed(suite, changed)

    def _before(self, statement: str, line: int, reason: str) -> str:
        found = statement_at(self._module, self._positions, line)
        if found is None:
            raise CannotEditError(f"no statement of a function begins on line {line}")
        new = self._statement(statement, found, found.column, line, reason)
        block, place = found.suite, found.place
        body = [*block.body[:place], *_in_front(new, block.body[place]), *block.body[place + 1 :]]
        return self._changed(block, block.with_changes(body=body))

    def _at_top(self, statement: str, reason: str) -> str:
        body = self._module.body
        place = last_import(body, _module_of(statement).partition(".")[0])
        end = self._positions[body[place - 1]].end.line if place else 1
        new = self._statement(statement, Suite(self._module, None, 0, place), 0, end, reason)
        if place or not body:
            return self._module.with_changes(body=[*body[:place], new, *body[place:]]).code
        return self._module.with_changes(body=[*_in_front(new, body[0]), *body[1:]]).code

    def _changed(self, old: cst.CSTNode, new: cst.CSTNode) -> str:
        changed = self._module.deep_replace(old, new)
        assert isinstance(changed, cst.Module)
        return changed.code

    def _statement(
        self, statement: str, where: Suite, column: int, line: int, reason: str
    ) -> cst.SimpleStatementLine:
        """Return the import as a node, with the line ends of that line of the file."""
        scope = where.function if where.function is not None else self._module
        bound = _bound_anew(statement, scope)
        text = _laid_out(bound, column, self._module.default_indent)
        comments = textwrap.wrap(
            reason, max(_WIDTH - column - 2, 30), break_long_words=False, break_on_hyphens=False
        )
        self.added, self.statement = text.partition("\n")[0], f"{bound}  {_NOQA}"
        source = "".join(f"# {each}\n" for each in comments) + text + "\n"
        node = cst.parse_module(source, cst.PartialParserConfig(default_newline="\n"))
        first = node.body[0].with_changes(leading_lines=[*node.header, *_lines_above(node.body[0])])
        made = first.visit(_LineEnds(self._end(line)))
        assert isinstance(made, cst.SimpleStatementLine)
        return made

    def _end(self, line: int) -> str:
        """Return how a line ends; the last one of a file may not, then as the file's lines do."""
        own = self._ends[line - 1] if line <= len(self._ends) else ""
        return own or self._module.default_newline


class _LineEnds(cst.CSTTransformer):
    def __init__(self, end: str) -> None:
        super().__init__()
        self._end = end

    def on_leave(self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT) -> cst.CSTNodeT:  # noqa: ARG002
        """Give each line that end."""
        if isinstance(updated_node, cst.Newline):
            return updated_node.with_changes(value=self._end)
        return updated_node


def _in_front(
    new: cst.SimpleStatementLine, old: cst.BaseStatement
) -> tuple[cst.SimpleStatementLine, cst.BaseStatement]:
    """Return a new statement and the one that it comes before; comments right above that stay with it."""
    above = _lines_above(old)
    cut = max((i for i, each in enumerate(above, start=1) if each.comment is None), default=0)
    first = new.with_changes(leading_lines=[*above[:cut], *new.leading_lines])
    return first, old.with_changes(leading_lines=above[cut:])


def _line_ends(text: str) -> list[str]:
    ends = []
    at = 0
    while at < len(text):
        breaks = [i for i in (text.find("\n", at), text.find("\r", at)) if i >= 0]
        if not breaks:
            ends.append("")
            break
        at = min(breaks)
        end = "\r\n" if text.startswith("\r\n", at) else text[at]
        ends.append(end)
        at += len(end)
    return ends


def _lines_above(node: cst.CSTNode) -> Sequence[cst.EmptyLine]:
    return getattr(node, "leading_lines", ())


def _module_of(statement: str) -> str:
    return statement.split()[1]


def _laid_out(statement: str, column: int, indent: str) -> str:
    """Return an import with its ``noqa``; in parentheses where a line would be too long, as black does."""
    line = f"{statement}  {_NOQA}"
    head, imports, name = statement.partition(" import ")
    if column + len(line) <= _WIDTH or not imports:
        return line
    return f"{head}{imports}(  {_NOQA}\n{indent}{name},\n)"


def _bound_anew(statement: str, scope: cst.CSTNode) -> str:
    """Return an import so that the name which it binds means nothing else in a function or module."""
    visitor = _Names(statement)
    scope.visit(visitor)
    bound = statement.rsplit(maxsplit=1)[-1]
    if statement.startswith("import "):
        bound = bound.partition(".")[0]
    if bound not in visitor.names:
        return statement
    alias = f"_{statement.rsplit(maxsplit=1)[-1].rpartition('.')[2]}"
    while alias in visitor.names:
        alias = f"_{alias}"
    return f"{statement} as {alias}"


class _Names(cst.CSTVisitor):
    """The names that mean something in a scope, but for what the same import binds."""

    def __init__(self, statement: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self._statement = statement

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Note names; of an attribute only what it is of, of an import only what it binds."""
        if isinstance(node, cst.Name):
            self.names.add(node.value)
        elif isinstance(node, cst.Attribute):
            node.value.visit(self)
        elif isinstance(node, (cst.Import, cst.ImportFrom)):
            begin = (
                "import" if isinstance(node, cst.Import) else f"from {_dotted(node.module)} import"
            )
            for alias in () if isinstance(node.names, cst.ImportStar) else node.names:
                self._alias(alias, f"{begin} {alias.evaluated_name}")
        else:
            return True
        return False

    def _alias(self, alias: cst.ImportAlias, statement: str) -> None:
        bound = alias.evaluated_alias
        if bound is None:
            if statement == self._statement:
                return
            bound = alias.evaluated_name.partition(".")[0]
        # every import of the package itself binds the same
        if statement.startswith("import ") and self._statement.startswith(f"import {bound}."):
            return
        self.names.add(bound)


def _dotted(node: cst.CSTNode | None) -> str:
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{node.attr.value}"
    return node.value if isinstance(node, cst.Name) else ""
