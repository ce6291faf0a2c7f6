"""Statements on the abstract machine: the small ones, and which function runs which."""

from __future__ import annotations

from collections.abc import Sequence

from regreach.evaluate.assignment import ann_assign, assign_statement, aug_assign, delete
from regreach.evaluate.binding import bind
from regreach.evaluate.branching import assert_statement, if_statement, match_statement
from regreach.evaluate.calls import call
from regreach.evaluate.classes import define_class
from regreach.evaluate.dispatch import RUN, evaluate
from regreach.evaluate.exceptions import instantiate_exception
from regreach.evaluate.frames import Abrupt, Frame
from regreach.evaluate.functions import make_function
from regreach.evaluate.importing import import_statement
from regreach.evaluate.library.decorators import decorate_external
from regreach.evaluate.loops import for_statement, while_statement
from regreach.evaluate.machine import Machine
from regreach.evaluate.trying import try_statement, with_statement
from regreach.evaluate.values import NONE, UNKNOWN, Deferred, External, Raised, Value
from regreach.facts import ir


def _expression(machine: Machine, frame: Frame, node: ir.ExprStmt) -> None:
    evaluate(machine, frame, node.value)


def _later(machine: Machine, frame: Frame, node: ir.Later) -> None:
    for name in node.names:
        machine.heap.write(frame.module, name, Deferred(frame.module.name, name, node.sure))


def _scope(_: Machine, frame: Frame, node: ir.Scope) -> None:
    names = frame.global_names if node.kind == "global" else frame.outer_names
    names.update(node.names)


def _return(machine: Machine, frame: Frame, node: ir.Return) -> None:
    value = evaluate(machine, frame, node.value) if node.value is not None else NONE
    raise Abrupt("return", value)


def _raise(machine: Machine, frame: Frame, node: ir.Raise) -> None:
    if node.exc is None:
        raised: Value = frame.handling or Raised(UNKNOWN, "", frame.module.name, frame.line)
        raise Abrupt("raise", raised)
    value = evaluate(machine, frame, node.exc)
    frame.line = node.line
    raise Abrupt("raise", instantiate_exception(machine, frame, value))


def _jump(_: Machine, __: Frame, node: ir.Jump) -> None:
    if node.kind != "pass":
        raise Abrupt(node.kind)


def _function(machine: Machine, frame: Frame, node: ir.FunctionDef) -> None:
    decorators = [evaluate(machine, frame, d.value) for d in node.decorators]
    function = make_function(machine, frame, node)
    value = apply_decorators(machine, frame, node.decorators, decorators, function)
    frame.line = node.line
    bind(machine, frame, node.name, value)


def _class(machine: Machine, frame: Frame, node: ir.ClassDef) -> None:
    decorators = [evaluate(machine, frame, d.value) for d in node.decorators]
    cls = define_class(machine, frame, node)
    value = apply_decorators(machine, frame, node.decorators, decorators, cls)
    frame.line = node.line
    bind(machine, frame, node.name, value)


def apply_decorators(
    machine: Machine,
    frame: Frame,
    nodes: Sequence[ir.Decorator],
    decorators: Sequence[Value],
    value: Value,
) -> Value:
    """Apply evaluated decorators, the one next to the definition first."""
    for node, decorator in zip(reversed(nodes), reversed(decorators), strict=True):
        frame.line = node.line
        if isinstance(decorator, External):
            value = decorate_external(machine, decorator, value)
        else:
            value = call(machine, frame, decorator, (value,), {}, site=("decorate", id(node)))
    return value


RUN.update(
    {
        ir.Import: import_statement,
        ir.ImportFrom: import_statement,
        ir.Assign: assign_statement,
        ir.AnnAssign: ann_assign,
        ir.AugAssign: aug_assign,
        ir.ExprStmt: _expression,
        ir.Return: _return,
        ir.Raise: _raise,
        ir.Assert: assert_statement,
        ir.Delete: delete,
        ir.Later: _later,
        ir.Scope: _scope,
        ir.Jump: _jump,
        ir.If: if_statement,
        ir.For: for_statement,
        ir.While: while_statement,
        ir.Try: try_statement,
        ir.With: with_statement,
        ir.FunctionDef: _function,
        ir.ClassDef: _class,
        ir.Match: match_statement,
    }
)
