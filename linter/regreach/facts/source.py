"""Bytes of a Python file -> its text, decoded as CPython decodes it."""

from __future__ import annotations

import io
import tokenize


class SourceError(Exception):
    """A file that CPython would refuse to read or parse.

    ``line`` and ``column`` count from 1; ``message`` says what is wrong.
    """

    def __init__(self, message: str, line: int = 1, column: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


def decode(data: bytes) -> str:
    """Return the text of a source file, line ends as ``\\n``, without a byte-order mark.

    The encoding is found as PEP 263 says (cookie, byte-order mark, else UTF-8).
    Raises SourceError for an unknown encoding, undecodable bytes or a null byte.
    """
    if b"\0" in data:
        line = data[: data.index(b"\0")].count(b"\n") + 1
        raise SourceError("source code cannot contain null bytes", line)
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except SyntaxError as error:
        raise SourceError(str(error)) from None
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise SourceError(f"not valid {error.encoding}: {error.reason}", line) from None
    except LookupError as error:
        raise SourceError(str(error)) from None
    text = text.removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
