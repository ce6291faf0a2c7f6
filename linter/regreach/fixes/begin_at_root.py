"""Imports that begin above the import root, made to begin there."""

from __future__ import annotations

import ast
import re
import warnings

from regreach.facts.source import SourceError, decode
from regreach.fixes.errors import CannotEditError

# What ends a line of Python; a form feed does not.
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)")


def begin_at_root(data: bytes, line: int, above: str, package: str) -> tuple[bytes, str]:
    """Return a file's bytes with ``above.`` taken off the names in the statement that begins on a line.

    ``above`` is the folder in which the import package ``package`` lies, as an import names it. All other
    bytes are kept. Returned as well is what stands on that line then.

    Raises CannotEditError when there is nothing to take off, or the file is not valid Python.
    """
    statement = _statement(data, line)
    lines = _LINE.findall(data)
    begin, end = line - 1, statement.end_lineno or line
    name = rb"(?<![\w.])%b[ \t]*\.[ \t]*(?=%b\b)" % (
        re.escape(above.encode()),
        re.escape(package.encode()),
    )
    text = b"".join(lines[begin:end])
    made, count = re.subn(name, b"", text)
    if not count:
        raise CannotEditError(f"no name on line {line} begins with {above}.{package}")
    new = b"".join((*lines[:begin], made, *lines[end:]))
    _statement(new, line)  # it is Python still
    first = _LINE.match(made)
    assert first is not None, "it matches anything"
    return new, first[0].decode("utf-8", "replace").strip()


def _statement(data: bytes, line: int) -> ast.stmt:
    """Return the innermost statement that begins on a line. Raises CannotEditError."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes are not our concern
            tree = ast.parse(decode(data))
    except SourceError as error:
        raise CannotEditError(f"line {error.line}: {error.message}") from error
    except (SyntaxError, ValueError, RecursionError) as error:
        raise CannotEditError(f"not valid Python: {error}") from error
    found = [n for n in ast.walk(tree) if isinstance(n, ast.stmt) and n.lineno == line]
    if not found:
        raise CannotEditError(f"no statement begins on line {line}")
    return max(found, key=lambda node: node.col_offset)
