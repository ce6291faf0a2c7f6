"""A run of the abstract machine as a process would make it: import this first, then that, then call."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeVar

from regreach.errors import TargetError
from regreach.evaluate import expressions, statements  # noqa: F401  (they fill the tables)
from regreach.evaluate.attributes import get_attribute
from regreach.evaluate.calls import call
from regreach.evaluate.dispatch import run_block
from regreach.evaluate.frames import Abrupt, Frame, Pending, Place
from regreach.evaluate.heap import Delta
from regreach.evaluate.importing import import_module, loaded_modules
from regreach.evaluate.machine import Machine
from regreach.evaluate.values import MISSING, Module, Raised, Scope, Value
from regreach.facts import ir

_T = TypeVar("_T")
_UNKNOWN_DEPTH = 5  # how deep calls are followed when the arguments are unknown
_UNKNOWN_BUDGET = 1_500  # and how many statements are run
_STACK = 512 * 1024 * 1024
_RECURSION = 100_000
_PAUSES = (0.01, 0.05, 0.2, 0)  # seconds between attempts to start a thread


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended: ``raised`` certainly, ``may_raise`` under conditions, else normally."""

    raised: Raised | None
    may_raise: tuple[Pending, ...]
    value: Value = MISSING

    @property
    def ok(self) -> bool:
        """Return whether nothing was or may have been raised."""
        return self.raised is None and not self.may_raise


class Session:
    """One abstract process with a state of its own, on a machine that several may share.

    State is kept between calls; ``attempt`` undoes what is done in it. Only one session of a machine
    is in its heap at a time: using another puts the state of the first aside.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.frame = self._main()
        self.loaders: dict[str, Place] = {}
        self._aside: Delta = {}
        self._attempts = 0
        self._trail: list[tuple[str, int, Ended]] = []

    @staticmethod
    def _main() -> Frame:
        return Frame(Module("__main__"), Scope())

    def activate(self) -> None:
        """Bring this session's state into the machine."""
        machine = self.machine
        other: Session | None = machine.session
        if other is self:
            return
        if other is not None:
            assert not other._attempts, "a session is put aside in the middle of an attempt"
            # a trail is a path to return on: it is cheaper gone again than kept
            other._aside = {} if other._trail else machine.heap.delta(machine.start)
            other._trail.clear()
            machine.heap.undo(machine.start)
        machine.heap.apply(self._aside)
        machine.loaders = self.loaders
        machine.session = self

    def _run(self, action: Callable[[], Value]) -> Ended:
        self.activate()
        self.frame = self._main()
        raised: Raised | None = None
        value: Value = MISSING
        try:
            value = action()
        except Abrupt as abrupt:
            raised = abrupt.value if isinstance(abrupt.value, Raised) else Raised(abrupt.value)
        # how it may end is of interest from here on, not the state that it would leave
        pendings = tuple(replace(p, delta={}) for p in self.frame.pendings if p.kind == "raise")
        return Ended(raised, pendings, value)

    def import_module(self, name: str) -> Ended:
        """Import a module, as the next thing that this process does."""
        return self._run(lambda: import_module(self.machine, self.frame, name))

    def run(self, statement: ir.Stmt) -> Ended:
        """Run a statement, as if it stood in a module of no package."""

        def action() -> Value:
            run_block(self.machine, self.frame, (statement,))
            return MISSING

        return self._run(action)

    def call(
        self,
        function: Value,
        args: Sequence[Value] = (),
        keywords: Mapping[str, Value] | None = None,
    ) -> Ended:
        """Call a value of the tree."""
        return self._run(
            lambda: call(
                self.machine,
                self.frame,
                function,
                tuple(args),
                keywords or {},
                site=("session",),
            )
        )

    def call_with_unknown(self, function: Value, args: Sequence[Value]) -> Ended:
        """Call a function with these arguments, all others being unknown.

        With so little known, it is not followed far.
        """
        machine = self.machine
        limits = machine.max_call_depth, machine.call_budget
        machine.max_call_depth, machine.call_budget = _UNKNOWN_DEPTH, _UNKNOWN_BUDGET
        try:
            return self._run(
                lambda: call(
                    machine,
                    self.frame,
                    function,
                    tuple(args),
                    {},
                    site=("session",),
                    complete=False,
                )
            )
        finally:
            machine.max_call_depth, machine.call_budget = limits

    def resolve(self, path: str) -> Value:
        """Return what ``module:Class.attribute`` stands for now; MISSING when it is not there."""
        self.activate()
        module, _, name = path.partition(":")
        value: Value = self.machine.module_object(module) or MISSING
        for part in name.split(".") if name else ():
            if value is MISSING:
                break
            value = get_attribute(self.machine, self.frame, value, part)
        return value

    def loaded(self) -> dict[str, bool]:
        """Return the loaded modules in order; False stands for *maybe*."""
        self.activate()
        return loaded_modules(self.machine)

    def has_loaded(self, module: str) -> bool:
        """Return whether a module is, or may be, loaded."""
        self.activate()
        return module in self.machine.modules.cells

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Undo at the end whatever is done inside."""
        self.activate()
        mark = self.machine.heap.mark()
        self._attempts += 1
        try:
            yield
        finally:
            self._attempts -= 1
            self.machine.heap.undo(mark)

    def import_first(self, name: str) -> Ended:
        """Bring the process to the state in which this module alone was imported, in a fresh process.

        What the last such state has in common with it (the parent packages) is not run again.
        """
        self.activate()
        heap = self.machine.heap
        parts = name.split(".")
        wanted = [".".join(parts[: i + 1]) for i in range(len(parts))]
        common = 0
        while (
            common < len(self._trail)
            and common < len(wanted)
            and self._trail[common][0] == wanted[common]
        ):
            common += 1
        if common < len(self._trail):
            heap.undo(self._trail[common][1])
            del self._trail[common:]
        for step in wanted[common:]:
            if self._trail and self._trail[-1][2].raised is not None:
                break
            mark = heap.mark()
            self._trail.append((step, mark, self.import_module(step)))
        ended = self._trail[-1][2]
        pendings = tuple(p for _, __, e in self._trail for p in e.may_raise)
        return Ended(ended.raised, pendings, ended.value)


def _started(run: Callable[[], None]) -> threading.Thread:
    """Start a thread. Raises TargetError when the system gives none.

    One that has just ended may still be counted for a moment.
    """
    for pause in _PAUSES:
        thread = threading.Thread(target=run, name="regreach")
        try:
            thread.start()
        except RuntimeError:
            time.sleep(pause)
        else:
            return thread
    raise TargetError(
        f"the system gives no thread with {_STACK >> 20} MiB of stack, which the analysis needs:"
        " raise the limits of memory and of processes (ulimit -v, ulimit -u)"
    )


def with_deep_stack(action: Callable[[], _T]) -> _T:
    """Run something in a thread whose stack is deep enough for long import chains; return its result.

    Raises TargetError when the system gives no such thread.
    """
    result: list[_T] = []
    error: list[BaseException] = []

    def run() -> None:
        try:
            result.append(action())
        except BaseException as caught:
            error.append(caught)

    size, limit = threading.stack_size(_STACK), sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _RECURSION))
    try:
        _started(run).join()
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(limit)
    if error:
        raise error[0]
    return result[0]
