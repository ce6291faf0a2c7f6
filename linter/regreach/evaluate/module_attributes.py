"""Attributes of modules, of the tree and outside of it, with a module's ``__getattr__`` (PEP 562)."""

from __future__ import annotations

from regreach.evaluate.calls import call
from regreach.evaluate.frames import Abrupt, Frame
from regreach.evaluate.machine import Machine
from regreach.evaluate.replay import EXECUTING
from regreach.evaluate.values import (
    MISSING,
    OPEN,
    UNKNOWN,
    Const,
    External,
    Finished,
    Function,
    Listing,
    Module,
    Raised,
    Tuple,
    Value,
    cell_of,
    without_missing,
)


def external_attribute(
    machine: Machine, frame: Frame, value: External, name: str, error: str = "AttributeError"
) -> Value:
    """Return an attribute of something outside the tree, as the world knows it."""
    path = f"{value.path}.{name}"
    known = machine.world.values.get(path)
    if known is None:
        return External(path)
    if known is MISSING:
        raise machine.error(frame, error, f"{value.path!r} has no attribute {name!r}")
    return known


def module_attribute(machine: Machine, frame: Frame, module: Module, name: str) -> Value:
    """Return an attribute of a module of the tree; MISSING when it has none."""
    value = cell(machine, module, name)
    if value is not MISSING:
        return without_missing(value)
    if name == "__dict__":
        machine.heap.write(module, OPEN, UNKNOWN)
        return UNKNOWN
    hooked = getattr_hook(machine, frame, module, name)
    if hooked is not None:
        return hooked
    return UNKNOWN if OPEN in module.cells else MISSING


def missing_attribute(machine: Machine, frame: Frame, module: Module, name: str) -> Abrupt:
    """Return the AttributeError of a module that has no such attribute (yet)."""
    try:
        _ask_hook(machine, frame, module, name)
    except Abrupt as ended:
        return ended.caught()
    child = machine.module_object(f"{module.name}.{name}")
    if EXECUTING in module.cells:
        message = f"partially initialized module {module.name!r} has no attribute {name!r}"
        message += " (most likely due to a circular import)"
    elif child is not None and EXECUTING in child.cells:
        message = f"cannot access submodule {name!r} of module {module.name!r}"
        message += " (most likely due to a circular import)"
    else:
        message = f"module {module.name!r} has no attribute {name!r}"
    return machine.error(frame, "AttributeError", message)


def cell(machine: Machine, module: Module, name: str) -> Value:
    """Return what a module has bound to a name; for a submodule's name that depends on who loaded it."""
    if isinstance(module, Finished):
        return machine.global_of(module, name)
    full = f"{module.name}.{name}"
    if machine.sources.has(full):
        machine.replay.asked_for(full, machine.modules.cells.get(full, MISSING))
    return machine.known(cell_of(module, name))


def getattr_hook(machine: Machine, frame: Frame, module: Module, name: str) -> Value | None:
    """PEP 562: ask the module's ``__getattr__``; None when there is none or it raises AttributeError."""
    try:
        return _ask_hook(machine, frame, module, name)
    except Abrupt as ended:
        if ended.kind == "raise" and isinstance(ended.value, Raised):
            if ended.value.name == "AttributeError":
                return None
        raise


def _ask_hook(machine: Machine, frame: Frame, module: Module, name: str) -> Value | None:
    if isinstance(module, Finished):
        return None  # it was asked when the name was looked for
    hook = machine.known(cell_of(module, "__getattr__"))
    if not isinstance(hook, Function) or name.startswith("__"):
        return None
    return call(machine, frame, hook, (Const(name),), {}, site=("getattr", name))


def all_names(machine: Machine, module: Module) -> list[str] | None:
    """Return the literal ``__all__`` of a module; None when it has none or is not fully known."""
    value = machine.global_of(module, "__all__")
    if isinstance(value, Listing):
        value = value.cells.get("items", UNKNOWN)
    if not isinstance(value, Tuple):
        return None
    names = [i.value for i in value.items if isinstance(i, Const) and isinstance(i.value, str)]
    return names if len(names) == len(value.items) else None
