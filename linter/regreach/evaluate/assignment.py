"""Binding and unbinding: what stands left of ``=``, and after ``del``."""

from __future__ import annotations

from regreach.evaluate.attributes import delete_attribute, set_attribute
from regreach.evaluate.binding import bind
from regreach.evaluate.dispatch import evaluate
from regreach.evaluate.frames import Frame
from regreach.evaluate.items import delete_item, new_listing, set_item
from regreach.evaluate.iteration import ordered_items
from regreach.evaluate.machine import Machine
from regreach.evaluate.operators import binary
from regreach.evaluate.values import (
    MISSING,
    OPEN,
    UNKNOWN,
    Const,
    Module,
    Scope,
    Tuple,
    Value,
    cell_of,
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
    items = ordered_items(machine, frame, value)
    spread = None if items is None else _spread(machine, frame, target, items)
    if spread is None:
        spread = [UNKNOWN] * len(target.items)
    for each, item in zip(target.items, spread, strict=True):
        assign(machine, frame, each.value if isinstance(each, ir.Starred) else each, item)


def _spread(machine: Machine, frame: Frame, target: ir.Sequence, items: list[Value]) -> list[Value]:
    """Return what each target of an unpacking gets; raises Abrupt(ValueError) when that does not fit."""
    wanted = len(target.items)
    star = next((i for i, t in enumerate(target.items) if isinstance(t, ir.Starred)), None)
    least = wanted if star is None else wanted - 1
    if len(items) < least:
        some = "at least " if star is not None else ""
        message = f"not enough values to unpack (expected {some}{least}, got {len(items)})"
        raise machine.error(frame, "ValueError", message)
    if star is None:
        if len(items) > wanted:
            message = f"too many values to unpack (expected {wanted})"
            raise machine.error(frame, "ValueError", message)
        return items
    end = len(items) - (least - star)
    rest = new_listing(machine, frame, "list", items[star:end], "starred", id(target))
    return [*items[:star], rest, *items[end:]]


def delete(machine: Machine, frame: Frame, node: ir.Delete) -> None:
    """Run ``del targets``."""
    for target in node.targets:
        if isinstance(target, ir.Name):
            _delete_name(machine, frame, target.id)
        elif isinstance(target, ir.Subscript):
            value = evaluate(machine, frame, target.value)
            key = evaluate(machine, frame, target.index)
            delete_item(machine, frame, value, key)
        elif isinstance(target, ir.Attribute):
            value = evaluate(machine, frame, target.value)
            delete_attribute(machine, frame, value, target.attr)


def _delete_name(machine: Machine, frame: Frame, name: str) -> None:
    owner = frame.module if name in frame.global_names else frame.scope
    waits = isinstance(owner, Module) and cell_of(owner, name) is not MISSING
    if (
        name not in owner.cells
        and not waits
        and name not in frame.outer_names
        and OPEN not in owner.cells
    ):
        if name in machine.local_names(frame):
            raise machine.unbound_local(frame, name)
        raise machine.error(frame, "NameError", f"name {name!r} is not defined")
    machine.unbind(owner, name)
