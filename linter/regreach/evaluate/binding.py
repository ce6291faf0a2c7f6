"""Where a name is bound: in the frame's own scope, or in the one that ``global`` or ``nonlocal`` names."""

from __future__ import annotations

from regreach.evaluate.frames import Frame
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import MISSING, Finished, Value


def bind(machine: Machine, frame: Frame, name: str, value: Value) -> None:
    """Bind a name in a frame, as an assignment does."""
    if name in frame.global_names:
        if isinstance(frame.module, Finished):
            machine.global_of(frame.module, name)  # what it was is not to come after this
        machine.heap.write(frame.module, name, value)
        return
    if name in frame.outer_names:
        for scope in reversed(frame.enclosing):
            if name in scope.cells:
                machine.heap.write(scope, name, value)
                return
    machine.heap.write(frame.scope, name, value)


def is_bound(machine: Machine, frame: Frame, name: str) -> bool:
    """Return whether a name is or may be bound where ``bind`` would bind it."""
    if name in frame.global_names:
        return machine.global_of(frame.module, name) is not MISSING
    if name in frame.outer_names:
        return any(name in scope.cells for scope in frame.enclosing)
    return name in frame.scope.cells
