"""Expressions on the abstract machine: the small ones, and which function evaluates which."""

from __future__ import annotations

from collections.abc import Callable

from regreach.evaluate.attributes import get_attribute, no_attribute
from regreach.evaluate.binding import bind
from regreach.evaluate.calls import call
from regreach.evaluate.classes import super_call
from regreach.evaluate.comparisons import compare, from_truth, negate, truth
from regreach.evaluate.comprehensions import comprehension
from regreach.evaluate.conditions import holds, joined
from regreach.evaluate.constants import string_of
from regreach.evaluate.dispatch import EVALUATE, evaluate
from regreach.evaluate.frames import Frame
from regreach.evaluate.functions import make_lambda
from regreach.evaluate.items import get_item, new_listing, set_item, update_dict
from regreach.evaluate.iteration import ordered_items
from regreach.evaluate.library.models import BUILTINS
from regreach.evaluate.machine import Machine
from regreach.evaluate.narrowing import narrow
from regreach.evaluate.operators import binary
from regreach.evaluate.values import (
    FALSE,
    MAX_ITEMS,
    MISSING,
    OPEN,
    UNKNOWN,
    Const,
    Dict,
    External,
    Tuple,
    Value,
    alternatives,
    may_be_missing,
    union,
    without_missing,
)
from regreach.facts import ir


def _const(_: Machine, __: Frame, node: ir.Const) -> Value:
    return Const(node.value)


def _name(machine: Machine, frame: Frame, node: ir.Name) -> Value:
    return look_up_name(machine, frame, node.id)


def look_up_name(machine: Machine, frame: Frame, name: str) -> Value:
    """Return what a name stands for in a frame; raises Abrupt(NameError) when it is bound nowhere.

    A name that only some paths bind is taken to be bound: whoever wrote it knows which path this is.
    """
    if name not in frame.global_names and frame.scope is not frame.module:
        value = frame.scope.cells.get(name, MISSING)
        if value is not MISSING:
            return without_missing(value)
        if name in machine.local_names(frame):
            raise machine.unbound_local(frame, name)
        for scope in reversed(frame.enclosing):
            value = scope.cells.get(name, MISSING)
            if value is not MISSING:
                return without_missing(value)
    value = machine.global_of(frame.module, name)
    if value is not MISSING:
        return without_missing(value)
    builtin = BUILTINS.get(name)
    if builtin is not None:
        return builtin
    scopes = (frame.module, frame.scope, *frame.enclosing)
    if name.startswith("__") or any(OPEN in scope.cells for scope in scopes):
        return UNKNOWN
    raise machine.error(frame, "NameError", f"name {name!r} is not defined")


def _attribute(machine: Machine, frame: Frame, node: ir.Attribute) -> Value:
    owner = evaluate(machine, frame, node.value)
    value = get_attribute(machine, frame, owner, node.attr)
    if value is not MISSING:
        return value
    raise no_attribute(machine, frame, owner, node.attr)


def _call(machine: Machine, frame: Frame, node: ir.Call) -> Value:
    """Evaluate a call expression: function, arguments, the call."""
    function = evaluate(machine, frame, node.func)
    if function == External("builtins.super"):
        return super_call(machine, frame, node)
    args: list[Value] = []
    keywords: dict[str, Value] = {}
    complete = True
    for arg in node.args:
        value = evaluate(machine, frame, arg.value)
        if arg.star == 0 and arg.keyword is None:
            args.append(value)
        elif arg.star == 0:
            assert arg.keyword is not None
            keywords[arg.keyword] = value
        elif arg.star == 1:
            items = ordered_items(machine, frame, value)
            complete = complete and items is not None
            args.extend(items or ())
        else:
            known = _spread(machine, value)
            complete = complete and known is not None
            keywords.update(known or {})
    frame.line = node.line
    return call(
        machine, frame, function, tuple(args), keywords, site=(id(node),), complete=complete
    )


def _spread(machine: Machine, value: Value) -> dict[str, Value] | None:
    if not isinstance(value, Dict):
        return None
    machine.replay.read(value)
    if OPEN in value.cells:
        return None
    result: dict[str, Value] = {}
    for key, each in value.cells.items():
        if not isinstance(key, Const) or not isinstance(key.value, str) or may_be_missing(each):
            return None
        result[key.value] = each
    return result


def _subscript(machine: Machine, frame: Frame, node: ir.Subscript) -> Value:
    owner = evaluate(machine, frame, node.value)
    key = evaluate(machine, frame, node.index)
    return get_item(machine, frame, owner, key)


def starred_items(machine: Machine, frame: Frame, nodes: tuple[ir.Expr, ...]) -> list[Value] | None:
    """Return the items of a display; None when a starred part is not known."""
    result: list[Value] | None = []
    for node in nodes:
        if isinstance(node, ir.Starred):
            items = ordered_items(machine, frame, evaluate(machine, frame, node.value))
            result = None if items is None or result is None else [*result, *items]
        else:
            value = evaluate(machine, frame, node)
            if result is not None:
                result.append(value)
    return result


def _sequence(machine: Machine, frame: Frame, node: ir.Sequence) -> Value:
    items = starred_items(machine, frame, node.items)
    if node.kind == "tuple":
        return UNKNOWN if items is None or len(items) > MAX_ITEMS else Tuple(tuple(items))
    return new_listing(machine, frame, node.kind, items, id(node))


def _dict(machine: Machine, frame: Frame, node: ir.Dict) -> Value:
    result = machine.allocate(Dict, frame, "dict", id(node))
    for key_node, value_node in node.items:
        key = None if key_node is None else evaluate(machine, frame, key_node)
        value = evaluate(machine, frame, value_node)
        if key is None:
            update_dict(machine, frame, result, value)
        else:
            set_item(machine, frame, result, key, value)
    assert isinstance(result, Dict)
    return result


def _bool_op(machine: Machine, frame: Frame, node: ir.BoolOp) -> Value:
    return joined(
        machine,
        frame,
        node,
        lambda part: evaluate(machine, frame, part),
        lambda value: _when(machine, frame, value, node.op == "or"),
    )


def _when(machine: Machine, frame: Frame, value: Value, wanted: bool) -> Value:
    """Return the value given that its truth is as wanted."""
    kept = [v for v in alternatives(value) if truth(machine, frame, v) is not (not wanted)]
    return union(kept) if kept else value


def _not(machine: Machine, frame: Frame, node: ir.Not) -> Value:
    return from_truth(negate(holds(machine, frame, node.value)))


def _compare(machine: Machine, frame: Frame, node: ir.Compare) -> Value:
    left = evaluate(machine, frame, node.left)
    result: bool | None = True
    for op, right_node in node.rest:
        right = evaluate(machine, frame, right_node)
        verdict = compare(machine, frame, op, left, right)
        if verdict is False:
            return FALSE
        if verdict is None:
            result = None
        left = right
    return from_truth(result)


def _binary_node(machine: Machine, frame: Frame, node: ir.Binary) -> Value:
    left = evaluate(machine, frame, node.left)
    right = evaluate(machine, frame, node.right)
    return binary(machine, frame, node.op, left, right, site=id(node))


def _unary(machine: Machine, frame: Frame, node: ir.Unary) -> Value:
    value = evaluate(machine, frame, node.value)
    if isinstance(value, Const) and isinstance(value.value, (int, float)):
        if node.op == "-":
            return Const(-value.value)
        if node.op == "+":
            return Const(+value.value)
        if isinstance(value.value, int):
            return Const(-int(value.value) - 1)
    return UNKNOWN


def _conditional(machine: Machine, frame: Frame, node: ir.Conditional) -> Value:
    verdict = holds(machine, frame, node.test)
    if verdict is not None:
        return evaluate(machine, frame, node.body if verdict else node.orelse)

    def way(part: ir.Expr, outcome: bool) -> Callable[[], Value]:
        def run() -> Value:
            narrow(machine, frame, node.test, outcome)
            return evaluate(machine, frame, part)

        return run

    return machine.fork(frame, way(node.body, True), way(node.orelse, False), machine.place(frame))


def _walrus(machine: Machine, frame: Frame, node: ir.Walrus) -> Value:
    value = evaluate(machine, frame, node.value)
    while frame.around is not None:  # what a comprehension binds so is bound around it
        frame = frame.around
    bind(machine, frame, node.name, value)
    return value


def _fstring(machine: Machine, frame: Frame, node: ir.FString) -> Value:
    parts: list[str] | None = []
    for part in node.parts:
        text = string_of(machine, frame, evaluate(machine, frame, part), formatted=True)
        parts = None if text is None or parts is None else [*parts, text]
    return UNKNOWN if parts is None else Const("".join(parts))


def _starred(machine: Machine, frame: Frame, node: ir.Starred) -> Value:
    evaluate(machine, frame, node.value)
    return UNKNOWN


def _opaque(machine: Machine, frame: Frame, node: ir.Opaque) -> Value:
    for child in node.children:
        if not (isinstance(child, ir.Name) and child.id == "yield"):
            evaluate(machine, frame, child)
    return UNKNOWN


EVALUATE.update(
    {
        ir.Const: _const,
        ir.Name: _name,
        ir.Attribute: _attribute,
        ir.Call: _call,
        ir.Subscript: _subscript,
        ir.Sequence: _sequence,
        ir.Dict: _dict,
        ir.BoolOp: _bool_op,
        ir.Not: _not,
        ir.Compare: _compare,
        ir.Binary: _binary_node,
        ir.Unary: _unary,
        ir.Conditional: _conditional,
        ir.Walrus: _walrus,
        ir.Lambda: make_lambda,
        ir.FString: _fstring,
        ir.Comprehension: comprehension,
        ir.Starred: _starred,
        ir.Opaque: _opaque,
    }
)
