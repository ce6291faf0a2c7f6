"""Attributes of modules, classes, instances and other values: read and set."""

from __future__ import annotations

from regreach.evaluate.ancestry import closed, has_own, lacks, look_up_in_class
from regreach.evaluate.calls import call
from regreach.evaluate.constants import example_of
from regreach.evaluate.frames import Abrupt, Frame
from regreach.evaluate.library.methods import method_of
from regreach.evaluate.machine import Machine
from regreach.evaluate.module_attributes import (
    external_attribute,
    missing_attribute,
    module_attribute,
)
from regreach.evaluate.values import (
    MISSING,
    NONE,
    OPEN,
    UNKNOWN,
    Bound,
    Class,
    Const,
    Descriptor,
    External,
    Function,
    Instance,
    Module,
    Obj,
    Tuple,
    Union,
    Value,
    alternatives,
    cell_of,
    union,
    without_missing,
)


def no_attribute(machine: Machine, frame: Frame, owner: Value, name: str) -> Abrupt:
    """Return the AttributeError of a value that has no such attribute."""
    owner = next(v for v in alternatives(owner) if v is not MISSING)
    if isinstance(owner, Module):
        return missing_attribute(machine, frame, owner, name)
    if isinstance(owner, Class):
        what = f"type object {owner.qualname.rpartition('.')[2]!r}"
    elif isinstance(owner, Instance):
        what = f"{owner.cls.qualname.rpartition('.')[2]!r} object"
    else:
        what = f"{type(example_of(owner)).__name__!r} object"
    return machine.error(frame, "AttributeError", f"{what} has no attribute {name!r}")


def get_attribute(machine: Machine, frame: Frame, owner: Value, name: str) -> Value:
    """Return an attribute; MISSING when it certainly has none, UNKNOWN when that is not known."""
    if isinstance(owner, Union):
        found = [get_attribute(machine, frame, o, name) for o in owner.values if o is not MISSING]
        bound = [f for f in found if f is not MISSING]
        return union(bound) if bound else MISSING
    if isinstance(owner, Module):
        return module_attribute(machine, frame, owner, name)
    if isinstance(owner, Instance):
        return _instance_attribute(machine, frame, owner, name)
    if isinstance(owner, Class):
        return _class_attribute(machine, frame, owner, name)
    if isinstance(owner, External):
        return external_attribute(machine, frame, owner, name)
    if isinstance(owner, Tuple) and name in owner.names:
        return owner.items[owner.names.index(name)]
    if isinstance(owner, Function):
        if name in ("__name__", "__qualname__"):
            part = owner.qualname if name == "__qualname__" else owner.qualname.rpartition(".")[2]
            return Const(part)
        return without_missing(owner.cells.get(name, UNKNOWN))
    example = example_of(owner)
    if example is not MISSING and not hasattr(example, name):
        return MISSING
    return method_of(owner, name)


def _instance_attribute(machine: Machine, frame: Frame, owner: Instance, name: str) -> Value:
    if owner.member is None:
        machine.replay.read(owner)
    value = owner.cells.get(name, MISSING)
    if value is not MISSING:
        return without_missing(value)
    if name == "__class__":
        return owner.cls
    found = look_up_in_class(owner.cls, name)
    if found is MISSING:
        hook = look_up_in_class(owner.cls, "__getattr__")
        if isinstance(hook, Function):
            return call(machine, frame, hook, (owner, Const(name)), {}, site=("getattr", name))
        if owner.member is not None and name == "name":
            return Const(owner.member)
        if _is_special(name):
            machine.heap.write(owner, OPEN, UNKNOWN)  # `__dict__` may be written to
            return UNKNOWN
        # what a member's constructor does is not followed
        made = owner.member is not None and has_own(owner.cls, "__init__", "__new__")
        known = OPEN not in owner.cells and not made
        return MISSING if known and lacks(owner.cls, name) else UNKNOWN
    return _bind_to(machine, frame, found, owner, owner.cls, name)


def _bind_to(
    machine: Machine, frame: Frame, found: Value, receiver: Value, cls: Class, name: str
) -> Value:
    if isinstance(found, Union):
        return union(
            _bind_to(machine, frame, v, receiver, cls, name)
            for v in found.values
            if v is not MISSING
        )
    if isinstance(found, Function):
        return Bound(found, receiver)
    if isinstance(found, Descriptor):
        if found.kind == "property":
            return call(machine, frame, found.function, (receiver,), {}, site=("property", name))
        if found.kind == "classmethod":
            return Bound(found.function, cls)
        return found.function
    if isinstance(found, Instance):
        getter = look_up_in_class(found.cls, "__get__")
        if isinstance(getter, Function):
            return call(machine, frame, getter, (found, receiver, cls), {}, site=("get", name))
    return found


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _class_attribute(machine: Machine, frame: Frame, owner: Class, name: str) -> Value:
    found = look_up_in_class(owner, name)
    if found is MISSING:
        if name in ("__name__", "__qualname__"):
            return Const(owner.qualname.rpartition(".")[2])
        if name == "__module__":
            return Const(owner.module.name)
        if owner.is_enum and name == "__members__":
            return UNKNOWN
        if name in ("__init__", "__new__", "__init_subclass__", "__setattr__", "__getattribute__"):
            return UNKNOWN
        return MISSING if lacks(owner, name) and not _is_special(name) else UNKNOWN
    if isinstance(found, Descriptor):
        if found.kind == "classmethod":
            return Bound(found.function, owner)
        if found.kind == "staticmethod":
            return found.function
        return UNKNOWN
    if isinstance(found, Instance) and found.member is None:
        getter = look_up_in_class(found.cls, "__get__")
        if isinstance(getter, Function):
            return call(machine, frame, getter, (found, NONE, owner), {}, site=("get", name))
    return without_missing(found)


def delete_attribute(machine: Machine, frame: Frame, owner: Value, name: str) -> None:
    """Run ``del owner.name``; raises Abrupt(AttributeError) when it certainly is not there."""
    if isinstance(owner, Union):
        for each in owner.values:
            if isinstance(each, (Instance, Module, Class)):
                machine.replay.read(each)
                present = _own(each, name)
                machine.unbind(each, name)
                machine.heap.write(each, name, union((present, MISSING)))
        return
    if not isinstance(owner, (Instance, Module, Class)):
        return
    hooked = isinstance(owner, Instance) and (
        not closed(owner.cls) or has_own(owner.cls, "__delattr__", "__slots__")
    )
    waits = isinstance(owner, Module) and cell_of(owner, name) is not MISSING
    if name not in owner.cells and not waits and OPEN not in owner.cells and not hooked:
        if not (isinstance(owner, Instance) and look_up_in_class(owner.cls, name) is not MISSING):
            raise no_attribute(machine, frame, owner, name)
    machine.unbind(owner, name)


def _own(owner: Obj, name: str) -> Value:
    return cell_of(owner, name) if isinstance(owner, Module) else owner.cells.get(name, MISSING)


def set_attribute(machine: Machine, frame: Frame, owner: Value, name: str, value: Value) -> None:
    """Run ``owner.name = value``."""
    targets = alternatives(owner)
    for target in targets:
        if isinstance(target, Instance):
            found = look_up_in_class(target.cls, name)
            if isinstance(found, Instance):
                setter = look_up_in_class(found.cls, "__set__")
                if isinstance(setter, Function):
                    call(machine, frame, setter, (found, target, value), {}, site=("set", name))
                    continue
        if isinstance(target, (Instance, Module, Class, Function)):
            if len(targets) > 1:
                machine.replay.read(target)
            present = _own(target, name)
            new = value if len(targets) == 1 else union((present, value))
            machine.heap.write(target, name, new)
