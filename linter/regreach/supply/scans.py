"""Questions about files that bytes alone answer: what an analysis asks of files that it does not parse.

A question is a tuple of its kind and what it is about, bytes as Latin-1 text, so that it can be kept
and asked again of what a file has become.
"""

from __future__ import annotations

import bisect
import codecs
import re

from regreach.facts.bound_lines import as_text, bound_in
from regreach.facts.import_lines import imported_names
from regreach.facts.registrar_lines import keys_in

Question = tuple[str, ...]
Answer = bool | list[str]

# Imports in a form or a place that the scan for import lines does not see, and calls that import, all outside
# of functions. Modules with these are always run.
_INLINE = re.compile(rb"(?:[;:][ \t\f]*|\\\r?\n[ \t\f]*)(?:import|from)\b")
_STRING = re.compile(rb"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')""")
_BEFORE_INLINE = re.compile(rb"(?:[^\"'#]|%b)*" % _STRING.pattern)
_IMPORT_LINE = re.compile(rb"\n[ \t]*(?:import|from)\b[^\n]*")
_ODD_LINE = re.compile(
    rb"""
    \n [ \t]* (?: import | from ) (?:
        [^#]* (?: ; | \f | \\ \r? \Z )                       # import a;b, or continued
      | [ \t] [^#]* \w (?: [ \t]+ \. | \. [ \t] )            # import a . b
      | \. | [ \t]+ \.+ (?: import \b | [ \t]+ (?! import \b ) )  # from.a, from . a
    )
    """,
    re.VERBOSE,
)
_FORM_FEED = re.compile(rb"\f[ \t\f]*(?:import|from)\b")
_OLD_LINE_END = re.compile(rb"\r(?!\n)")
_DYNAMIC = (b"import_module", b"__import__", b"pkgutil", b"runpy", b"exec(")
_DYNAMIC_CALL = re.compile(rb"\b(?:import_module|__import__|pkgutil|runpy|exec)[ \t]*[.(]")
_DOCSTRING = re.compile(rb"(?:\s|#[^\n]*\n)*[rRuU]?(\"\"\"|''')")
_AT_MARGIN = re.compile(rb"\n(?![\s#)\]}@])")
_FUNCTION = (b"def ", b"async ")
_BLOCK = (
    b"if",
    b"elif",
    b"else",
    b"try",
    b"except",
    b"finally",
    b"with",
    b"for",
    b"while",
    b"class",
    b"match",
)


def mentions(word: bytes) -> Question:
    """Ask whether a word stands anywhere in a file."""
    return ("mentions", word.decode("latin-1"))


def matches(pattern: bytes, *words: bytes) -> Question:
    """Ask whether a regular expression is found in a file, and if words are given one of them."""
    return ("matches", *(text.decode("latin-1") for text in (pattern, *words)))


def calls(name: str) -> Question:
    """Ask whether something of this name seems to be called in a file."""
    word = name.encode()
    return matches(rb"\b%b\b[ \t\f\\\r\n]*\(" % re.escape(word), word)


def imports(package: str) -> Question:
    """Ask what the import lines of a file in a package seem to import, each once."""
    return ("imports", package)


def registers(*registrars: str) -> Question:
    """Ask under which keys a file seems to register something, see ``facts.registrar_lines``."""
    return ("registers", *registrars)


def binds(name: str) -> Question:
    """Ask what a file seems to bind to a name, as lines of ``facts.bound_lines``."""
    return ("binds", name)


def named_in_strings(package: str) -> Question:
    """Ask which dotted names that begin with a package stand in strings of a file, with nothing beside them."""
    return ("named in strings", package)


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
    if kind == "registers":
        return keys_in(data, about)
    if kind == "binds":
        return [as_text(bound) for bound in bound_in(data, about[0])]
    if kind == "named in strings":
        pattern = rb"([\"'])(%b(?:\.\w+)+)\1" % re.escape(about[0].encode())
        names = {found[2].decode("utf-8", "replace") for found in re.finditer(pattern, data)}
        return sorted(names)
    assert question == IMPORTS_ODDLY, question
    return _imports_oddly(data)


def _imports_oddly(data: bytes) -> bool:
    data = b"\n" + data.removeprefix(codecs.BOM_UTF8)
    if _FORM_FEED.search(data) or _OLD_LINE_END.search(data):
        return True
    for found in _INLINE.finditer(data):
        start = data.rfind(b"\n", 0, found.start()) + 1
        line = data[start : found.start()]
        if _BEFORE_INLINE.fullmatch(line) or _ends_a_string(data, start, line):
            return True
    begin = _end_of_docstring(data)
    margin = _Margin(data)
    for found in _IMPORT_LINE.finditer(data, begin):
        if _ODD_LINE.match(found[0]):
            return True
        # what is in a block at the margin is seen; what else is there is in a string, or behind one
        if found[0].startswith((b"\n ", b"\n\t")) and not margin.above(found.start()).startswith(
            (*_FUNCTION, *_BLOCK)
        ):
            return True
    if any(word in data for word in _DYNAMIC):
        for found in _DYNAMIC_CALL.finditer(data, begin):
            line = data[data.rfind(b"\n", 0, found.start()) + 1 : found.start()]
            if b"#" not in _STRING.sub(b"", line) and not margin.above(found.start()).startswith(
                _FUNCTION
            ):
                return True
    return False


def _ends_a_string(data: bytes, start: int, line: bytes) -> bool:
    """Return whether a string of several lines may end on this beginning of a line."""
    return b'"""' in line or b"'''" in line or data[:start].endswith((b"\\\n", b"\\\r\n"))


def _end_of_docstring(data: bytes) -> int:
    """Return where a module's docstring ends, in which there may be anything."""
    found = _DOCSTRING.match(data)
    return data.find(found[1], found.end()) + 1 if found is not None else 0


class _Margin:
    """Where statements of a source begin at the margin; comments, decorators and closing brackets are none."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._starts: list[int] | None = None

    def above(self, at: int) -> bytes:
        """Return the beginning of the last such line, up to that which an offset is on."""
        if self._starts is None:
            self._starts = [found.end() for found in _AT_MARGIN.finditer(self._data)]
        place = bisect.bisect_right(self._starts, at)
        start = self._starts[place - 1] if place else 0
        return self._data[start : start + 10]
