"""Whether a value matches the pattern of a ``case``, and what that binds."""

from __future__ import annotations

from collections.abc import Sequence

from regreach.evaluate.comparisons import equal, identical, truth
from regreach.evaluate.dispatch import evaluate
from regreach.evaluate.frames import Frame
from regreach.evaluate.items import new_listing
from regreach.evaluate.iteration import items_of
from regreach.evaluate.library.classes import is_instance
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import (
    MISSING,
    UNKNOWN,
    Const,
    Dict,
    Listing,
    Tuple,
    Union,
    Value,
    union,
)
from regreach.facts import ir

Bindings = dict[str, Value]


def match_pattern(
    machine: Machine, frame: Frame, subject: Value, pattern: ir.Pattern, bound: Bindings
) -> bool | None:
    """Return whether the subject matches, None for unknown; ``bound`` gets what is bound if it does."""
    if isinstance(subject, Union):
        return _match_any(machine, frame, subject, pattern, bound)
    verdict = _match_one(machine, frame, subject, pattern, bound)
    if pattern.name is not None:
        bound[pattern.name] = subject
    return verdict


def _match_any(
    machine: Machine, frame: Frame, subject: Union, pattern: ir.Pattern, bound: Bindings
) -> bool | None:
    verdicts: set[bool | None] = set()
    found: dict[str, list[Value]] = {}
    for each in subject.values:
        if each is MISSING:
            continue
        own: Bindings = {}
        verdict = match_pattern(machine, frame, each, pattern, own)
        verdicts.add(verdict)
        if verdict is not False:
            for name, value in own.items():
                found.setdefault(name, []).append(value)
    bound.update({name: union(values) for name, values in found.items()})
    return verdicts.pop() if len(verdicts) == 1 else None


def _match_one(
    machine: Machine, frame: Frame, subject: Value, pattern: ir.Pattern, bound: Bindings
) -> bool | None:
    if pattern.kind == "any":
        return True
    if pattern.kind == "as":
        return match_pattern(machine, frame, subject, pattern.parts[0], bound)
    if pattern.kind == "or":
        return _match_or(machine, frame, subject, pattern.parts, bound)
    if pattern.kind == "sequence":
        return _match_sequence(machine, frame, subject, pattern.parts, bound)
    if pattern.value is None:
        bound.update(dict.fromkeys(pattern.bound_names(), UNKNOWN))
        return None
    value = evaluate(machine, frame, pattern.value)
    if pattern.kind == "value":
        return equal(machine, frame, subject, value)
    if pattern.kind == "singleton":
        return identical(subject, value)
    return truth(machine, frame, is_instance(subject, value))


def _match_or(
    machine: Machine,
    frame: Frame,
    subject: Value,
    parts: Sequence[ir.Pattern],
    bound: Bindings,
) -> bool | None:
    unsure = False
    for part in parts:
        own: Bindings = {}
        verdict = match_pattern(machine, frame, subject, part, own)
        if verdict is False:
            continue
        bound.update({name: union((v, bound.get(name, v))) for name, v in own.items()})
        if verdict is True:
            return True
        unsure = True
    return None if unsure else False


def _match_sequence(
    machine: Machine,
    frame: Frame,
    subject: Value,
    parts: Sequence[ir.Pattern],
    bound: Bindings,
) -> bool | None:
    if isinstance(subject, (Const, Dict)) or (
        isinstance(subject, Listing) and subject.kind != "list"
    ):
        if not (isinstance(subject, Const) and isinstance(subject.value, range)):
            return False
    items = items_of(machine, frame, subject)
    if items is None or not isinstance(subject, (Tuple, Listing, Const)):
        for part in parts:
            bound.update(dict.fromkeys(part.bound_names(), UNKNOWN))
        return None
    star = next((i for i, part in enumerate(parts) if part.kind == "star"), None)
    if star is not None:
        extra = len(items) - len(parts) + 1
        if extra < 0:
            return False
        rest = new_listing(machine, frame, "list", items[star : star + extra], id(parts[star]))
        name = parts[star].name
        if name is not None:
            bound[name] = rest
        items = [*items[:star], *items[star + extra :]]
        parts = [*parts[:star], *parts[star + 1 :]]
    if len(items) != len(parts):
        return False
    verdicts = [
        match_pattern(machine, frame, item, part, bound)
        for item, part in zip(items, parts, strict=True)
    ]
    if False in verdicts:
        return False
    return None if None in verdicts else True
