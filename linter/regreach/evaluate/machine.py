"""The abstract machine: its state, and what happens at a branch.

A branch whose condition is unknown is run both ways from the same state, and the two results are
merged (``Machine.fork``). When one way ends abruptly (``return``, ``raise``, ``break``,
``continue``), the run goes on with the other, and the abrupt one is kept as a ``Pending``: the end
of the function, the loop or the ``try`` statement takes it up again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from regreach.evaluate.explorer import Explorer
from regreach.evaluate.frames import Abrupt, Frame, Pending, Place
from regreach.evaluate.heap import Delta, Heap
from regreach.evaluate.replay import Replay
from regreach.evaluate.values import (
    LATER,
    MISSING,
    NONE,
    UNKNOWN,
    Const,
    Deferred,
    Dict,
    External,
    Finished,
    Function,
    Module,
    Obj,
    Raised,
    Union,
    Value,
    Waiting,
    cell_of,
    join,
    union,
)
from regreach.evaluate.world import Sources, World
from regreach.facts.names import local_names

if TYPE_CHECKING:
    from regreach.evaluate.finished import FinishedModules
    from regreach.facts import ir

# A call chain of the tree's own functions longer than this is not followed.
MAX_CALL_DEPTH = 60
# One function may be on the call chain this many times.
MAX_RECURSION = 3
# So many statements may be run by one call made from module level before it is given up.
CALL_BUDGET = 40_000
# So many unknown branches may lie one in the other before calls in them are no longer followed.
MAX_CONDITIONS = 12


class Machine:
    """The state of one abstract process."""

    def __init__(self, sources: Sources, world: World, top_level: str) -> None:
        self.sources = sources
        self.world = world
        self.top_level = top_level
        self.heap = Heap()
        self.modules = Obj()  # sys.modules: cells in the order in which modules began to run
        self.externals = (
            Obj()
        )  # packages of others that have been imported, by their top-level names
        self.environ = Dict()
        self.overrides: dict[str, Value] = dict(world.calls)
        # called when a function of that path is called, before it runs
        self.session: Any = None  # whose state this is at present
        self.watches: dict[str, Callable[[Sequence[Value]], None]] = {}
        # called instead of running the class of that path
        self.constructions: dict[
            str, Callable[[Frame, Sequence[Value], Mapping[str, Value]], Value]
        ] = {}
        self.conditions: list[Place] = []
        self.reasons: dict[tuple[Obj, Any], tuple[Place, ...]] = {}
        self.replay = Replay(self)
        self.loaders: dict[
            str, Place
        ] = {}  # by which line each module was loaded, last time it was
        self.asked: set[str] = set()  # which of the overridden functions were called
        self.unresolved: dict[Place, str] = {}
        self.unread: set[str] = set()  # modules that were imported and whose file could not be read
        self.frames: list[Frame] = []
        self.import_guards: list[Module] = []  # modules in a ``try`` that outlives an ImportError
        self.taken: list[Place] | None = None  # where branches known to be taken are noted
        self.explorer: Explorer | None = None
        # Where values of modules come from that are not run as a whole, and whether this machine is
        # that which makes them.
        # what is run of a function in place of its body, by the identity of its definition
        self.bodies: dict[int, ir.Body] = {}
        self.finished: FinishedModules | None = None
        self.is_finished = False
        self.max_call_depth = MAX_CALL_DEPTH
        self.call_budget = CALL_BUDGET
        self._depth = 0
        self._budget = CALL_BUDGET
        self._allocated: dict[tuple[Any, ...], Obj] = {}
        self._contexts: dict[tuple[Any, ...], int] = {}
        self._special_names: dict[str, Waiting] = {}
        self._waiting: dict[tuple[Waiting, object], Waiting] = {}
        self._local_names: dict[int, frozenset[str]] = {}
        for name, value in world.environment.items():
            self.heap.write(self.environ, Const(name), Const(value))
        self.start = self.heap.mark()  # where every process begins

    # -- allocation ---------------------------------------------------------------------------

    def context(self, parent: int, *site: Any) -> int:
        """Return a number for a place in the call tree, the same each time it is reached again.

        Code that is run twice (a module in two ways of a fork) so creates the same objects.
        """
        return self._contexts.setdefault((parent, *site), len(self._contexts) + 1)

    def allocate(self, make: Callable[[], Obj], frame: Frame, *site: Any) -> Any:
        """Return the object of this place in the call tree, emptied."""
        key = (frame.context, *site)
        found = self._allocated.get(key)
        if found is None:
            found = self._allocated[key] = make()
        else:
            self.heap.clear(found)
        self.replay.created(found)
        return found

    # -- branches -----------------------------------------------------------------------------

    def place(self, frame: Frame) -> Place:
        """Return where a frame is."""
        return Place(frame.module.name, frame.line)

    def fork(
        self,
        frame: Frame,
        left: Callable[[], Value],
        right: Callable[[], Value],
        place: Place,
        subject: str | None = None,
    ) -> Value:
        """Run both ways from the same state and merge them; return the join of their values.

        Raises Abrupt when both ways end abruptly. While ``explorer`` follows this frame's module, it
        decides for one way, and nothing is merged.
        """
        if self.explorer is not None and self.explorer.module == frame.module.name:
            decision = self.explorer.decide(subject)
            if decision is not None:
                self.conditions.append(place)
                return left() if decision else right()
        heap = self.heap
        mark = heap.mark()
        ended, value = self._one_way(frame, left, mark, place)
        delta = heap.take(mark)
        ended_right, value_right = self._one_way(frame, right, mark, place)
        if ended is None and ended_right is None:
            self._merge(delta, heap.take(mark), place)
            return join(value, value_right)
        if ended is not None and ended_right is not None:
            if ended.kind == ended_right.kind != "raise":
                self._merge(delta, heap.take(mark), place)
                raise Abrupt(ended.kind, join(ended.value, ended_right.value))
            self._pend(frame, ended, mark, delta, place)
            raise ended_right
        if ended is not None:
            self._pend(frame, ended, mark, delta, place)
            return value_right
        assert ended_right is not None
        self._pend(frame, ended_right, mark, heap.take(mark), place)
        heap.apply(delta)
        return value

    def _one_way(
        self, frame: Frame, way: Callable[[], Value], mark: int, place: Place
    ) -> tuple[Abrupt | None, Value]:
        already = len(frame.pendings)
        self.conditions.append(place)
        try:
            value = way()
            ended = None
        except Abrupt as abrupt:
            value, ended = NONE, abrupt.caught()
        finally:
            self.conditions.pop()
        for pending in frame.pendings[already:]:
            self.lift(pending, mark)
        return ended, value

    def lift(self, pending: Pending, mark: int) -> None:
        """Make a pending end relative to an earlier mark."""
        if pending.mark > mark:
            pending.delta = self.heap.since(mark, pending.mark, pending.delta)
            pending.mark = mark

    def _pend(self, frame: Frame, ended: Abrupt, mark: int, delta: Delta, place: Place) -> None:
        for old in frame.pendings:
            if old.kind == ended.kind == "raise" and old.value == ended.value:
                return
        conditions = (*self.conditions, place)
        frame.pendings.append(Pending(ended.kind, ended.value, mark, delta, conditions))

    def _merge(self, left: Delta, right: Delta, place: Place) -> None:
        for cell in self.heap.merge(left, right):
            if cell[0] is self.modules or isinstance(cell[0], Dict):
                self.reasons.setdefault(cell, (*self.conditions, place))

    def maybe(self, frame: Frame, way: Callable[[], Value], place: Place) -> Value:
        """Run something that may or may not happen."""
        return self.fork(frame, way, lambda: NONE, place)

    @contextmanager
    def merging(self) -> Iterator[None]:
        """Merge the ways of each branch for a while, also in the module whose paths are explored."""
        explorer, self.explorer = self.explorer, None
        try:
            yield
        finally:
            self.explorer = explorer

    def settle(
        self,
        frame: Frame,
        start: int,
        kinds: tuple[str, ...],
        current: Abrupt | None,
        take_up: Callable[[Pending], Value | None],
    ) -> Abrupt | None:
        """Take up the pending ends of some kinds that were put aside since index ``start``.

        Each is merged with the present way, which ended with ``current`` (None: normally).
        ``take_up`` runs what follows the pending end (a handler's body; nothing for a loop's break)
        and may raise Abrupt. Returns how the merged way ends.
        """
        heap = self.heap
        mine = frame.pendings[start:]
        del frame.pendings[start:]
        kept: list[Pending] = []
        for pending in reversed(mine):
            if pending.kind not in kinds:
                kept.append(pending)
                continue
            for other in kept:
                self.lift(other, pending.mark)
            mark = pending.mark
            present = heap.take(mark)
            heap.apply(pending.delta)
            ended: Abrupt | None = None
            self.conditions.extend(pending.conditions)
            try:
                take_up(pending)
            except Abrupt as abrupt:
                ended = abrupt.caught()
            finally:
                del self.conditions[len(self.conditions) - len(pending.conditions) :]
            for new in frame.pendings[start:]:
                self.lift(new, mark)
            kept.extend(reversed(frame.pendings[start:]))
            del frame.pendings[start:]
            resumed = heap.take(mark)
            place = pending.conditions[-1]
            if ended is None and current is None:
                self._merge(resumed, present, place)
            elif (
                ended is not None and current is not None and ended.kind == current.kind != "raise"
            ):
                self._merge(resumed, present, place)
                current = Abrupt(current.kind, join(ended.value, current.value))
            elif current is not None and (ended is None or current.kind == "raise"):
                kept.append(Pending(current.kind, current.value, mark, present, pending.conditions))
                heap.apply(resumed)
                current = ended
            else:
                assert ended is not None
                kept.append(Pending(ended.kind, ended.value, mark, resumed, pending.conditions))
                heap.apply(present)
        frame.pendings.extend(sorted(kept, key=lambda p: p.mark))
        return current

    # -- sources ------------------------------------------------------------------------------

    @contextmanager
    def reading(self, sources: Sources) -> Iterator[None]:
        """Read other sources for a while; what is seen then of the loading of modules is not kept."""
        before, keeps = self.sources, self.replay.keeps
        self.sources, self.replay.keeps = sources, sources is before and keeps
        try:
            yield
        finally:
            self.sources, self.replay.keeps = before, keeps

    # -- calls --------------------------------------------------------------------------------

    @contextmanager
    def running(self, frame: Frame) -> Iterator[None]:
        """Push a frame."""
        self.frames.append(frame)
        try:
            yield
        finally:
            self.frames.pop()

    def may_enter(self, function: Function) -> bool:
        """Return whether a call of this function is still to be followed."""
        # an outermost call gets a fresh budget
        if self._depth >= self.max_call_depth or (self._depth and self._budget <= 0):
            return False
        if len(self.conditions) > MAX_CONDITIONS:
            return False
        definition = function.definition
        count = sum(
            1 for f in self.frames if f.function is not None and f.function.definition is definition
        )
        return count < MAX_RECURSION

    @contextmanager
    def calling(self) -> Iterator[None]:
        """Count the depth of calls; the outermost gets a fresh budget."""
        if self._depth == 0:
            self._budget = self.call_budget
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    @contextmanager
    def module_level(self) -> Iterator[None]:
        """While a module is being run, its own calls have depths and budgets of their own."""
        depth, budget = self._depth, self._budget
        self._depth = 0
        try:
            yield
        finally:
            self._depth, self._budget = depth, budget

    @contextmanager
    def outermost(self) -> Iterator[None]:
        """While something is tried on the way, it has the limits that it would have by itself."""
        conditions = self.conditions
        self.conditions = []
        try:
            with self.module_level():
                yield
        finally:
            self.conditions = conditions

    def spend(self) -> None:
        """Count one statement."""
        self._budget -= 1

    # -- names --------------------------------------------------------------------------------

    def local_names(self, frame: Frame) -> frozenset[str]:
        """Return the names that are local to the function whose frame this is; none for other frames."""
        if frame.body is None:
            return frozenset()
        found = self._local_names.get(id(frame.body))
        if found is None:
            found = self._local_names[id(frame.body)] = local_names(frame.body)
        return found

    def unbound_local(self, frame: Frame, name: str) -> Abrupt:
        """Return the UnboundLocalError of a local name that is not bound."""
        if sys.version_info < (3, 11):
            message = f"local variable {name!r} referenced before assignment"
        else:
            message = (
                f"cannot access local variable {name!r} where it is not associated with a value"
            )
        return self.error(frame, "UnboundLocalError", message)

    def error(self, frame: Frame, name: str, message: str = "") -> Abrupt:
        """Return a builtin exception raised at the frame's present line."""
        frames = self.frames if self.frames and self.frames[-1] is frame else [*self.frames, frame]
        trace = tuple((f.module.name, f.line) for f in frames)
        raised = Raised(External(f"builtins.{name}"), message, frame.module.name, frame.line, trace)
        return Abrupt("raise", raised)

    def known(self, value: Value) -> Value:
        """Return what a cell of a module holds, found out now where that has been put off."""
        if type(value) is Deferred:
            assert self.finished is not None, "who defers gives this"
            return self.finished.value(value.module, value.name)
        if type(value) is Union and any(type(each) is Deferred for each in value.values):
            return union(map(self.known, value.values))
        return value

    def waiting(
        self, before: Waiting, node: object, added: tuple[tuple[str, Value], ...]
    ) -> Waiting:
        """Return the names that wait in a module after a statement has bound these; the same each time."""
        key = before, node if isinstance(node, str) else id(node)
        found = self._waiting.get(key)
        if found is None or found.added != added:
            names = {**before.names, **dict(added)}
            found = self._waiting[key] = Waiting(names, added)
        return found

    def unbind(self, obj: Obj, name: str) -> None:
        """Remove what an object has bound to a name."""
        if name in obj.cells:
            self.heap.write(obj, name, MISSING)
        waiting = obj.cells.get(LATER)
        if isinstance(waiting, Waiting) and name in waiting.names:
            left = self.waiting(waiting, name, ((name, MISSING),))
            self.heap.write(obj, LATER, left)

    def special_names(self, module: str, is_package: bool) -> Waiting:
        """Return what every module has bound before its first statement."""
        found = self._special_names.get(module)
        if found is None:
            names: dict[str, Value] = {
                "__name__": Const(module),
                "__package__": Const(module if is_package else module.rpartition(".")[0]),
                "__doc__": UNKNOWN,
                **{n: External(f"{module}.{n}") for n in ("__file__", "__spec__", "__loader__")},
            }
            if is_package:
                names["__path__"] = External(f"{module}.__path__")
            found = self._special_names[module] = Waiting(names)
        return found

    def global_of(self, module: Module, name: str) -> Value:
        """Return what a name stands for at the margin of a module; MISSING when it is not bound."""
        if not isinstance(module, Finished):
            return self.known(cell_of(module, name))
        assert self.finished is not None, "it has made the module"
        if not self.is_finished:
            # what this process has run itself comes first
            own = self.module_object(module.name)
            value = cell_of(own, name) if own is not None else MISSING
            if value is not MISSING and type(value) is not Deferred:
                return self.known(value)
        return self.finished.value_in(module, name)

    def module_object(self, name: str) -> Module | None:
        """Return the module of the tree, if it is or may be loaded."""
        if self.is_finished and self.finished is not None:
            return self.finished.module(name)
        value = self.modules.cells.get(name, MISSING)
        return value if isinstance(value, Module) else self._modules_cache(name, value)

    def _modules_cache(self, name: str, value: Value) -> Module | None:
        found = self._allocated.get(("module", name))
        return found if value is not MISSING and isinstance(found, Module) else None

    def new_module(self, name: str) -> Module:
        """Return the module object of that name, emptied."""
        found = self._allocated.get(("module", name))
        if isinstance(found, Module):
            self.heap.clear(found)
            return found
        module = Module(name)
        self._allocated["module", name] = module
        return module
