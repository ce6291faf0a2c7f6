"""Decorators from outside the tree."""

from __future__ import annotations

from regreach.evaluate.machine import Machine
from regreach.evaluate.values import OPEN, UNKNOWN, Class, Descriptor, External, Value

# Decorators and decorator factories that leave the decorated thing what it is, for this purpose.
TRANSPARENT = {
    "abc.abstractmethod",
    "atexit.register",
    "dataclasses.dataclass",
    "dataclasses.dataclass()",
    "enum.unique",
    "functools.cache",
    "functools.lru_cache",
    "functools.lru_cache()",
    "functools.total_ordering",
    "functools.wraps()",
    "typing.final",
    "typing.no_type_check",
    "typing.overload",
    "typing.runtime_checkable",
    "typing_extensions.final",
    "typing_extensions.override",
    "typing_extensions.runtime_checkable",
    "typing.override",
}
DESCRIPTORS = {
    "builtins.property": "property",
    "functools.cached_property": "property",
    "builtins.staticmethod": "staticmethod",
    "builtins.classmethod": "classmethod",
    "abc.abstractproperty": "property",
}


def decorate_external(machine: Machine, decorator: External, value: Value) -> Value:
    """Apply a decorator from outside the tree to a function or class."""
    path = decorator.path
    if path in DESCRIPTORS:
        return Descriptor(DESCRIPTORS[path], value)
    if isinstance(value, Class):
        if path.startswith("dataclasses.dataclass"):
            value.is_dataclass = True
        elif path not in TRANSPARENT:
            machine.heap.write(value, OPEN, UNKNOWN)  # it may have got more attributes
        return value
    if path in TRANSPARENT:
        return value
    if path.endswith((".setter", ".deleter", ".getter")):
        return value
    return External(f"{path}()")
