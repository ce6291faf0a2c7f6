"""Under which keys a source registers something, as far as its bytes tell: a superset, and quick.

Text in docstrings is taken for code, and whose a function of a registrar's name is does not matter.
Who needs to be sure parses the file.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence

UNKNOWN_KEY = "?"
"""Stands for a key that only an evaluation tells; a known one has ``=`` in front of it."""

EVERY = -2
"""In place of a position: each positional argument is a key."""

_TOKEN = re.compile(
    rb"""
      \"{3} (?: [^"\\] | \\. | "(?!"") )* \"{3} | '{3} (?: [^'\\] | \\. | '(?!'') )* '{3}
    | " (?: [^"\\\n] | \\. )* " | ' (?: [^'\\\n] | \\. )* '
    | \#[^\n]* | [\[({] | [\])}]
    """,
    re.VERBOSE | re.DOTALL,
)
_DEFINED = re.compile(rb"\n[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)")
_OPENS = re.compile(rb"[ \t]*\(")
_WORD = re.compile(rb"\w")
_NOT_A_USE = re.compile(rb"(?:\b(?:def|class|import|from)\b[^\n]*|\#[^\n]*)\Z")
_MAX_CALL = 20_000  # bytes; what is longer is not looked into


def described(
    word: str, key: str, position: int, *, named: bool, strip: str = "", until: str = ""
) -> str:
    """Return a registrar as one text, for ``keys_in``: its name and where its key is.

    ``position`` is that of the key among the positional arguments, -1 when it cannot be one, or ``EVERY``;
    ``strip`` and ``until`` as for ``key_within``.
    """
    return f"{word} {key or '-'} {position} {int(named)} {strip} {until}"


def key_within(given: str, strip: str, until: str) -> str | None:
    """Return the key in what a registrar is given: behind ``strip``, up to ``until``; None without the former."""
    if not given.startswith(strip):
        return None
    key = given[len(strip) :]
    return key.partition(until)[0].rstrip() if until else key


def keys_in(data: bytes, registrars: Sequence[str]) -> list[str]:
    """Return the keys under which a source seems to register something, each once, sorted."""
    found: set[str] = set()
    for registrar in registrars:
        word, key, position, named, strip, until = registrar.split(" ")
        if word.encode() not in data:
            continue
        # what a pattern begins with is found quickly where that is a text
        named_as = re.compile(rb"%b(?:(?=[ \t]*[(\n])|\s+as\s)" % re.escape(word.encode()))
        for match in named_as.finditer(data):
            if match.start() and _WORD.match(data, match.start() - 1):
                continue  # the end of another name
            if match[0] != word.encode():
                found.add(UNKNOWN_KEY)  # it is called by another name
                continue
            line = data[data.rfind(b"\n", 0, match.start()) + 1 : match.start()]
            if not _NOT_A_USE.search(line):
                where = match.end(), line.lstrip().startswith(b"@")
                for given in _keys_at(data, *where, key, int(position), named == "1"):
                    own = key_within(given[1:], strip, until) if given != UNKNOWN_KEY else None
                    if given == UNKNOWN_KEY or own is not None:
                        found.add(given if own is None else f"={own}")
    return sorted(found)


def _keys_at(
    data: bytes, at: int, is_decorator: bool, key: str, position: int, named: bool
) -> Iterator[str]:
    end = at
    call: ast.Call | None = None
    if _OPENS.match(data, at):
        end = end_of_brackets(data, at)
        call = parsed(data[at:end])
        if call is None:
            yield UNKNOWN_KEY
            return
    elif not is_decorator:
        return
    if position == EVERY and call is not None:
        for arg in call.args:
            yield from _texts(arg)
        return
    given = _argument(call, key, position) if call is not None else None
    if given is not None:
        yield from _texts(given)
    elif (call is not None and _is_starred(call)) or not named:
        yield UNKNOWN_KEY
    elif is_decorator:
        defined = _DEFINED.search(data, end)
        yield f"={defined[1].decode('utf-8', 'replace')}" if defined else UNKNOWN_KEY
    elif call is not None and call.args:
        yield _last_name(call.args[0])


def end_of_brackets(data: bytes, start: int) -> int:
    """Return where the bracket that opens at ``start`` or behind it is closed; ``start`` if that is too far."""
    depth = 0
    for token in _TOKEN.finditer(data, start, start + _MAX_CALL):
        if token[0] in (b"(", b"[", b"{"):
            depth += 1
        elif token[0] in (b")", b"]", b"}"):
            depth -= 1
            if depth == 0:
                return token.end()
    return start


def parsed(arguments: bytes) -> ast.Call | None:
    """Return a call with these arguments, brackets included; None where that is no code."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # invalid escapes in the audited tree are not our concern
            node = ast.parse(b"f" + arguments.lstrip(b" \t"), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return node if isinstance(node, ast.Call) else None


def _argument(call: ast.Call, key: str, position: int) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg == key:
            return keyword.value
    if 0 <= position < len(call.args):
        return call.args[position]
    return None


def _is_starred(call: ast.Call) -> bool:
    return any(isinstance(arg, ast.Starred) for arg in call.args) or any(
        keyword.arg is None for keyword in call.keywords
    )


def _texts(node: ast.expr) -> Iterator[str]:
    items: list[ast.expr] = node.elts if isinstance(node, (ast.List, ast.Tuple)) else [node]
    for item in items:
        value = item.value if isinstance(item, ast.Constant) else None
        yield f"={value}" if isinstance(value, str) else UNKNOWN_KEY


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"={node.attr}"
    return f"={node.id}" if isinstance(node, ast.Name) else UNKNOWN_KEY
