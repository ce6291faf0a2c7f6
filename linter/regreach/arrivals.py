"""Which selector values arrive at each call site, and what is loaded by then."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from regreach.call_sites import Site, parameters_of
from regreach.callers import Entry
from regreach.evaluate.ancestry import look_up_in_class
from regreach.evaluate.explorer import Explorer
from regreach.evaluate.frames import Abrupt, Frame
from regreach.evaluate.functions import body_of
from regreach.evaluate.session import Session
from regreach.evaluate.values import (
    MISSING,
    OPEN,
    UNKNOWN,
    Class,
    Descriptor,
    Function,
    Instance,
    Union,
    Value,
)
from regreach.facts import ir
from regreach.facts.leading import leading_to
from regreach.init_path import InitPath, InitRun, Key, member_text
from regreach.loading import Way, way_to
from regreach.model import Outcome, Registration, SiteValue, Tristate
from regreach.pack import Registry

# a site, a key, whether that is registered, and the other arguments
_Arrival = tuple[Site, Key, Tristate, frozenset[tuple[str, Value]]]
# called with module, line, selector argument, number of the path, other arguments
OnArrival = Callable[[str, int, Value, int, Mapping[str, Value]], None]

# So many paths through the function around a site are told apart, and so many changes of state are
# spent on telling them apart; beyond that they are merged.
_MAX_PATHS = 64
_MAX_CHANGES = 100_000


@dataclass(frozen=True, slots=True)
class _Note:
    """What arrived at a site, and how the modules that register it had been loaded."""

    site: Site
    value: SiteValue
    ways: Mapping[str, Way]


class Arrivals:
    """Runs the function around each site, for each selector value that the process can have chosen.

    A site is run in the state in which its module alone was imported, in a fresh process.
    """

    def __init__(
        self,
        path: InitPath,
        registry: Registry,
        registered: Mapping[Key, Sequence[Registration]],
        can_choose: Callable[[str, str], bool],
        only: Key | None = None,
    ) -> None:
        """Take a session's init path; with ``only``, nothing is noted but this key's arrivals."""
        self._path = path
        self._only = only
        self._can_choose = can_choose
        self._registry = registry
        self._registered = registered
        self.values: dict[Site, dict[Key, SiteValue]] = {}
        # how the modules that register a key were loaded by the time that a site is reached
        self.ways: dict[tuple[Site, Key], dict[str, Way]] = {}
        self._runs: dict[object, InitRun] = {}
        self._changes: dict[Entry, int] = {}

    def run(self, entries: Mapping[Entry, Sequence[Site]]) -> None:
        """Run the functions of one module that lead to sites, in the session's present state."""
        ambient = self._ambient()
        if ambient:
            for entry, sites in entries.items():
                self._run_choices(entry, sites, ambient)

    def _run_choices(self, entry: Entry, sites: Sequence[Site], ambient: Sequence[Key]) -> None:
        """Run a function for the values of the consumer's own selector, for all of the ambient ones at once.

        That is right as long as it does not ask for those.
        """
        path = self._path
        own = frozenset(path.sources(path.axes[-1]))
        around = {source for name in path.consumer.ambient for source in path.sources(name)}
        for text in self._choices():
            asked = self._run_entry(entry, sites, ambient, text, around)
            if len(ambient) > 1 and asked & around:
                for each in ambient[1:]:
                    self._run_choices(entry, sites, [each])
                ambient = ambient[:1]
            if not asked & own:
                break  # the other values of the process change nothing

    def at(self, key: Key) -> list[tuple[Site, SiteValue]]:
        """Return the sites at which a key can arrive, in the order of their places."""
        return [(site, values[key]) for site, values in self.values.items() if key in values]

    def _choices(self) -> list[str]:
        """Return the values of the consumer's own selector that the process can have chosen."""
        own = self._path.axes[-1]
        return [text for text in self._path.members(own) if self._can_choose(own, text)]

    def _ambient(self) -> list[Key]:
        """Return the ambient selector values that are worth a run: the first, and those registered for."""
        names = self._path.consumer.ambient
        members = [list(self._path.members(n)) for n in names]
        if not all(members):
            return []
        first = tuple(m[0] for m in members)
        used = {k[: len(names)] for k in self._registered}
        every = [first, *sorted(k for k in itertools.product(*members) if k in used and k != first)]
        # a value that is registered for nothing is a matter of all keys that it is part of
        if self._only is not None and any(k[-1] == self._only[-1] for k in self._registered):
            return [around for around in every if around == self._only[:-1]]
        return every

    def _run_entry(
        self,
        entry: Entry,
        sites: Sequence[Site],
        ambient: Sequence[Key],
        text: str,
        sources: Collection[str],
    ) -> set[str]:
        """Run a function for one choice of the process; return which functions it asked for that.

        What arrives is noted for all ambient values, unless it asks the ``sources`` of those: then only
        for the first, which it was run with.
        """
        path = self._path
        names = path.consumer.ambient
        own = path.axes[-1]

        sure_paths: dict[tuple[Site, Key], set[int]] = {}
        notes: dict[Key, list[_Note]] = {around: [] for around in ambient}
        seen: set[_Arrival] = set()

        by_place = {(site.module, site.statement): site for site in sites}
        # what comes after the last site of its own function cannot matter to it
        own_lines = [s.statement for s in sites if s.function == entry.function]
        last = (entry.module, max(own_lines, default=0))
        # where all sites are its own, so are all lines that can matter
        lines = frozenset(own_lines) if len(own_lines) == len(sites) else frozenset()

        def on_arrival(
            module: str, line: int, value: Value, number: int, others: Mapping[str, Value]
        ) -> None:
            site = by_place.get((module, line))
            if site is None:
                return
            known = _known_members(value)
            every = self._choices() if known is None else known
            if self._only is not None:
                every = [each for each in every if each == self._only[-1]]
            given = frozenset(others.items())
            keys = [(*around, each) for each in every for around in ambient]
            for key, loaded in path.present_all(self._registry, keys).items():
                state = site, key, loaded, given
                if state not in seen:
                    seen.add(state)
                    notes[key[:-1]].append(self._note(state, others))
                if known is not None and len(known) == 1:
                    sure_paths.setdefault((site, key), set()).add(number)

        choice = {**dict(zip(names, ambient[0], strict=True)), own: text}
        asked = path.session.machine.asked
        asked.clear()
        with path.session.attempt(), path.choosing(choice):
            limit = _MAX_PATHS if self._changes.get(entry, 0) < _MAX_CHANGES else 1
            before = path.session.machine.heap.written
            paths = run_function(path, entry, last, limit, on_arrival, lines)
            spent = path.session.machine.heap.written - before
            self._changes[entry] = self._changes.get(entry, 0) + spent
        right = ambient if asked.isdisjoint(sources) else ambient[:1]
        for around in right:
            for note in notes[around]:
                self._take(note)
        for (site, key), numbers in sure_paths.items():
            if len(numbers) == paths and key[:-1] in right:
                self.values[site][key] = replace(self.values[site][key], arrives="yes")
        return set(asked)

    def _note(self, state: _Arrival, others: Mapping[str, Value]) -> _Note:
        """Return what a construction with this key would come to in the present state."""
        path, registry = self._path, self._registry
        site, key, loaded, _ = state
        run = self._runs.get(state)
        if run is None:
            # what the consumer asks the process is no question of the function around the site
            asked = path.session.machine.asked
            before = set(asked)
            with path.session.machine.outermost():
                run = self._runs[state] = path.run(key, others)
            asked.intersection_update(before)
        found = SiteValue(
            key[-1],
            key,
            "maybe",
            loaded if loaded != "no" else run.at_lookup.get(registry.id, loaded),
            run.outcome,
            run.ended.raised.name if run.ended.raised is not None else None,
            registry.id in run.lookups or run.outcome != "ok",
        )
        ways: dict[str, Way] = {}
        if loaded != "no":
            loaders = path.session.loaders
            for registration in self._registered.get(key, ()):
                ways.setdefault(registration.module, way_to(registration.module, loaders))
        return _Note(site, found, ways)

    def _take(self, note: _Note) -> None:
        values, key = self.values.setdefault(note.site, {}), note.value.key
        values[key] = _merge(values.get(key), note.value)
        for module, way in note.ways.items():
            self.ways.setdefault((note.site, key), {}).setdefault(module, way)


def run_function(
    path: InitPath,
    entry: Entry,
    last: tuple[str, int],
    max_paths: int,
    on_arrival: OnArrival,
    lines: Collection[int] = (),
) -> int:
    """Run the outermost function of an entry with unknown arguments, path by path; return their number.

    A path ends with the construction at ``last``, a module and a line. With ``lines``, it also ends where
    it has left all of these behind.

    The consumer itself is not run: ``on_arrival`` is called while the session is in the state of
    that moment.
    """
    session, consumer = path.session, path.consumer
    target, args = _function_and_receiver(session, entry.module, entry.function)
    if not isinstance(target, Function):
        return 0
    parameters = parameters_of(session, consumer)
    selector = next(iter(consumer.selectors))
    machine = session.machine

    def on_construction(
        frame: Frame, args: Sequence[Value], keywords: Mapping[str, Value]
    ) -> Value:
        given = {**dict(zip(parameters, args, strict=False)), **keywords}
        value = given.get(selector, UNKNOWN)
        others = {k: v for k, v in given.items() if k != selector and k not in consumer.made}
        on_arrival(frame.module.name, frame.line, value, number, others)
        if (frame.module.name, frame.line) == last:
            raise Abrupt("return")
        return UNKNOWN

    if lines and isinstance(target.definition, ir.FunctionDef):
        body = body_of(machine, target.module.name, target.definition)
        machine.bodies[id(target.definition)] = leading_to(body, lines)
    explorer = Explorer(entry.module, max_paths)
    begun = machine.heap.written
    number = 0
    while True:
        number += 1
        conditions = list(machine.conditions)
        with session.attempt():
            machine.explorer = explorer
            machine.constructions = {consumer.path: on_construction}
            try:
                session.call_with_unknown(target, args)
            finally:
                machine.explorer, machine.constructions = None, {}
                machine.conditions = conditions
        if not explorer.another():
            return number
        if machine.heap.written - begun > _MAX_CHANGES:
            return 0  # there are more paths: nothing holds for all of them


def _function_and_receiver(
    session: Session, module: str, function: str
) -> tuple[Value, list[Value]]:
    first, _, rest = function.partition(".")
    owner = session.resolve(f"{module}:{first}")
    if not isinstance(owner, Class):
        return owner, []
    found = look_up_in_class(owner, rest.partition(".")[0])
    if isinstance(found, Union):
        found = next((v for v in found.values if isinstance(v, (Function, Descriptor))), MISSING)
    if isinstance(found, Descriptor) and found.kind == "staticmethod":
        return found.function, []
    if isinstance(found, Descriptor) and found.kind == "classmethod":
        return found.function, [owner]
    instance = Instance(owner)
    session.machine.heap.write(instance, OPEN, UNKNOWN)
    return found.function if isinstance(found, Descriptor) else found, [instance]


def _known_members(value: Value) -> list[str] | None:
    """Return the members that a selector argument can be; None when it can be any."""
    alternatives = value.values if isinstance(value, Union) else (value,)
    kept = [v for v in alternatives if v is not MISSING]
    if all(isinstance(v, Instance) and v.member is not None for v in kept):
        return [member_text(v) for v in kept]
    return None


def _merge(old: SiteValue | None, new: SiteValue) -> SiteValue:
    if old is None:
        return new
    loaded: Tristate = old.loaded if old.loaded == new.loaded else "maybe"
    outcome: Outcome = old.outcome if old.outcome == new.outcome else "maybe"
    exception = old.exception or new.exception
    return SiteValue(
        new.value, new.key, old.arrives, loaded, outcome, exception, old.reads or new.reads
    )
