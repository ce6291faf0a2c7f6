"""``hasattr``, ``getattr``, ``setattr``, ``globals`` and their like."""

from __future__ import annotations

from typing import Any

from regreach.evaluate.attributes import (
    delete_attribute,
    get_attribute,
    no_attribute,
    set_attribute,
)
from regreach.evaluate.frames import Frame
from regreach.evaluate.library.models import Args, Keywords, Site, model
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import (
    FALSE,
    LATER,
    MISSING,
    NONE,
    OPEN,
    TRUE,
    UNKNOWN,
    Class,
    Const,
    External,
    Function,
    Instance,
    Module,
    Union,
    Value,
    cell_of,
    may_be_missing,
    union,
)


@model("builtins.hasattr")
def _hasattr(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    if len(args) != 2 or not isinstance(args[1], Const):
        return UNKNOWN
    return _has(machine, frame, args[0], args[1].value)


def _has(machine: Machine, frame: Frame, owner: Value, name: str) -> Value:
    if isinstance(owner, Union):
        return union(_has(machine, frame, o, name) for o in owner.values if o is not MISSING)
    if isinstance(owner, External):
        known = machine.world.values.get(f"{owner.path}.{name}")
        if known is None:
            prefix = f"{owner.path}.{name}"
            if any(p.startswith((prefix + ".", prefix + "(")) for p in machine.world.values):
                return TRUE
            return UNKNOWN
        return FALSE if known is MISSING else TRUE
    if isinstance(owner, Module):
        raw = cell_of(owner, name)
        if isinstance(raw, Union) and may_be_missing(raw):
            return UNKNOWN
    if isinstance(owner, (Function, Const)) or owner == UNKNOWN:
        if isinstance(owner, Const):
            return Const(hasattr(owner.value, name))
        return TRUE if isinstance(owner, Function) and name in owner.cells else UNKNOWN
    value = get_attribute(machine, frame, owner, name)
    if value is MISSING:
        return FALSE
    return UNKNOWN if value is UNKNOWN else TRUE


@model("builtins.getattr")
def _getattr(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    if len(args) < 2 or not isinstance(args[1], Const) or not isinstance(args[1].value, str):
        return UNKNOWN
    name = args[1].value
    if len(args) == 2:
        value = get_attribute(machine, frame, args[0], name)
        if value is MISSING:
            raise no_attribute(machine, frame, args[0], name)
        return value
    present = _has(machine, frame, args[0], name)
    if present == FALSE:
        return args[2]
    if isinstance(args[0], External) and present is UNKNOWN:
        return union((External(f"{args[0].path}.{name}"), args[2]))
    value = get_attribute(machine, frame, args[0], name)
    if value is MISSING:
        return args[2]
    return value if present == TRUE else union((value, args[2]))


@model("builtins.setattr", "builtins.object.__setattr__")
def _setattr(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    if len(args) == 3:
        if isinstance(args[1], Const) and isinstance(args[1].value, str):
            set_attribute(machine, frame, args[0], args[1].value, args[2])
        elif isinstance(args[0], (Module, Instance, Class)):
            machine.heap.write(args[0], OPEN, UNKNOWN)
    return NONE


@model("builtins.globals")
def _globals(machine: Machine, frame: Frame, *_: Any) -> Value:
    machine.heap.write(frame.module, OPEN, UNKNOWN)
    return UNKNOWN


@model("builtins.exec", "builtins.vars", "builtins.locals")
def _opens_module(machine: Machine, frame: Frame, *_: Any) -> Value:
    machine.heap.write(frame.module, OPEN, UNKNOWN)
    machine.heap.write(frame.scope, OPEN, UNKNOWN)
    return UNKNOWN


@model("builtins.delattr")
def _delattr(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    if len(args) == 2:
        if isinstance(args[1], Const) and isinstance(args[1].value, str):
            delete_attribute(machine, frame, args[0], args[1].value)
        elif isinstance(args[0], (Module, Instance, Class)):
            for name, value in list(args[0].cells.items()):
                if name == LATER:
                    continue
                machine.heap.write(args[0], name, union((value, MISSING)))
    return NONE


@model("builtins.print")
def _nothing(*_: Any) -> Value:
    return NONE
