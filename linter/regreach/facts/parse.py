"""Text of a module -> ``ModuleFacts``: its module level now, each function body when it is asked for."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from collections.abc import Mapping

import libcst as cst

from regreach.errors import TargetError
from regreach.facts import ir
from regreach.facts.lower import LineMismatchError, Lowering
from regreach.facts.outline import FunctionSpan, Outline, last_line, outline
from regreach.facts.source import SourceError, decode

TOO_DEEP = "nested too deeply to be parsed"


class ModuleFacts:
    """What one module says.

    ``body`` holds the module level; ``function(i)`` gives the i-th outermost function with its
    parameters and its body, parsed when first asked for. ``text`` is the decoded source.
    """

    def __init__(self, text: str) -> None:
        """Parse the module level. Raises SourceError, with the position, when the file is not valid."""
        self.text = text
        _check_syntax(text)
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
        if self._lines is None:
            self._lines = self.text.split("\n")
        return self._lines[line - 1].strip() if 0 < line <= len(self._lines) else ""

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
        raise SourceError(error.message, error.raw_line, error.raw_column + 1) from None
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


def _check_syntax(text: str) -> None:
    """Raise SourceError unless the text is valid Python.

    CPython's own compiler is the judge (it also refuses what its parser lets pass, as a ``return``
    outside of a function), and ten times as quick as libcst on whole files; a file that its parser
    refuses may use a syntax that is newer than the running interpreter, so libcst is asked then.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes in the audited tree are not our concern
        try:
            compile(text, "<module>", "exec", dont_inherit=True)
            return
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            refused = error
        if isinstance(refused, SyntaxError) and (_parses(text) or _has_bad_literal(refused)):
            raise _source_error(refused)
    try:
        cst.parse_module(text)
    except (cst.ParserSyntaxError, cst.CSTValidationError) as error:
        if isinstance(refused, SyntaxError):
            raise _source_error(refused) from None
        if isinstance(error, cst.ParserSyntaxError):
            raise SourceError(error.message, error.raw_line, error.raw_column + 1) from None
        raise SourceError(str(error)) from None
    except RecursionError:
        raise SourceError(TOO_DEEP) from None


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _has_bad_literal(error: SyntaxError) -> bool:
    """Return whether the error is in a string's text, which libcst does not look into."""
    return error.msg.startswith(("(unicode error)", "(value error)", "bytes can only contain"))


def _source_error(error: SyntaxError) -> SourceError:
    line, column = error.lineno or 1, max(1, error.offset or 1)
    return SourceError(error.msg, line, column, type(error).__name__)


def recursion_headroom() -> None:
    """Raise the interpreter's recursion limit to what deeply nested imports need."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 60_000))
