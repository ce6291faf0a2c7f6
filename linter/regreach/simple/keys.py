"""What the keys of registrations are: the texts that their expressions stand for."""

from __future__ import annotations

from regreach.evaluate.finished import FinishedModules
from regreach.evaluate.iteration import enum_members
from regreach.evaluate.values import Class, Const, Dict, Instance, Listing, Tuple, Value
from regreach.facts import ir, walk
from regreach.facts.names import names_of
from regreach.program import Program
from regreach.simple.written import texts_written


class Keys:
    """Evaluates keys in the modules that they stand in, as those are once they have been loaded."""

    def __init__(self, program: Program, finished: FinishedModules) -> None:
        self._program = program
        self._finished = finished
        self._often: dict[str, frozenset[str]] = {}

    def of(
        self, module: str, key: ir.Expr | str | None, around: walk.Surroundings
    ) -> tuple[str, ...] | None:
        """Return the texts that a key stands for: several where it is a list; None when that is not known."""
        if key is None or isinstance(key, str):
            return None if key is None else (key,)
        if isinstance(key, ir.Const):
            return (key.value,) if isinstance(key.value, str) else None
        names = set(walk.names_in(key))
        turns = any(guard.kind in ("for", "while") for guard in around.guards)
        # at the margin, once: elsewhere a name may stand for something else each time
        if names and (around.scope or turns or names & self._bound_often(module)):
            return None
        return texts_of(self._finished.evaluated(module, key))

    def listed(self, path: str) -> tuple[str, ...] | None:
        """Return the texts in a list, a ``Literal``, a dict's keys or an enum's values at ``module:name``.

        None when the tree has no such thing, or it is not known.
        """
        module, _, name = path.partition(":")
        if not self._program.has(module):
            return None
        facts = self._program.readable_facts(module)
        found = texts_of(self._finished.value(module, name))
        return texts_written(facts, name) if found is None and facts is not None else found

    def table(self, path: str) -> dict[str, str]:
        """Return the texts that a dict of the tree maps to texts; empty when there is none."""
        module, _, name = path.partition(":")
        value = self._finished.value(module, name) if self._program.has(module) else None
        cells = value.cells if isinstance(value, Dict) else {}
        return {
            key.value: text.value
            for key, text in cells.items()
            if isinstance(key, Const) and isinstance(text, Const)
            if isinstance(key.value, str) and isinstance(text.value, str)
        }

    def _bound_often(self, module: str) -> frozenset[str]:
        """Return the names that more than one statement of a module binds."""
        found = self._often.get(module)
        if found is None:
            facts = self._program.readable_facts(module)
            seen: set[str] = set()
            often: set[str] = set()
            for node in facts.body if facts is not None else ():
                names = names_of(node)
                often |= seen & names
                seen |= names
            found = self._often[module] = frozenset(often)
        return found


def texts_of(value: Value) -> tuple[str, ...] | None:
    """Return the texts that a value is, or that are in it; None when it is not all texts."""
    if isinstance(value, Const):
        return (value.value,) if isinstance(value.value, str) else None
    if isinstance(value, Instance) and isinstance(value.cells.get("value"), Const):
        return texts_of(value.cells["value"])
    items: list[Value] | None = None
    if isinstance(value, Class) and value.is_enum:
        items = list(enum_members(value))
    elif isinstance(value, Tuple):
        items = list(value.items)
    elif isinstance(value, Listing):
        inner = value.cells.get("items")
        items = list(inner.items) if isinstance(inner, Tuple) else None
    elif isinstance(value, Dict):
        items = [key for key in value.cells if isinstance(key, Const)]
        items = items if len(items) == len(value.cells) else None
    if items is None:
        return None
    found = [texts_of(item) if isinstance(item, (Const, Instance)) else None for item in items]
    return tuple(t for texts in found if texts for t in texts) if all(found) else None
