"""Statements that go one way or the other: ``if``, ``assert``, ``match``."""

from __future__ import annotations

from collections.abc import Callable

from regreach.evaluate.binding import bind
from regreach.evaluate.conditions import holds
from regreach.evaluate.dispatch import block, evaluate, run_block
from regreach.evaluate.frames import Frame, Place
from regreach.evaluate.machine import Machine
from regreach.evaluate.narrowing import is_known_to_fail_for_some, narrow, subject_text
from regreach.evaluate.patterns import match_pattern
from regreach.evaluate.values import NONE, Value
from regreach.facts import ir


def if_statement(machine: Machine, frame: Frame, node: ir.If) -> None:
    """Run ``if``; an ``elif`` is an ``if`` in the other way."""
    _branch(
        machine,
        frame,
        node.test,
        block(machine, frame, node.body),
        block(machine, frame, node.orelse),
        node.else_line,
    )


def assert_statement(machine: Machine, frame: Frame, node: ir.Assert) -> None:
    """Run ``assert``."""

    def fail() -> Value:
        raise machine.error(frame, "AssertionError")

    verdict = holds(machine, frame, node.test)
    frame.line = node.line
    if verdict is False:
        fail()
    # an assertion of which nothing is known states what its author holds to be true
    if verdict is None and is_known_to_fail_for_some(machine, frame, node.test):
        _branch(machine, frame, node.test, lambda: NONE, fail)


def _branch(
    machine: Machine,
    frame: Frame,
    test: ir.Expr,
    when_true: Callable[[], Value],
    when_false: Callable[[], Value],
    else_line: int = 0,
) -> Value:
    """Run one way, or both when the test is unknown; names that the test is about are narrowed."""
    place = machine.place(frame)
    verdict = holds(machine, frame, test)
    if verdict is True:
        _note(machine, frame, place.line)
        return when_true()
    if verdict is False:
        if else_line:
            _note(machine, frame, else_line)
        return when_false()

    def narrowed(way: Callable[[], Value], outcome: bool) -> Callable[[], Value]:
        def run() -> Value:
            narrow(machine, frame, test, outcome)
            return way()

        return run

    negated, subject = subject_text(test)
    ways = narrowed(when_true, True), narrowed(when_false, False)
    if negated:
        return machine.fork(frame, ways[1], ways[0], place, subject)
    return machine.fork(frame, ways[0], ways[1], place, subject)


def _note(machine: Machine, frame: Frame, line: int) -> None:
    """Note that the branch with this header is taken for certain."""
    if machine.taken is not None:
        machine.taken.append(Place(frame.module.name, line))


def match_statement(machine: Machine, frame: Frame, node: ir.Match) -> None:
    """Run ``match``: the first case that matches, or each that may."""
    subject = evaluate(machine, frame, node.subject)
    place = Place(frame.module.name, node.line)

    def run(index: int) -> Value:
        if index == len(node.cases):
            return NONE
        case = node.cases[index]
        frame.line = case.line
        bound: dict[str, Value] = {}
        verdict = match_pattern(machine, frame, subject, case.pattern, bound)
        if verdict is False:
            return run(index + 1)

        def taken() -> Value:
            for name, value in bound.items():
                bind(machine, frame, name, value)
            if case.guard is None:
                run_block(machine, frame, case.body)
                return NONE
            return _branch(
                machine,
                frame,
                case.guard,
                block(machine, frame, case.body),
                lambda: run(index + 1),
            )

        if verdict is True:
            if case.guard is None:
                _note(machine, frame, case.line)
            return taken()
        return machine.fork(frame, taken, lambda: run(index + 1), place)

    run(0)
