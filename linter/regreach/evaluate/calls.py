"""Calls, functions and classes on the abstract machine."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from typing import Any

from regreach.evaluate import expressions as ev
from regreach.evaluate.ancestry import class_mro, look_up_in_class
from regreach.evaluate.dispatch import evaluate, run_block
from regreach.evaluate.frames import Abrupt, Frame
from regreach.evaluate.iteration import items_of
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
    Partial,
    Raised,
    Scope,
    Tuple,
    Union,
    Value,
    may_be_missing,
    union,
    without_missing,
)
from regreach.facts import ir
from regreach.facts.walk import is_generator

_ENUM_BASES = {"enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.Flag", "enum.IntFlag"}
_PLAIN_METACLASS = External("abc.ABCMeta")
# A class with such a base is made from its annotated fields, as a dataclass is.
_RECORD_BASES = {
    External("typing.NamedTuple"),
    External("msgspec.Struct"),
    External("pydantic.BaseModel"),
}


# -- calling ----------------------------------------------------------------------------------


def call_expression(machine: Machine, frame: Frame, node: ir.Call) -> Value:
    """Evaluate a call expression: function, arguments, the call."""
    function = evaluate(machine, frame, node.func)
    if function == External("builtins.super"):
        return _super(machine, frame, node)
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
            items = items_of(machine, frame, value)
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
    from regreach.evaluate.library import call_external

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
    return UNKNOWN


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
                run_block(machine, inner, inner.body)
        except Abrupt as abrupt:
            current = abrupt

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


def parameters(machine: Machine, function: Function) -> tuple[ir.Param, ...]:
    """Return the parameters of a function, parsed now if need be."""
    definition = function.definition
    if definition.params is not None:
        return definition.params
    facts = machine.sources.facts(function.module.name)
    assert facts is not None, "a function of a module without source"
    return facts.params_of(definition)


def body_of(machine: Machine, module: str, definition: ir.FunctionDef) -> ir.Body:
    """Return the statements of a function, parsed now if need be."""
    facts = machine.sources.facts(module)
    assert facts is not None, "a function of a module without source"
    return facts.body_of(definition)


# -- functions --------------------------------------------------------------------------------


def make_function(machine: Machine, frame: Frame, node: ir.FunctionDef) -> Function:
    """Create the function object of a ``def`` statement; its defaults are evaluated now."""
    function = _new_function(machine, frame, node, node.name)
    for param in node.params or ():
        if param.default is not None:
            function.defaults[param.name] = evaluate(machine, frame, param.default)
    return function


def make_lambda(machine: Machine, frame: Frame, node: ir.Lambda) -> Function:
    """Create the function object of a ``lambda``."""
    function = _new_function(machine, frame, node, "<lambda>")
    for param in node.params:
        if param.default is not None:
            function.defaults[param.name] = evaluate(machine, frame, param.default)
    return function


def _new_function(
    machine: Machine, frame: Frame, node: ir.FunctionDef | ir.Lambda, name: str
) -> Function:
    in_class = isinstance(frame.scope, Scope) and "<class>" in frame.scope.cells
    enclosing = frame.enclosing
    if isinstance(frame.scope, Scope) and not in_class:
        enclosing = (*enclosing, frame.scope)
    prefix = ""
    if in_class:
        owner = frame.scope.cells["<class>"]
        prefix = owner.qualname + "." if isinstance(owner, Class) else ""
    elif frame.function is not None:
        prefix = f"{frame.function.qualname}.<locals>."

    def make() -> Function:
        return Function(node, frame.module, prefix + name, enclosing)

    function = machine.allocate(make, frame, "function", id(node))
    assert isinstance(function, Function)
    if in_class:
        owner = frame.scope.cells["<class>"]
        function.owner = owner if isinstance(owner, Class) else None
    elif frame.function is not None:
        function.owner = frame.function.owner
    return function


def apply_decorators(
    machine: Machine,
    frame: Frame,
    nodes: Sequence[ir.Decorator],
    decorators: Sequence[Value],
    value: Value,
) -> Value:
    """Apply evaluated decorators, the one next to the definition first."""
    from regreach.evaluate.library import decorate_external

    for node, decorator in zip(reversed(nodes), reversed(decorators), strict=True):
        frame.line = node.line
        if isinstance(decorator, External):
            value = decorate_external(machine, decorator, value)
        else:
            value = call(machine, frame, decorator, (value,), {}, site=("decorate", id(node)))
    return value


# -- classes ----------------------------------------------------------------------------------


def define_class(machine: Machine, frame: Frame, node: ir.ClassDef) -> Value:
    """Run a ``class`` statement: bases, body, the class object."""
    bases: list[Value] = []
    keywords: dict[str, Value] = {}
    for arg in node.args:
        value = evaluate(machine, frame, arg.value)
        if arg.keyword is not None:
            keywords[arg.keyword] = value
        else:
            bases.append(UNKNOWN if arg.star else value)
    frame.line = node.line
    prefix = ""
    if isinstance(frame.scope, Scope):
        outer = frame.scope.cells.get("<class>")
        if isinstance(outer, Class):
            prefix = outer.qualname + "."
        elif frame.function is not None:
            prefix = f"{frame.function.qualname}.<locals>."
    made = machine.allocate(
        lambda: Class(frame.module, prefix + node.name), frame, "class", id(node)
    )
    assert isinstance(made, Class)
    made.bases = tuple(bases)
    made.mro = ()
    made.mro = class_mro(made)
    made.is_enum = _is_enum(made)
    made.is_dataclass = any(
        b in _RECORD_BASES or (isinstance(b, Class) and b.is_dataclass) for b in class_mro(made)[1:]
    )
    scope = machine.allocate(Scope, frame, "class body", id(node))
    assert isinstance(scope, Scope)
    write = machine.heap.write
    write(scope, "<class>", made)
    write(scope, "<fields>", Tuple(()))
    enclosing = frame.enclosing
    if isinstance(frame.scope, Scope) and "<class>" not in frame.scope.cells:
        enclosing = (*enclosing, frame.scope)
    body_frame = Frame(
        frame.module,
        scope,
        enclosing,
        frame.function,
        machine.context(frame.context, "class", id(node)),
    )
    ended: Abrupt | None = None
    with machine.running(body_frame):
        try:
            run_block(machine, body_frame, node.body)
        except Abrupt as abrupt:
            ended = abrupt
    frame.pendings.extend(body_frame.pendings)
    if ended is not None:
        raise ended
    order = []
    for name, value in scope.cells.items():
        if name == "<class>":
            continue
        write(made, name, value)
        order.append(name)
    if keywords.get("metaclass", _PLAIN_METACLASS) != _PLAIN_METACLASS:
        write(made, OPEN, UNKNOWN)  # it may give the class more attributes
    if made.is_enum:
        _make_members(machine, frame, made, order)
    for name in order:
        _set_name(machine, frame, made, name)
    _init_subclass(machine, frame, made, keywords)
    return made


def _is_enum(cls: Class) -> bool:
    return any(isinstance(c, External) and c.path in _ENUM_BASES for c in class_mro(cls))


def _make_members(machine: Machine, frame: Frame, cls: Class, names: Sequence[str]) -> None:
    members: list[str] = []
    by_value: dict[Value, Value] = {}
    count = 0
    for name in names:
        value = cls.cells[name]
        if name.startswith(("_", "<")) or isinstance(value, (Function, Descriptor, Class)):
            continue
        if isinstance(value, (Bound, Builtin, Partial)):
            continue
        if value == External("enum.auto()"):
            count += 1
            value = Const(count)
        elif isinstance(value, Const) and isinstance(value.value, int):
            count = value.value
        if value in by_value:
            machine.heap.write(cls, name, by_value[value])  # an alias
            continue
        member = machine.allocate(
            lambda name=name: Instance(cls, name),  # type: ignore[misc]
            frame,
            "member",
            id(cls),
            name,
        )
        machine.heap.write(member, "value", value)
        machine.heap.write(member, "_value_", value)
        machine.heap.write(member, "name", Const(name))
        machine.heap.write(cls, name, member)
        by_value[value] = member
        members.append(name)
    cls.members = tuple(members)


def _set_name(machine: Machine, frame: Frame, cls: Class, name: str) -> None:
    value = cls.cells.get(name)
    if isinstance(value, Instance) and value.member is None:
        method = look_up_in_class(value.cls, "__set_name__")
        if isinstance(method, Function):
            call(
                machine,
                frame,
                method,
                (value, cls, Const(name)),
                {},
                site=("set_name", id(cls), name),
            )


def _init_subclass(
    machine: Machine, frame: Frame, cls: Class, keywords: Mapping[str, Value]
) -> None:
    for base in class_mro(cls)[1:]:
        if isinstance(base, Class) and "__init_subclass__" in base.cells:
            method = base.cells["__init_subclass__"]
            function = method.function if isinstance(method, Descriptor) else method
            if isinstance(function, Function):
                call(machine, frame, function, (cls,), keywords, site=("init_subclass", id(cls)))
            return


def _super(machine: Machine, frame: Frame, node: ir.Call) -> Value:
    owner = frame.function.owner if frame.function is not None else None
    receiver = frame.receiver
    if len(node.args) == 2:
        first = evaluate(machine, frame, node.args[0].value)
        owner = first if isinstance(first, Class) else None
        receiver = evaluate(machine, frame, node.args[1].value)
    if owner is None or not isinstance(receiver, (Instance, Class)):
        return UNKNOWN
    cls = receiver.cls if isinstance(receiver, Instance) else receiver
    order = class_mro(cls)
    if owner not in order:
        return UNKNOWN
    rest = order[order.index(owner) + 1 :]
    proxy_class = machine.allocate(
        lambda: Class(owner.module, "super"), frame, "super", id(node), id(cls)
    )
    assert isinstance(proxy_class, Class)
    for each in reversed(rest):
        if isinstance(each, Class):
            for name, value in each.cells.items():
                if isinstance(value, Function):
                    machine.heap.write(proxy_class, name, Bound(value, receiver))
                elif isinstance(value, Descriptor) and value.kind != "property":
                    machine.heap.write(
                        proxy_class,
                        name,
                        Bound(value.function, cls)
                        if value.kind == "classmethod"
                        else value.function,
                    )
                else:
                    machine.heap.write(proxy_class, name, value)
    proxy_class.bases = tuple(b for b in rest if not isinstance(b, Class)) or (
        External("builtins.object"),
    )
    return proxy_class


def instantiate(
    machine: Machine,
    frame: Frame,
    cls: Class,
    args: tuple[Value, ...],
    keywords: Mapping[str, Value],
    *,
    site: tuple[Any, ...],
    complete: bool = True,
) -> Value:
    """Call a class: look an enum member up by value, or create an instance and run ``__init__``."""
    construct = machine.constructions.get(cls.path)
    if construct is not None:
        return construct(frame, args, keywords)
    if cls.is_enum and cls.members:
        return _member_by_value(machine, frame, cls, args[0] if args else UNKNOWN)
    if cls.qualname == "super":
        return UNKNOWN
    constructor = look_up_in_class(cls, "__new__")
    if isinstance(constructor, Descriptor):
        constructor = constructor.function
    made: Value
    if isinstance(constructor, Function):
        made = call(
            machine,
            frame,
            constructor,
            (cls, *args),
            keywords,
            site=("new", *site),
            complete=complete,
        )
        if made is UNKNOWN or not isinstance(made, Instance):
            made = machine.allocate(lambda: Instance(cls), frame, "instance", id(cls), *site)
    else:
        made = machine.allocate(lambda: Instance(cls), frame, "instance", id(cls), *site)
    method = look_up_in_class(cls, "__init__")
    if isinstance(method, Function):
        call(
            machine,
            frame,
            method,
            (made, *args),
            keywords,
            site=("init", *site),
            complete=complete,
        )
    elif cls.is_dataclass:
        _fill_fields(machine, frame, cls, made, args, keywords, complete, site)
    elif isinstance(method, Union):
        machine.heap.write(made, OPEN, UNKNOWN)  # type: ignore[arg-type]
    elif complete and isinstance(made, Instance) and _builtin_exception(cls) is not None:
        machine.heap.write(made, "args", Tuple(tuple(args)))
    return made


def dataclass_fields(cls: Class) -> list[tuple[str, Value]]:
    """Return the fields of a dataclass with their defaults (MISSING: none), in order."""
    fields: dict[str, Value] = {}
    for each in reversed(class_mro(cls)):
        if not isinstance(each, Class):
            continue
        declared = each.cells.get("<fields>", Tuple(()))
        if isinstance(declared, Tuple):
            for name in declared.items:
                assert isinstance(name, Const)
                fields[name.value] = each.cells.get(name.value, MISSING)
    return list(fields.items())


def _fill_fields(
    machine: Machine,
    frame: Frame,
    cls: Class,
    made: Value,
    args: Sequence[Value],
    keywords: Mapping[str, Value],
    complete: bool,
    site: tuple[Any, ...],
) -> None:
    if not isinstance(made, Instance):
        return
    rest = list(args)
    for name, default in dataclass_fields(cls):
        if rest:
            value: Value = rest.pop(0)
        elif name in keywords:
            value = keywords[name]
        elif not complete:
            value = UNKNOWN
        elif isinstance(default, Descriptor) and default.kind == "factory":
            value = call(machine, frame, default.function, (), {}, site=("factory", name, *site))
        elif isinstance(default, External) and "()" in default.path:
            value = UNKNOWN
        else:
            value = UNKNOWN if default is MISSING else without_missing(default)
        machine.heap.write(made, name, value)
    method = look_up_in_class(cls, "__post_init__")
    if isinstance(method, Function):
        call(machine, frame, method, (made,), {}, site=("post_init", *site))


def _member_by_value(machine: Machine, frame: Frame, cls: Class, wanted: Value) -> Value:
    members = [cls.cells[m] for m in cls.members]
    if wanted in members:
        return wanted
    if isinstance(wanted, Union):
        found = [
            _member_by_value(machine, frame, cls, w) for w in wanted.values if w is not MISSING
        ]
        return union(found)
    if wanted is UNKNOWN or isinstance(wanted, External):
        return union(members)
    for member in members:
        if isinstance(member, Instance) and member.cells.get("value") == wanted:
            return member
    missing = look_up_in_class(cls, "_missing_")
    function = missing.function if isinstance(missing, Descriptor) else missing
    if isinstance(function, Function):
        result = call(machine, frame, function, (cls, wanted), {}, site=("_missing_", id(cls)))
        if result != NONE:
            return result
    raise machine.error(frame, "ValueError", f"{ev.text_of(wanted)} is not a valid {cls.qualname}")


def instantiate_exception(machine: Machine, frame: Frame, value: Value) -> Raised:
    """Return the exception that ``raise value`` raises at the frame's present line."""
    module, line = frame.module.name, frame.line
    if isinstance(value, Raised):
        if value.line:
            return value
        return Raised(value.cls, value.message, module, line)
    if isinstance(value, Instance):
        return Raised(value.cls, _message_of(machine, frame, value), module, line)
    if isinstance(value, (Class, External)):
        cls = External(value.path.replace("()", "")) if isinstance(value, External) else value
        return Raised(cls, "", module, line)
    return Raised(UNKNOWN, "", module, line)


def _message_of(machine: Machine, frame: Frame, value: Instance) -> str:
    """Return the message of an exception of a class of the tree, when a builtin class makes it."""
    from regreach.evaluate.library import exception_message

    args = value.cells.get("args", MISSING)
    base = _builtin_exception(value.cls)
    if base is None or not isinstance(args, Tuple):
        return ""
    return exception_message(machine, frame, base, args.items)


def _builtin_exception(cls: Class) -> type[BaseException] | None:
    for each in class_mro(cls):
        if isinstance(each, External) and each.path.startswith("builtins."):
            found = getattr(builtins, each.path.removeprefix("builtins."), None)
            if isinstance(found, type) and issubclass(found, BaseException):
                return found
    return None
