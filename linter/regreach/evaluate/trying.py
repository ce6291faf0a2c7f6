"""``try`` and ``with``: which handler takes an exception, and how that goes on."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from regreach.evaluate.ancestry import class_mro, class_of, look_up_in_class
from regreach.evaluate.assignment import assign
from regreach.evaluate.attributes import get_attribute
from regreach.evaluate.binding import bind
from regreach.evaluate.calls import call
from regreach.evaluate.comparisons import truth
from regreach.evaluate.dispatch import block, evaluate, run_block
from regreach.evaluate.frames import Abrupt, Frame, Pending
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import (
    MISSING,
    NONE,
    UNKNOWN,
    Class,
    External,
    Function,
    Instance,
    Raised,
    Tuple,
    Value,
)
from regreach.facts import ir

_IMPORT_ERROR = Raised(External("builtins.ImportError"))
_HandlerPair = tuple[Callable[[Raised], "bool | None"], Callable[[Raised], None]]


def try_statement(machine: Machine, frame: Frame, node: ir.Try) -> None:
    """Run ``try``."""
    handlers: list[_HandlerPair] = [_handler(machine, frame, handler) for handler in node.handlers]

    def guarded() -> Value:
        _protected(machine, frame, block(machine, frame, node.body), handlers, node.orelse)
        return NONE

    if not node.final:
        guarded()
        return

    def leave(ended: Abrupt | None) -> Abrupt | None:
        run_block(machine, frame, node.final)
        return ended

    _leaving(machine, frame, guarded, leave)


def _leaving(
    machine: Machine,
    frame: Frame,
    body: Callable[[], Value],
    leave: Callable[[Abrupt | None], Abrupt | None],
) -> None:
    """Run a body and ``leave`` it, however it ends; ``leave`` returns how that goes on.

    Each end that was put aside at a branch in the body is left, too.
    """
    start = len(frame.pendings)

    def left(ended: Abrupt | None) -> Abrupt | None:
        try:
            return leave(ended)
        except Abrupt as other:
            return other.caught()

    current: Abrupt | None = None
    try:
        body()
    except Abrupt as abrupt:
        current = abrupt.caught()
    aside = frame.pendings[start:]
    for pending in aside:
        pending.kind = f"leaving {pending.kind}"
    current = left(current)

    def take_up(pending: Pending) -> None:
        after = left(Abrupt(pending.kind.removeprefix("leaving "), pending.value))
        if after is not None:
            raise after

    if aside:
        kinds = tuple({p.kind for p in aside})
        current = machine.settle(frame, start, kinds, current, take_up)
    if current is not None:
        raise current


def with_statement(machine: Machine, frame: Frame, node: ir.With) -> None:
    """Run ``with``: each manager is entered inside the one before it."""
    _with_items(machine, frame, node, 0)


def _with_items(machine: Machine, frame: Frame, node: ir.With, index: int) -> None:
    """Run ``with`` from a manager on.

    What is done on leaving is known of classes of the tree and of ``contextlib.suppress``; others are
    taken to let exceptions pass.
    """
    if index == len(node.items):
        run_block(machine, frame, node.body)
        return
    item, target = node.items[index]
    manager = evaluate(machine, frame, item)
    entered: Value = UNKNOWN
    suppresses = manager == External("contextlib.suppress()") and isinstance(item, ir.Call)
    if suppresses:
        entered = NONE
    elif isinstance(manager, Instance):
        enter = get_attribute(machine, frame, manager, "__enter__")
        if enter is not MISSING:
            entered = call(machine, frame, enter, (), {}, site=(id(node), index, "enter"))

    def inside() -> Value:
        if target is not None:
            assign(machine, frame, target, entered)
        _with_items(machine, frame, node, index + 1)
        return NONE

    if suppresses:
        assert isinstance(item, ir.Call)
        kinds = Tuple(tuple(evaluate(machine, frame, a.value) for a in item.args))
        taken: _HandlerPair = (lambda value: _matches(value, kinds), lambda _: None)
        _protected(machine, frame, inside, [taken], ())
    elif isinstance(manager, Instance) and isinstance(
        look_up_in_class(manager.cls, "__exit__"), Function
    ):
        _leaving(machine, frame, inside, _exit_of(machine, frame, node, index, manager))
    else:
        inside()


def _exit_of(
    machine: Machine, frame: Frame, node: ir.With, index: int, manager: Instance
) -> Callable[[Abrupt | None], Abrupt | None]:
    """Return what calls ``__exit__``, which may take an exception."""
    place = machine.place(frame)

    def leave(ended: Abrupt | None) -> Abrupt | None:
        raised = ended.value if ended is not None and ended.kind == "raise" else None
        args = (NONE, NONE, NONE) if raised is None else (class_of(raised), raised, UNKNOWN)
        method = look_up_in_class(manager.cls, "__exit__")
        site = (id(node), index, "exit", raised is None)
        result = call(machine, frame, method, (manager, *args), {}, site=site)
        if ended is None or raised is None:
            return ended
        takes = truth(machine, frame, result)
        if takes is None:
            machine.maybe(frame, lambda: _raise(ended), place)
        return ended if takes is False else None

    return leave


def _raise(ended: Abrupt) -> Value:
    raise ended


def _handler(machine: Machine, frame: Frame, node: ir.Handler) -> _HandlerPair:
    def matches(raised: Raised) -> bool | None:
        if node.type is None:
            return True
        return _matches(raised, evaluate(machine, frame, node.type))

    def run(raised: Raised) -> None:
        outer = frame.handling
        frame.handling = raised
        if node.name is not None:
            bind(machine, frame, node.name, raised)
        try:
            run_block(machine, frame, node.body)
        finally:
            frame.handling = outer
            if node.name is not None:
                bind(machine, frame, node.name, MISSING)

    return matches, run


def _protected(
    machine: Machine,
    frame: Frame,
    body: Callable[[], Value],
    handlers: list[_HandlerPair],
    orelse: ir.Body,
) -> None:
    """Run a body whose exceptions the handlers take, then the ``else`` block."""
    start = len(frame.pendings)
    line = frame.line
    current: Abrupt | None = None
    guards = _first_match(_IMPORT_ERROR, handlers) is not False
    if guards:
        machine.import_guards.append(frame.module)
    try:
        body()
    except Abrupt as abrupt:
        current = abrupt.caught()
    finally:
        if guards:
            machine.import_guards.pop()
    body_end = len(frame.pendings)
    if current is None:
        if orelse:
            try:
                run_block(machine, frame, orelse)
            except Abrupt as abrupt:
                current = abrupt.caught()
    elif current.kind == "raise":
        current = _handle(machine, frame, current, handlers)
    raised_in_body = [
        p
        for p in frame.pendings[start:body_end]
        if p.kind == "raise" and _first_match(p.value, handlers) is not False
    ]
    for pending in raised_in_body:
        pending.kind = "caught"

    def take_up(pending: Pending) -> None:
        frame.line = line
        ended = _handle(machine, frame, Abrupt("raise", pending.value), handlers)
        if ended is not None:
            raise ended

    current = machine.settle(frame, start, ("caught",), current, take_up)
    if current is not None:
        raise current


def _first_match(value: Value, handlers: list[_HandlerPair]) -> bool | None:
    """Return whether one of the handlers would take an exception that may be raised.

    Python looks at what stands behind ``except`` only when it is: a name there need not be bound yet.
    """
    raised = value if isinstance(value, Raised) else Raised(UNKNOWN)
    try:
        results = [matches(raised) for matches, _ in handlers]
    except Abrupt:
        return None
    if any(r is True for r in results):
        return True
    return None if None in results else False


def _handle(
    machine: Machine, frame: Frame, raised: Abrupt, handlers: list[_HandlerPair]
) -> Abrupt | None:
    """Run the handler that takes an exception; return how that ends."""
    value = raised.value if isinstance(raised.value, Raised) else Raised(UNKNOWN)
    for index, (matches, run) in enumerate(handlers):
        verdict = matches(value)
        if verdict is False:
            continue
        try:
            if verdict is True:
                run(value)
                return None
            rest = handlers[index + 1 :]

            def taken(run: Callable[[Raised], None] = run) -> Value:
                run(value)
                return NONE

            def passed(rest: list[_HandlerPair] = rest) -> Value:
                ended = _handle(machine, frame, raised, rest)
                if ended is not None:
                    raise ended
                return NONE

            machine.fork(frame, taken, passed, machine.place(frame))
        except Abrupt as abrupt:
            return abrupt.caught()
        return None
    return raised


def _matches(raised: Value, kinds: Value) -> bool | None:
    """Return whether an exception is an instance of a class or a tuple of classes."""
    if isinstance(kinds, Tuple):
        results = [_matches(raised, k) for k in kinds.items]
        if True in results:
            return True
        return None if None in results else False
    ancestors = _ancestors(raised.cls) if isinstance(raised, Raised) else None
    if isinstance(kinds, Class):
        return None if ancestors is None else kinds in ancestors
    if isinstance(kinds, External):
        name = kinds.path.removeprefix("builtins.")
        open_ended = ancestors is None or UNKNOWN in ancestors
        if name in ("Exception", "BaseException") and open_ended:
            return True  # what is not known to be raised is an Exception all the same
        if ancestors is not None and (kinds in ancestors or name in ancestors):
            return True
        return None if open_ended else False
    return None


def _ancestors(cls: Value) -> set[Any] | None:
    """Return an exception class and its ancestors: Class objects, builtins by name, UNKNOWN."""
    if isinstance(cls, External):
        builtin = getattr(builtins, cls.path.removeprefix("builtins."), None)
        if isinstance(builtin, type):
            return {c.__name__ for c in builtin.__mro__}
        return {cls, UNKNOWN}
    if isinstance(cls, Class):
        result: set[Any] = set()
        for each in class_mro(cls):
            if isinstance(each, Class):
                result.add(each)
            else:
                result |= _ancestors(each) or {UNKNOWN}
        return result
    return None
