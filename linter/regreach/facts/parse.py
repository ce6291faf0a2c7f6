"""Text of a module -> ``ModuleFacts``: its module level now, each function body when it is asked for."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import libcst as cst

from regreach.errors import TargetError
from regreach.facts import ir
from regreach.facts.dialect import newer, python_2
from regreach.facts.lower import LineMismatchError, Lowering
from regreach.facts.outline import FunctionSpan, Outline, last_line, logical_lines, outline
from regreach.facts.source import UNKNOWN_KIND, SourceError, decode

TOO_DEEP = "nested too deeply to be parsed"

_RECURSION_LIMIT = 1_000  # of a program that sets none
_MAX_BRACKETS = 200  # nested in each other, of any CPython
_MAX_LINE = 20_000  # characters of a logical line that CPython has not checked
_BRACKET = re.compile(r"[][(){}]")


class ModuleFacts:
    """What one module says.

    ``body`` holds the module level; ``function(i)`` gives the i-th outermost function with its
    parameters and its body, parsed when first asked for. ``text`` is the decoded source.
    """

    def __init__(self, text: str) -> None:
        """Parse the module level. Raises SourceError, with the position, when the file is not valid."""
        self.text = text
        check_syntax(text)
        cut = outline(text)
        self._outline: Outline | None = cut.without_lines()
        self._functions: dict[int, ir.FunctionDef] = {}
        self._lines: list[str] | None = None
        try:
            source, numbers = cut.module_level()
            lowering = Lowering(numbers, iter(range(len(cut.functions))))
            self.body = lowering.module(cst.parse_module(source))
        except (LineMismatchError, cst.ParserSyntaxError):
            self._outline = None
            self.body = _whole(text)

    @classmethod
    def read(cls, data: bytes) -> ModuleFacts:
        """Decode and parse a file's bytes. Raises SourceError."""
        return cls(decode(data))

    @classmethod
    def known(
        cls,
        text: str,
        body: ir.Body,
        functions: tuple[FunctionSpan, ...] | None,
        parsed: Mapping[int, ir.FunctionDef],
    ) -> ModuleFacts:
        """Return the facts of a text that was parsed before, with what was found then."""
        facts = object.__new__(cls)
        facts.text, facts.body, facts._functions = text, body, dict(parsed)
        facts._outline = None if functions is None else Outline(text, functions)
        facts._lines = None
        return facts

    @property
    def functions(self) -> tuple[FunctionSpan, ...] | None:
        """The outermost functions; None when the file was parsed in one piece, bodies included."""
        return None if self._outline is None else self._outline.functions

    @property
    def parsed(self) -> Mapping[int, ir.FunctionDef]:
        """The functions that were asked for so far, by index."""
        return self._functions

    def with_body(self, body: ir.Body) -> ModuleFacts:
        """Return the same module with another module level; its functions stay."""
        other = object.__new__(ModuleFacts)
        other.text, other._outline, other._functions = self.text, self._outline, self._functions
        other.body, other._lines = body, None
        return other

    def function(self, index: int) -> ir.FunctionDef:
        """Return the outermost function with that index (``FunctionDef.slice``), without decorators."""
        found = self._functions.get(index)
        if found is None:
            found = self._functions[index] = self._parse_function(index)
        return found

    def body_of(self, function: ir.FunctionDef) -> ir.Body:
        """Return the body of any function of this module."""
        return function.body if function.slice is None else self.function(function.slice).body

    def params_of(self, function: ir.FunctionDef) -> tuple[ir.Param, ...]:
        """Return the parameters of any function of this module."""
        if function.params is None and function.slice is not None:
            return self.function(function.slice).params or ()
        return function.params or ()

    def slices_with(self, *words: str | re.Pattern[str]) -> list[int]:
        """Return the indices of the outermost functions in whose text one of the words is found."""
        if self._outline is None:
            return []
        result = []
        for index in range(len(self._outline.functions)):
            text = self._outline.function_text(index)
            if any(w in text if isinstance(w, str) else w.search(text) for w in words):
                result.append(index)
        return result

    def line_text(self, line: int) -> str:
        """Return the physical line with that number (from 1), stripped."""
        return self._line(line).strip()

    def column_of(self, line: int) -> int:
        """Return the column, from 1, in which the physical line with that number begins."""
        text = self._line(line)
        return len(text) - len(text.lstrip()) + 1

    def _line(self, line: int) -> str:
        if self._lines is None:
            self._lines = self.text.split("\n")
        return self._lines[line - 1] if 0 < line <= len(self._lines) else ""

    def statement_text(self, line: int) -> str:
        """Return the logical line that begins on ``line`` as one line, its white space folded."""
        end = self.end_of_statement(line)
        return " ".join(" ".join(self.line_text(n) for n in range(line, end + 1)).split())

    def end_of_statement(self, line: int) -> int:
        """Return the last physical line of the logical line that begins on ``line``."""
        return last_line(self.text, line)

    def _parse_function(self, index: int) -> ir.FunctionDef:
        assert self._outline is not None, "only a sliced module has function indices"
        source, numbers = self._outline.function(index)
        try:
            body = Lowering(numbers, None).module(cst.parse_module(source))
        except cst.ParserSyntaxError as error:
            # as of a block that begins with a backslash, which CPython takes
            line = self._outline.functions[index].line
            raise TargetError(
                f"libcst cannot parse the function at line {line}, {self.line_text(line)!r}: {error.message}"
            ) from None
        node = body[0]
        if isinstance(node, ir.If):
            node = node.body[0]
        assert isinstance(node, ir.FunctionDef)
        return node


def _whole(text: str) -> ir.Body:
    """Parse without cutting; libcst's own position pass gives the lines. Slow, and always right."""
    from libcst.metadata import MetadataWrapper, PositionProvider

    try:
        wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
    except cst.ParserSyntaxError as error:
        hint = f"Python {sys.version_info[0]}.{sys.version_info[1]} can read it, the parser libcst cannot"
        line, column = error.raw_line, error.raw_column + 1
        raise SourceError(error.message, line, column, UNKNOWN_KIND, hint) from None
    positions = wrapper.resolve(PositionProvider)
    numbers: list[int] = []

    class Lines(cst.CSTVisitor):
        def on_visit(self, node: cst.CSTNode) -> bool:
            if isinstance(node, _STARTS_A_LINE):
                numbers.append(positions[node].start.line)
            return True

    wrapper.module.visit(Lines())
    numbers.sort()
    return Lowering(numbers, None).module(wrapper.module)


# Each of these begins a logical line of its own. (An ``elif`` is an If; a function or class with
# decorators begins at its first decorator, so that its own line is that of its name.)
_STARTS_A_LINE = (
    cst.SimpleStatementLine,
    cst.If,
    cst.Else,
    cst.For,
    cst.While,
    cst.Try,
    cst.TryStar,
    cst.ExceptHandler,
    cst.ExceptStarHandler,
    cst.Finally,
    cst.With,
    cst.Decorator,
    cst.FunctionDef,
    cst.ClassDef,
    cst.Match,
    cst.MatchCase,
)


def check_syntax(text: str) -> None:
    """Raise SourceError unless the text is valid Python.

    CPython's own compiler is the judge (it also refuses what its parser lets pass, as a ``return``
    outside of a function), and ten times as quick as libcst on whole files; a file that its parser
    refuses may use a syntax that is newer than the running interpreter, so libcst is asked then.
    What nests deeper than CPython takes is shown to nobody: libcst would take minutes, or crash.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes in the audited tree are not our concern
        try:
            with _stack_of_a_program():
                compile(text, "<module>", "exec", dont_inherit=True)
            return
        except (RecursionError, MemoryError):
            raise SourceError(TOO_DEEP, kind=UNKNOWN_KIND) from None
        except SyntaxError as error:
            refused = error
        except ValueError as error:  # as of half a surrogate pair, which some codecs let pass
            raise SourceError(str(error)) from None
        if refused.msg.startswith(_FOR_GOOD) or _parses(text) or _overwhelms_libcst(text):
            raise _source_error(refused, text)
    try:
        cst.parse_module(text)
    except (cst.ParserSyntaxError, cst.CSTValidationError):
        raise _source_error(refused, text, unknown_to_libcst=True) from None
    except RecursionError:
        raise SourceError(TOO_DEEP, kind=UNKNOWN_KIND) from None


# What every CPython refuses: its limits, and what is wrong in a literal, which libcst does not look into.
_FOR_GOOD = (
    "too many nested parentheses",
    "too many levels of indentation",
    "too many statically nested blocks",
    "Exceeds the limit",
    "(unicode error)",
    "(value error)",
    "bytes can only contain",
)


@contextmanager
def _stack_of_a_program() -> Iterator[None]:
    """Let CPython refuse what nests deeper than it takes in a program, however deep the stack is here.

    From 3.12 on it does so by itself.
    """
    limit = sys.getrecursionlimit()
    if sys.version_info < (3, 12):
        sys.setrecursionlimit(_depth() + _RECURSION_LIMIT)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def _depth() -> int:
    frame, depth = sys._getframe(), 0
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    return depth


def _overwhelms_libcst(text: str) -> bool:
    """Return whether libcst might take minutes or crash: CPython has not looked that far."""
    for line in logical_lines(text):
        if line.end - line.start > _MAX_LINE:
            return True
        depth = 0
        for bracket in _BRACKET.findall(text[line.span]):
            depth += 1 if bracket in "([{" else -1
            if depth > _MAX_BRACKETS:
                return True
    return False


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _source_error(error: SyntaxError, text: str, *, unknown_to_libcst: bool = False) -> SourceError:
    """Return CPython's refusal, with what it may come of; a newer Python may take what libcst does not know."""
    line, column = error.lineno or 1, max(1, error.offset or 1)
    words = text.split("\n", line)[line - 1 : line]
    hint = python_2(error.msg, words[0]) if words else ""
    kind = type(error).__name__
    if words and unknown_to_libcst and not hint:
        hint = newer(words[0])
        kind = UNKNOWN_KIND if hint else kind
    return SourceError(error.msg, line, column, kind, hint)


def recursion_headroom() -> None:
    """Raise the interpreter's recursion limit to what deeply nested imports need."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 60_000))
