"""One more import in a Python file, all else of which stays byte for byte."""

from __future__ import annotations

import codecs
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from regreach.facts.source import SourceError, decode_as_it_is, without_form_feeds
from regreach.fixes.bound_names import bound_anew
from regreach.fixes.errors import CannotEditError
from regreach.fixes.places import Suite, last_import, statement_at, suite_at
from regreach.model import Place

_Statement = TypeVar("_Statement", bound=cst.BaseStatement)
_LINE_END = re.compile(r"(\r\n?|\n)")
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
        lines = _lines_of(text)
        feeds = [len(line) - len(without_form_feeds(line)) for line, _ in lines]
        plain = "\n".join(without_form_feeds(line) for line, _ in lines)
        module = cst.parse_module(plain)
    except (SourceError, cst.ParserSyntaxError, RecursionError) as error:
        raise CannotEditError(f"the file cannot be parsed: {_first_line(error)}") from None
    edit = _Edit(module)
    changed = edit.made(statement, place, line, reason)
    start, end = _difference(plain, changed)
    gone, new = plain[start : len(plain) - end], changed[start : len(changed) - end]
    # between the colon and the statement of a suite on one line there may have been white space
    if module.code != plain or gone.strip(" \t\f"):
        raise CannotEditError("the file cannot be edited without changing more of it")
    number = plain.count("\n", 0, start)
    at = sum(len(each) + len(ending) for each, ending in lines[:number])
    column = start - (plain.rfind("\n", 0, start) + 1)
    at += column + feeds[number] if column else 0
    new = new.replace("\n", _ending(lines, line or number))
    result = _encoded(data, text, text[:at] + new + text[at + len(gone) :], encoding)
    near = lines[line - 1][0].strip() if place != "top" else ""
    return Added(result, _line_of(edit.added, changed, number), edit.statement, near)


def _encoded(data: bytes, before: str, after: str, encoding: str) -> bytes:
    """Return an edited text as bytes, as those of the text before were. Raises CannotEditError."""
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    # what a decoder of this name takes away, its encoder would put in front a second time
    codec = "utf-8" if codecs.lookup(encoding).name == "utf-8-sig" else encoding
    try:
        result, same = mark + after.encode(codec), mark + before.encode(codec)
    except UnicodeError:
        raise CannotEditError(f"the comment cannot be written in {encoding}") from None
    if same != data:
        raise CannotEditError(f"what the file holds cannot be written in {encoding} again")
    return result


def _lines_of(text: str) -> list[tuple[str, str]]:
    """Return the lines and how each ends, as Python counts them: a form feed ends none."""
    parts = _LINE_END.split(text)
    return list(zip(parts[::2], [*parts[1::2], ""], strict=True))


def _ending(lines: Sequence[tuple[str, str]], line: int) -> str:
    """Return how a line ends, or where the file ends with it, the line before."""
    before = (ending for _, ending in reversed(lines[: max(line, 1)]))
    return next(filter(None, before), "\n")


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _difference(before: str, after: str) -> tuple[int, int]:
    """Return how much two texts have in common at the beginning, and then at the end."""
    start = _common(before, after)
    return start, _common(before[start:][::-1], after[start:][::-1])


def _common(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))


def _line_of(added: str, after: str, line: int) -> int:
    """Return the line with what was added; comments above it were added too."""
    lines = after.split("\n")
    while lines[line].strip() != added:
        line += 1
    return line + 1


class _Edit:
    """One import in one syntax tree, whose lines all end with a line feed."""

    def __init__(self, module: cst.Module) -> None:
        wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
        self._module = wrapper.module
        self._positions = wrapper.resolve(PositionProvider)
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
            column = self._positions[suite.body[0]].start.column
            new = self._statement(statement, found, column, reason)
            first, *others = suite.body
            changed: cst.BaseSuite = suite.with_changes(body=[new, _apart(first), *others])
        else:
            assert isinstance(suite, cst.SimpleStatementSuite)
            column = found.column + len(self._module.default_indent)
            new = self._statement(statement, found, column, reason)
            old = cst.SimpleStatementLine(suite.body, (), suite.trailing_whitespace)
            changed = cst.IndentedBlock([new, _apart(old)])
        return self._changed(suite, changed)

    def _before(self, statement: str, line: int, reason: str) -> str:
        found = statement_at(self._module, self._positions, line)
        if found is None:
            raise CannotEditError(f"no statement of a function begins on line {line}")
        new = self._statement(statement, found, found.column, reason)
        block, place = found.suite, found.place
        new, old = _in_front(new, block.body[place])
        if place and _is_import(block.body[place - 1]):
            new = _apart(new)
        body = [*block.body[:place], new, old, *block.body[place + 1 :]]
        return self._changed(block, block.with_changes(body=body))

    def _at_top(self, statement: str, reason: str) -> str:
        body = self._module.body
        place = last_import(body, _module_of(statement).partition(".")[0])
        new = self._statement(statement, Suite(self._module, None, 0, place), 0, reason)
        if place or not body:
            rest = [*map(_apart, body[place : place + 1]), *body[place + 1 :]]
            new = _apart(new) if place else new
            return self._module.with_changes(body=[*body[:place], new, *rest]).code
        return self._module.with_changes(body=[*_in_front(new, body[0]), *body[1:]]).code

    def _changed(self, old: cst.CSTNode, new: cst.CSTNode) -> str:
        changed = self._module.deep_replace(old, new)
        assert isinstance(changed, cst.Module)
        return changed.code

    def _statement(
        self, statement: str, where: Suite, column: int, reason: str
    ) -> cst.SimpleStatementLine:
        """Return the import as a node, below its reason."""
        scope = where.function if where.function is not None else self._module
        bound = bound_anew(statement, scope)
        text = _laid_out(bound, column, self._module.default_indent)
        comments = textwrap.wrap(
            reason, max(_WIDTH - column - 2, 30), break_long_words=False, break_on_hyphens=False
        )
        self.added, self.statement = text.partition("\n")[0], f"{bound}  {_NOQA}"
        source = "".join(f"# {each}\n" for each in comments) + text + "\n"
        node = cst.parse_module(source, cst.PartialParserConfig(default_newline="\n"))
        made = node.body[0].with_changes(leading_lines=[*node.header, *_lines_above(node.body[0])])
        assert isinstance(made, cst.SimpleStatementLine)
        return made


def _in_front(
    new: cst.SimpleStatementLine, old: cst.BaseStatement
) -> tuple[cst.SimpleStatementLine, cst.BaseStatement]:
    """Return a new statement and the one that it comes before; comments right above that stay with it."""
    above = _lines_above(old)
    cut = max((i for i, each in enumerate(above, start=1) if each.comment is None), default=0)
    first = new.with_changes(leading_lines=[*above[:cut], *new.leading_lines])
    return first, _apart(old.with_changes(leading_lines=above[cut:]))


def _apart(after: _Statement) -> _Statement:
    """Return what comes after an import with an empty line in between, as black has it.

    That is, unless it is an import too, without a comment.
    """
    above = _lines_above(after)
    if above[0].comment is None if above else _is_import(after):
        return after
    return after.with_changes(leading_lines=[cst.EmptyLine(indent=False), *above])


def _is_import(statement: cst.BaseStatement) -> bool:
    small = statement.body if isinstance(statement, cst.SimpleStatementLine) else ()
    return any(isinstance(each, (cst.Import, cst.ImportFrom)) for each in small)


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
