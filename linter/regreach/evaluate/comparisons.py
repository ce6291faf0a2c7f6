"""Whether a value is true, and whether two are equal, identical, one in the other: yes, no or not known."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable
from typing import Any

from regreach.evaluate.ancestry import closed, has_own, is_flag, is_mixed_enum, look_up_in_class
from regreach.evaluate.calls import call
from regreach.evaluate.constants import plain
from regreach.evaluate.frames import Abrupt, Frame
from regreach.evaluate.items import dict_get, environment
from regreach.evaluate.iteration import items_of
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import (
    FALSE,
    MISSING,
    NONE,
    OPEN,
    SOMETHING,
    TRUE,
    UNKNOWN,
    Bound,
    Builtin,
    Class,
    Const,
    Descriptor,
    Dict,
    External,
    Function,
    Instance,
    Listing,
    Module,
    Partial,
    Raised,
    Tuple,
    Union,
    Value,
    alternatives,
    may_be_missing,
)


def truth(machine: Machine, frame: Frame, value: Value) -> bool | None:
    """Return whether a value is true: True, False, or None for unknown."""
    if isinstance(value, Const):
        return bool(value.value)
    if isinstance(value, Tuple):
        return bool(value.items)
    if isinstance(value, Union):
        results = {truth(machine, frame, v) for v in value.values if v is not MISSING}
        return results.pop() if len(results) == 1 else None
    if isinstance(value, (Listing, Dict)):
        machine.replay.read(value)
    if isinstance(value, Listing):
        if value.kind == "iterator":
            return True
        if "of" in value.cells:
            return truth(machine, frame, value.cells["of"])
        items = value.cells.get("items", UNKNOWN)
        return bool(items.items) if isinstance(items, Tuple) else None
    if isinstance(value, Dict):
        if any(not may_be_missing(v) for k, v in value.cells.items() if k is not OPEN):
            return True
        return False if not value.cells else None
    if isinstance(value, Instance):
        return _instance_truth(machine, frame, value)
    if isinstance(value, (Module, Class, Function, Bound, Partial, Builtin, Descriptor, Raised)):
        return True
    return None


def _instance_truth(machine: Machine, frame: Frame, value: Instance) -> bool | None:
    if value.member is not None and not has_own(value.cls, "__bool__", "__len__"):
        inner = value.cells.get("value", UNKNOWN)
        if is_mixed_enum(value.cls) or is_flag(value.cls):
            return truth(machine, frame, inner)
        return True
    for name in ("__bool__", "__len__"):
        method = look_up_in_class(value.cls, name)
        if isinstance(method, Function):
            return truth(machine, frame, call(machine, frame, method, (value,), {}, site=(name,)))
    return True if closed(value.cls) else None


def negate(verdict: bool | None) -> bool | None:
    """Return ``not verdict``."""
    return None if verdict is None else not verdict


def from_truth(verdict: bool | None) -> Value:
    """Return a verdict as a value."""
    if verdict is None:
        return UNKNOWN
    return TRUE if verdict else FALSE


_ORDER: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def compare(machine: Machine, frame: Frame, op: str, left: Value, right: Value) -> bool | None:
    """Return the truth of one comparison."""
    if op in ("==", "!="):
        verdict = equal(machine, frame, left, right)
        return verdict if op == "==" else negate(verdict)
    if op in ("is", "is not"):
        verdict = identical(left, right)
        return verdict if op == "is" else negate(verdict)
    if op in ("in", "not in"):
        verdict = _contains(machine, frame, right, left)
        return verdict if op == "in" else negate(verdict)
    a, b = plain(machine, left), plain(machine, right)
    if a is None or b is None:
        return None
    try:
        return bool(_ORDER[op](a[0], b[0]))
    except TypeError as error:
        raise machine.error(frame, "TypeError", str(error)) from None


def _pairs(
    left: Value, right: Value, verdict: Callable[[Value, Value], bool | None]
) -> bool | None:
    """Ask for each pair of alternatives; agree or not known."""
    results = {
        verdict(a, b)
        for a in alternatives(left)
        for b in alternatives(right)
        if a is not MISSING and b is not MISSING
    }
    return results.pop() if len(results) == 1 else None


def identical(left: Value, right: Value) -> bool | None:
    """Return whether ``left is right``."""
    if isinstance(left, Union) or isinstance(right, Union):
        return _pairs(left, right, identical)
    if left is UNKNOWN or right is UNKNOWN:
        return None
    if left is SOMETHING or right is SOMETHING:
        return False if NONE in (left, right) else None
    a, b = _python_object(left), _python_object(right)
    if a is not MISSING and b is not MISSING:
        return a is b
    outside = isinstance(left, External), isinstance(right, External)
    if any(outside):
        known = (Instance, Class, Function, Module, Dict, Listing)
        other = right if outside[0] else left
        if isinstance(other, known) or left == right:
            return (left == right and "()" not in str(left)) or (None if left == right else False)
        return None
    return left is right or left == right


def _python_object(value: Value) -> Any:
    """Return the very object of CPython that a value is, if it is a builtin or a constant there is once."""
    if isinstance(value, External) and value.path.startswith("builtins."):
        return getattr(builtins, value.path.removeprefix("builtins."), MISSING)
    if isinstance(value, Const) and isinstance(value.value, (bool, type(None), type(...))):
        return value.value
    return MISSING


def equal(machine: Machine, frame: Frame, left: Value, right: Value) -> bool | None:
    """Return whether ``left == right``."""
    if isinstance(left, Union) or isinstance(right, Union):
        return _pairs(left, right, lambda a, b: equal(machine, frame, a, b))
    if left is UNKNOWN or right is UNKNOWN:
        return None
    if left is SOMETHING or right is SOMETHING:
        return False if NONE in (left, right) else None
    for a, b in ((left, right), (right, left)):
        if isinstance(a, Instance):
            method = look_up_in_class(a.cls, "__eq__")
            if isinstance(method, Function):
                return truth(machine, frame, call(machine, frame, method, (a, b), {}, site=("eq",)))
    a_plain, b_plain = plain(machine, left), plain(machine, right)
    if a_plain is not None and b_plain is not None:
        return bool(a_plain[0] == b_plain[0])
    if isinstance(left, External) or isinstance(right, External):
        x, y = _python_object(left), _python_object(right)
        if x is not MISSING and y is not MISSING:
            return bool(x == y)
        known = (Instance, Class, Function, Module)
        if isinstance(left, known) or isinstance(right, known):
            return False
        return True if left == right and "()" not in left.path else None  # type: ignore[union-attr]
    if isinstance(left, (Listing, Dict)) or isinstance(right, (Listing, Dict)):
        return True if left is right else None
    if isinstance(left, Tuple) and isinstance(right, Tuple):
        if len(left.items) != len(right.items):
            return False
        verdicts = [
            equal(machine, frame, a, b) for a, b in zip(left.items, right.items, strict=True)
        ]
        if False in verdicts:
            return False
        return None if None in verdicts else True
    if isinstance(left, Instance) and left.cls.is_dataclass and left is not right:
        return None
    return left == right


def _any_contains(machine: Machine, frame: Frame, containers: Union, item: Value) -> bool | None:
    """Return whether all that can have items have this one; raises Abrupt when nothing can."""
    results: set[bool | None] = set()
    failed: Abrupt | None = None
    for container in containers.values:
        if container is not MISSING:
            try:
                results.add(_contains(machine, frame, container, item))
            except Abrupt as abrupt:
                failed = abrupt.caught()
    if failed is not None and not results:
        raise failed
    return results.pop() if len(results) == 1 else None


def _contains(machine: Machine, frame: Frame, container: Value, item: Value) -> bool | None:
    if isinstance(container, Union):
        return _any_contains(machine, frame, container, item)
    if isinstance(container, Dict):
        machine.replay.read(container)
        found = dict_get(container, item)
        if found is MISSING:
            return False
        return None if may_be_missing(found) else True
    if isinstance(container, External) and container.path == "os.environ":
        value = environment(machine, item)
        return None if value is UNKNOWN else value is not MISSING
    if isinstance(container, External) and container.path == "sys.modules":
        if not isinstance(item, Const) or not isinstance(item.value, str):
            return None
        value = machine.modules.cells.get(item.value, MISSING)
        machine.replay.asked_for(item.value, value)
        if value is MISSING:
            return False if item.value.partition(".")[0] == machine.top_level else None
        return None if may_be_missing(value) else True
    if isinstance(container, Const) and isinstance(item, Const):
        try:
            return item.value in container.value
        except TypeError as error:
            raise machine.error(frame, "TypeError", str(error)) from None
    if isinstance(container, Instance):
        method = look_up_in_class(container.cls, "__contains__")
        if isinstance(method, Function):
            result = call(machine, frame, method, (container, item), {}, site=("contains",))
            return truth(machine, frame, result)
        return None
    items = items_of(machine, frame, container)
    if items is None:
        return None
    verdicts = [equal(machine, frame, item, i) for i in items]
    if True in verdicts:
        return True
    return None if None in verdicts else False
