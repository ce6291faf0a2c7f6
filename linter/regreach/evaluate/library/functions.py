"""``functools``, and the fields of ``dataclasses``."""

from __future__ import annotations

from typing import Any

from regreach.evaluate.frames import Frame
from regreach.evaluate.library.models import CALLABLES, Args, Keywords, Site, model
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import UNKNOWN, Builtin, Descriptor, External, Partial, Value


@model("functools.partial")
def _partial(machine: Machine, frame: Frame, args: Args, keywords: Keywords, __: Site) -> Value:
    return Partial(args[0], args[1:], tuple(keywords.items())) if args else UNKNOWN


@model("functools.wraps", "functools.update_wrapper")
def _wraps(*_: Any) -> Value:
    return Builtin("functools.wraps()", lambda m, f, a, k, s: a[0] if a else UNKNOWN)


@model("functools.lru_cache", "functools.cache")
def _cache(machine: Machine, frame: Frame, args: Args, *_: Any) -> Value:
    if args and isinstance(args[0], CALLABLES):
        return args[0]
    return External("functools.lru_cache()")


@model("dataclasses.field", "msgspec.field", "pydantic.Field")
def _field(machine: Machine, frame: Frame, args: Args, keywords: Keywords, site: Site) -> Value:
    if "default" in keywords:
        return keywords["default"]
    if "default_factory" in keywords:
        return Descriptor("factory", keywords["default_factory"])
    return External("dataclasses.field()")
