"""The outline of a source text: its logical lines, and which of them are function bodies.

libcst parses about 0.45 MB a second, and most of a module is function bodies that are never run
while it is imported. So the module level is parsed without them, and a body is parsed alone when
somebody calls it. The outline says where to cut, and gives each statement its line number, which
libcst itself knows only through a metadata pass that costs several times the parse.

The cut is checked, not trusted: whoever parses a slice compares the number of statements that
libcst found with the number of logical lines here (see ``parse.py``).
"""

from __future__ import annotations

import functools
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
# escapes) end on it.
# Loops are unrolled (plain (special plain)*), so that a line that does not match fails in linear time.
_PLAIN = r"""[^\n#"'()\[\]{}\\]*"""
_STRING = r"""(?:"(?!"")[^"\\\n]*"|'(?!'')[^'\\\n]*')"""
_FLAT = f"{_PLAIN}(?:{_STRING}{_PLAIN})*"
_NESTED = f"{_PLAIN}(?:(?:{_STRING}|[(\\[{{]{_FLAT}[)\\]}}]){_PLAIN})*"
_CONTENT = f"{_PLAIN}(?:(?:{_STRING}|[(\\[{{]{_NESTED}[)\\]}}]){_PLAIN})*"
_COMPLETE = re.compile(rf"(?:{_CONTENT})(?:#[^\n]*)?\n")
# White space, line ends that are joined or not, and comments: what may stand before content.
# So many lines at most: for each that a loop has passed, a match takes memory.
_AT_ONCE = 500
_BLANK = re.compile(rf"[ \t\f]*(?:(?:#[^\n]*)?\n[ \t\f]*){{0,{_AT_ONCE}}}(?:#[^\n]*\Z)?")
_JOINED_NOTHING = re.compile(r"(?:\\\n[ \t\f]*)+(?:#[^\n]*)?(?:\n|\Z)")
_INDENT = re.compile(r"[ \t\f]*")
_DEF = re.compile(r"(?:async[ \t]+)?def\b")
_HEADER = re.compile(r"[ \t\f]*(?:async[ \t]+)?def[ \t]+\w+[ \t]*\(")
_PLAIN_DEFAULT = re.compile(r"""=\s*(?:None|True|False|-?[\d.]+|"[^"\\\n]*"|'[^'\\\n]*')\s*[,)]""")


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
    """The outermost functions whose bodies stand on lines of their own, and the lines around those.

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
        """The logical lines outside of the functions' bodies; the lines of their ``def`` are among them."""
        if self._lines is None:
            self._lines = outline(self.text)._lines or ()
        return self._lines

    def without_lines(self) -> Outline:
        """Return the same outline in a tenth of the memory."""
        return Outline(self.text, self.functions)

    def module_level(self) -> tuple[str, list[int]]:
        """Return the text with each outermost function as short as may be, and its line numbers.

        A body is replaced by ``...``, and so are parameters that need not be known before the
        function is called. The list has one entry (a line of the whole file) for each logical line
        of the returned text.
        """
        text = self.text
        parts: list[str] = []
        numbers: list[int] = []
        functions = iter(self.functions)
        function = next(functions, None)
        for line in self.lines:
            if function is None or line.start != function.start:
                _append(text, line, parts, numbers)
                continue
            indent = text[line.start : line.start + _leading(text, line.start)]
            parts.append(f"{_short_header(text[line.span])}{indent} ...\n")
            numbers += (line.line, line.line)
            function = next(functions, None)
        return "".join(parts), numbers

    def function(self, index: int) -> tuple[str, list[int]]:
        """Return the text of one outermost function as a module of its own, and its line numbers.

        An indented function (a method) stands under an ``if 1:`` so that its lines need no change.
        """
        text = self.function_text(index)
        lines = logical_lines(text, self.functions[index].line)
        parts: list[str] = []
        numbers: list[int] = []
        if lines[0].indent:
            parts.append("if 1:\n")
            numbers.append(lines[0].line)
        for line in lines:
            _append(text, line, parts, numbers)
        return "".join(parts), numbers

    def function_text(self, index: int) -> str:
        """Return the source of an outermost function, comments and blank lines between included."""
        span = self.functions[index]
        return self.text[span.start : span.end]


def outline(text: str) -> Outline:
    """Cut a source text (line ends ``\\n``) into logical lines and find its outermost functions."""
    lines: list[LogicalLine] = []
    functions: list[FunctionSpan] = []
    offset, number = 0, 1
    while (line := _next_line(text, offset, number)) is not None:
        lines.append(line)
        offset, number = line.end, line.line + text.count("\n", line.start, line.end)
        if not _DEF.match(text, line.start + _leading(text, line.start)):
            continue
        first = _next_line(text, offset, number)
        if first is None or first.indent <= line.indent:
            continue
        end = _end_of_block(text, first.end, line.indent)
        functions.append(FunctionSpan(line.line, line.start, first.start, end))
        offset, number = end, first.line + text.count("\n", first.start, end)
    return Outline(text, tuple(functions), tuple(lines))


def last_line(text: str, line: int) -> int:
    """Return the number of the last physical line of the logical line that begins on ``line``."""
    offset = 0
    for _ in range(line - 1):
        offset = text.find("\n", offset) + 1
        if not offset:
            return line
    begin = offset + _leading(text, offset)
    if text[begin : begin + 1] in ("", "\n", "#"):
        return line
    return line + text.count("\n", offset, _end_of_logical_line(text, begin) - 1)


def _append(text: str, line: LogicalLine, parts: list[str], numbers: list[int]) -> None:
    parts.append(text[line.span])
    numbers.append(line.line)
    if line.end == len(text) and not text.endswith("\n"):
        parts.append("\n")


def _short_header(header: str) -> str:
    """Return a ``def`` line without its parameters, or as it is if a default is no plain literal."""
    match = _HEADER.match(header)
    if match is None or header.count("=") != len(_PLAIN_DEFAULT.findall(header)):
        return header
    return f"{match.group()}):\n"


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


def logical_lines(text: str, first: int = 1) -> list[LogicalLine]:
    """Return the logical lines of a text whose first physical line has the number ``first``."""
    result: list[LogicalLine] = []
    offset, number = 0, first
    while (line := _next_line(text, offset, number)) is not None:
        result.append(line)
        offset, number = line.end, line.line + text.count("\n", line.start, line.end)
    return result


def _next_line(text: str, offset: int, number: int) -> LogicalLine | None:
    """Return the first logical line at or after an offset, where a physical line begins."""
    begin = _start_of_content(text, offset)
    while (nothing := _JOINED_NOTHING.match(text, begin)) is not None:
        begin = _start_of_content(text, nothing.end())
    if begin == len(text):
        return None
    start = text.rfind("\n", offset, begin) + 1 or offset
    indent = begin - start
    if indent and text[start:begin].strip(" "):
        indent = _indent_width(text[start:begin])
    number += text.count("\n", offset, start)
    return LogicalLine(number, start, _end_of_logical_line(text, begin), indent)


def _start_of_content(text: str, offset: int) -> int:
    """Return where the next text stands that is neither white space nor a comment."""
    while True:
        match = _BLANK.match(text, offset)
        assert match is not None, "it matches the empty text"
        if match.end() - offset < _AT_ONCE:
            return match.end()
        offset = match.end()


def _end_of_logical_line(text: str, begin: int) -> int:
    """Return where the logical line ends whose content begins at an offset."""
    # most lines are complete in themselves, and told so by one match
    whole = _COMPLETE.match(text, begin)
    if whole is not None:
        return whole.end()
    depth = 0
    for match in _TOKEN.finditer(text, begin):
        kind = match.lastgroup
        if kind == "newline":
            if depth == 0:
                return match.end()
        elif kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(0, depth - 1)
    return len(text)


def _end_of_block(text: str, offset: int, indent: int) -> int:
    """Return where the last logical line ends of those that follow and are indented by more."""
    run = _deeper(indent)
    while True:
        # what is indented by spaces and complete in itself goes by without a further look
        match = run.match(text, offset)
        assert match is not None, "it matches the empty text"
        offset = match.end()
        line = _next_line(text, offset, 1)
        if line is None or line.indent <= indent:
            return offset
        offset = line.end


@functools.cache
def _deeper(indent: int) -> re.Pattern[str]:
    """Return what matches complete lines that are indented by more spaces than so many."""
    blank = rf"(?:[ \t\f]*(?:#[^\n]*)?\n){{0,{_AT_ONCE}}}"
    return re.compile(
        rf"(?:{blank}[ ]{{{indent + 1}}}[ ]*(?=[^ \t\f\n#])(?:{_CONTENT})(?:#[^\n]*)?\n){{0,{_AT_ONCE}}}"
    )
