"""What loading a module does and which names it binds, read from its text without libcst.

Most modules that a run loads only pass by: they import others and bind names that nobody asks for. Their
imports are all that has to be run. A module about which the lines do not tell enough is left to the
parser: whatever is odd, conditional or may have an effect on another module.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from regreach.facts import ir
from regreach.facts.names import names_of
from regreach.facts.outline import LogicalLine, Outline, outline
from regreach.facts.parse import check_syntax
from regreach.facts.skeleton import ODD, merged, tops_of
from regreach.facts.source import decode

_WORD = re.compile(r"[ \t\f]*(\w+|@|.|\Z)")
_BINDING = re.compile(r"(\w+)[ \t]*(?::[^=\n]*)?=(?!=)")
_CHAIN = re.compile(r"\w+[ \t]*=(?!=)[^\n]*?[ \t]=(?!=)|[\w \t]+,[\w, \t]*=(?!=)")
_ANNOTATED = re.compile(r"\w+[ \t]*:")
_AUGMENTED = re.compile(r"\w+[ \t]*(?:[-+*/%&|^@]|//|\*\*|<<|>>)=")
_CALL = re.compile(r"[A-Za-z_][\w.]*[ \t]*\(")
# From where a word begins only: a long one must not be tried from each of its letters.
_CALLED = re.compile(r"(?<!\w)(\w+)[ \t]*\(|\A[ \t]*@(?:\w+[ \t]*\.[ \t]*)*(\w+)")
_NAMED = re.compile(r"[ \t\f]*(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)")
_FOR_CHECKERS = re.compile(r"if[ \t]+(?:\w+\.)?TYPE_CHECKING[ \t]*:[ \t]*(?:#[^\n]*)?\n")
_OPENS = re.compile(r"[^\n]*:[ \t]*(?:#[^\n]*)?\n\Z")
# What changes the meaning of the lines around, or may do anything.
_ODD = re.compile(
    rf"\b(?:{'|'.join(sorted({*ODD, '__getattr__'}))})\b"
    r"|sys\.modules|\b__path__\b|:=|;"
)
# Strings and comments.
_TEXT = re.compile(
    r"""\#[^\n]*|\"{3}(?:\\.|[^\\])*?\"{3}|'{3}(?:\\.|[^\\])*?'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""",
    re.DOTALL,
)
_BLOCK_WORDS = frozenset({"if", "try", "with", "for", "while"})
_CLAUSE_WORDS = frozenset({"elif", "else", "except", "finally"})
_IN_BLOCK = frozenset({"if", "try", "@"}) | _CLAUSE_WORDS
_NO_EFFECT = frozenset({"pass", "assert"})


class _Untold(Exception):  # noqa: N818  (it is control flow, no error)
    """The lines do not tell enough."""


@dataclass(frozen=True, slots=True)
class Skim:
    """What the lines of a module tell.

    ``body`` has the imports that it makes and the names that it binds, in order; ``called`` are the names of
    the functions that may be called while it is loaded, sorted.
    """

    body: ir.Body
    called: tuple[str, ...]


def skimmed(data: bytes, packages: Collection[str]) -> Skim | None:
    """Return what the lines of a file tell, see ``skim``; None to parse it. Raises SourceError."""
    text = decode(data)
    check_syntax(text)
    return skim(outline(text), packages)


def skim(cut: Outline, packages: Collection[str]) -> Skim | None:
    """Return what the lines of a module tell; None to parse it.

    An import from one of ``packages`` under a condition is for the parser: the tree's own, and those that
    are not installed.
    """
    if _is_odd(cut):
        return None
    try:
        body = merged(list(_statements(cut.text, cut.lines, packages)))
    except _Untold:
        return None
    return Skim(body, tuple(sorted(called_when_loaded(cut))))


def called_when_loaded(cut: Outline) -> set[str]:
    """Return what may be called outside of functions, or decorates something; names in strings count, too."""
    names: set[str] = set()
    for line in cut.lines:
        named = _NAMED.match(cut.text, line.start)
        source = cut.text[named.end() if named is not None else line.start : line.end]
        names.update(name for found in _CALLED.findall(source) for name in found if name)
    return names


def _is_odd(outline: Outline) -> bool:
    for line in outline.lines:
        source = outline.text[line.span]
        if _ODD.search(source) and _ODD.search(_TEXT.sub("''", source)):
            return True
    return False


def _statements(
    text: str, lines: Sequence[LogicalLine], packages: Collection[str]
) -> Iterator[ir.Stmt]:
    index = 0
    while index < len(lines):
        line = lines[index]
        if line.indent:
            raise _Untold("a line is indented without a reason")
        word = _first_word(text, line)
        if word not in _BLOCK_WORDS or _FOR_CHECKERS.match(text, line.start):
            index, inside = _indented(lines, index)
            yield from _statement(text, line, inside)
            continue
        clauses: list[tuple[str, Sequence[LogicalLine]]] = []
        while not clauses or (index < len(lines) and word in _CLAUSE_WORDS):
            if not _OPENS.match(text[lines[index].span]):
                raise _Untold(text[lines[index].span])
            index, inside = _indented(lines, index)
            clauses.append((word, inside))
            word = _first_word(text, lines[index]) if index < len(lines) else ""
        yield from _block(text, line.line, clauses, packages)


def _indented(lines: Sequence[LogicalLine], index: int) -> tuple[int, Sequence[LogicalLine]]:
    """Return the index of the next line at the margin, and the lines between."""
    begin = index = index + 1
    while index < len(lines) and lines[index].indent:
        index += 1
    return index, lines[begin:index]


def _statement(text: str, line: LogicalLine, inside: Sequence[LogicalLine]) -> Iterator[ir.Stmt]:
    source = text[line.span]
    word = _first_word(text, line)
    if word in ("import", "from"):
        yield _import(source, line.line)
    elif word in ("def", "async", "class"):
        name = _NAMED.match(source)
        if name is None:
            raise _Untold(source)
        if word == "class":
            for each in inside:
                if _first_word(text, each) in ("import", "from", "raise", "del"):
                    raise _Untold(text[each.span])
        yield ir.Later(line.line, (name[1],), sure=True)
    elif word == "if":
        return  # for type checkers only
    elif word == "@" or word in _NO_EFFECT or source[:1] in "\"'":
        return
    elif (found := _BINDING.match(source)) is not None:
        if _CHAIN.match(source):
            raise _Untold(source)
        yield ir.Later(line.line, (found[1],), sure=True)
    elif not (_ANNOTATED.match(source) or _AUGMENTED.match(source) or _CALL.match(source)):
        raise _Untold(source)


def _block(
    text: str,
    line: int,
    clauses: Sequence[tuple[str, Sequence[LogicalLine]]],
    packages: Collection[str],
) -> Iterator[ir.Stmt]:
    """Yield what an ``if`` or ``try`` with its clauses binds."""
    kinds = [word for word, _ in clauses]
    if kinds[0] not in ("if", "try"):
        raise _Untold(kinds[0])
    bound: set[str] = set()
    ways: list[set[str]] = []
    always: set[str] = set()
    for word, inside in clauses:
        first, every = _bound_in(text, inside, packages)
        bound |= every
        if word == "finally":
            always |= first
        elif word == "else" and kinds[0] == "try":
            ways[0] |= first
        else:
            ways.append(first)
    if kinds[0] == "try" or "else" in kinds:
        always |= set.intersection(*ways)
    if always:
        yield ir.Later(line, tuple(sorted(always)), sure=True)
    if bound - always:
        yield ir.Later(line, tuple(sorted(bound - always)), sure=False)


def _bound_in(
    text: str, lines: Sequence[LogicalLine], packages: Collection[str]
) -> tuple[set[str], set[str]]:
    """Return the names that a block binds on its own level, and all that are bound in it."""
    own: set[str] = set()
    every: set[str] = set()
    definition = 0  # the indentation of the definition that the lines are in
    for line in lines:
        if definition and line.indent > definition:
            continue
        definition = 0
        source = text[line.span].strip()
        word = _first_word(text, line)
        names: Collection[str] = ()
        if word in ("import", "from"):
            node = _import(source + "\n", line.line)
            if _is_from(node, packages):
                raise _Untold(source)
            if not node.names:
                raise _Untold("a star under a condition")
            names = names_of(node)
        elif word in ("raise", "del", "return", "with", "for", "while"):
            raise _Untold(source)
        elif (named := _NAMED.match(source)) is not None:
            names = (named[1],)
            definition = line.indent
        elif (found := _BINDING.match(source)) is not None:
            if _CHAIN.match(source):
                raise _Untold(source)
            names = (found[1],)
        elif "=" in source and not _CALL.match(source) and word not in _IN_BLOCK:
            raise _Untold(source)
        every.update(names)
        if line.indent == lines[0].indent:
            own.update(names)
    return own, every


def _first_word(text: str, line: LogicalLine) -> str:
    match = _WORD.match(text, line.start)
    return match[1] if match is not None else ""


def _import(source: str, line: int) -> ir.Import | ir.ImportFrom:
    """Read one import statement. Raises _Untold."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(source).body
    except (SyntaxError, ValueError):
        raise _Untold(source) from None
    if len(body) == 1 and isinstance(body[0], ast.Import):
        return ir.Import(line, tuple((a.name, a.asname) for a in body[0].names))
    if len(body) == 1 and isinstance(body[0], ast.ImportFrom):
        names = tuple((a.name, a.asname) for a in body[0].names if a.name != "*")
        return ir.ImportFrom(line, body[0].module, body[0].level, names)
    raise _Untold(source)


def _is_from(node: ir.Import | ir.ImportFrom, packages: Collection[str]) -> bool:
    is_relative = isinstance(node, ir.ImportFrom) and node.level > 0
    return is_relative or not tops_of(node).isdisjoint(packages)
