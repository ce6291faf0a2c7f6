"""Arithmetic and bitwise operations."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from regreach.evaluate.constants import MAX_BITS, MAX_TEXT, example_of, plain
from regreach.evaluate.frames import Frame
from regreach.evaluate.items import new_listing, put_items, update_dict
from regreach.evaluate.iteration import items_of
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import MAX_ITEMS, MISSING, UNKNOWN, Const, Dict, Listing, Tuple, Value

_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "|": operator.or_,
    "&": operator.and_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "**": operator.pow,
}
_IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    **_BINARY,
    "+": operator.iadd,
    "-": operator.isub,
    "*": operator.imul,
    "|": operator.ior,
    "&": operator.iand,
    "^": operator.ixor,
}


def binary(
    machine: Machine,
    frame: Frame,
    op: str,
    left: Value,
    right: Value,
    *,
    in_place: bool = False,
    site: Any = None,
) -> Value:
    """Return the result of an arithmetic or bitwise operation, UNKNOWN when it is not computed.

    Raises Abrupt where constants are combined that cannot be, or values of builtin types that never can.
    """
    if isinstance(left, Const) and isinstance(right, Const):
        return _compute(machine, frame, op, left.value, right.value)
    if op == "%" and isinstance(left, Const) and isinstance(right, Tuple):
        values = plain(machine, right)
        if values is not None and isinstance(left.value, str):
            return _compute(machine, frame, op, left.value, values[0])
    _check_operands(machine, frame, op, left, right, in_place=in_place)
    if op == "+" and isinstance(left, Tuple) and isinstance(right, Tuple):
        many = len(left.items) + len(right.items) > MAX_ITEMS
        return UNKNOWN if many else Tuple(left.items + right.items)
    if isinstance(left, Listing) and op == {"list": "+", "set": "|"}.get(left.kind):
        items, more = items_of(machine, frame, left), items_of(machine, frame, right)
        merged = None if items is None or more is None else items + more
        if in_place:
            machine.replay.read(left)
            put_items(machine, left, merged)
            return left
        return new_listing(machine, frame, left.kind, merged, "binary", site)
    if isinstance(left, Dict) and op == "|":
        result = left if in_place else machine.allocate(Dict, frame, "binary", site)
        if not in_place:
            update_dict(machine, frame, result, left)
        update_dict(machine, frame, result, right)
        assert isinstance(result, Dict)
        return result
    if in_place and isinstance(left, Listing):  # another change of the same object
        machine.replay.read(left)
        machine.heap.write(left, "items", UNKNOWN)
        return left
    return UNKNOWN


def _check_operands(
    machine: Machine, frame: Frame, op: str, left: Value, right: Value, *, in_place: bool
) -> None:
    """Raise the TypeError of an operation that two builtin types do not have."""
    a, b = example_of(left), example_of(right)
    if a is MISSING or b is MISSING or (op == "%" and isinstance(a, (str, bytes))):
        return
    if any(isinstance(x, (int, float)) and not _small(x) for x in (a, b)):
        return
    try:
        (_IN_PLACE if in_place else _BINARY)[op](a, b)
    except TypeError as error:
        raise machine.error(frame, "TypeError", str(error)) from None
    except (KeyError, ValueError, ArithmeticError, MemoryError):
        return


def _compute(machine: Machine, frame: Frame, op: str, left: Any, right: Any) -> Value:
    function = _BINARY.get(op)
    numbers = (int, float, complex)
    if function is None or (op in ("**", "<<") and not _small(left, right)):
        return UNKNOWN
    if op == "%" and isinstance(left, (str, bytes)) and any(c in str(left) for c in "0123456789*"):
        return UNKNOWN  # a width may ask for any amount of memory
    if op == "*" and not (isinstance(left, numbers) and isinstance(right, numbers)):
        if not _small(left if isinstance(left, int) else right, 0):
            return UNKNOWN
    try:
        result = function(left, right)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise machine.error(frame, type(error).__name__, str(error)) from None
    if isinstance(result, (str, bytes)) and len(result) > MAX_TEXT:
        return UNKNOWN
    if isinstance(result, int) and result.bit_length() > MAX_BITS:
        return UNKNOWN
    return Const(result)


def _small(*values: Any) -> bool:
    return all(isinstance(v, (int, float)) and abs(v) < 1024 for v in values)
