"""Bytes of a Python file -> its text, decoded as CPython decodes it."""

from __future__ import annotations

import codecs
import re

UNKNOWN_KIND = ""

_MAX_WORDS = 200  # of an error that repeats what stands in the file


class SourceError(Exception):
    """A file that CPython would refuse to read or parse, or that cannot be read here.

    ``line`` and ``column`` count from 1; ``message`` says what is wrong, and ``hint``, where there is
    one, what that comes of. ``kind`` is the name of the exception that an import of the file raises;
    it is ``UNKNOWN_KIND`` where a program may read what regreach cannot.
    """

    def __init__(
        self,
        message: str,
        line: int = 1,
        column: int = 1,
        kind: str = "SyntaxError",
        hint: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
        self.kind = kind
        self.hint = hint

    @property
    def told(self) -> str:
        """What is wrong, with the hint, in one line."""
        return f"{self.message}; {self.hint}" if self.hint else self.message


# PEP 263; only the first two lines are looked at, the second when the first is blank or a comment.
_COOKIE = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_FORM_FEEDS = re.compile(r"^[ \t\f]*\f", re.MULTILINE)
_BLANK = re.compile(rb"[ \t\f]*(?:#.*)?")


def decode(data: bytes) -> str:
    """Return the text of a source file as it is parsed; its lines are those of the file.

    Line ends are ``\\n``, a byte-order mark and form feeds in front of lines are gone.
    Raises SourceError, see ``decode_as_it_is``.
    """
    text, _ = decode_as_it_is(data)
    text = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
    return without_form_feeds(text) if "\f" in text else text


def without_form_feeds(text: str) -> str:
    """Return a text without the form feeds in front of its lines, which libcst takes for indentation.

    What stands before one does not count to CPython. (In a string of several lines it would.)
    """
    return _FORM_FEEDS.sub("", text)


def decode_as_it_is(data: bytes) -> tuple[str, str]:
    """Return the text of a source file without a byte-order mark, and its encoding.

    The encoding is found as PEP 263 says (cookie, byte-order mark, else UTF-8).
    Raises SourceError for an unknown encoding, undecodable bytes or a null byte.
    """
    if b"\0" in data:
        line = _line_at(data, data.index(b"\0"))
        raise SourceError("source code cannot contain null bytes", line)
    bare = data.removeprefix(codecs.BOM_UTF8)
    encoding = _encoding(bare)
    if len(bare) < len(data) and not f"{encoding.lower().replace('_', '-')}-".startswith("utf-8-"):
        raise SourceError(f"encoding problem: {encoding} with BOM")
    try:
        text = bare.decode(encoding)
    except UnicodeDecodeError as error:
        line = _line_at(bare, error.start)
        raise SourceError(f"not valid {error.encoding}: {error.reason}", line) from None
    except UnicodeError as error:  # of codecs that are not made for files
        raise SourceError(f"not valid {encoding}: {error}") from None
    except LookupError as error:  # no codec, or one that is none of texts, such as hex
        raise SourceError(str(error)[:_MAX_WORDS]) from None
    if "\0" in text:  # as of escapes; a null byte ends what CPython's parser sees
        raise SourceError(
            "source code cannot contain null bytes", text.count("\n", 0, text.index("\0")) + 1
        )
    if text.startswith("\ufeff"):  # a second mark, which compile() would take for the first
        raise SourceError("invalid non-printable character U+FEFF")
    return text, encoding


def _encoding(data: bytes) -> str:
    for line in data.split(b"\n", 2)[:2]:
        cookie = _COOKIE.match(line)
        if cookie is not None:
            return cookie.group(1).decode("ascii", "replace")
        if _BLANK.fullmatch(line.rstrip(b"\r")) is None:
            break
    return "utf-8"


def _line_at(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset) + 1
