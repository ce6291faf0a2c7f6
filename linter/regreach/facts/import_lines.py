"""A quick guess, from bytes alone, at what a module imports while it is imported.

It costs a hundredth of parsing, and nothing depends on it but time: it says which modules are worth
parsing beforehand.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

# A statement on a line of its own; names may have any letters. Other forms than these are ``imports oddly``
# (``supply/scans.py``).
_IMPORT = rb"""
    from [ \t]+ (?P<base> [.\w\x80-\xff]+ ) [ \t]+ import \b [ \t]*
        (?P<names> \( (?: [^)\#] | \#[^\n]* )* \) | [^\n]* )
  | import [ \t]+ (?P<plain> [^\n]* )
"""
# What stands at the margin: an import, or a block with all that is indented below its first line.
# Each match begins with a newline, for which a text is searched fastest.
_AT_MARGIN = re.compile(
    rb"\n (?:"
    + _IMPORT
    + rb"""
  | (?P<block> (?: if | elif | else | try | except | finally | with | for | while | class | match ) \b
        [^\n]* (?: \n (?: [ \t\r\#)\]}] [^\n]* | (?=\n) ) )* )
    )""",
    re.VERBOSE,
)
# What stands in such a block: an import, what does not run while the module is imported, or a block that
# ends what does not.
_IN_BLOCK = re.compile(
    rb"\n (?P<indent> [ \t]* ) (?:"
    + _IMPORT
    + rb"""
  | (?P<apart> (?: async [ \t]+ )? def \b | if [ \t]+ (?: \w+ \. )? TYPE_CHECKING [ \t]* : )
  | (?: if | elif | else | try | except | finally | with | for | while | class | match | case ) \b
    )""",
    re.VERBOSE,
)
_ANYWHERE = re.compile(rb"\n [ \t]* (?:" + _IMPORT + rb")", re.VERBOSE)
_COMMENT = re.compile(rb"\#[^\n]*")
_NAME = re.compile(rb"([\w\x80-\xff]+) (?: \s+ as \s+ [\w\x80-\xff]+ )?", re.VERBOSE)


def imported_names(data: bytes, package: str) -> Iterator[str]:
    """Yield the dotted names that the imports at the module level of a source mention, in order.

    ``from a import b`` gives ``a`` and ``a.b``, which need not be a module. ``package`` is what
    relative imports are relative to.
    """
    for found in _AT_MARGIN.finditer(b"\n" + data.removeprefix(codecs.BOM_UTF8)):
        block = found["block"]
        if block is None:
            yield from _names(found, package)
        else:
            yield from _in_block(block, package)


def names_anywhere(data: bytes, package: str) -> Iterator[str]:
    """Yield the dotted names that import statements mention wherever they stand, docstrings included."""
    for found in _ANYWHERE.finditer(b"\n" + data.removeprefix(codecs.BOM_UTF8)):
        yield from _names(found, package)


def _in_block(block: bytes, package: str) -> Iterator[str]:
    apart: int | None = None  # the indentation of what the lines now are in and which is left out
    for found in _IN_BLOCK.finditer(b"\n" + block):
        indent = len(found["indent"])
        if apart is not None and indent > apart:
            continue
        apart = indent if found["apart"] else None
        if found["base"] is not None or found["plain"] is not None:
            yield from _names(found, package)


def _names(found: re.Match[bytes], package: str) -> Iterator[str]:
    if found["plain"] is not None:
        for part in _COMMENT.sub(b"", found["plain"]).split(b","):
            yield b"".join(part.split()[:1]).decode("utf-8", "replace")
        return
    base = _absolute(found["base"].decode("utf-8", "replace"), package)
    yield base
    for name in _NAME.finditer(_COMMENT.sub(b"", found["names"])):
        yield f"{base}.{name[1].decode('utf-8', 'replace')}"


def _absolute(base: str, package: str) -> str:
    name = base.lstrip(".")
    level = len(base) - len(name)
    if not level:
        return base
    parts = package.split(".")
    parts = parts[: max(0, len(parts) - level + 1)]
    return ".".join([*parts, name] if name else parts)
