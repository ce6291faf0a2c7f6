"""Whether a test holds: of ``a and b`` that is known where b is false, whatever a may be."""

from __future__ import annotations

from collections.abc import Callable

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

        def ask(part: ir.Expr) -> Value:
            return from_truth(holds(machine, frame, part))

        ended = Const(test.op == "or")
        return truth(machine, frame, joined(machine, frame, test, ask, lambda _: ended))
    return truth(machine, frame, evaluate(machine, frame, test))


def joined(
    machine: Machine,
    frame: Frame,
    node: ir.BoolOp,
    ask: Callable[[ir.Expr], Value],
    kept: Callable[[Value], Value],
) -> Value:
    """Evaluate ``a and b`` or ``a or b``: ``ask`` part after part, until it is known how it ends.

    Where that is not known of a part, both ways are gone; ``kept`` is what its value is where it ends there.
    """
    parts = _operands(node)
    stops = node.op == "or"
    place = machine.place(frame)

    def run(index: int) -> Value:
        value = ask(parts[index])
        if index == len(parts) - 1:
            return value
        verdict = truth(machine, frame, value)
        if verdict is stops:
            return value
        if verdict is not None:
            return run(index + 1)

        def goes_on() -> Value:
            narrow(machine, frame, parts[index], not stops)
            return run(index + 1)

        ended = kept(value)
        return machine.fork(frame, goes_on, lambda: ended, place)

    return run(0)


def _operands(node: ir.BoolOp) -> list[ir.Expr]:
    """Return the parts of ``a and b and c``, which is parsed as ``(a and b) and c``.

    One by one, what a part excludes is not asked of the later ones where an earlier one is unknown.
    """
    parts: list[ir.Expr] = []
    left: ir.Expr = node
    while isinstance(left, ir.BoolOp) and left.op == node.op:
        parts.append(left.right)
        left = left.left
    return [left, *reversed(parts)]
