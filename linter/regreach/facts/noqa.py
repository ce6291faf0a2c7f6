"""Comments that tell an unused-import fixer to keep an import, as ruff reads them.

ruff is the judge: ``tests/facts/test_unused_imports.py`` compares with it.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator

UNUSED_IMPORT = "F401"

_LINE = re.compile(r"#[ \t\f]*(?i:noqa)")
_FILE = re.compile(r"#[ \t\f]*(?:flake8|ruff)[ \t\f]*:[ \t\f]*(?i:noqa)")
_COLON = re.compile(r"\s*:[\s,]*")
_CODE = re.compile(r"[A-Z]+[0-9]+")
_BETWEEN = re.compile(r"[\s,]*")
_RANGE = re.compile(
    r"(?m)(?P<before>^[^\n#]*)#[ \t]*ruff:[ \t]*"
    r"(?P<verb>file-ignore|ignore|disable|enable)\[[^\]\n]*\bF401\b[^\]\n]*\]"
)


def keeps_on_line(line: str) -> bool:
    """Return whether a physical line has a comment that exempts it: ``# noqa``, ``# noqa: F401``."""
    return directive(line) is not None and _applies(codes_of(line))


def keeps_file(text: str) -> bool:
    """Return whether a comment on a line of its own exempts the file (``# ruff: noqa``)."""
    if "noqa" not in text.lower() or not ("flake8" in text or "ruff" in text):
        return False
    for line in text.split("\n"):
        comment = line.strip()
        found = _FILE.search(comment) if comment.startswith("#") else None
        if found is not None:
            codes = _codes_after(comment, found.end())
            if codes is not None and _applies(codes):
                return True
    return False


def keeps_by_range(text: str, first: int, last: int) -> bool:
    """Return whether a ``# ruff: ignore[F401]`` or ``disable[F401]`` comment exempts these lines."""
    if "ruff:" not in text:
        return False
    disabled = False
    for found in _RANGE.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        verb = found["verb"]
        if verb == "file-ignore":
            return True
        if verb == "ignore" and line in range(first - (not found["before"].strip()), last + 1):
            return True
        if line < first and verb in ("disable", "enable"):
            disabled = verb == "disable"
    return disabled


def directive(line: str) -> int | None:
    """Return where the text of a line's ``# noqa`` ends, its last code included; None without one.

    A directive that is misspelt (``# noqa-F401``) is none: a fixer passes over it.
    """
    for found in _LINE.finditer(line):
        codes = _codes_after(line, found.end())
        if codes is not None:
            return codes[-1].end() if codes else found.end()
    return None


def codes_of(line: str) -> list[str]:
    """Return the codes of a line's directive; empty when it has none, or names none."""
    for found in _LINE.finditer(line):
        codes = _codes_after(line, found.end())
        if codes is not None:
            return [code[0] for code in codes]
    return []


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


def _codes_after(text: str, offset: int) -> list[re.Match[str]] | None:
    """Return the codes of a directive whose ``noqa`` ends at an offset; None when it is no directive."""
    colon = _COLON.match(text, offset)
    if colon is None:
        rest = text[offset : offset + 1]
        return [] if not rest or rest.isspace() or rest == "#" else None
    codes: list[re.Match[str]] = []
    offset = colon.end()
    while (code := _CODE.match(text, offset)) is not None:
        codes.append(code)
        offset = code.end()
        rest = text[offset : offset + 1]
        if rest and not rest.isspace() and rest not in ",#" and not _CODE.match(text, offset):
            return None
        between = _BETWEEN.match(text, offset)
        offset = between.end() if between is not None else offset
    return codes or None


def _applies(codes: list[str] | list[re.Match[str]]) -> bool:
    return not codes or UNUSED_IMPORT in [c if isinstance(c, str) else c[0] for c in codes]
