"""Run a module's body once, and replay what it changed when it is imported again from the same state.

The same modules are imported over and over: first in this process, then in that, on this path and
on that one. What running a body does depends on which of the modules that it asks for are loaded
already (and what those have bound that are being run), and on what the dicts, lists and instances
of other modules hold that it looks into; where that is the same as before, so are the changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from regreach.evaluate.heap import Delta
from regreach.evaluate.values import (
    MISSING,
    Dict,
    Instance,
    Listing,
    Module,
    Obj,
    Value,
    may_be_missing,
)

if TYPE_CHECKING:
    from regreach.evaluate.frames import Place
    from regreach.evaluate.machine import Machine

EXECUTING = "<executing>"  # cell of a module whose body has not ended yet
_KEPT = 4  # so many recordings are kept of one module

# Where a module is, when it is not in the midst of being run (then that is what it has bound so far).
_ABSENT: tuple[Any, ...] = ("absent",)
_DONE: tuple[Any, ...] = ("done",)


@dataclass(slots=True)
class Recording:
    """What the loading of one module did.

    ``loaded`` are the modules that it loaded, itself first, by the line that did; ``asked`` are the
    other modules that it asked for, and where those were. ``reads`` are the objects of others that it
    looked into, and ``before`` says what they held when it began. ``pure`` says that nothing else of
    the state was seen to matter.
    """

    mark: int
    guarded: bool
    reads: set[Obj]
    loaded: dict[str, Place] = field(default_factory=dict)
    asked: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    created: set[Obj] = field(default_factory=set)
    before: dict[Obj, tuple[Any, ...]] = field(default_factory=dict)
    pure: bool = True
    delta: Delta = field(default_factory=dict)


class Replay:
    """The recordings of one machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._open: list[Recording] = []
        self._kept: dict[str, list[Recording]] = {}
        # what was set in modules, classes and closures by others than those who made them
        self._patches = Obj()
        self.keeps = True

    def load(self, name: str, place: Place, load: Callable[[], Value]) -> Value:
        """Load a module that is not loaded: by a recording that fits, else by ``load``."""
        machine = self._machine
        found = self._fitting(name)
        if found is not None:
            for obj in found.reads:
                self.read(obj)
            machine.heap.apply(found.delta)
            machine.loaders.update(found.loaded)
            machine.loaders[name] = place
            self._note(found.loaded, found.asked.items(), found.created)
            return machine.modules.cells[name]
        recording = Recording(machine.heap.mark(), bool(machine.import_guards), {self._patches})
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
        elif self.keeps and recording.pure and self._all_certain(recording.loaded):
            self._keep(name, recording)
        return value

    def _keep(self, name: str, recording: Recording) -> None:
        heap = self._machine.heap
        own = {*recording.created, *map(self._machine.module_object, recording.loaded)}
        recording.delta = heap.delta(recording.mark)
        for (obj, key), value in list(recording.delta.items()):
            known = obj in own or obj is self._machine.modules or obj is self._machine.externals
            if known or isinstance(value, Module):
                continue
            if not isinstance(obj, (Dict, Listing, Instance)):
                heap.write(self._patches, (obj, key), value)
                recording.delta[self._patches, (obj, key)] = value
        recording.before = heap.contents_at(recording.mark, recording.reads)
        kept = self._kept.setdefault(name, [])
        kept.append(recording)
        del kept[:-_KEPT]

    def asked_for(self, name: str, present: Value) -> None:
        """Note that a module was looked up in ``sys.modules``, or as an attribute of its package."""
        if not self._open:
            return
        if present is not MISSING and may_be_missing(present):
            self.spoil()
        else:
            self._note({}, [(name, self._state(name))], ())

    def created(self, obj: Obj) -> None:
        """Note that an object was made."""
        if self._open:
            self._open[-1].created.add(obj)

    def read(self, obj: Obj) -> None:
        """Note that it matters what an object holds."""
        for recording in reversed(self._open):
            if obj in recording.created:
                return
            recording.reads.add(obj)

    def spoil(self) -> None:
        """Note that the state mattered in a way that is not recorded."""
        if self._open:
            self._open[-1].pure = False

    def _note(
        self,
        loaded: dict[str, Place],
        asked: Iterable[tuple[str, tuple[Any, ...]]],
        created: Iterable[Obj],
    ) -> None:
        if not self._open:
            return
        outer = self._open[-1]
        for name, state in asked:
            if name not in outer.loaded:
                outer.asked.setdefault(name, state)
        outer.loaded.update(loaded)
        outer.created.update(created)

    def _fitting(self, name: str) -> Recording | None:
        modules = self._machine.modules.cells
        guarded = bool(self._machine.import_guards)
        for recording in reversed(self._kept.get(name, ())):
            if (
                (recording.guarded or not guarded)
                and not any(m in modules for m in recording.loaded)
                and all(self._state(m) == s for m, s in recording.asked.items())
                and all(tuple(o.cells.items()) == c for o, c in recording.before.items())
            ):
                return recording
        return None

    def _state(self, name: str) -> tuple[Any, ...]:
        value = self._machine.modules.cells.get(name, MISSING)
        if not isinstance(value, Module):
            return _ABSENT if value is MISSING else _DONE
        return tuple(value.cells.items()) if EXECUTING in value.cells else _DONE

    def _all_certain(self, loaded: Iterable[str]) -> bool:
        cells = self._machine.modules.cells
        return all(not may_be_missing(cells.get(m, MISSING)) for m in loaded)
