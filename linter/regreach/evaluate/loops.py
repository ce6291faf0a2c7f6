"""``for`` and ``while`` on the abstract machine."""

from __future__ import annotations

from collections.abc import Callable

from regreach.evaluate.assignment import assign
from regreach.evaluate.binding import bind, is_bound
from regreach.evaluate.conditions import holds
from regreach.evaluate.dispatch import evaluate, run_block
from regreach.evaluate.frames import Abrupt, Frame
from regreach.evaluate.iteration import iterate
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import (
    LATER,
    MISSING,
    NONE,
    UNKNOWN,
    Value,
    alternatives,
    join,
)
from regreach.facts import ir
from regreach.facts.names import added_to, bound_names

# A ``while`` loop whose condition is known is run this often before its condition counts as unknown.
MAX_TURNS = 64


def for_statement(machine: Machine, frame: Frame, node: ir.For) -> None:
    """Run ``for``: a turn for each item, when they are known."""
    iterable = evaluate(machine, frame, node.iter)
    items = iterate(machine, frame, iterable)
    start = len(frame.pendings)
    current: Abrupt | None = None
    if items is None:
        _some_turns(machine, frame, node.body, lambda: assign(machine, frame, node.target, UNKNOWN))
    else:
        context = frame.context
        for index, item in enumerate(items):
            frame.context = machine.context(context, id(node), index)
            assign(machine, frame, node.target, item)
            current = _loop_turn(machine, frame, node.body)
            if current is not None:
                break
        frame.context = context
    _end_loop(machine, frame, start, current, node.orelse)


def while_statement(machine: Machine, frame: Frame, node: ir.While) -> None:
    """Run ``while``: turn by turn, as long as the condition is known."""
    start = len(frame.pendings)
    current: Abrupt | None = None
    context = frame.context
    for turn in range(MAX_TURNS):
        frame.line = node.line
        verdict = holds(machine, frame, node.test)
        if verdict is False:
            break
        if verdict is None or turn == MAX_TURNS - 1 or len(frame.pendings) > start:
            _some_turns(machine, frame, node.body, lambda: None)
            break
        frame.context = machine.context(context, id(node), turn)
        current = _loop_turn(machine, frame, node.body)
        if current is not None:
            break
    frame.context = context
    _end_loop(machine, frame, start, current, node.orelse)


def _loop_turn(machine: Machine, frame: Frame, body: ir.Body) -> Abrupt | None:
    """Run a loop's body once, ``continue`` being its end; return how it ends otherwise."""
    start = len(frame.pendings)
    current: Abrupt | None = None
    try:
        run_block(machine, frame, body)
    except Abrupt as abrupt:
        current = None if abrupt.kind == "continue" else abrupt.caught()
    return machine.settle(frame, start, ("continue",), current, lambda _: None)


def _end_loop(
    machine: Machine, frame: Frame, start: int, current: Abrupt | None, orelse: ir.Body
) -> None:
    if current is None:
        try:
            run_block(machine, frame, orelse)
        except Abrupt as abrupt:
            current = abrupt.caught()
    elif current.kind == "break":
        current = None
    current = machine.settle(frame, start, ("break",), current, lambda _: None)
    if current is not None:
        raise current


def _some_turns(machine: Machine, frame: Frame, body: ir.Body, before: Callable[[], None]) -> None:
    """Run a loop's body an unknown number of times: once, perhaps, with what it changes unknown."""

    def turn() -> Value:
        before()
        ended = _loop_turn(machine, frame, body)
        if ended is not None:
            raise ended
        return NONE

    def turns() -> Value:
        _forget_changed(machine, frame, body)
        mark = machine.heap.mark()
        turn()
        _again(machine, frame, mark, turn)
        return NONE

    machine.maybe(frame, turns, machine.place(frame))


def _again(machine: Machine, frame: Frame, mark: int, turn: Callable[[], Value]) -> None:
    """Run another turn if the first changed what was there; what that changes again is unknown.

    Such are counts and attributes that a function changes which is called in the loop.
    """
    heap = machine.heap
    joined = {}
    for (obj, key), old in heap.before(mark).items():
        new = obj.cells.get(key, MISSING)
        if key != LATER and MISSING not in (old, new) and UNKNOWN not in (old, new) and old != new:
            joined[obj, key] = join(old, new)
    if not joined:
        return
    for (obj, key), value in joined.items():
        heap.write(obj, key, value)
    with machine.merging():
        machine.maybe(frame, turn, machine.place(frame))
    for (obj, key), value in joined.items():
        present = obj.cells.get(key, MISSING)
        if not set(alternatives(present)) <= set(alternatives(value)):
            heap.write(obj, key, UNKNOWN)


def _forget_changed(machine: Machine, frame: Frame, body: ir.Body) -> None:
    """Make unknown what earlier turns of a loop may have bound, or added to."""
    for name in bound_names(body):
        if is_bound(machine, frame, name):
            bind(machine, frame, name, UNKNOWN)
    for target in added_to(body):
        try:
            assign(machine, frame, target, UNKNOWN)
        except Abrupt:  # what stands there is bound in the loop only
            continue
