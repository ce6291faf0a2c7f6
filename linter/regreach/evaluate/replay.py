"""Run a module's body once, and replay what it changed when it is imported again from the same state.

The same modules are imported over and over: first in this process, then in that, on this path and
on that one. What running a body does depends on which of the modules that it asks for are loaded
already (and how far those have got that are being run); where that is the same as before, so are
the changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from regreach.evaluate.heap import Delta
from regreach.evaluate.values import MISSING, Module, Obj, Value, may_be_missing

if TYPE_CHECKING:
    from regreach.evaluate.machine import Machine, Place

EXECUTING = "<executing>"  # cell of a module whose body has not ended yet
_KEPT = 4  # so many recordings are kept of one module
_DONE = -1


@dataclass(slots=True)
class Recording:
    """What the loading of one module did.

    ``loaded`` are the modules that it loaded, itself first, by the line that did; ``asked`` are the
    modules that it found loaded, and how many names those had that were being run. ``pure`` says that
    nothing else of the state was seen to matter.
    """

    mark: int
    guarded: bool
    loaded: dict[str, Place] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)
    created: set[Obj] = field(default_factory=set)
    pure: bool = True
    delta: Delta = field(default_factory=dict)


class Replay:
    """The recordings of one machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._open: list[Recording] = []
        self._kept: dict[str, list[Recording]] = {}

    def load(self, name: str, place: Place, load: Callable[[], Value]) -> Value:
        """Load a module that is not loaded: by a recording that fits, else by ``load``."""
        machine = self._machine
        found = self._fitting(name)
        if found is not None:
            machine.heap.apply(found.delta)
            machine.loaders.update(found.loaded)
            machine.loaders[name] = place
            self._note(found.loaded, found.asked.items(), found.created)
            return machine.modules.cells[name]
        recording = Recording(machine.heap.mark(), bool(machine.import_guards))
        recording.loaded[name] = place
        machine.loaders[name] = place
        self._open.append(recording)
        pendings = sum(len(f.pendings) for f in machine.frames)
        try:
            value = load()
        except BaseException:
            recording.pure = False
            raise
        finally:
            self._open.pop()
            if not recording.pure:
                self.spoil()
            self._note(recording.loaded, recording.asked.items(), recording.created)
        if sum(len(f.pendings) for f in machine.frames) != pendings:
            self.spoil()
        elif recording.pure and self._all_certain(recording.loaded):
            recording.delta = machine.heap.delta(recording.mark)
            kept = self._kept.setdefault(name, [])
            kept.append(recording)
            del kept[:-_KEPT]
        return value

    def asked_for(self, name: str, present: Value) -> None:
        """Note that a module was found in ``sys.modules``, certainly or perhaps."""
        if not self._open:
            return
        if may_be_missing(present):
            self.spoil()
        else:
            self._note({}, [(name, self._progress(name))], ())

    def created(self, obj: Obj) -> None:
        """Note that an object was made."""
        if self._open:
            self._open[-1].created.add(obj)

    def changed(self, obj: Obj) -> None:
        """Note that an object was changed in a way that depends on what it was."""
        for recording in reversed(self._open):
            if obj in recording.created:
                return
            recording.pure = False

    def spoil(self) -> None:
        """Note that the state mattered in a way that is not recorded."""
        if self._open:
            self._open[-1].pure = False

    def _note(
        self, loaded: dict[str, Place], asked: Iterable[tuple[str, int]], created: Iterable[Obj]
    ) -> None:
        if not self._open:
            return
        outer = self._open[-1]
        for name, progress in asked:
            if name not in outer.loaded:
                outer.asked.setdefault(name, progress)
        outer.loaded.update(loaded)
        outer.created.update(created)

    def _fitting(self, name: str) -> Recording | None:
        modules = self._machine.modules.cells
        guarded = bool(self._machine.import_guards)
        for recording in reversed(self._kept.get(name, ())):
            if (
                (recording.guarded or not guarded)
                and not any(m in modules for m in recording.loaded)
                and all(self._progress(m) == p for m, p in recording.asked.items())
            ):
                return recording
        return None

    def _progress(self, name: str) -> int:
        """Return how far a module has got: how many names it has, ``_DONE``, or less when it is not loaded."""
        value = self._machine.modules.cells.get(name, MISSING)
        if not isinstance(value, Module):
            return _DONE if value is not MISSING else _DONE - 1
        return len(value.cells) if EXECUTING in value.cells else _DONE

    def _all_certain(self, loaded: Iterable[str]) -> bool:
        cells = self._machine.modules.cells
        return all(not may_be_missing(cells.get(m, MISSING)) for m in loaded)
