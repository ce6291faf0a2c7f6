"""The outline of a source text: its logical lines, and which of them are function bodies.

libcst parses about 0.45 MB a second, and most of a module is function bodies that are never run
while it is imported. So the module level is parsed without them, and a body is parsed alone when
somebody calls it. The outline says where to cut, and gives each statement its line number, which
libcst itself knows only through a metadata pass that costs several times the parse.

The cut is checked, not trusted: whoever parses a slice compares the number of statements that
libcst found with the number of logical lines here (see ``parse.py``).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass

# What can open, close or end a logical line; everything between two matches is of no interest.
_TOKEN = re.compile(
    r"""
      (?P<comment>  \#[^\n]* )
    | (?P<string>   \"{3} [^"\\]* (?: (?: \\. | "(?!"") ) [^"\\]* )* \"{3}
                  | '{3}  [^'\\]* (?: (?: \\. | '(?!'') ) [^'\\]* )* '{3}
                  | "     [^"\\\n]* (?: \\. [^"\\\n]* )* "
                  | '     [^'\\\n]* (?: \\. [^'\\\n]* )* ' )
    | (?P<open>     [\[({] )
    | (?P<close>    [\])}] )
    | (?P<joined>   \\\n )
    | (?P<newline>  \n )
    """,
    re.VERBOSE | re.DOTALL,
)
# A physical line that is a logical line: its brackets (two levels of them) and its strings (without
# escapes) end on it. Group 1 is the indentation, group 2 the content, empty for a blank or comment line.
# Loops are unrolled (plain (special plain)*), so that a line that does not match fails in linear time.
_PLAIN = r"""[^\n#"'()\[\]{}\\]*"""
_STRING = r"""(?:"(?!"")[^"\\\n]*"|'(?!'')[^'\\\n]*')"""
_FLAT = f"{_PLAIN}(?:{_STRING}{_PLAIN})*"
_NESTED = f"{_PLAIN}(?:(?:{_STRING}|[(\\[{{]{_FLAT}[)\\]}}]){_PLAIN})*"
_CONTENT = f"{_PLAIN}(?:(?:{_STRING}|[(\\[{{]{_NESTED}[)\\]}}]){_PLAIN})*"
_COMPLETE = re.compile(rf"([ \t\f]*)({_CONTENT})(?:#[^\n]*)?\n")
_INDENT = re.compile(r"[ \t\f]*")
_DEF = re.compile(r"(?:async[ \t]+)?def\b")


@dataclass(frozen=True, slots=True)
class LogicalLine:
    """One logical line: ``start`` and ``end`` are offsets (end after the newline), ``line`` counts from 1."""

    line: int
    start: int
    end: int
    indent: int

    @property
    def span(self) -> slice:
        """The text of the line, its indentation and newline included, as a slice of the source."""
        return slice(self.start, self.end)


@dataclass(frozen=True, slots=True)
class FunctionSpan:
    """An outermost function: offsets of its ``def`` line, body and end; ``line`` is the ``def``'s."""

    line: int
    start: int
    body: int
    end: int


class Outline:
    """The outermost functions whose bodies stand on lines of their own, and all logical lines.

    The functions are enough to take them out one by one; the lines are found again if asked for.
    """

    __slots__ = ("_lines", "functions", "text")

    def __init__(
        self,
        text: str,
        functions: tuple[FunctionSpan, ...],
        lines: tuple[LogicalLine, ...] | None = None,
    ) -> None:
        self.text = text
        self.functions = functions
        self._lines = lines

    @property
    def lines(self) -> tuple[LogicalLine, ...]:
        """The logical lines."""
        if self._lines is None:
            self._lines = tuple(_logical_lines(self.text))
        return self._lines

    def without_lines(self) -> Outline:
        """Return the same outline in a tenth of the memory."""
        return Outline(self.text, self.functions)

    def module_level(self) -> tuple[str, list[int]]:
        """Return the text with each outermost function body replaced by ``...``, and its line numbers.

        The list has one entry (a line of the whole file) for each logical line of the returned text.
        """
        lines = self.lines
        parts: list[str] = []
        numbers: list[int] = []
        cursor = 0
        for function in self.functions:
            body = bisect_left(lines, function.body, key=_start)
            _append(self.text, lines[cursor:body], parts, numbers)
            first = lines[body]
            indent = self.text[first.start : first.start + _leading(self.text, first.start)]
            parts.append(f"{indent}...\n")
            numbers.append(first.line)
            cursor = bisect_left(lines, function.end, key=_start)
        _append(self.text, lines[cursor:], parts, numbers)
        return "".join(parts), numbers

    def function(self, index: int) -> tuple[str, list[int]]:
        """Return the text of one outermost function as a module of its own, and its line numbers.

        An indented function (a method) stands under an ``if 1:`` so that its lines need no change.
        """
        text = self.function_text(index)
        lines = _logical_lines(text, self.functions[index].line)
        parts: list[str] = []
        numbers: list[int] = []
        if lines[0].indent:
            parts.append("if 1:\n")
            numbers.append(lines[0].line)
        _append(text, lines, parts, numbers)
        return "".join(parts), numbers

    def function_text(self, index: int) -> str:
        """Return the source of an outermost function, comments and blank lines between included."""
        span = self.functions[index]
        return self.text[span.start : span.end]


def outline(text: str) -> Outline:
    """Cut a source text (line ends ``\\n``) into logical lines and find its outermost functions."""
    lines = tuple(_logical_lines(text))
    return Outline(text, tuple(_outermost_functions(text, lines)), lines)


def last_line(text: str, line: int) -> int:
    """Return the number of the last physical line of the logical line that begins on ``line``."""
    offset = 0
    for _ in range(line - 1):
        offset = text.find("\n", offset) + 1
        if not offset:
            return line
    end, content = _end_of_logical_line(text, offset)
    return line + text.count("\n", offset, end - 1) if content else line


def _start(line: LogicalLine) -> int:
    return line.start


def _append(text: str, lines: Iterable[LogicalLine], parts: list[str], numbers: list[int]) -> None:
    for line in lines:
        parts.append(text[line.span])
        numbers.append(line.line)
        if line.end == len(text) and not text.endswith("\n"):
            parts.append("\n")


def _leading(text: str, offset: int) -> int:
    match = _INDENT.match(text, offset)
    return len(match.group()) if match else 0


def _indent_width(prefix: str) -> int:
    width = 0
    for char in prefix:
        if char == " ":
            width += 1
        elif char == "\t":
            width = (width // 8 + 1) * 8
        else:  # a form feed resets the column (Python reference, "Indentation")
            width = 0
    return width


def _logical_lines(text: str, first: int = 1) -> list[LogicalLine]:
    """Return the logical lines of a text whose first physical line has the number ``first``."""
    result: list[LogicalLine] = []
    offset, line, length = 0, first, len(text)
    while offset < length:
        # most lines are complete in themselves, and told so by one match
        whole = _COMPLETE.match(text, offset)
        if whole is not None:
            end = whole.end()
            begin = whole.end(1)
            if whole.group(2):
                indent = begin - offset
                if indent and text[offset:begin].strip(" "):
                    indent = _indent_width(text[offset:begin])
                result.append(LogicalLine(line, offset, end, indent))
            offset, line = end, line + 1
            continue
        end, content = _end_of_logical_line(text, offset)
        if content:
            begin = offset + _leading(text, offset)
            result.append(LogicalLine(line, offset, end, _indent_width(text[offset:begin])))
        line += text.count("\n", offset, end)
        offset = end
    return result


def _end_of_logical_line(text: str, start: int) -> tuple[int, bool]:
    """Return where the logical line ends that begins at an offset, and whether there is anything on it."""
    depth = 0
    content = False
    last = start
    for match in _TOKEN.finditer(text, start):
        kind = match.lastgroup
        content = content or kind in ("string", "open", "close")
        content = content or bool(text[last : match.start()].strip(" \t\f"))
        last = match.end()
        if kind == "newline" and depth == 0:
            return match.end(), content
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(0, depth - 1)
    return len(text), content or bool(text[last:].strip(" \t\f\n"))


def _outermost_functions(text: str, lines: tuple[LogicalLine, ...]) -> list[FunctionSpan]:
    result: list[FunctionSpan] = []
    index, count = 0, len(lines)
    while index < count:
        line = lines[index]
        header = index
        index += 1
        if not _DEF.match(text, line.start + _leading(text, line.start)):
            continue
        while index < count and lines[index].indent > line.indent:
            index += 1
        if index > header + 1:
            body, last = lines[header + 1], lines[index - 1]
            result.append(FunctionSpan(line.line, line.start, body.start, last.end))
    return result
