"""The table of models: what is called instead of a function outside the tree."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from typing import Any

from regreach.evaluate.frames import Frame
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import Bound, Builtin, Class, External, Function, Partial, Value

Args = tuple[Value, ...]
Keywords = Mapping[str, Value]
Site = tuple[Any, ...]
Model = Callable[[Machine, Frame, Args, Keywords, Site], Value]

BUILTINS: dict[str, Value] = {
    name: External(f"builtins.{name}") for name in dir(builtins) if not name.startswith("__")
}
BUILTINS["__import__"] = External("builtins.__import__")
BUILTINS["NotImplemented"] = External("builtins.NotImplemented")
CALLS: dict[str, Model] = {}
CALLABLES = (Function, Class, Bound, Partial, Builtin)


def model(*paths: str) -> Callable[[Model], Model]:
    """Register what is called instead of the functions of these paths."""

    def register(function: Model) -> Model:
        for path in paths:
            CALLS[path] = function
        return function

    return register
