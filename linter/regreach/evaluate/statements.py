"""Statements on the abstract machine: one small function for each kind."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from regreach.evaluate import expressions as ev
from regreach.evaluate.ancestry import class_mro
from regreach.evaluate.calls import call, define_class, instantiate_exception
from regreach.evaluate.frames import Abrupt, Frame, Pending, Place
from regreach.evaluate.importing import bind, import_from, import_statement
from regreach.evaluate.iteration import items_of, iterate
from regreach.evaluate.machine import Machine
from regreach.evaluate.patterns import match_pattern
from regreach.evaluate.values import (
    MISSING,
    NONE,
    OPEN,
    UNKNOWN,
    Class,
    Const,
    Dict,
    External,
    Instance,
    Module,
    Raised,
    Scope,
    Tuple,
    Value,
)
from regreach.facts import ir

# A ``while`` loop whose condition is known is run this often before its condition counts as unknown.
MAX_TURNS = 64


def run_block(machine: Machine, frame: Frame, body: ir.Body) -> None:
    """Run statements in order. Raises Abrupt when they end abruptly."""
    for statement in body:
        frame.line = statement.line
        machine.spend()
        _RUN[type(statement)](machine, frame, statement)


def _block(machine: Machine, frame: Frame, body: ir.Body) -> Callable[[], Value]:
    def run() -> Value:
        run_block(machine, frame, body)
        return NONE

    return run


def _expression(machine: Machine, frame: Frame, node: ir.ExprStmt) -> None:
    ev.evaluate(machine, frame, node.value)


def _assign(machine: Machine, frame: Frame, node: ir.Assign) -> None:
    value = ev.evaluate(machine, frame, node.value)
    for target in node.targets:
        assign(machine, frame, target, value)


def _ann_assign(machine: Machine, frame: Frame, node: ir.AnnAssign) -> None:
    if node.value is not None:
        assign(machine, frame, node.target, ev.evaluate(machine, frame, node.value))
    if isinstance(node.target, ir.Name) and isinstance(frame.scope, Scope):
        fields = frame.scope.cells.get("<fields>", MISSING)
        if isinstance(fields, Tuple):
            machine.heap.write(
                frame.scope, "<fields>", Tuple((*fields.items, Const(node.target.id)))
            )


def _aug_assign(machine: Machine, frame: Frame, node: ir.AugAssign) -> None:
    left = ev.evaluate(machine, frame, node.target)
    right = ev.evaluate(machine, frame, node.value)
    assign(
        machine, frame, node.target, ev.binary(machine, frame, node.op, left, right, in_place=True)
    )


def assign(machine: Machine, frame: Frame, target: ir.Expr, value: Value) -> None:
    """Bind a target (name, attribute, subscript, tuple or list of targets) to a value."""
    if isinstance(target, ir.Name):
        bind(machine, frame, target.id, value)
    elif isinstance(target, ir.Attribute):
        owner = ev.evaluate(machine, frame, target.value)
        ev.set_attribute(machine, frame, owner, target.attr, value)
    elif isinstance(target, ir.Subscript):
        owner = ev.evaluate(machine, frame, target.value)
        key = ev.evaluate(machine, frame, target.index)
        ev.set_item(machine, frame, owner, key, value)
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


def _delete(machine: Machine, frame: Frame, node: ir.Delete) -> None:
    for target in node.targets:
        if isinstance(target, ir.Name):
            _delete_name(machine, frame, target.id)
        elif isinstance(target, ir.Subscript):
            value = ev.evaluate(machine, frame, target.value)
            key = ev.evaluate(machine, frame, target.index)
            if isinstance(value, Dict):
                machine.heap.write(value, key, MISSING)
        elif isinstance(target, ir.Attribute):
            value = ev.evaluate(machine, frame, target.value)
            if isinstance(value, (Module, Class, Instance)):
                machine.heap.write(value, target.attr, MISSING)


def _delete_name(machine: Machine, frame: Frame, name: str) -> None:
    owner = frame.module if name in frame.global_names else frame.scope
    if name not in owner.cells and name not in frame.outer_names and OPEN not in owner.cells:
        if name in machine.local_names(frame):
            raise machine.unbound_local(frame, name)
        raise machine.error(frame, "NameError", f"name {name!r} is not defined")
    machine.heap.write(owner, name, MISSING)


def _scope(_: Machine, frame: Frame, node: ir.Scope) -> None:
    names = frame.global_names if node.kind == "global" else frame.outer_names
    names.update(node.names)


def _return(machine: Machine, frame: Frame, node: ir.Return) -> None:
    value = ev.evaluate(machine, frame, node.value) if node.value is not None else NONE
    raise Abrupt("return", value)


def _raise(machine: Machine, frame: Frame, node: ir.Raise) -> None:
    if node.exc is None:
        raised: Value = frame.handling or Raised(UNKNOWN, "", frame.module.name, frame.line)
        raise Abrupt("raise", raised)
    value = ev.evaluate(machine, frame, node.exc)
    frame.line = node.line
    raise Abrupt("raise", instantiate_exception(machine, frame, value))


def _assert(machine: Machine, frame: Frame, node: ir.Assert) -> None:
    def fail() -> Value:
        raise machine.error(frame, "AssertionError")

    verdict = ev.truth(machine, frame, ev.evaluate(machine, frame, node.test))
    frame.line = node.line
    if verdict is False:
        fail()
    # an assertion of which nothing is known states what its author holds to be true
    if verdict is None and ev.is_known_to_fail_for_some(machine, frame, node.test):
        _branch(machine, frame, node.test, lambda: NONE, fail)


def _jump(_: Machine, __: Frame, node: ir.Jump) -> None:
    if node.kind != "pass":
        raise Abrupt(node.kind)


def _branch(
    machine: Machine,
    frame: Frame,
    test: ir.Expr,
    when_true: Callable[[], Value],
    when_false: Callable[[], Value],
) -> Value:
    """Run one way, or both when the test is unknown; names that the test is about are narrowed."""
    place = machine.place(frame)
    verdict = ev.truth(machine, frame, ev.evaluate(machine, frame, test))
    if verdict is True:
        if machine.taken is not None:
            machine.taken.append(place)
        return when_true()
    if verdict is False:
        return when_false()

    def narrowed(way: Callable[[], Value], outcome: bool) -> Callable[[], Value]:
        def run() -> Value:
            ev.narrow(machine, frame, test, outcome)
            return way()

        return run

    negated, subject = ev.subject_text(test)
    ways = narrowed(when_true, True), narrowed(when_false, False)
    if negated:
        return machine.fork(frame, ways[1], ways[0], place, subject)
    return machine.fork(frame, ways[0], ways[1], place, subject)


def _if(machine: Machine, frame: Frame, node: ir.If) -> None:
    _branch(
        machine,
        frame,
        node.test,
        _block(machine, frame, node.body),
        _block(machine, frame, node.orelse),
    )


def _loop_turn(machine: Machine, frame: Frame, body: ir.Body) -> Abrupt | None:
    """Run a loop's body once, ``continue`` being its end; return how it ends otherwise."""
    start = len(frame.pendings)
    current: Abrupt | None = None
    try:
        run_block(machine, frame, body)
    except Abrupt as abrupt:
        current = None if abrupt.kind == "continue" else abrupt
    return machine.settle(frame, start, ("continue",), current, lambda _: None)


def _end_loop(
    machine: Machine, frame: Frame, start: int, current: Abrupt | None, orelse: ir.Body
) -> None:
    if current is None:
        try:
            run_block(machine, frame, orelse)
        except Abrupt as abrupt:
            current = abrupt
    elif current.kind == "break":
        current = None
    current = machine.settle(frame, start, ("break",), current, lambda _: None)
    if current is not None:
        raise current


def _for(machine: Machine, frame: Frame, node: ir.For) -> None:
    iterable = ev.evaluate(machine, frame, node.iter)
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


def _some_turns(machine: Machine, frame: Frame, body: ir.Body, before: Callable[[], None]) -> None:
    """Run a loop's body an unknown number of times: once, perhaps, with what it assigns unknown."""

    def turn() -> Value:
        for name in _assigned_names(body):
            if name in frame.scope.cells and isinstance(frame.scope, Scope):
                value = frame.scope.cells[name]
                if isinstance(value, (Const, Tuple)):
                    bind(machine, frame, name, UNKNOWN)
        before()
        ended = _loop_turn(machine, frame, body)
        if ended is not None:
            raise ended
        return NONE

    machine.maybe(frame, turn, machine.place(frame))


def _assigned_names(body: ir.Body) -> set[str]:
    names: set[str] = set()
    for node in body:
        if isinstance(node, ir.Assign):
            names.update(t.id for t in node.targets if isinstance(t, ir.Name))
        elif isinstance(node, (ir.AugAssign, ir.AnnAssign)) and isinstance(node.target, ir.Name):
            names.add(node.target.id)
        for part in ("body", "orelse", "final"):
            inner = getattr(node, part, ())
            if isinstance(inner, tuple) and not isinstance(node, (ir.FunctionDef, ir.ClassDef)):
                names |= _assigned_names(inner)
    return names


def _while(machine: Machine, frame: Frame, node: ir.While) -> None:
    start = len(frame.pendings)
    current: Abrupt | None = None
    context = frame.context
    for turn in range(MAX_TURNS):
        frame.line = node.line
        verdict = ev.truth(machine, frame, ev.evaluate(machine, frame, node.test))
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


def _with(machine: Machine, frame: Frame, node: ir.With) -> None:
    suppressed: list[Value] = []
    for item, target in node.items:
        manager = ev.evaluate(machine, frame, item)
        if isinstance(item, ir.Call) and isinstance(manager, External):
            if manager.path == "contextlib.suppress()":
                suppressed = [ev.evaluate(machine, frame, a.value) for a in item.args]
        entered: Value = UNKNOWN
        if isinstance(manager, Instance):
            enter = ev.get_attribute(machine, frame, manager, "__enter__")
            if enter is not MISSING:
                entered = call(machine, frame, enter, (), {}, site=(id(node), "enter"))
        if target is not None:
            assign(machine, frame, target, entered)
    if suppressed:
        kind = Tuple(tuple(suppressed))
        _protected(
            machine,
            frame,
            _block(machine, frame, node.body),
            [(lambda value: _matches(value, kind), lambda _: None)],
            (),
        )
    else:
        run_block(machine, frame, node.body)


_IMPORT_ERROR = Raised(External("builtins.ImportError"))
_HandlerPair = tuple[Callable[[Raised], "bool | None"], Callable[[Raised], None]]


def _try(machine: Machine, frame: Frame, node: ir.Try) -> None:
    handlers: list[_HandlerPair] = [_handler(machine, frame, handler) for handler in node.handlers]
    ended: Abrupt | None = None
    try:
        _protected(machine, frame, _block(machine, frame, node.body), handlers, node.orelse)
    except Abrupt as abrupt:
        ended = abrupt
    if node.final:
        run_block(machine, frame, node.final)
    if ended is not None:
        raise ended


def _handler(machine: Machine, frame: Frame, node: ir.Handler) -> _HandlerPair:
    def matches(raised: Raised) -> bool | None:
        if node.type is None:
            return True
        return _matches(raised, ev.evaluate(machine, frame, node.type))

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
            machine.heap.write(frame.scope, node.name, MISSING)

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
        current = abrupt
    finally:
        if guards:
            machine.import_guards.pop()
    body_end = len(frame.pendings)
    if current is None:
        if orelse:
            try:
                run_block(machine, frame, orelse)
            except Abrupt as abrupt:
                current = abrupt
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
    raised = value if isinstance(value, Raised) else Raised(UNKNOWN)
    results = [matches(raised) for matches, _ in handlers]
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
            return abrupt
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
        if name in ("Exception", "BaseException"):
            # what is not known to be raised is an Exception all the same
            return True
        if ancestors is None:
            return None
        if isinstance(getattr(builtins, name, None), type):
            return name in ancestors
        return None if UNKNOWN in ancestors else kinds in ancestors
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


def _function(machine: Machine, frame: Frame, node: ir.FunctionDef) -> None:
    from regreach.evaluate.calls import apply_decorators, make_function

    decorators = [ev.evaluate(machine, frame, d.value) for d in node.decorators]
    function = make_function(machine, frame, node)
    value = apply_decorators(machine, frame, node.decorators, decorators, function)
    frame.line = node.line
    bind(machine, frame, node.name, value)


def _class(machine: Machine, frame: Frame, node: ir.ClassDef) -> None:
    from regreach.evaluate.calls import apply_decorators

    decorators = [ev.evaluate(machine, frame, d.value) for d in node.decorators]
    cls = define_class(machine, frame, node)
    value = apply_decorators(machine, frame, node.decorators, decorators, cls)
    frame.line = node.line
    bind(machine, frame, node.name, value)


def _match(machine: Machine, frame: Frame, node: ir.Match) -> None:
    subject = ev.evaluate(machine, frame, node.subject)
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
                _block(machine, frame, case.body),
                lambda: run(index + 1),
            )

        if verdict is True:
            return taken()
        return machine.fork(frame, taken, lambda: run(index + 1), place)

    run(0)


_RUN: dict[type, Callable[[Machine, Frame, Any], None]] = {
    ir.Import: import_statement,
    ir.ImportFrom: import_from,
    ir.Assign: _assign,
    ir.AnnAssign: _ann_assign,
    ir.AugAssign: _aug_assign,
    ir.ExprStmt: _expression,
    ir.Return: _return,
    ir.Raise: _raise,
    ir.Assert: _assert,
    ir.Delete: _delete,
    ir.Scope: _scope,
    ir.Jump: _jump,
    ir.If: _if,
    ir.For: _for,
    ir.While: _while,
    ir.Try: _try,
    ir.With: _with,
    ir.FunctionDef: _function,
    ir.ClassDef: _class,
    ir.Match: _match,
}
