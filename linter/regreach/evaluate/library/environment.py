"""``os.environ`` and ``sys.modules``."""

from __future__ import annotations

from typing import Any

from regreach.evaluate.frames import Frame
from regreach.evaluate.items import environment, remove_variable
from regreach.evaluate.library.models import Args, Keywords, Site, model
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import (
    MISSING,
    NONE,
    UNKNOWN,
    Const,
    Value,
    may_be_missing,
    union,
    without_missing,
)


@model("os.getenv", "os.environ.get")
def _getenv(machine: Machine, frame: Frame, args: Args, keywords: Keywords, __: Site) -> Value:
    default = args[1] if len(args) > 1 else keywords.get("default", NONE)
    value = environment(machine, args[0]) if args else UNKNOWN
    return default if value is MISSING else value


@model("os.environ.setdefault")
def _environ_setdefault(machine: Machine, frame: Frame, args: Args, *_: Any) -> Value:
    if len(args) == 2 and isinstance(args[0], Const):
        value = environment(machine, args[0])
        if value is MISSING:
            machine.heap.write(machine.environ, args[0], args[1])
            return args[1]
        return value
    return UNKNOWN


@model("os.environ.pop")
def _environ_pop(machine: Machine, frame: Frame, args: Args, *_: Any) -> Value:
    if not args:
        return UNKNOWN
    return remove_variable(machine, frame, args[0], args[1] if len(args) > 1 else None)


@model("sys.modules.get")
def _sys_modules_get(machine: Machine, frame: Frame, args: Args, *_: Any) -> Value:
    if not args or not isinstance(args[0], Const):
        return UNKNOWN
    name = args[0].value
    default = args[1] if len(args) > 1 else NONE
    if isinstance(name, str) and name.partition(".")[0] == machine.top_level:
        value = machine.modules.cells.get(name, MISSING)
        machine.replay.asked_for(name, value)
        if value is MISSING:
            return default
        return union((without_missing(value), default)) if may_be_missing(value) else value
    return UNKNOWN
