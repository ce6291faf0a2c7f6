"""Calls on the abstract machine: which function runs, with which arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from regreach.evaluate.ancestry import look_up_in_class
from regreach.evaluate.dispatch import evaluate, run_block
from regreach.evaluate.frames import Abrupt, Frame
from regreach.evaluate.functions import body_of, parameters
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import (
    MISSING,
    NONE,
    OPEN,
    UNKNOWN,
    Bound,
    Builtin,
    Class,
    Const,
    Descriptor,
    Dict,
    External,
    Function,
    Instance,
    Listing,
    Module,
    Partial,
    Scope,
    Tuple,
    Union,
    Value,
)
from regreach.facts import ir
from regreach.facts.walk import is_generator


def call(
    machine: Machine,
    frame: Frame,
    function: Value,
    args: tuple[Value, ...],
    keywords: Mapping[str, Value],
    *,
    site: tuple[Any, ...],
    complete: bool = True,
) -> Value:
    """Call a value; ``site`` identifies the place of the call, ``complete`` that all arguments are known.

    Returns UNKNOWN for what cannot be followed. Raises Abrupt when the call raises.
    """
    if isinstance(function, Bound):
        return call(
            machine,
            frame,
            function.function,
            (function.receiver, *args),
            keywords,
            site=site,
            complete=complete,
        )
    if isinstance(function, Function):
        return _call_function(machine, frame, function, args, keywords, site, complete)
    if isinstance(function, Class):
        from regreach.evaluate.instances import instantiate

        return instantiate(machine, frame, function, args, keywords, site=site, complete=complete)
    if isinstance(function, Builtin):
        return function.call(machine, frame, args, keywords, site)
    if isinstance(function, Partial):
        merged = {**dict(function.keywords), **keywords}
        return call(
            machine,
            frame,
            function.function,
            (*function.args, *args),
            merged,
            site=site,
            complete=complete,
        )
    if isinstance(function, Descriptor):
        return call(machine, frame, function.function, args, keywords, site=site, complete=complete)
    if isinstance(function, External):
        from regreach.evaluate.library.external import call_external

        return call_external(machine, frame, function, args, keywords, site)
    if isinstance(function, Instance):
        method = look_up_in_class(function.cls, "__call__")
        if isinstance(method, Function):
            return call(
                machine, frame, method, (function, *args), keywords, site=site, complete=complete
            )
        return UNKNOWN
    if isinstance(function, Union):
        return _call_any(machine, frame, function, args, keywords, site, complete)
    if isinstance(function, _NOT_CALLABLE):
        raise machine.error(frame, "TypeError", f"{_kind_of(function)} object is not callable")
    return UNKNOWN


_NOT_CALLABLE = (Const, Tuple, Dict, Listing, Module)


def _kind_of(value: Value) -> str:
    if isinstance(value, Const):
        return repr(type(value.value).__name__)
    return repr(value.kind if isinstance(value, Listing) else type(value).__name__.lower())


def _call_any(
    machine: Machine,
    frame: Frame,
    functions: Union,
    args: tuple[Value, ...],
    keywords: Mapping[str, Value],
    site: tuple[Any, ...],
    complete: bool,
) -> Value:
    choices = [f for f in functions.values if f is not MISSING]
    # who calls what may be None knows that it is not
    choices = [f for f in choices if not isinstance(f, _NOT_CALLABLE)] or choices[:1]

    def run(index: int) -> Value:
        def this() -> Value:
            return call(
                machine, frame, choices[index], args, keywords, site=site, complete=complete
            )

        if index == len(choices) - 1:
            return this()
        return machine.fork(frame, this, lambda: run(index + 1), machine.place(frame))

    return run(0) if choices else UNKNOWN


def _call_function(
    machine: Machine,
    frame: Frame,
    function: Function,
    args: tuple[Value, ...],
    keywords: Mapping[str, Value],
    site: tuple[Any, ...],
    complete: bool,
) -> Value:
    path = function.path
    override = machine.overrides.get(path)
    if override is not None:
        machine.asked.add(path)
        machine.replay.spoil()
        return override
    # regreach's own calls leave arguments out that are not known; those of the tree have a caller
    wrong = misfit(machine, function, args, keywords) if complete and machine.frames else None
    if wrong is not None:
        raise machine.error(frame, "TypeError", wrong)
    watch = machine.watches.get(path)
    if watch is not None:
        watch(args)
    definition = function.definition
    if isinstance(definition, ir.FunctionDef) and definition.is_async:
        return UNKNOWN  # a coroutine: its body does not run now
    if not machine.may_enter(function):
        return UNKNOWN
    context = machine.context(frame.context, *site)
    inner = Frame(
        function.module,
        Scope(),
        function.enclosing,
        function,
        context,
        receiver=args[0] if args else NONE,
    )
    inner.scope = machine.allocate(Scope, inner, "locals", id(definition), context)
    _bind_arguments(machine, inner, function, args, keywords, complete)
    if isinstance(definition, ir.FunctionDef):
        body = body_of(machine, function.module.name, definition)
        if is_generator(body):
            # its body runs when somebody iterates over it, and as far as they do
            machine.maybe(
                frame,
                lambda: _run_body(machine, frame, inner, definition),
                machine.place(frame),
            )
            return UNKNOWN
    return _run_body(machine, frame, inner, definition)


def misfit(
    machine: Machine, function: Function, args: Sequence[Value], keywords: Mapping[str, Value]
) -> str | None:
    """Return what the TypeError says of arguments that do not fit a function's parameters; None if they do."""
    params = parameters(machine, function)
    kinds = {p.kind for p in params}
    positional = [p for p in params if p.kind == "positional"]
    name = f"{function.qualname}()"
    if len(args) > len(positional) and "star" not in kinds:
        takes = f"{len(positional)} positional argument{'' if len(positional) == 1 else 's'}"
        return f"{name} takes {takes} but {len(args)} were given"
    if "doublestar" not in kinds:
        named = {p.name for p in params if p.kind in ("positional", "keyword")}
        filled = {p.name for p in positional[: len(args)]}
        for keyword in keywords:
            if keyword not in named:
                return f"{name} got an unexpected keyword argument {keyword!r}"
            if keyword in filled:
                return f"{name} got multiple values for argument {keyword!r}"
    for param in (*positional[len(args) :], *(p for p in params if p.kind == "keyword")):
        optional = param.default is not None or param.name in function.defaults
        if not optional and param.name not in keywords:
            kind = "keyword-only" if param.kind == "keyword" else "positional"
            return f"{name} missing 1 required {kind} argument: {param.name!r}"
    return None


def _bind_arguments(
    machine: Machine,
    inner: Frame,
    function: Function,
    args: Sequence[Value],
    keywords: Mapping[str, Value],
    complete: bool,
) -> None:
    write = machine.heap.write
    rest = list(args)
    named = dict(keywords)
    takes_all_keywords: str | None = None
    for param in parameters(machine, function):
        if param.kind == "positional" and rest:
            write(inner.scope, param.name, rest.pop(0))
        elif param.kind == "star":
            value = Tuple(tuple(rest)) if complete else UNKNOWN
            write(inner.scope, param.name, value)
            rest = []
        elif param.kind == "doublestar":
            takes_all_keywords = param.name
        elif param.name in named:
            write(inner.scope, param.name, named.pop(param.name))
        elif complete:
            write(inner.scope, param.name, _default(machine, inner, function, param))
        else:
            write(inner.scope, param.name, UNKNOWN)
    if takes_all_keywords is not None:
        extra = machine.allocate(Dict, inner, "keywords", id(function.definition))
        for name, given in named.items():
            write(extra, Const(name), given)
        if not complete:
            write(extra, OPEN, UNKNOWN)
        write(inner.scope, takes_all_keywords, extra)


def _default(machine: Machine, inner: Frame, function: Function, param: ir.Param) -> Value:
    found = function.defaults.get(param.name)
    if found is None:
        # evaluated by the ``def`` statement, unless it is a literal
        found = UNKNOWN if param.default is None else evaluate(machine, inner, param.default)
    return found


def _run_body(
    machine: Machine, frame: Frame, inner: Frame, definition: ir.FunctionDef | ir.Lambda
) -> Value:
    current: Abrupt | None = Abrupt("return")
    with machine.running(inner), machine.calling():
        try:
            if isinstance(definition, ir.Lambda):
                inner.line = frame.line
                current = Abrupt("return", evaluate(machine, inner, definition.body))
            else:
                inner.body = body_of(machine, inner.module.name, definition)
                run_block(machine, inner, machine.bodies.get(id(definition), inner.body))
        except Abrupt as abrupt:
            current = abrupt.caught()

        def take_up(pending: Any) -> Value:
            raise Abrupt("return", pending.value)

        current = machine.settle(inner, 0, ("return",), current, take_up)
        # settle may have left the present way as a pending raise and gone on with a return
    frame.pendings.extend(p for p in inner.pendings if p.kind == "raise")
    if current is None:
        current = Abrupt("return")
    if current.kind == "raise":
        raise current
    return current.value
