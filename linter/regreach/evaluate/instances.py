"""What calling a class gives: an instance, with its fields, or a member of an enum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from regreach.evaluate.ancestry import class_mro, closed, is_flag, look_up_in_class
from regreach.evaluate.calls import call, misfit
from regreach.evaluate.constants import text_of
from regreach.evaluate.exceptions import builtin_exception
from regreach.evaluate.frames import Frame
from regreach.evaluate.items import comparable, is_hashable_constant
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import (
    MISSING,
    NONE,
    OPEN,
    UNKNOWN,
    Class,
    Const,
    Descriptor,
    Dict,
    External,
    Function,
    Instance,
    Listing,
    Tuple,
    Union,
    Value,
    union,
    without_missing,
)


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
        if not closed(cls) and misfit(machine, constructor, (cls, *args), keywords) is not None:
            complete = False
        made = call(
            machine,
            frame,
            constructor,
            (cls, *args),
            keywords,
            site=("new", *site),
            complete=complete,
        )
        if made is UNKNOWN:
            made = machine.allocate(lambda: Instance(cls), frame, "instance", id(cls), *site)
        elif not isinstance(made, Instance) or cls not in class_mro(made.cls):
            return made  # something else, which is not initialised
    else:
        made = machine.allocate(lambda: Instance(cls), frame, "instance", id(cls), *site)
    method = look_up_in_class(cls, "__init__")
    if isinstance(method, Function):
        if not closed(cls) and misfit(machine, method, (made, *args), keywords) is not None:
            complete = False  # what is not known of the class gives it other arguments
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
    elif method is MISSING and constructor is MISSING and closed(cls):
        if complete and (args or keywords):
            raise machine.error(frame, "TypeError", f"{cls.qualname}() takes no arguments")
    elif isinstance(method, Union):
        machine.heap.write(made, OPEN, UNKNOWN)  # type: ignore[arg-type]
    elif complete and isinstance(made, Instance) and builtin_exception(cls) is not None:
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
    values = [m.cells.get("value", UNKNOWN) for m in members if isinstance(m, Instance)]
    if is_hashable_constant(wanted):
        for member, value in zip(members, values, strict=False):
            if is_hashable_constant(value) and comparable(value) == comparable(wanted):
                return member
    missing = look_up_in_class(cls, "_missing_")
    function = missing.function if isinstance(missing, Descriptor) else missing
    never = isinstance(
        wanted, (Listing, Dict)
    )  # a member's value that is hashable is equal to none
    if not (never or is_hashable_constant(wanted)) or not all(map(is_hashable_constant, values)):
        return UNKNOWN if isinstance(function, Function) or is_flag(cls) else union(members)
    if isinstance(function, Function):
        result = call(machine, frame, function, (cls, wanted), {}, site=("_missing_", id(cls)))
        if result != NONE:
            return result
    if is_flag(cls):
        return UNKNOWN  # several members at once
    raise machine.error(frame, "ValueError", f"{text_of(wanted)} is not a valid {cls.qualname}")
