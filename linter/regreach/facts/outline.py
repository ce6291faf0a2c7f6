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
    """An outermost function: its ``def`` line and its body, as indices into ``Outline.lines``."""

    header: int
    body_start: int
    body_end: int


@dataclass(frozen=True, slots=True)
class Outline:
    """Logical lines in order, and the outermost functions whose bodies stand on lines of their own."""

    text: str
    lines: tuple[LogicalLine, ...]
    functions: tuple[FunctionSpan, ...]

    def module_level(self) -> tuple[str, list[int]]:
        """Return the text with each outermost function body replaced by ``...``, and its line numbers.

        The list has one entry (a line of the whole file) for each logical line of the returned text.
        """
        parts: list[str] = []
        numbers: list[int] = []
        cursor = 0
        for function in self.functions:
            self._append(parts, numbers, cursor, function.body_start)
            first = self.lines[function.body_start]
            indent = self.text[first.start : first.start + _leading(self.text, first.start)]
            parts.append(f"{indent}...\n")
            numbers.append(first.line)
            cursor = function.body_end
        self._append(parts, numbers, cursor, len(self.lines))
        return "".join(parts), numbers

    def function(self, index: int) -> tuple[str, list[int]]:
        """Return the text of one outermost function as a module of its own, and its line numbers.

        An indented function (a method) stands under an ``if 1:`` so that its lines need no change.
        """
        span = self.functions[index]
        parts: list[str] = []
        numbers: list[int] = []
        if self.lines[span.header].indent:
            parts.append("if 1:\n")
            numbers.append(self.lines[span.header].line)
        self._append(parts, numbers, span.header, span.body_end)
        return "".join(parts), numbers

    def function_text(self, index: int) -> str:
        """Return the source of an outermost function, comments and blank lines between included."""
        span = self.functions[index]
        return self.text[self.lines[span.header].start : self.lines[span.body_end - 1].end]

    def _append(self, parts: list[str], numbers: list[int], start: int, end: int) -> None:
        for line in self.lines[start:end]:
            parts.append(self.text[line.span])
            numbers.append(line.line)
            if line.end == len(self.text) and not self.text.endswith("\n"):
                parts.append("\n")


def outline(text: str) -> Outline:
    """Cut a source text (line ends ``\\n``) into logical lines and find its outermost functions."""
    lines = tuple(_logical_lines(text))
    return Outline(text, lines, tuple(_outermost_functions(text, lines)))


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


def _logical_lines(text: str) -> list[LogicalLine]:
    result: list[LogicalLine] = []
    offset, line, length = 0, 1, len(text)
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
            result.append(FunctionSpan(header, header + 1, index))
    return result

