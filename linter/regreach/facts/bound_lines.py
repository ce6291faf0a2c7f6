"""What a source binds to a name, at its margin and in its classes, as far as its bytes tell: quick, for a first look.

More may be found than is true: text in docstrings is taken for code. Who needs to be sure parses the file.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from regreach.facts.registrar_lines import end_of_brackets, parsed

UNKNOWN = "?"
"""A value that only an evaluation tells. Others begin with ``=`` (a text) or ``@`` (the last part of a name)."""

_CLASS = re.compile(rb"^([ \t]*)class[ \t]+(\w+)[ \t]*(\([^)]*\))?[ \t\n]*:", re.MULTILINE)
_BASE = re.compile(rb"(?:\w+[ \t]*\.[ \t]*)*(\w+)[ \t]*(?:\[[^\]]*\])?[ \t]*[,)]")
_END = re.compile(rb"\n|\Z")


@dataclass(frozen=True, slots=True)
class Bound:
    """A class, or with no name the module, with the last parts of its bases' names and what it binds.

    ``values`` is None where it binds nothing to the name that was asked for.
    """

    cls: str
    bases: tuple[str, ...]
    values: tuple[str, ...] | None


def bound_in(data: bytes, name: str) -> list[Bound]:
    """Return what a source binds to a name: a list's items one by one; the module comes first."""
    classes = [(m.start(), len(m[1]), m) for m in _CLASS.finditer(data)]
    values: dict[int, list[str]] = {}
    word = re.escape(name.encode())
    assigned = re.compile(
        rb"^([ \t]*)%b[ \t]*(?::[^=\n]+)?\+?=(?!=)[ \t\\\n]*" % word, re.MULTILINE
    )
    for found in assigned.finditer(data) if name else ():
        owner = next(
            (i for i in reversed(range(len(classes))) if _is_in(found, *classes[i][:2])), -1
        )
        values.setdefault(owner, []).extend(_values(data, found.end()))
    if name and _binds_otherwise(data, word):
        values.setdefault(-1, []).append(UNKNOWN)
    rows = [Bound("", (), _at(values, -1))]
    for index, (_, _, match) in enumerate(classes):
        bases = tuple(base.decode() for base in _BASE.findall(match[3] or b""))
        rows.append(Bound(match[2].decode(), bases, _at(values, index)))
    return rows


def _binds_otherwise(data: bytes, word: bytes) -> bool:
    """Return whether a source seems to bind or change a name by other than ``=``, as an import does."""
    otherwise = re.compile(
        rb"[ \t]*%b[ \t]*\.|[ \t(]*%b,?[ \t)]*$|.*\bimport\b.*\b%b\b|.*\bas[ \t]+%b\b"
        % (word, word, word, word)
    )
    # what is slow on a whole file is quick on the few lines that have the word
    return any(otherwise.match(_line_at(data, found.start())) for found in re.finditer(word, data))


def _line_at(data: bytes, place: int) -> bytes:
    end = data.find(b"\n", place)
    return data[data.rfind(b"\n", 0, place) + 1 : end if end >= 0 else len(data)]


def as_text(bound: Bound) -> str:
    """Return what is bound as one line of text, for keeping."""
    head = f"{bound.cls}\t{','.join(bound.bases)}"
    return "\t".join([head, *bound.values, ""]) if bound.values is not None else head


def from_text(text: str) -> Bound:
    """Return what ``as_text`` has made a line of."""
    cls, bases, *values = text.split("\t")
    return Bound(cls, tuple(filter(None, bases.split(","))), tuple(values[:-1]) if values else None)


def _at(values: dict[int, list[str]], index: int) -> tuple[str, ...] | None:
    return tuple(values[index]) if index in values else None


def _is_in(found: re.Match[bytes], start: int, indent: int) -> bool:
    return start < found.start() and indent < len(found[1])


def _values(data: bytes, start: int) -> Sequence[str]:
    end = start
    if data[start : start + 1] in (b"[", b"(", b"{"):
        end = end_of_brackets(data, start)
    line_end = _END.search(data, end)
    assert line_end is not None, "a text has an end"
    call = parsed(b"(" + data[start : line_end.start()].split(b" #")[0] + b"\n)")
    node = call.args[0] if call is not None and len(call.args) == 1 else None
    items = node.elts if isinstance(node, (ast.List, ast.Tuple, ast.Set)) else [node]
    return [_value(item) for item in items]


def _value(node: ast.expr | None) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and "\t" not in node.value:
        return f"={node.value}"
    if isinstance(node, ast.Attribute):
        return f"@{node.attr}"
    return f"@{node.id}" if isinstance(node, ast.Name) else UNKNOWN
