"""Questions about files that bytes alone answer: what an analysis asks of files that it does not parse.

A question is a tuple of its kind and what it is about, bytes as Latin-1 text, so that it can be kept
and asked again of what a file has become.
"""

from __future__ import annotations

import re

from regreach.facts.import_lines import imported_names

Question = tuple[str, ...]
Answer = bool | list[str]

# Imports that are no lines of their own, and calls that import. Modules with these are always run.
_INLINE = re.compile(rb"(?:[;:][ \t]*|\\\n[ \t]*)(?:import|from)[ \t]")
_BEFORE_INLINE = re.compile(rb"[^\"'#]*")
_DYNAMIC = (b"import_module", b"__import__", b"pkgutil", b"runpy", b"exec(")
_AT_MARGIN = re.compile(
    rb"\n[^\s#\"'][^\n]*(?:import_module|__import__|pkgutil|runpy|exec)[ \t]*[.(]"
)


def mentions(word: bytes) -> Question:
    """Ask whether a word stands anywhere in a file."""
    return ("mentions", word.decode("latin-1"))


def matches(pattern: bytes, *words: bytes) -> Question:
    """Ask whether a regular expression is found in a file, and if words are given one of them."""
    return ("matches", *(text.decode("latin-1") for text in (pattern, *words)))


def imports(package: str) -> Question:
    """Ask what the import lines of a file in a package seem to import, each once."""
    return ("imports", package)


IMPORTS_ODDLY: Question = ("imports oddly",)
"""Ask whether a file may import what no line says that a scan for import lines sees."""


def answer(question: Question, data: bytes) -> Answer:
    """Return the answer that a file with this content gives."""
    kind, *about = question
    if kind == "mentions":
        return about[0].encode("latin-1") in data
    if kind == "matches":
        pattern, *words = (text.encode("latin-1") for text in about)
        wanted = not words or any(word in data for word in words)
        return wanted and re.search(pattern, data) is not None
    if kind == "imports":
        return list(dict.fromkeys(imported_names(data, about[0])))
    assert question == IMPORTS_ODDLY, question
    return _imports_oddly(data)


def _imports_oddly(data: bytes) -> bool:
    if any(word in data for word in _DYNAMIC) and _AT_MARGIN.search(data):
        return True
    for found in _INLINE.finditer(data):
        line = data[data.rfind(b"\n", 0, found.start()) + 1 : found.start()]
        if _BEFORE_INLINE.fullmatch(line):
            return True
    return False
