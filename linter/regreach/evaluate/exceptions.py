"""Exceptions and their messages."""

from __future__ import annotations

import builtins

from regreach.evaluate.ancestry import class_mro
from regreach.evaluate.constants import string_of, text_of
from regreach.evaluate.frames import Frame
from regreach.evaluate.library.models import Args
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import (
    MISSING,
    UNKNOWN,
    Class,
    Const,
    External,
    Instance,
    Raised,
    Tuple,
    Value,
)


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
    args = value.cells.get("args", MISSING)
    base = builtin_exception(value.cls)
    if base is None or not isinstance(args, Tuple):
        return ""
    return exception_message(machine, frame, base, args.items)


def exception_message(machine: Machine, frame: Frame, kind: type[BaseException], args: Args) -> str:
    """Return ``str()`` of an exception with these arguments; empty when it is not known."""
    if len(args) == 1 and not issubclass(kind, KeyError):
        return string_of(machine, frame, args[0]) or ""
    known = args and all(isinstance(a, Const) for a in args) and not issubclass(kind, OSError)
    return text_of(args[0] if len(args) == 1 else Tuple(args)) if known else ""


def builtin_exception(cls: Class) -> type[BaseException] | None:
    """Return the builtin exception that a class of the tree is made from, if there is one."""
    for each in class_mro(cls):
        if isinstance(each, External) and each.path.startswith("builtins."):
            found = getattr(builtins, each.path.removeprefix("builtins."), None)
            if isinstance(found, type) and issubclass(found, BaseException):
                return found
    return None
