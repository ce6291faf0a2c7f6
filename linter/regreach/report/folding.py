"""Lines folded to the width of a terminal: between words, so that paths and keys stay whole where they fit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from rich.cells import cell_len
from rich.text import Text

LABEL_WIDTH = 13
_TEXT_COLUMN = 4 + LABEL_WIDTH + 1  # where the text of a labelled line begins
_LEAST_WIDTH = 30  # no text is folded to less than this: it is indented less
_HANGING = 4  # how far the rest of a line is indented, at least
# A key of several parts has spaces and is one word all the same.
_WORD = re.compile(r"""\("[^"]*"(?:, "[^"]*")+\)\S*|\S+""")
# After which a word may be cut that is longer than a line, the best first.
_CUTS = [re.compile(mark) for mark in (r"/", r" ", r"\.(?!pyi?\b)", r"_")]


class Row(Text):
    """A line of a table. ``columns`` are where the columns begin after the first, which names the row."""

    columns: Sequence[int] = ()


def folded(lines: Iterable[Text], width: int) -> Iterator[Text]:
    """Yield lines folded to a width; what follows is indented below where the text began.

    A word that does not fit goes to a line of its own; only one that is longer than a line is cut, a path after
    a ``/``. Spaces at which a line is folded are dropped. Of a table that is too wide the columns that have no
    room come below, as a table of their own.
    """
    for is_table, group in groupby(lines, lambda line: isinstance(line, Row)):
        block = list(group)
        if is_table and max(cell_len(line.plain) for line in block) > width:
            block = list(_parts_of_table(block, width))
        for line in block:
            if cell_len(line.plain) <= width:
                yield line
            else:
                yield from _folded(line, width)


def _parts_of_table(rows: Sequence[Text], width: int) -> Iterator[Text]:
    header = rows[0]
    assert isinstance(header, Row), "rows stand together"
    starts, ends = header.columns, [*header.columns[1:], max(map(len, rows))]
    parts = [[starts[0], ends[0]]]
    for start, end in zip(starts[1:], ends[1:], strict=True):
        widest = max(len(row.plain[:end].rstrip()) for row in rows)
        if starts[0] + widest - parts[-1][0] > width:
            parts.append([start, end])
        parts[-1][1] = end
    for start, end in parts:
        for row in rows:
            part = row[: starts[0]] + row[start:end]
            part.rstrip()
            yield part


def _folded(line: Text, width: int) -> Iterator[Text]:
    indent = _hanging_indent(line.plain, width)
    own = len(line.plain) - len(line.plain.lstrip())
    if own > indent:  # a line that goes on below a text is moved to the left with it
        line = Text(" " * indent) + line[own:]
    plain = line.plain
    begin = end = 0  # of the part of the line that is still to be given
    margin = 0
    for word in _WORD.finditer(plain):
        if margin + cell_len(plain[begin : word.end()]) > width and end > begin:
            yield _indented(line[begin:end], margin)
            begin, margin = word.start(), indent
        while margin + cell_len(plain[begin : word.end()]) > width:
            cut = _cut(plain, max(begin, word.start()), _last_fitting(plain, begin, width - margin))
            yield _indented(line[begin:cut], margin)
            begin, margin = cut, indent
        end = word.end()
    yield _indented(line[begin:end], margin)


def _indented(line: Text, margin: int) -> Text:
    line.rstrip()
    return Text(" " * margin) + line if margin else line


def _hanging_indent(plain: str, width: int) -> int:
    """Return the column below which the rest of a line belongs: that of its text if all words fit there."""
    own = len(plain) - len(plain.lstrip())
    column = _TEXT_COLUMN if own == 4 else max(own, _HANGING)
    room = width - column
    longest = max(cell_len(word.group()) for word in _WORD.finditer(plain[own:]))
    if room >= _LEAST_WIDTH and longest <= room:
        return column
    return min(column, _HANGING + 2)


def _last_fitting(plain: str, begin: int, room: int) -> int:
    """Return the end of the longest part that fits, at least of one character."""
    end = begin + 1
    while end < len(plain) and cell_len(plain[begin : end + 1]) <= room:
        end += 1
    return end


def _cut(plain: str, begin: int, limit: int) -> int:
    """Return where to cut a word that begins there and does not end before the limit."""
    for mark in _CUTS:
        ends = [found.end() for found in mark.finditer(plain, begin + 1) if found.end() <= limit]
        if ends:
            return ends[-1]
    return limit
