"""Comprehensions and generator expressions."""

from __future__ import annotations

from regreach.evaluate.assignment import assign
from regreach.evaluate.comparisons import truth
from regreach.evaluate.dispatch import evaluate
from regreach.evaluate.frames import Frame
from regreach.evaluate.items import new_listing, set_item
from regreach.evaluate.iteration import iterate
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import NONE, OPEN, UNKNOWN, Dict, Scope, Value
from regreach.facts import ir


def comprehension(machine: Machine, frame: Frame, node: ir.Comprehension) -> Value:
    """Evaluate a comprehension; a generator expression is run at once, as a list."""
    scope = machine.allocate(Scope, frame, "comprehension", id(node))
    assert isinstance(scope, Scope)
    enclosing = frame.enclosing
    if isinstance(frame.scope, Scope):
        enclosing = (*enclosing, frame.scope)
    inner = Frame(
        frame.module, scope, enclosing, frame.function, frame.context, frame.line, frame.receiver
    )
    results: list[tuple[Value, Value]] = []
    with machine.running(inner):
        known = _clauses(machine, inner, node, 0, results, frame)
    frame.pendings.extend(inner.pendings)
    if node.kind == "dict":
        made = machine.allocate(Dict, frame, "dictcomp", id(node))
        assert isinstance(made, Dict)
        for key, value in results:
            set_item(machine, frame, made, key, value)
        if not known:
            machine.heap.write(made, OPEN, UNKNOWN)
        return made
    items = [value for value, _ in results] if known else None
    kind = "set" if node.kind == "set" else "list"
    return new_listing(machine, frame, kind, items, "comprehension", id(node))


def _clauses(
    machine: Machine,
    frame: Frame,
    node: ir.Comprehension,
    index: int,
    results: list[tuple[Value, Value]],
    outer: Frame,
) -> bool:
    """Run the clauses from ``index`` on; return whether the results are all there is."""
    if index == len(node.clauses):
        element = evaluate(machine, frame, node.element)
        value = evaluate(machine, frame, node.value) if node.value is not None else NONE
        results.append((element, value))
        return True
    clause = node.clauses[index]
    iterable = evaluate(machine, outer if index == 0 else frame, clause.iter)
    items = iterate(machine, frame, iterable)
    if items is None:

        def once() -> Value:
            assign(machine, frame, clause.target, UNKNOWN)
            for condition in clause.conditions:
                evaluate(machine, frame, condition)
            _clauses(machine, frame, node, index + 1, [], outer)
            return NONE

        machine.maybe(frame, once, machine.place(frame))
        return False
    known = True
    context = frame.context
    for turn, item in enumerate(items):
        frame.context = machine.context(context, id(clause), turn)
        assign(machine, frame, clause.target, item)
        verdicts = [truth(machine, frame, evaluate(machine, frame, c)) for c in clause.conditions]
        if False in verdicts:
            continue
        known = _clauses(machine, frame, node, index + 1, results, outer) and known
        if None in verdicts:
            known = False
    frame.context = context
    return known
