"""A function that gives back its argument, and is its own result: a decorator without an effect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from regreach.evaluate.values import UNKNOWN, Builtin, Value


def _identity(
    _machine: Any, _frame: Any, args: Sequence[Value], _keywords: Mapping[str, Value], _site: Any
) -> Value:
    return args[0] if args else UNKNOWN


IDENTITY = Builtin("decorator", _identity)
