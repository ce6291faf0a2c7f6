"""Which function evaluates an expression, and which runs a statement, by the kind of node.

The tables are filled by ``expressions`` and ``statements``; what these two call can import this module
in its turn to evaluate and to run the parts of a node.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from regreach.evaluate.frames import Frame
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import NONE, Value
from regreach.facts import ir

EVALUATE: dict[type, Callable[[Machine, Frame, Any], Value]] = {}
RUN: dict[type, Callable[[Machine, Frame, Any], None]] = {}


def evaluate(machine: Machine, frame: Frame, node: ir.Expr) -> Value:
    """Return the value of an expression. Raises Abrupt when it raises."""
    return EVALUATE[type(node)](machine, frame, node)


def run_block(machine: Machine, frame: Frame, body: ir.Body) -> None:
    """Run statements in order. Raises Abrupt when they end abruptly."""
    for statement in body:
        frame.line = statement.line
        machine.spend()
        RUN[type(statement)](machine, frame, statement)


def block(machine: Machine, frame: Frame, body: ir.Body) -> Callable[[], Value]:
    """Return what runs statements when it is called."""

    def run() -> Value:
        run_block(machine, frame, body)
        return NONE

    return run
