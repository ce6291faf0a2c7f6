"""Comprehensions and generator expressions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from regreach.evaluate.assignment import assign
from regreach.evaluate.binding import bind
from regreach.evaluate.conditions import holds
from regreach.evaluate.dispatch import evaluate
from regreach.evaluate.frames import Abrupt, Frame
from regreach.evaluate.items import new_listing, put_item, set_item
from regreach.evaluate.iteration import is_unordered, iterate
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import NONE, OPEN, UNKNOWN, Dict, Scope, Value
from regreach.facts import ir
from regreach.facts.names import names_bound_around


@dataclass(frozen=True, slots=True)
class _Entry:
    """An item, or a key and its value; ``sure`` says that it is certainly there."""

    element: Value
    value: Value
    sure: bool


def comprehension(machine: Machine, frame: Frame, node: ir.Comprehension) -> Value:
    """Evaluate a comprehension; a generator expression is run at once."""
    scope = machine.allocate(Scope, frame, "comprehension", id(node))
    assert isinstance(scope, Scope)
    enclosing = frame.enclosing
    if isinstance(frame.scope, Scope) and "<class>" not in frame.scope.cells:
        enclosing = (*enclosing, frame.scope)
    inner = Frame(
        frame.module,
        scope,
        enclosing,
        frame.function,
        frame.context,
        frame.line,
        frame.receiver,
        around=frame,
    )
    results: list[_Entry] = []
    with machine.running(inner):
        known = _Clauses(machine, inner, node, results).run(0)
    if node.kind == "generator":
        _forget_walrus(machine, inner, node)  # who asks for the items may stop at any
    frame.pendings.extend(inner.pendings)
    if node.kind == "dict":
        return _dict_of(machine, frame, node, results, known)
    known = known and all(r.sure for r in results)
    items = [r.element for r in results] if known else None
    kind = "iterator" if node.kind == "generator" else node.kind
    return new_listing(machine, frame, kind, items, "comprehension", id(node))


def _dict_of(
    machine: Machine, frame: Frame, node: ir.Comprehension, results: list[_Entry], known: bool
) -> Value:
    made = machine.allocate(Dict, frame, "dictcomp", id(node))
    assert isinstance(made, Dict)
    for entry in results:
        if entry.sure:
            set_item(machine, frame, made, entry.element, entry.value)
        else:
            put_item(machine, made, entry.element, entry.value, sure=False)
    if not known:
        machine.heap.write(made, OPEN, UNKNOWN)
    return made


def _raise(ended: Abrupt) -> bool:
    raise ended


def _forget_walrus(machine: Machine, frame: Frame, node: ir.Comprehension) -> None:
    """Make unknown what the turns of a comprehension bind around it by ``:=``."""
    while frame.around is not None:
        frame = frame.around
    for name in names_bound_around(node):
        bind(machine, frame, name, UNKNOWN)


class _Clauses:
    """The clauses of a comprehension that is being run."""

    def __init__(
        self, machine: Machine, frame: Frame, node: ir.Comprehension, results: list[_Entry]
    ) -> None:
        self._machine = machine
        self._frame = frame
        self._node = node
        self._results = results
        self._sure = True

    def run(self, index: int) -> bool:
        """Run the clauses from ``index`` on; return whether the results are all there is."""
        machine, frame, node = self._machine, self._frame, self._node
        if index == len(node.clauses):
            element = evaluate(machine, frame, node.element)
            value = evaluate(machine, frame, node.value) if node.value is not None else NONE
            self._results.append(_Entry(element, value, self._sure))
            return True
        clause = node.clauses[index]
        where = frame.around if index == 0 and frame.around is not None else frame
        iterable = evaluate(machine, where, clause.iter)
        items = iterate(machine, frame, iterable)
        if items is None:
            self._perhaps(lambda: self._any_turn(clause, index))
            return False
        known = node.kind in ("set", "dict") or not is_unordered(iterable)
        context = frame.context
        for turn, item in enumerate(items):
            frame.context = machine.context(context, id(clause), turn)
            known = self._lazy_turn(clause, index, item) and known
        frame.context = context
        return known

    def _any_turn(self, clause: ir.Clause, index: int) -> bool:
        _forget_walrus(self._machine, self._frame, self._node)
        return self._turn(clause, index, UNKNOWN)

    def _lazy_turn(self, clause: ir.Clause, index: int, item: Value) -> bool:
        """Run a turn; once a generator has given an item, nobody may ask for what a later one raises."""
        if self._node.kind != "generator" or not self._results:
            return self._turn(clause, index, item)
        try:
            return self._turn(clause, index, item)
        except Abrupt as abrupt:
            ended = abrupt.caught()
        self._perhaps(lambda: _raise(ended))
        return False

    def _turn(self, clause: ir.Clause, index: int, item: Value) -> bool:
        assign(self._machine, self._frame, clause.target, item)
        return self._filtered(clause.conditions, index)

    def _filtered(self, conditions: tuple[ir.Expr, ...], index: int) -> bool:
        """Ask the conditions one by one, then go on; return whether the results are all there is."""
        machine, frame = self._machine, self._frame
        for position, condition in enumerate(conditions):
            verdict = holds(machine, frame, condition)
            if verdict is False:
                return True
            if verdict is None:
                rest = conditions[position + 1 :]
                return self._perhaps(lambda rest=rest: self._filtered(rest, index))  # type: ignore[misc]
        return self.run(index + 1)

    def _perhaps(self, action: Callable[[], bool]) -> bool:
        """Do what may or may not be done; return whether the results are all there may be."""
        machine, sure, known = self._machine, self._sure, True

        def way() -> Value:
            nonlocal known
            known = action()
            return NONE

        self._sure = False
        try:
            with machine.merging():
                machine.maybe(self._frame, way, machine.place(self._frame))
        finally:
            self._sure = sure
        return known
