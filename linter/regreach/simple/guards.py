"""Conditions around imports and registrations: whether they can hold on a platform, and which exclude each other.

Environment variables that nobody sets may be set by somebody: what hangs on one *can* happen.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from regreach.evaluate.finished import FinishedModules
from regreach.evaluate.values import Const
from regreach.facts import ir, walk
from regreach.facts.names import local_names
from regreach.model import ImportEdge
from regreach.program import Program


@dataclass(frozen=True, slots=True)
class Condition:
    """One side of an ``if`` statement: ``path`` and ``line`` are where it begins."""

    path: str
    line: int
    holds: bool

    @property
    def opposite(self) -> Condition:
        """The other side."""
        return Condition(self.path, self.line, not self.holds)


class Guards:
    """Judges guards with the values that names of finished modules have on the platform."""

    def __init__(self, program: Program, finished: FinishedModules) -> None:
        self._program = program
        self._finished = finished
        self._around: dict[ImportEdge, tuple[walk.Guard, ...] | None] = {}
        self._conditions: dict[ImportEdge, tuple[Condition, ...]] = {}

    def of_import(self, edge: ImportEdge) -> tuple[Condition, ...] | None:
        """Return the conditions on which an import is executed; None if it never is on this platform."""
        if edge not in self._around:
            found = self._find(edge)
            around, local = found if found is not None else (walk.Surroundings(), frozenset())
            possible = self.can_hold(edge.importer, around.guards, local)
            self._around[edge] = around.guards if possible else None
            self._conditions[edge] = tuple(conditions(edge.spot.path, around.guards))
        return None if self._around[edge] is None else self._conditions[edge]

    def can_hold(
        self, module: str, guards: Sequence[walk.Guard], local: Collection[str] = ()
    ) -> bool:
        """Return whether none of the guards is false for certain; names that are ``local`` may be anything."""
        return not any(self._is_false(module, guard, local) for guard in guards)

    def _is_false(self, module: str, guard: walk.Guard, local: Collection[str]) -> bool:
        if guard.test is None or guard.kind not in ("if", "else"):
            return False
        if not set(local).isdisjoint(walk.names_in(guard.test)):
            return False
        value = self._finished.evaluated(module, guard.test)
        return isinstance(value, Const) and bool(value.value) is (guard.kind == "else")

    def _find(self, edge: ImportEdge) -> tuple[walk.Surroundings, frozenset[str]] | None:
        """Return what surrounds an import, and the names that are local there."""
        facts = self._program.readable_facts(edge.importer)
        if facts is None:
            return None
        own: dict[str, frozenset[str]] = {}
        word = edge.imported.rpartition(".")[2]
        for node, around in walk.statements(facts, *(word, edge.spot.text)):
            if isinstance(node, ir.FunctionDef) and around.scope in ("", *_outer(edge.scope)):
                inner = around.within(node.name, function=True).scope
                if inner == edge.scope or inner in _outer(edge.scope):
                    bound = frozenset(p.name for p in facts.params_of(node))
                    own[inner] = bound | local_names(facts.body_of(node))
            if node.line == edge.spot.line and around.scope == edge.scope:
                scopes = (edge.scope, *_outer(edge.scope))
                return around, frozenset().union(*(own.get(s, frozenset()) for s in scopes))
        return None


def _outer(scope: str) -> Iterator[str]:
    while scope:
        scope = scope.rpartition(".")[0]
        if scope:
            yield scope


def conditions(path: str, guards: Sequence[walk.Guard]) -> Iterator[Condition]:
    """Yield the sides of ``if`` statements that guards in a file are."""
    for guard in guards:
        if guard.kind in ("if", "else"):
            yield Condition(path, guard.line, guard.kind == "if")
