"""The init path: construct the consumer for one value of each selector, and watch what it reads."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field

from regreach.evaluate.frames import Place
from regreach.evaluate.instances import dataclass_fields
from regreach.evaluate.items import dict_get
from regreach.evaluate.iteration import enum_members
from regreach.evaluate.session import Ended, Session
from regreach.evaluate.values import (
    MISSING,
    UNKNOWN,
    Class,
    Const,
    Dict,
    Instance,
    Tuple,
    Value,
    may_be_missing,
)
from regreach.model import Outcome, Tristate
from regreach.pack import Consumer, Pack, Registry

Key = tuple[str, ...]


@dataclass(slots=True)
class InitRun:
    """What one run of the init path showed, by registry where there can be several."""

    ended: Ended
    at_lookup: dict[str, Tristate] = field(default_factory=dict)
    lookups: dict[str, Place] = field(default_factory=dict)
    doubts: list[Place] = field(default_factory=list)  # on what it hangs whether a key is there
    # of the consumer's own module, in order: the headers of the branches that were taken for certain
    # before the first look-up, and the line of the consumer's own function at which that was then
    branches: list[Place] = field(default_factory=list)
    asking: Place | None = None
    branch: Place | None = None  # that of ``branches`` which the selectors' values decide
    unread: Set[str] = frozenset()  # modules that it may have imported and whose file was not read

    @property
    def outcome(self) -> Outcome:
        """Return how it ends."""
        if self.ended.raised is not None:
            return "raises"
        return "maybe" if self.ended.may_raise else "ok"


class InitPath:
    """The init path of one consumer in one session, from whatever state that session is in."""

    def __init__(
        self, session: Session, pack: Pack, consumer: Consumer, registries: Sequence[Registry]
    ) -> None:
        self.session = session
        self.consumer = consumer
        self.registries = registries
        self._selectors = pack.selectors
        self.axes = (*consumer.ambient, *consumer.selectors.values())

    def sources(self, selector: str) -> tuple[str, ...]:
        """Return the functions that give the process's value of a selector."""
        return self._selectors[selector].sources

    def members(self, selector: str) -> dict[str, Value]:
        """Return the members of a selector's enum by their value; empty when the tree has no such enum."""
        cls = self.session.resolve(self._selectors[selector].enum)
        if not isinstance(cls, Class) or not cls.is_enum:
            return {}
        return {member_text(m): m for m in enum_members(cls)}

    def pairs(self) -> list[Key]:
        """Return every combination of selector values."""
        return list(itertools.product(*(self.members(name) for name in self.axes)))

    def contents(self, registry: Registry) -> dict[Value, Value] | None:
        """Return what a registry holds now; None when that is not known."""
        module = registry.container.partition(":")[0]
        if not self.session.has_loaded(module):
            return {}
        container = self.session.resolve(registry.container)
        return dict(container.cells) if isinstance(container, Dict) else None

    def present(self, registry: Registry, key: Key) -> Tristate:
        """Return whether a key is in a registry now."""
        return state_of(self.contents(registry), key)

    def present_all(self, registry: Registry, keys: Iterable[Key]) -> dict[Key, Tristate]:
        """Return whether each of these keys is in a registry now."""
        contents = self.contents(registry)
        return {key: state_of(contents, key) for key in keys}

    def run(self, key: Key, others: Mapping[str, Value] | None = None) -> InitRun:
        """Construct the consumer with these selector values; the session is left as it was.

        ``others`` are arguments for parameters that the pack says nothing of; they have their defaults else.
        """
        run = InitRun(Ended(None, ()))
        with self._observed(run, key), self.session.attempt():
            run.ended = self.construct(key, others)
            run.unread = self.session.machine.unread & self.session.loaded().keys()
            for registry in self.registries:
                # what the init path never came to read was not there when it was read
                present = "no" if registry.on_init_path else self.present(registry, key)
                run.at_lookup.setdefault(registry.id, present)
            if not run.lookups:
                run.branches = self._branches()
        return run

    def construct(self, key: Key, others: Mapping[str, Value] | None = None) -> Ended:
        """Construct the consumer and keep what that did."""
        values = dict(zip(self.axes, key, strict=True))
        with self.choosing({name: values[name] for name in self.consumer.ambient}):
            cls = self.session.resolve(self.consumer.path)
            if not isinstance(cls, Class):
                return self.session.import_module(self.consumer.module)
            return self.session.call(cls, (), {**self._arguments(values), **(others or {})})

    @contextmanager
    def choosing(self, values: Mapping[str, str]) -> Iterator[None]:
        """Let the sources of these selectors give these values, as the process has chosen them."""
        overrides = self.session.machine.overrides
        before = dict(overrides)
        for name, text in values.items():
            member = self.members(name)[text]
            for source in self._selectors[name].sources:
                overrides[source] = member
        try:
            yield
        finally:
            overrides.clear()
            overrides.update(before)

    @contextmanager
    def _observed(self, run: InitRun, key: Key) -> Iterator[None]:
        machine, frame = self.session.machine, self.session.frame
        before = machine.watches, machine.taken, machine.constructions, machine.explorer
        machine.watches = {
            lookup: self._on_lookup(run, registry, key)
            for registry in self.registries
            for lookup in registry.lookups
        }
        machine.taken, machine.constructions, machine.explorer = [], {}, None
        try:
            yield
        finally:
            machine.watches, machine.taken, machine.constructions, machine.explorer = before
            self.session.frame = frame

    def _on_lookup(
        self, run: InitRun, registry: Registry, key: Key
    ) -> Callable[[Sequence[Value]], None]:
        machine = self.session.machine

        def on_lookup(_: Sequence[Value]) -> None:
            if not run.lookups:
                run.branches, run.asking = self._branches(), self._asking()
            run.lookups.setdefault(registry.id, machine.place(machine.frames[-1]))
            state = self.present(registry, key)
            same = run.at_lookup.get(registry.id, state) == state
            run.at_lookup[registry.id] = state if same else "maybe"
            if state == "maybe":
                run.doubts += self._doubts(registry, key)

        return on_lookup

    def _doubts(self, registry: Registry, key: Key) -> tuple[Place, ...]:
        """Return the conditions, seen first of all, under which a key came to be in a registry."""
        container = self.session.resolve(registry.container)
        if not isinstance(container, Dict):
            return ()
        return self.session.machine.reasons.get((container, key_value(key)), ())

    def _branches(self) -> list[Place]:
        taken = self.session.machine.taken or ()
        return list(dict.fromkeys(p for p in taken if p.module == self.consumer.module))

    def _asking(self) -> Place | None:
        """Return where the outermost function of the consumer's own module is."""
        machine, home = self.session.machine, self.consumer.module
        inside = (f for f in machine.frames if f.function is not None and f.module.name == home)
        return next(map(machine.place, inside), None)

    def _arguments(self, values: Mapping[str, str]) -> dict[str, Value]:
        keywords = {
            parameter: self.members(selector)[values[selector]]
            for parameter, selector in self.consumer.selectors.items()
        }
        for parameter, made in self.consumer.made.items():
            cls = self.session.resolve(made.cls)
            value: Value = UNKNOWN
            if isinstance(cls, Class):
                known = {name for name, _ in dataclass_fields(cls)}
                fields = {k: v for k, v in made.fields.items() if k in known}
                value = self.session.call(cls, (), fields).value
            keywords[parameter] = UNKNOWN if value is MISSING else value
        return keywords


def choose_branches(runs: Mapping[Key, InitRun]) -> None:
    """Set ``branch`` of each run: of the branches taken that which the fewest other values take.

    One that all take is no matter of the selectors.
    """
    takers = Counter(place for run in runs.values() for place in run.branches)
    for run in runs.values():
        own = [place for place in run.branches if takers[place] < len(runs) or len(runs) == 1]
        run.branch = min(own, key=takers.__getitem__, default=None)


def key_value(key: Key) -> Value:
    """Return a key as it is stored: one of one part is stored as that."""
    parts = tuple(Const(part) for part in key)
    return parts[0] if len(parts) == 1 else Tuple(parts)


def state_of(contents: dict[Value, Value] | None, key: Key) -> Tristate:
    """Return whether a key is among the contents of a registry."""
    if contents is None:
        return "maybe"
    registry = Dict()
    registry.cells = contents
    value = dict_get(registry, key_value(key))
    if value is MISSING:
        return "no"
    return "maybe" if may_be_missing(value) else "yes"


def member_text(member: Value) -> str:
    """Return the value of an enum member as text, its name when it has no constant value."""
    if not isinstance(member, Instance):
        return ""
    value = member.cells.get("value")
    return str(value.value) if isinstance(value, Const) else member.member or ""
