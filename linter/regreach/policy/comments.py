"""Comments that suppress findings: ``# regreach: ignore[RR102] reason``, read as Python tells tokens apart.

One counts for the statement that it stands in (a decorator is one by itself), on any of its lines, and may
stand beside others: ``# noqa: F401  # regreach: ignore[RR106] reason``.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from regreach.facts.source import SourceError, decode
from regreach.policy.meta_rules import CODES

if TYPE_CHECKING:
    from regreach.program import Program

WORD = b"regreach"

# A directive ends where another comment begins: a "#123" is none.
_DIRECTIVE = re.compile(r"#\s*regreach\b\s*(?P<colon>:?)\s*(?P<rest>.*?)(?=\s+#\s*[A-Za-z]|\s*\Z)")
_IGNORE = re.compile(r"ignore\s*\[(?P<codes>[^\[\]]*)\]\s*[:\u2013\u2014-]?\s*(?P<reason>.*)")
_FORM = "write # regreach: ignore[CODE] reason"


@dataclass(frozen=True, slots=True)
class Comment:
    """One comment. It counts for findings on the lines ``first`` to ``last``: none where these are 0.

    ``codes`` are the rules that it names, all of them known; ``faults`` say what is wrong with it.
    """

    path: str
    line: int
    column: int
    text: str
    first: int
    last: int
    codes: tuple[str, ...]
    reason: str
    faults: tuple[str, ...]


def comments_of(program: Program, known: Collection[str]) -> list[Comment]:
    """Return the comments in a program's files, by path and line; ``known`` are the codes of all rules.

    The analysis has read every file for the names of the registrars: only those that have the word in
    them are looked into. One that does not parse has no findings, and its comments are not judged.
    """
    found: list[Comment] = []
    for module in program.mentioning(WORD):
        path = program.path(module)
        if path is not None and path not in program.broken:
            found += comments_in(path, program.source(module), known)
    return sorted(found, key=lambda comment: (comment.path, comment.line, comment.column))


def comments_in(path: str, data: bytes, known: Collection[str]) -> list[Comment]:
    """Return the comments of a file; none when it is not valid Python."""
    try:
        text = decode(data)
        return [
            _comment(path, token, lines, directive, known)
            for token, lines in _comment_tokens(text)
            for directive in _DIRECTIVE.finditer(token.string)
            if directive["colon"] or re.match(r"ignore\s*(\[|\Z)", directive["rest"])
        ]
    except (SourceError, SyntaxError, tokenize.TokenError):
        return []


def _comment_tokens(text: str) -> Iterator[tuple[tokenize.TokenInfo, tuple[int, int]]]:
    """Yield the comments with the first and last line of their statement; (0, 0) for one by itself."""
    first = 0
    waiting: list[tokenize.TokenInfo] = []
    layout = (tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            if first:
                waiting.append(token)
            else:
                yield token, (0, 0)
        elif token.type == tokenize.NEWLINE:
            for comment in waiting:
                yield comment, (first, token.start[0])
            first, waiting = 0, []
        elif not first and token.type not in layout:
            first = token.start[0]


def _comment(
    path: str,
    token: tokenize.TokenInfo,
    lines: tuple[int, int],
    directive: re.Match[str],
    known: Collection[str],
) -> Comment:
    codes, reason, faults = _parsed(directive["rest"], known)
    if not directive["colon"]:
        codes, faults = [], ["the colon is missing behind `regreach`"]
    line, column = token.start[0], token.start[1] + directive.start() + 1
    text = directive[0].strip()
    return Comment(path, line, column, text, *lines, tuple(codes), reason, tuple(faults))


def _parsed(rest: str, known: Collection[str]) -> tuple[list[str], str, list[str]]:
    """Return the rules that are named, the reason, and what is wrong."""
    found = _IGNORE.match(rest)
    if found is None:
        word = rest.split(maxsplit=1)[0] if rest else ""
        if re.match(r"ignore\b", rest):
            wrong = "the bracket is not closed" if "[" in rest else "it names no rule"
            return [], "", [f"{wrong}; {_FORM}"]
        return [], "", [f"{word!r} is nothing that can be said; {_FORM}"]
    named = list(dict.fromkeys(c.strip().upper() for c in found["codes"].split(",") if c.strip()))
    faults = [] if named else [f"it names no rule; {_FORM}"]
    for code in named:
        if code not in known:
            faults.append(f"there is no rule {code}")
        elif code in CODES:
            faults.append(f"{code} cannot be suppressed by a comment, only by --ignore or a path")
    reason = found["reason"].strip()
    if named and not reason:
        faults.append("it gives no reason; write one behind the bracket")
    return [c for c in named if c in known and c not in CODES], reason, faults
