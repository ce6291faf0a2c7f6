"""Comments that tell an unused-import fixer to keep an import, as ruff reads them.

ruff is the judge: ``tests/facts/test_unused_imports.py`` compares with it.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

UNUSED_IMPORT = "F401"

_LINE = re.compile(r"#\s*(?i:noqa)")
_FILE = re.compile(r"#\s*(?:flake8|ruff)\s*:\s*(?i:noqa)")
_COLON = re.compile(r"\s*:[\s,]*")
_CODE = re.compile(r"[A-Z]+[0-9]+")
_BETWEEN = re.compile(r"[\s,]*")
_RUFF = re.compile(r"#[ \t]*ruff:[ \t]*(file-ignore|ignore|disable|enable)\[[^\]\n]*\bF401\b")


@dataclass(frozen=True, slots=True)
class Directive:
    """A ``# noqa`` in a text: where it starts and where its last code ends.

    ``codes`` are empty when it exempts from everything, None when it is misspelt: ``# noqa: f401``.
    A misspelt one counts for nothing, and nothing behind it on its line counts.
    """

    start: int
    end: int
    codes: tuple[str, ...] | None

    def covers(self, code: str) -> bool:
        """Return whether it exempts from a rule."""
        return self.codes is not None and (not self.codes or code in self.codes)


def directive_of(line: str) -> Directive | None:
    """Return the directive of a physical line; None when it has none."""
    found = _LINE.search(line)
    return None if found is None else _directive(line, found)


def keeps_on_line(line: str) -> bool:
    """Return whether a physical line has a comment that keeps its import: ``# noqa: F401``."""
    found = directive_of(line)
    return found is not None and found.covers(UNUSED_IMPORT)


def keeps_file(text: str) -> bool:
    """Return whether a comment on a line of its own exempts the file (``# ruff: noqa``)."""
    if not ("flake8" in text or "ruff" in text):
        return False
    for line in text.split("\n"):
        comment = line.strip()
        found = _FILE.search(comment) if comment.startswith("#") else None
        if found is not None and _directive(comment, found).covers(UNUSED_IMPORT):
            return True
    return False


def keeps_by_range(text: str, first: int, last: int) -> bool:
    """Return whether ``# ruff: ignore[F401]`` or ``disable[F401]`` exempts these lines."""
    if "ruff:" not in text:
        return False
    disabled = False
    for found in _RUFF.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        alone = not text[text.rfind("\n", 0, found.start()) + 1 : found.start()].strip()
        if found[1] == "file-ignore":
            return True
        if found[1] == "ignore" and first - alone <= line <= last:
            return True
        if found[1] in ("disable", "enable") and line < first:
            disabled = found[1] == "disable"
    return disabled


def comment_line(text: str, line: int) -> int:
    """Return the line at whose end a comment counts for ``line``.

    After a backslash, and within a string of several lines, no comment can stand: it counts where
    these end. Raises ``tokenize.TokenError`` or SyntaxError when the text cannot be told apart.
    """
    lines = text.split("\n")
    spans: list[tuple[int, int]] | None = None
    while True:
        here = lines[line - 1]
        if spans is None and ('"' in here or "'" in here):
            spans = list(_long_strings(text))
        end = max((last for first, last in spans or () if first <= line < last), default=line)
        if end == line and here.endswith("\\") and ("#" not in here or spans is not None):
            end = line + 1 if _is_joined(text, line, spans) else line
        if end == line or end > len(lines):
            return line
        line = end


def _is_joined(text: str, line: int, spans: object) -> bool:
    """Return whether the backslash at the end of a line joins it to the next, being in no comment."""
    if spans is None:
        return True
    return not any(
        token.type == tokenize.COMMENT and token.start[0] == line for token in _tokens(text)
    )


def _long_strings(text: str) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of each string that has several."""
    starts = []
    for token in _tokens(text):
        name = tokenize.tok_name[token.type]
        if name == "STRING" and token.end[0] > token.start[0]:
            yield token.start[0], token.end[0]
        elif name in ("FSTRING_START", "TSTRING_START"):
            starts.append(token.start[0])
        elif name in ("FSTRING_END", "TSTRING_END"):
            yield starts.pop(), token.end[0]


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    return tokenize.generate_tokens(io.StringIO(text).readline)


def _directive(text: str, found: re.Match[str]) -> Directive:
    """Return the directive whose ``noqa`` was found."""
    colon = _COLON.match(text, found.end())
    if colon is None:
        rest = text[found.end() : found.end() + 1]
        well = not rest or rest.isspace() or rest == "#"
        return Directive(found.start(), found.end(), () if well else None)
    codes: list[str] = []
    offset = end = colon.end()
    while (code := _CODE.match(text, offset)) is not None:
        codes.append(code[0])
        end = code.end()
        rest = text[end : end + 1]
        if rest and not rest.isspace() and rest not in ",#" and not _CODE.match(text, end):
            return Directive(found.start(), end, None)
        between = _BETWEEN.match(text, end)
        offset = between.end() if between is not None else end
    return Directive(found.start(), end, tuple(codes) or None)
