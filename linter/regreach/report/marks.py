"""How a key's verdict is put in a word, for matrices: the word, its tone, what it means."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from regreach.model import Cell

Tone = Literal["", "good", "bad", "doubt", "luck", "soft", "add"]


@dataclass(frozen=True, slots=True)
class Mark:
    """A word for a matrix, ASCII only; ``style`` is rich's for it."""

    word: str
    tone: Tone
    style: str
    meaning: str


MARKS = {
    "runner": Mark("ok", "good", "green", "registered, and loaded by the consumer itself"),
    "process": Mark("process", "luck", "yellow", "loaded by the process at start, perhaps by luck"),
    "caller": Mark("caller", "luck", "yellow", "every caller loads it"),
    "unreached": Mark("MISSING", "bad", "bold red", "registered, not loaded when it is looked up"),
    "held": Mark(
        "guarded", "doubt", "magenta", "registered behind a guard that does not hold here"
    ),
    "plain": Mark("-", "soft", "dim", "nothing registered; works without"),
    "refused": Mark("x", "soft", "dim", "nothing registered; refused or raises"),
    "maybe": Mark("maybe", "doubt", "magenta", "depends on conditions"),
}


def mark_of(cell: Cell) -> Mark:
    """Return the mark of a cell."""
    if not cell.registrations:
        return MARKS["plain" if cell.outcome in ("ok", "unreached") else "refused"]
    if cell.outcome == "maybe" or cell.at_lookup == "maybe":
        return MARKS["maybe"]
    if cell.held_back_by is not None:
        return MARKS["held"]
    if cell.reach in ("runner", "process", "caller"):
        return MARKS[cell.reach]
    return MARKS["unreached"]


def marks_of(cells: Iterable[Cell]) -> list[Mark]:
    """Return the marks that cells have, in the order of ``MARKS``."""
    used = {mark_of(cell) for cell in cells}
    return [mark for mark in MARKS.values() if mark in used]
