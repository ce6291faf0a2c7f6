"""Binding and unbinding: what stands left of ``=``, and after ``del``."""

from __future__ import annotations

from regreach.evaluate.attributes import set_attribute
from regreach.evaluate.dispatch import evaluate
from regreach.evaluate.frames import Frame
from regreach.evaluate.importing import bind
from regreach.evaluate.items import set_item
from regreach.evaluate.iteration import items_of
from regreach.evaluate.machine import Machine
from regreach.evaluate.operators import binary
from regreach.evaluate.values import (
    MISSING,
    OPEN,
    UNKNOWN,
    Class,
    Const,
    Dict,
    Instance,
    Module,
    Scope,
    Tuple,
    Value,
)
from regreach.facts import ir


def assign_statement(machine: Machine, frame: Frame, node: ir.Assign) -> None:
    """Run ``a = b = value``."""
    value = evaluate(machine, frame, node.value)
    for target in node.targets:
        assign(machine, frame, target, value)


def ann_assign(machine: Machine, frame: Frame, node: ir.AnnAssign) -> None:
    """Run ``target: annotation = value``; in a class body, that makes it a field."""
    if node.value is not None:
        assign(machine, frame, node.target, evaluate(machine, frame, node.value))
    if isinstance(node.target, ir.Name) and isinstance(frame.scope, Scope):
        fields = frame.scope.cells.get("<fields>", MISSING)
        if isinstance(fields, Tuple):
            machine.heap.write(
                frame.scope, "<fields>", Tuple((*fields.items, Const(node.target.id)))
            )


def aug_assign(machine: Machine, frame: Frame, node: ir.AugAssign) -> None:
    """Run ``target += value`` and its like."""
    left = evaluate(machine, frame, node.target)
    right = evaluate(machine, frame, node.value)
    assign(machine, frame, node.target, binary(machine, frame, node.op, left, right, in_place=True))


def assign(machine: Machine, frame: Frame, target: ir.Expr, value: Value) -> None:
    """Bind a target (name, attribute, subscript, tuple or list of targets) to a value."""
    if isinstance(target, ir.Name):
        bind(machine, frame, target.id, value)
    elif isinstance(target, ir.Attribute):
        owner = evaluate(machine, frame, target.value)
        set_attribute(machine, frame, owner, target.attr, value)
    elif isinstance(target, ir.Subscript):
        owner = evaluate(machine, frame, target.value)
        key = evaluate(machine, frame, target.index)
        set_item(machine, frame, owner, key, value)
    elif isinstance(target, ir.Sequence):
        _unpack(machine, frame, target, value)
    elif isinstance(target, ir.Starred):
        assign(machine, frame, target.value, UNKNOWN)


def _unpack(machine: Machine, frame: Frame, target: ir.Sequence, value: Value) -> None:
    items = items_of(machine, frame, value)
    starred = any(isinstance(t, ir.Starred) for t in target.items)
    if items is None or starred or len(items) != len(target.items):
        items = [UNKNOWN] * len(target.items)
    for each, item in zip(target.items, items, strict=True):
        assign(machine, frame, each, item)


def delete(machine: Machine, frame: Frame, node: ir.Delete) -> None:
    """Run ``del targets``."""
    for target in node.targets:
        if isinstance(target, ir.Name):
            _delete_name(machine, frame, target.id)
        elif isinstance(target, ir.Subscript):
            value = evaluate(machine, frame, target.value)
            key = evaluate(machine, frame, target.index)
            if isinstance(value, Dict):
                machine.heap.write(value, key, MISSING)
        elif isinstance(target, ir.Attribute):
            value = evaluate(machine, frame, target.value)
            if isinstance(value, (Module, Class, Instance)):
                machine.heap.write(value, target.attr, MISSING)


def _delete_name(machine: Machine, frame: Frame, name: str) -> None:
    owner = frame.module if name in frame.global_names else frame.scope
    if name not in owner.cells and name not in frame.outer_names and OPEN not in owner.cells:
        if name in machine.local_names(frame):
            raise machine.unbound_local(frame, name)
        raise machine.error(frame, "NameError", f"name {name!r} is not defined")
    machine.heap.write(owner, name, MISSING)
