"""The outermost functions of a source text by their dotted names, found without parsing it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from regreach.facts.outline import outline

_NAMED = re.compile(r"[ \t\f]*(?:async[ \t]+)?(def|class)[ \t]+(\w+)")


def functions_with(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[str, bool]]:
    """Yield the functions in whose text a pattern is found, and for each whether a class is around it.

    The name is dotted, as ``Class.method``; functions inside of others are part of these.
    """
    cut = outline(text)
    ends = {span.start: span.end for span in cut.functions}
    classes: list[tuple[int, str]] = []  # those around a line, with their indentation
    for line in cut.lines:
        while classes and classes[-1][0] >= line.indent:
            classes.pop()
        named = _NAMED.match(text, line.start)
        if named is None:
            continue
        kind, name = named.groups()
        if kind == "class":
            classes.append((line.indent, name))
        elif pattern.search(text, line.start, ends.get(line.start, line.end)):
            yield ".".join([*(each for _, each in classes), name]), bool(classes)
