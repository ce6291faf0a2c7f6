"""What the outcome of a test says of the names that it is about."""

from __future__ import annotations

from regreach.evaluate.comparisons import compare, truth
from regreach.evaluate.dispatch import evaluate
from regreach.evaluate.frames import Abrupt, Frame
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import MISSING, Union, Value, alternatives, union
from regreach.facts import ir
from regreach.facts.walk import dotted_name


def narrow(machine: Machine, frame: Frame, test: ir.Expr, outcome: bool) -> None:
    """Given the outcome of a test, restrict the names it is about to the values that allow it."""
    if isinstance(test, ir.Not):
        narrow(machine, frame, test.value, not outcome)
        return
    if isinstance(test, ir.BoolOp):
        if (test.op == "and") is outcome:
            narrow(machine, frame, test.left, outcome)
            narrow(machine, frame, test.right, outcome)
        return
    name = _subject(test)
    if name is None:
        return
    value = frame.scope.cells.get(name, MISSING)
    if not isinstance(value, Union):
        return
    kept = []
    for each in value.values:
        if each is MISSING:
            continue
        machine.heap.write(frame.scope, name, each)
        try:
            verdict = truth(machine, frame, evaluate(machine, frame, test))
        except Abrupt:
            continue  # the test has an outcome, so this is not what it was asked of
        if verdict is None or verdict is outcome:
            kept.append(each)
    machine.heap.write(frame.scope, name, union(kept) if kept else value)


def subject_text(test: ir.Expr) -> tuple[bool, str | None]:
    """Return whether a test negates, and a text for what it asks: the same text asks the same."""
    if isinstance(test, ir.Not):
        negated, text = subject_text(test.value)
        return not negated, text
    if isinstance(test, ir.Call) and not test.args:
        name = dotted_name(test.func)
        return False, f"{name}()" if name is not None else None
    return False, dotted_name(test)


def _subject(test: ir.Expr) -> str | None:
    """Return the local name that a simple test is about: ``x``, ``x is None``, ``x == y``, ``x.is_y()``."""
    if isinstance(test, ir.Name):
        return test.id
    if isinstance(test, ir.Compare) and isinstance(test.left, ir.Name):
        return test.left.id
    if isinstance(test, ir.Call) and isinstance(test.func, ir.Attribute):
        if isinstance(test.func.value, ir.Name) and not test.args:
            return test.func.value.id
    return None


def _compared(machine: Machine, frame: Frame, op: str, left: Value, right: Value) -> bool | None:
    try:
        return compare(machine, frame, op, left, right)
    except Abrupt:
        return None


def is_known_to_fail_for_some(machine: Machine, frame: Frame, test: ir.Expr) -> bool:
    """Return whether a test of unknown truth is false for a value that its subject may have."""
    if isinstance(test, ir.Compare) and len(test.rest) == 1:
        op, right_node = test.rest[0]
        right = evaluate(machine, frame, right_node)
        subject = evaluate(machine, frame, test.left)
        verdicts = [_compared(machine, frame, op, v, right) for v in alternatives(subject)]
    elif isinstance(test, (ir.Name, ir.Attribute)):
        subject = evaluate(machine, frame, test)
        verdicts = [truth(machine, frame, v) for v in alternatives(subject)]
    else:
        return False
    return isinstance(subject, Union) and False in verdicts
