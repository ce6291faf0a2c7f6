"""Whether a test holds: of ``a and b`` that is known where b is false, whatever a may be."""

from __future__ import annotations

from regreach.evaluate.comparisons import from_truth, negate, truth
from regreach.evaluate.dispatch import evaluate
from regreach.evaluate.frames import Frame
from regreach.evaluate.machine import Machine
from regreach.evaluate.narrowing import narrow
from regreach.evaluate.values import Const, Value
from regreach.facts import ir


def holds(machine: Machine, frame: Frame, test: ir.Expr) -> bool | None:
    """Evaluate a test and return whether it is true, None for unknown. Raises Abrupt."""
    if isinstance(test, ir.Not):
        return negate(holds(machine, frame, test.value))
    if isinstance(test, ir.BoolOp):
        return _all_or_any(machine, frame, test)
    return truth(machine, frame, evaluate(machine, frame, test))


def _all_or_any(machine: Machine, frame: Frame, test: ir.BoolOp) -> bool | None:
    parts = operands(test)
    stops = test.op == "or"
    place = machine.place(frame)

    def run(index: int) -> Value:
        verdict = holds(machine, frame, parts[index])
        if index == len(parts) - 1 or verdict is stops:
            return from_truth(verdict)
        if verdict is not None:
            return run(index + 1)

        def goes_on() -> Value:
            narrow(machine, frame, parts[index], not stops)
            return run(index + 1)

        return machine.fork(frame, goes_on, lambda: Const(stops), place)

    return truth(machine, frame, run(0))


def operands(node: ir.BoolOp) -> list[ir.Expr]:
    """Return the parts of ``a and b and c``, which is parsed as ``(a and b) and c``.

    One by one, what a part excludes is not asked of the later ones where an earlier one is unknown.
    """
    parts: list[ir.Expr] = []
    left: ir.Expr = node
    while isinstance(left, ir.BoolOp) and left.op == node.op:
        parts.append(left.right)
        left = left.left
    return [left, *reversed(parts)]
