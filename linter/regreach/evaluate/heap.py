"""The mutable part of the abstract run, with a journal, so that both sides of a branch can be run.

All cells of all objects are written through ``write``. A branch is run, its changes are taken away
(``take``) and put aside as a ``Delta``; the other branch is run from the same state; then the two
deltas are merged cell by cell.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, TypeAlias

from regreach.evaluate.values import MISSING, Obj, Value, join

Delta: TypeAlias = dict[tuple[Obj, Any], Value]


class Heap:
    """A journal of writes to cells."""

    def __init__(self) -> None:
        self._journal: list[tuple[Obj, Any, Value]] = []
        self.written = 0  # how many writes there were in all, for budgets

    def mark(self) -> int:
        """Return the present position of the journal."""
        return len(self._journal)

    def write(self, obj: Obj, key: Any, value: Value) -> None:
        """Set a cell; MISSING removes it."""
        cells = obj.cells
        self.written += 1
        self._journal.append((obj, key, cells.get(key, MISSING)))
        if value is MISSING:
            cells.pop(key, None)
        else:
            cells[key] = value

    def clear(self, obj: Obj) -> None:
        """Remove all cells of an object."""
        for key in list(obj.cells):
            self.write(obj, key, MISSING)

    def delta(self, mark: int) -> Delta:
        """Return all cells written since the mark, with their present values, in order of first write."""
        result: Delta = {}
        for obj, key, _ in self._journal[mark:]:
            if (obj, key) not in result:
                result[obj, key] = obj.cells.get(key, MISSING)
        return result

    def contents_at(self, mark: int, objects: Collection[Obj]) -> dict[Obj, tuple[Any, ...]]:
        """Return the cells that objects had at the mark."""
        result = {obj: dict(obj.cells) for obj in objects}
        for obj, key, old in reversed(self._journal[mark:]):
            cells = result.get(obj)
            if cells is None:
                continue
            if old is MISSING:
                cells.pop(key, None)
            else:
                cells[key] = old
        return {obj: tuple(cells.items()) for obj, cells in result.items()}

    def before(self, mark: int) -> Delta:
        """Return all cells written since the mark, with the values that they had at it."""
        result: Delta = {}
        for obj, key, old in self._journal[mark:]:
            result.setdefault((obj, key), old)
        return result

    def take(self, mark: int) -> Delta:
        """Return the delta since the mark and undo it."""
        result = self.delta(mark)
        self.undo(mark)
        return result

    def undo(self, mark: int) -> None:
        """Bring all cells back to what they were at the mark."""
        journal = self._journal
        while len(journal) > mark:
            obj, key, old = journal.pop()
            if old is MISSING:
                obj.cells.pop(key, None)
            else:
                obj.cells[key] = old

    def apply(self, delta: Delta) -> None:
        """Write all cells of a delta."""
        for (obj, key), value in delta.items():
            self.write(obj, key, value)

    def merge(self, left: Delta, right: Delta) -> list[tuple[Obj, Any]]:
        """Write the join of two deltas over the present state; return the cells that now may be missing."""
        unsure: list[tuple[Obj, Any]] = []
        for cell in (*left, *(c for c in right if c not in left)):
            obj, key = cell
            present = obj.cells.get(key, MISSING)
            a, b = left.get(cell, present), right.get(cell, present)
            self.write(obj, key, join(a, b))
            if (a is MISSING) != (b is MISSING):
                unsure.append(cell)
        return unsure

    def since(self, start: int, mark: int, later: Delta) -> Delta:
        """Return ``later``, a delta relative to ``mark``, made relative to the earlier ``start``.

        The state may have moved on since ``mark``.
        """
        values: Delta = {}
        for obj, key, _ in self._journal[start:mark]:
            values[obj, key] = obj.cells.get(key, MISSING)
        overwritten: set[tuple[Obj, Any]] = set()
        for obj, key, old in self._journal[mark:]:
            if (obj, key) in values and (obj, key) not in overwritten:
                overwritten.add((obj, key))
                values[obj, key] = old
        values.update(later)
        return values
