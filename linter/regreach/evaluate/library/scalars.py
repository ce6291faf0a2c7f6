"""``bool``, ``str``, ``int`` and ``float``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from regreach.evaluate.comparisons import truth
from regreach.evaluate.constants import plain, string_of
from regreach.evaluate.frames import Frame
from regreach.evaluate.library.models import Args, Keywords, Site, model
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import FALSE, UNKNOWN, Const, Value


@model("builtins.bool")
def _bool(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    if not args:
        return FALSE
    verdict = truth(machine, frame, args[0])
    return UNKNOWN if verdict is None else Const(verdict)


@model("builtins.str")
def _str(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    if not args:
        return Const("")
    text = string_of(machine, frame, args[0])
    return UNKNOWN if text is None else Const(text)


@model("builtins.int")
def _int(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    return _number(machine, frame, args, int)


@model("builtins.float")
def _float(machine: Machine, frame: Frame, args: Args, _: Keywords, __: Site) -> Value:
    return _number(machine, frame, args, float)


def _number(
    machine: Machine, frame: Frame, args: Args, kind: Callable[[Any], int | float]
) -> Value:
    value = plain(machine, args[0]) if len(args) == 1 else None
    if value is None or not isinstance(value[0], (int, str, float)):
        return UNKNOWN
    try:
        return Const(kind(value[0]))
    except (ValueError, OverflowError) as error:
        raise machine.error(frame, type(error).__name__, str(error)) from None
