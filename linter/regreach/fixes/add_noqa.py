"""The comment that tells a fixer of unused imports to keep an import."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings

from regreach.facts import noqa
from regreach.facts.source import SourceError, decode
from regreach.fixes.errors import CannotEditError

# What ends a line of Python; a form feed does not.
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_BLANK = b" \t\f"


def add_noqa(data: bytes, line: int, code: str = noqa.UNUSED_IMPORT) -> bytes:
    """Return a file's bytes with ``# noqa: F401`` for the import statement that begins on a line.

    The comment stands at the end of that line; after a backslash none can stand, and it counts at
    the end of the line where the last one is. A ``# noqa: E402`` there is extended; a comment that
    exempts the import already is left as it is. All other lines keep every byte.

    Raises CannotEditError when no import begins on the line, or the file is not valid Python.
    """
    try:
        text = decode(data)
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        _check_import(text, line)
        line = noqa.comment_line(text, line)
    except SourceError as error:
        raise CannotEditError(f"line {error.line}: {error.message}") from error
    except (SyntaxError, ValueError, RecursionError, tokenize.TokenError) as error:
        raise CannotEditError(f"not valid Python: {error}") from error
    lines = _LINE.findall(data)
    here: bytes = lines[line - 1]
    content = here.rstrip(b"\r\n")
    lines[line - 1] = (
        _with_code(content, code, encoding.removesuffix("-sig")) + here[len(content) :]
    )
    return b"".join(lines)


def _check_import(text: str, line: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes are not our concern
        tree = ast.parse(text)
    imports = (n for n in ast.walk(tree) if isinstance(n, (ast.Import, ast.ImportFrom)))
    if line not in {node.lineno for node in imports}:
        raise CannotEditError(f"no import begins on line {line}")


def _with_code(content: bytes, code: str, encoding: str) -> bytes:
    """Return a line with the code in its comment; positions are told in text, edits made in bytes."""
    text = content.decode(encoding)
    found = noqa.directive_of(text)
    if found is not None and found.covers(code):
        return content
    if found is None:
        return content.rstrip(_BLANK) + f"  # noqa: {code}".encode()
    if found.codes is None:  # misspelt; nothing behind it would count
        at, added = found.start, f"# noqa: {code}  "
    else:
        at, added = found.end, f", {code}"
    head = text[:at].encode(encoding)
    return head + added.encode() + content[len(head) :]
