"""Classes: what a ``class`` statement makes, and ``super()``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from regreach.evaluate.ancestry import class_mro, look_up_in_class
from regreach.evaluate.calls import call
from regreach.evaluate.dispatch import evaluate, run_block
from regreach.evaluate.frames import Abrupt, Frame
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import (
    OPEN,
    UNKNOWN,
    Bound,
    Builtin,
    Class,
    Const,
    Descriptor,
    External,
    Function,
    Instance,
    Partial,
    Scope,
    Tuple,
    Value,
)
from regreach.facts import ir

_ENUM_BASES = {"enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.Flag", "enum.IntFlag"}
_PLAIN_METACLASS = External("abc.ABCMeta")
# A class with such a base is made from its annotated fields, as a dataclass is.
_RECORD_BASES = {
    External("typing.NamedTuple"),
    External("msgspec.Struct"),
    External("pydantic.BaseModel"),
}


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


def super_call(machine: Machine, frame: Frame, node: ir.Call) -> Value:
    """Evaluate ``super()``: an object of a class that has what the rest of the MRO has."""
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
