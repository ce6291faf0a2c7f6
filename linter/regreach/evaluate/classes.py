"""Classes: what a ``class`` statement makes, and ``super()``."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from regreach.evaluate.ancestry import class_mro, has_own, is_flag, look_up_in_class
from regreach.evaluate.calls import call, misfit
from regreach.evaluate.dispatch import evaluate, run_block
from regreach.evaluate.frames import Abrupt, Frame
from regreach.evaluate.items import comparable, is_hashable_constant, new_listing
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import (
    MISSING,
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
# Bases from outside the tree that have no methods of their own.
_EMPTY_BASES = {
    External("builtins.object"),
    External("abc.ABC"),
    External("typing.Generic"),
    External("typing.Generic[]"),
    External("typing.Protocol"),
    External("typing.Protocol[]"),
}
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
            ended = abrupt.caught()
    frame.pendings.extend(body_frame.pendings)
    if ended is not None:
        raise ended
    order = []
    for name, value in scope.cells.items():
        if name == "<class>":
            continue
        write(made, name, value)
        order.append(name)
    if keywords.pop("metaclass", _PLAIN_METACLASS) != _PLAIN_METACLASS:
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
    by_value: dict[Any, Value] = {}
    values: list[Value] = []  # of members and aliases, in order
    for name in names:
        value = cls.cells[name]
        if not _is_member(name, value):
            continue
        if value == External("enum.auto()"):
            value = _next_value(machine, frame, cls, name, values)
        values.append(value)
        value = _value_of_member(cls, value)
        key = comparable(value) if is_hashable_constant(value) else value
        if value is not UNKNOWN and key in by_value:
            machine.heap.write(cls, name, by_value[key])  # an alias
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
        by_value[key] = member
        if not is_flag(cls) or _is_listed(value):
            members.append(name)
    cls.members = tuple(members)


def _is_member(name: str, value: Value) -> bool:
    """Return whether an attribute of an enum's body becomes a member."""
    if name.startswith(("__", "<")) or (name.startswith("_") and name.endswith("_")):
        return False
    return not isinstance(value, (Function, Descriptor, Class, Bound, Builtin, Partial))


def _is_listed(value: Value) -> bool:
    """Return whether a flag of this value is one of those that the class gives when it is iterated over."""
    single = isinstance(value, Const) and isinstance(value.value, int) and _is_bit(value.value)
    return single or sys.version_info < (3, 11)


def _is_bit(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0


def _next_value(
    machine: Machine, frame: Frame, cls: Class, name: str, values: Sequence[Value]
) -> Value:
    """Return what ``auto()`` stands for after members of these values."""
    maker = look_up_in_class(cls, "_generate_next_value_")
    function = maker.function if isinstance(maker, Descriptor) else maker
    if isinstance(function, Function):
        site = ("auto", id(cls), name)
        last = new_listing(machine, frame, "list", list(values), *site)
        args = (Const(name), Const(1), Const(len(values)), last)
        return call(machine, frame, function, args, {}, site=site)
    if External("enum.StrEnum") in class_mro(cls):
        return Const(name.lower())
    numbers = [v.value for v in values if isinstance(v, Const) and isinstance(v.value, int)]
    if function is not MISSING or len(numbers) != len(values):
        return UNKNOWN
    highest = max(numbers, default=0)
    if is_flag(cls):
        return Const(1 << highest.bit_length()) if highest >= 0 else UNKNOWN
    # after the last one, or after the highest: that depends on the version of Python
    return Const(highest + 1) if not numbers or numbers[-1] == highest else UNKNOWN


def _value_of_member(cls: Class, value: Value) -> Value:
    """Return the value of a member that is made of a value, as the mixed-in type may change it."""
    if has_own(cls, "__new__"):
        return UNKNOWN
    for kind in (str, int, float):
        if External(f"builtins.{kind.__name__}") in class_mro(cls):
            if isinstance(value, Const) and type(value.value) is kind:
                return value
            simple = isinstance(value, Const) and isinstance(value.value, (int, float))
            return Const(kind(value.value)) if simple else UNKNOWN  # type: ignore[union-attr]
    return value


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
                # a metaclass may take some of the keywords
                complete = OPEN not in cls.cells or not misfit(machine, function, (cls,), keywords)
                site = ("init_subclass", id(cls))
                call(machine, frame, function, (cls,), keywords, site=site, complete=complete)
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
    for index, each in reversed(list(enumerate(rest))):
        if isinstance(each, Class):
            sure = all(isinstance(c, Class) or c in _EMPTY_BASES for c in rest[:index])
            for name, value in each.cells.items():
                found = _as_super_finds(name, value, receiver, cls)
                machine.heap.write(proxy_class, name, found if sure else _perhaps_called(found))
    proxy_class.bases = tuple(b for b in rest if not isinstance(b, Class)) or (
        External("builtins.object"),
    )
    return proxy_class


def _as_super_finds(name: str, value: Value, receiver: Value, cls: Class) -> Value:
    if isinstance(value, Function):
        return Bound(value, receiver) if _super_binds(name, receiver) else value
    if isinstance(value, Descriptor) and value.kind != "property":
        return Bound(value.function, cls) if value.kind == "classmethod" else value.function
    return value


def _perhaps_called(function: Value) -> Value:
    """Return what stands for a method where a class from outside the tree may have another one before it."""
    if not isinstance(function, (Function, Bound)):
        return function

    def run(m: Machine, f: Frame, args: Any, keywords: Any, site: Any) -> Value:
        wanted = function.function if isinstance(function, Bound) else function
        given = (function.receiver, *args) if isinstance(function, Bound) else args
        fits = isinstance(wanted, Function) and misfit(m, wanted, given, keywords) is None
        if fits:
            m.maybe(f, lambda: call(m, f, wanted, given, keywords, site=site), m.place(f))
        return UNKNOWN

    return Builtin("super()", run, function)


def _super_binds(name: str, receiver: Value) -> bool:
    """Return whether a function that ``super()`` finds is bound to the receiver."""
    if name == "__new__":
        return False
    return isinstance(receiver, Instance) or name in ("__init_subclass__", "__class_getitem__")
