"""Calls of what is outside the tree."""

from __future__ import annotations

import builtins

from regreach.evaluate.exceptions import exception_message
from regreach.evaluate.frames import Frame
from regreach.evaluate.library import (  # noqa: F401  (they register models)
    classes,
    containers,
    environment,
    functions,
    imports,
    namespaces,
    scalars,
)
from regreach.evaluate.library.decorators import DESCRIPTORS, TRANSPARENT, decorate_external
from regreach.evaluate.library.models import CALLABLES, CALLS, Args, Keywords, Site
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import Descriptor, External, Raised, Value


def call_external(
    machine: Machine, frame: Frame, function: External, args: Args, keywords: Keywords, site: Site
) -> Value:
    """Call something outside the tree: as the world says, as modelled here, else not known."""
    path = function.path
    known = machine.world.values.get(f"{path}()")
    if isinstance(known, Raised):
        raise machine.error(frame, known.name, known.message)
    if known is not None:
        return known
    if path in DESCRIPTORS and args:
        return Descriptor(DESCRIPTORS[path], args[0])
    if path in TRANSPARENT and len(args) == 1 and isinstance(args[0], CALLABLES):
        return decorate_external(machine, function, args[0])
    model = CALLS.get(path)
    if model is not None:
        return model(machine, frame, args, keywords, site)
    name = path.removeprefix("builtins.")
    builtin = getattr(builtins, name, None) if path.startswith("builtins.") else None
    if isinstance(builtin, type) and issubclass(builtin, BaseException):
        return Raised(function, exception_message(machine, frame, builtin, args))
    return External(f"{path}()")
