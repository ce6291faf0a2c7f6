"""From a tree and a pack to an ``Audit``: run the init path for every selector value, and judge each key."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

from regreach.call_sites import Arrival, Site, find_sites, is_ignored, run_function
from regreach.evaluate.expressions import dict_get, evaluate
from regreach.evaluate.iteration import enum_members
from regreach.evaluate.machine import Abrupt, Frame, Pending, Place, World
from regreach.evaluate.session import Ended, Session
from regreach.evaluate.values import (
    MISSING,
    UNKNOWN,
    Class,
    Const,
    Dict,
    Function,
    Instance,
    Module,
    Raised,
    Tuple,
    Value,
    may_be_missing,
)
from regreach.graph import ImportGraph
from regreach.model import (
    Audit,
    CallSite,
    Cell,
    ImportEdge,
    Outcome,
    Problem,
    Reach,
    Registration,
    RegistryResult,
    SiteValue,
    Spot,
    Tristate,
)
from regreach.pack import Consumer, Pack, Platform, Registry
from regreach.program import Program
from regreach.registrations import Use, find_uses, split_path
from regreach.remedies import find_remedy

Key = tuple[str, ...]


@dataclass(slots=True)
class InitRun:
    """What one run of the init path showed."""

    ended: Ended
    at_lookup: dict[str, Tristate] = field(default_factory=dict)
    lookups: dict[str, Place] = field(default_factory=dict)
    branch: Place | None = None

    @property
    def outcome(self) -> Outcome:
        """Return how it ends."""
        if self.ended.raised is not None:
            return "maybe" if self.ended.value is not MISSING else "raises"
        return "maybe" if self.ended.may_raise else "ok"


class Analysis:
    """One tree, one pack, one platform. ``audit()`` does the work."""

    def __init__(self, program: Program, pack: Pack, platform: Platform) -> None:
        self.program = program
        self.pack = pack
        self.platform = platform
        self.world = World(
            platform.values,
            platform.absent,
            pack.installed,
            platform.environment,
            pack.environment_closed,
        )
        self.session = self.new_session()
        self.graph = ImportGraph(program)
        self.notes: list[str] = []
        self.imported_first: dict[str, str] = {}
        self._broken_imports: dict[str, Ended] = {}
        self._in_process: dict[tuple[str, Key], Tristate] = {}
        self._process_loaded: dict[str, str] = {}

    def new_session(self) -> Session:
        """Return a fresh abstract process for this tree and platform."""
        return Session(self.program, self.world, self.pack.location.name)

    # -- the whole ----------------------------------------------------------------------------

    def audit(self) -> Audit:
        """Analyse every registry of the pack."""
        results: list[RegistryResult] = []
        call_sites: list[CallSite] = []
        eager: list[str] = []
        for consumer in self.pack.consumers.values():
            if not self.program.has(consumer.module):
                self.notes.append(
                    f"this tree has no module {consumer.module}: nothing reads its registries here"
                )
                continue
            registries = [r for r in self.pack.registries if r.consumer == consumer.name]
            ended = self.session.import_first(consumer.module)
            eager.extend(self.session.loaded())
            work = _ConsumerAnalysis(self, consumer, registries, ended)
            found, sites = work.run()
            results.extend(found)
            call_sites.extend(sites)
        tree = self.program.tree
        problems = [
            Problem(Spot(path, error.line), error.column, error.message)
            for path, error in sorted(self.program.broken.items())
        ]
        problems += [Problem(Spot(p.path, 1), 1, p.reason) for p in tree.problems]
        return Audit(
            tree.source,
            tree.root,
            tree.package,
            len(tree.modules),
            self.platform.name,
            tuple(results),
            tuple(call_sites),
            tuple(eager),
            dict(sorted(self.imported_first.items())),
            tuple(problems),
            tuple(self.notes),
            {m: p for m in self.program.tree.modules if (p := self.program.path(m)) is not None},
        )

    def spot(self, place: Place | None) -> Spot | None:
        """Return a place as path, line and text."""
        if place is None:
            return None
        path = self.program.path(place.module)
        return Spot(path or place.module, place.line, self.program.line(place.module, place.line))

    def first_import(self, module: str) -> Ended:
        """Import a module first in a fresh process; note how that ends."""
        ended = self.session.import_first(module)
        self.imported_first[module] = "ok" if ended.raised is None else describe(ended.raised)
        return ended


def describe(raised: Raised) -> str:
    """Return an exception as the last line of a traceback shows it."""
    return f"{raised.name}: {raised.message}" if raised.message else raised.name


class _ConsumerAnalysis:
    """The registries that one consumer reads."""

    def __init__(
        self, analysis: Analysis, consumer: Consumer, registries: Sequence[Registry], ended: Ended
    ) -> None:
        self.analysis = analysis
        self.program = analysis.program
        self.pack = analysis.pack
        self.session = analysis.session
        self.consumer = consumer
        self.registries = registries
        self.imported = ended
        self.members: dict[str, list[tuple[str, Value]]] = {}
        self.registrations: dict[str, dict[Key, list[Registration]]] = {}
        self.runs: dict[Key, InitRun] = {}
        self.sites: list[Site] = []
        self.site_values: dict[Site, dict[Key, SiteValue]] = {}

    def run(self) -> tuple[list[RegistryResult], list[CallSite]]:
        """Return the results of all registries, and the call sites."""
        if self.imported.raised is not None:
            self.analysis.notes.append(
                f"importing {self.consumer.module} first fails: {describe(self.imported.raised)}"
            )
        self._enumerate_members()
        after = {r.id: self._contents(r) for r in self.registries}
        pairs = self._selector_pairs()
        for pair in pairs:
            self.runs[pair] = self._init_run(pair)
        self._register_keys()
        self.session.import_first(self.consumer.module)
        after_keys = {
            r.id: {key: _state(after[r.id], key) for key in self._keys_of(r, pairs)}
            for r in self.registries
        }
        self.sites = find_sites(self.program, self.pack, self.consumer)
        self._run_sites()
        process = self._process_contents()
        results = [self._result(r, after_keys[r.id], process) for r in self.registries]
        return results, [self._call_site(s) for s in self.sites]

    # -- selectors ----------------------------------------------------------------------------

    def _enumerate_members(self) -> None:
        for name, selector in self.pack.selectors.items():
            cls = self.session.resolve(selector.enum)
            if isinstance(cls, Class) and cls.is_enum:
                self.members[name] = [
                    (_member_text(m), m) for m in enum_members(cls) if isinstance(m, Instance)
                ]
            else:
                self.members[name] = []
                self.analysis.notes.append(f"this tree has no enum {selector.enum}")

    def _axes(self) -> list[str]:
        """Return the selectors of this consumer, ambient ones first."""
        own = [
            what.partition(":")[2]
            for what in self.consumer.arguments.values()
            if what.startswith("selector:")
        ]
        return [*self.consumer.ambient, *own]

    def _selector_pairs(self) -> list[Key]:
        axes = [[text for text, _ in self.members[name]] for name in self._axes()]
        return list(itertools.product(*axes))

    def _member(self, selector: str, text: str) -> Value:
        return next(value for name, value in self.members[selector] if name == text)

    def _choose(self, values: dict[str, Value]) -> None:
        """Give the sources of selectors their value for this process."""
        for name, value in values.items():
            for source in self.pack.selectors[name].sources:
                self.session.machine.overrides[source] = value

    def _unchoose(self) -> None:
        for selector in self.pack.selectors.values():
            for source in selector.sources:
                self.session.machine.overrides.pop(source, None)

    # -- the init path ------------------------------------------------------------------------

    def _contents(self, registry: Registry) -> dict[Value, Value] | None:
        container = self.session.resolve(registry.container)
        return dict(container.cells) if isinstance(container, Dict) else None

    def _init_run(self, pair: Key) -> InitRun:
        """Construct the consumer in the session's present state; the state is left as it was."""
        axes = dict(zip(self._axes(), pair, strict=True))
        self._choose({n: self._member(n, axes[n]) for n in self.consumer.ambient})
        run = InitRun(Ended(None, ()))
        machine = self.session.machine
        outer_watches, outer_taken, outer_constructions = (
            dict(machine.watches),
            machine.taken,
            dict(machine.constructions),
        )
        machine.constructions.clear()
        machine.taken = []
        for registry in self.registries:
            for lookup in registry.lookups:
                machine.watches[lookup] = self._watch(run, registry, pair)
        try:
            with self.session.attempt():
                cls = self.session.resolve(self.consumer.path)
                if not isinstance(cls, Class):
                    return run
                keywords = self._arguments(axes)
                run.ended = self.session.call(cls, (), keywords)
                for registry in self.registries:
                    if registry.id not in run.at_lookup:
                        run.at_lookup[registry.id] = self._present(registry, pair)
                        if run.branch is None:
                            run.branch = self._branch(machine.taken)
        finally:
            machine.watches = outer_watches
            machine.taken = outer_taken
            machine.constructions = outer_constructions
            self._unchoose()
        return run

    def _watch(self, run: InitRun, registry: Registry, pair: Key):  # type: ignore[no-untyped-def]
        machine = self.session.machine

        def on_lookup(args: Sequence[Value]) -> None:
            frame = machine.frames[-1]
            run.lookups.setdefault(registry.id, machine.place(frame))
            state = self._present(registry, pair)
            before = run.at_lookup.get(registry.id, state)
            run.at_lookup[registry.id] = state if state == before else "maybe"
            if run.branch is None and machine.taken is not None:
                run.branch = self._branch(machine.taken)

        return on_lookup

    def _branch(self, taken: list[Place]) -> Place | None:
        """Return the last branch taken in the consumer's own module."""
        own = [p for p in taken if p.module == self.consumer.module]
        return own[0] if own else None

    def _arguments(self, axes: dict[str, str]) -> dict[str, Value]:
        keywords: dict[str, Value] = {}
        for parameter, what in self.consumer.arguments.items():
            kind, _, rest = what.partition(":")
            if kind == "selector":
                keywords[parameter] = self._member(rest, axes[rest])
            else:
                cls = self.session.resolve(rest)
                made = self.session.call(cls) if isinstance(cls, Class) else None
                keywords[parameter] = UNKNOWN if made is None or made.value is MISSING else made.value
        return keywords

    def _present(self, registry: Registry, pair: Key) -> Tristate:
        return _state(self._contents(registry), pair)

    # -- registrations ------------------------------------------------------------------------

    def _register_keys(self) -> None:
        for registry in self.registries:
            keys: dict[Key, list[Registration]] = {}
            for use in find_uses(self.program, registry):
                if is_ignored(use.spot.path, self.pack.ignored_paths):
                    continue
                for key in self._keys_of_use(use):
                    keys.setdefault(key, []).append(
                        Registration(use.module, use.spot, use.column, use.symbol, key)
                    )
            self.registrations[registry.id] = keys

    def _keys_of_use(self, use: Use) -> list[Key]:
        """Evaluate the key in the registering module's own namespace, after importing it."""
        self.analysis.first_import(use.module)
        machine = self.session.machine
        module = machine.module_object(use.module)
        if module is None:
            module = Module(use.module)  # its import failed: literals can still be read
        frame = Frame(module, module)
        parts: list[str] = []
        for node in use.key:
            try:
                value = evaluate(machine, frame, node)
            except Abrupt:
                value = UNKNOWN
            if not isinstance(value, Const) or not isinstance(value.value, str):
                self.analysis.notes.append(
                    f"{use.spot}: the key of this registration is not a constant; it is not judged"
                )
                return []
            parts.append(value.value)
        return [tuple(parts)]

    def _keys_of(self, registry: Registry, pairs: list[Key]) -> list[Key]:
        registered = list(self.registrations[registry.id])
        if list(registry.key) != self._axes():
            return sorted(registered)
        return [*pairs, *sorted(k for k in registered if k not in set(pairs))]

    # -- call sites ---------------------------------------------------------------------------

    def _run_sites(self) -> None:
        main = next((r for r in self.registries if r.on_init_path), None)
        if main is None:
            return
        ambient = self._ambient_values(main)
        for module, sites in itertools.groupby(self.sites, key=lambda s: s.module):
            group = list(sites)
            ended = self.analysis.first_import(module)
            if ended.raised is not None:
                # it cannot be the first import; what imports it in practice has run the consumer
                self.session.import_first(self.consumer.module)
                with self.session.attempt():
                    self.session.import_module(module)
                    self._run_module_sites(main, module, group, ambient)
            else:
                self._run_module_sites(main, module, group, ambient)

    def _ambient_values(self, registry: Registry) -> list[Key]:
        """Return the combinations of ambient selectors that some registration has, the first members first."""
        count = len(self.consumer.ambient)
        first = tuple(self.members[n][0][0] for n in self.consumer.ambient if self.members[n])
        used = {k[:count] for k in self.registrations[registry.id]}
        known = {tuple(p[:count]) for p in self.runs}
        return [first, *sorted((used & known) - {first})] if len(first) == count else []

    def _run_module_sites(
        self, registry: Registry, module: str, sites: list[Site], ambient: list[Key]
    ) -> None:
        own = self._axes()[-1]
        for function, group in itertools.groupby(sites, key=lambda s: s.function):
            in_function = list(group)
            for around in ambient:
                for text, member in self.members[own]:
                    self._run_site_function(registry, module, function, in_function, around, own, member)

    def _run_site_function(
        self,
        registry: Registry,
        module: str,
        function: str,
        sites: list[Site],
        around: Key,
        own: str,
        member: Value,
    ) -> None:
        chosen = {
            name: self._member(name, text)
            for name, text in zip(self.consumer.ambient, around, strict=True)
        }
        by_line = {s.statement: s for s in sites}

        def on_arrival(arrival: Arrival) -> None:
            site = by_line.get(arrival.line)
            if site is None:
                return
            values = arrival.values
            everything = values is None
            candidates = [v for _, v in self.members[own]] if values is None else list(values)
            certain = arrival.certain and not everything and len(candidates) == 1
            for value in candidates:
                self._note_arrival(registry, site, around, value, certain, chosen, own, member)

        self.session.on_arrival = on_arrival
        with self.session.attempt():
            self._choose({**chosen, own: member})
            run_function(self.session, self.consumer, module, function)
            self._unchoose()
        self.session.on_arrival = None

    def _note_arrival(
        self,
        registry: Registry,
        site: Site,
        around: Key,
        value: Value,
        certain: bool,
        chosen: dict[str, Value],
        own: str,
        member: Value,
    ) -> None:
        key = (*around, _member_text(value))
        if key not in self.runs:
            return
        loaded = self._present(registry, key)
        outer = dict(self.session.machine.overrides)
        frame = self.session.frame
        run = self._init_run(key)
        self.session.frame = frame
        self.session.machine.overrides.clear()
        self.session.machine.overrides.update(outer)
        at_lookup = run.at_lookup.get(registry.id, loaded)
        new = SiteValue(
            key[-1],
            key,
            "yes" if certain else "maybe",
            at_lookup if loaded == "no" else loaded,
            run.outcome,
            run.ended.raised.name if run.ended.raised is not None else None,
        )
        known = self.site_values.setdefault(site, {})
        known[key] = _merge(known.get(key), new)

    def _call_site(self, site: Site) -> CallSite:
        values = self.site_values.get(site, {})
        order = {key: i for i, key in enumerate(self.runs)}
        return CallSite(
            site.spot,
            site.module,
            site.function,
            self.consumer.path,
            site.argument,
            tuple(values[k] for k in sorted(values, key=lambda k: order.get(k, 0))),
        )

    # -- process roots ------------------------------------------------------------------------

    def _process_contents(self) -> dict[str, dict[Value, Value] | None]:
        """Return the registries' contents once the process roots are imported, in their order."""
        roots = [r for r in self.pack.process_roots if self.program.has(r)]
        if not roots:
            return {}
        session = self.session
        session.import_first(roots[0])
        for root in roots[1:]:
            session.import_module(root)
        return {r.id: self._contents(r) for r in self.registries}

    # -- results ------------------------------------------------------------------------------

    def _result(
        self,
        registry: Registry,
        after: dict[Key, Tristate],
        process: dict[str, dict[Value, Value] | None],
    ) -> RegistryResult:
        cells = []
        for key, after_import in after.items():
            registrations = tuple(self.registrations[registry.id].get(key, ()))
            in_process = _state(process[registry.id], key) if registry.id in process else "no"
            if registry.on_init_path:
                cell = self._init_cell(registry, key, registrations, after_import, in_process)
            else:
                cell = self._later_cell(registry, key, registrations, after_import, in_process)
            cells.append(cell)
        return RegistryResult(registry.id, registry.key, tuple(cells))

    def _init_cell(
        self,
        registry: Registry,
        key: Key,
        registrations: tuple[Registration, ...],
        after_import: Tristate,
        in_process: Tristate,
    ) -> Cell:
        run = self.runs.get(key)
        if run is None:  # a key that is no pair of members: nothing can select it
            return self._cell(registry, key, registrations, after_import, after_import, "unreached", None, in_process)
        at_lookup = run.at_lookup.get(registry.id, after_import)
        return self._cell(registry, key, registrations, after_import, at_lookup, run.outcome, run, in_process)

    def _later_cell(
        self,
        registry: Registry,
        key: Key,
        registrations: tuple[Registration, ...],
        after_import: Tristate,
        in_process: Tristate,
    ) -> Cell:
        """A registry that the finished consumer reads: construct it for the key's selector, then look up."""
        axes = self._axes()
        own = axes[-1]
        text = key[registry.key.index(own)] if own in registry.key else ""
        if all(name != text for name, _ in self.members[own]):
            return self._cell(registry, key, registrations, after_import, after_import, "unreached", None, in_process)
        pair = (*(self.members[n][0][0] for n in self.consumer.ambient), text)
        self.session.import_first(self.consumer.module)
        with self.session.attempt():
            self._choose({n: self._member(n, t) for n, t in zip(self.consumer.ambient, pair, strict=False)})
            cls = self.session.resolve(self.consumer.path)
            ended = self.session.call(cls, (), self._arguments(dict(zip(axes, pair, strict=True))))
            self._unchoose()
            at_lookup = self._present(registry, key)
            if ended.raised is not None:
                return self._cell(registry, key, registrations, after_import, at_lookup, "unreached", None, in_process)
            lookup = self.session.resolve(registry.lookups[0])
            ended = self.session.call(lookup, [Const(part) for part in key])
            run = InitRun(ended)
        return self._cell(registry, key, registrations, after_import, at_lookup, run.outcome, run, in_process)

    def _cell(
        self,
        registry: Registry,
        key: Key,
        registrations: tuple[Registration, ...],
        after_import: Tristate,
        at_lookup: Tristate,
        outcome: Outcome,
        run: InitRun | None,
        in_process: Tristate,
    ) -> Cell:
        analysis = self.analysis
        raised = run.ended.raised if run is not None else None
        if run is not None and raised is None and run.ended.may_raise:
            first = run.ended.may_raise[0].value
            raised = first if isinstance(first, Raised) else None
        raised_at = analysis.spot(Place(raised.path, raised.line)) if raised is not None else None
        modules = list(dict.fromkeys(r.module for r in registrations))
        importers = tuple(
            e
            for m in modules
            for e in analysis.graph.importers(m)
            if not is_ignored(e.spot.path, self.pack.ignored_paths)
        ) if at_lookup != "yes" else ()
        reach = self._reach(key, registrations, at_lookup, in_process, importers)
        lookup = analysis.spot(run.lookups.get(registry.id)) if run is not None else None
        branch = analysis.spot(run.branch) if run is not None else None
        conditions: list[Spot] = []
        if run is not None:
            for pending in run.ended.may_raise:
                conditions += [s for p in pending.conditions if (s := analysis.spot(p)) is not None]
        needs = outcome != "ok" and run is not None and registry.id in run.lookups
        held_back = None
        remedy = None
        if needs and registrations and reach in ("none", "partial", "orphan") and at_lookup == "no":
            held_back = self._held_back_by(modules)
            if held_back is None:
                remedy = find_remedy(analysis, self.consumer, modules[0], branch)
        return Cell(
            registry.id,
            self.consumer.path,
            key,
            registrations,
            after_import,
            at_lookup,
            outcome,
            raised.name if raised is not None else None,
            raised_at,
            reach,
            accepted=run is not None and (outcome == "ok" or registry.id in run.lookups),
            needs_entry=needs,
            lookup=lookup,
            branch=branch,
            conditions=tuple(dict.fromkeys(conditions)),
            importers=importers,
            held_back_by=held_back,
            hangs_on=self._hangs_on(reach, key, modules),
            remedy=remedy,
        )

    def _reach(
        self,
        key: Key,
        registrations: tuple[Registration, ...],
        at_lookup: Tristate,
        in_process: Tristate,
        importers: tuple[ImportEdge, ...],
    ) -> Reach:
        if not registrations:
            return "unregistered"
        if at_lookup == "yes":
            return "runner"
        if in_process == "yes":
            return "process"
        loaded = {v.loaded for v in self._arrivals(key)}
        if loaded == {"yes"}:
            return "caller"
        if loaded - {"no"} or at_lookup == "maybe":
            return "partial"
        return "none" if importers else "orphan"

    def _arrivals(self, key: Key) -> list[SiteValue]:
        return [
            v
            for values in self.site_values.values()
            for k, v in values.items()
            if k == key and v.arrives != "no"
        ]

    def _hangs_on(self, reach: Reach, key: Key, modules: list[str]) -> tuple[ImportEdge, ...]:
        """Return the imports that a key of reach ``process`` or ``caller`` depends on."""
        graph = self.analysis.graph
        if reach == "process":
            root = next(r for r in self.pack.process_roots if self.program.has(r))
            for module in modules:
                self.session.import_first(root)
                graph.add(self.session.loaded())
                chain = graph.chain(root, module)
                if chain:
                    return chain
        if reach == "caller":
            edges: list[ImportEdge] = []
            for site, values in self.site_values.items():
                if key in values:
                    edges += [
                        e
                        for m in modules
                        for e in graph.importers(m)
                        if e.importer == site.module and e.kind != "type-checking"
                    ][:1]
            return tuple(dict.fromkeys(edges))
        return ()

    def _held_back_by(self, modules: list[str]) -> Spot | None:
        """Return the guard, false on this platform, behind which loaded code imports the module."""
        graph = self.analysis.graph
        loaded = set(self.session.loaded()) | {s.module for s in self.sites}
        self.session.import_first(self.consumer.module)
        loaded |= set(self.session.loaded())
        seen: set[str] = set()
        queue = list(modules)
        while queue:
            module = queue.pop(0)
            if module in seen or len(seen) > 12:
                continue
            seen.add(module)
            for edge in graph.importers(module):
                if is_ignored(edge.spot.path, self.pack.ignored_paths) or edge.kind != "eager":
                    continue
                if edge.guards and edge.importer in loaded:
                    return Spot(edge.spot.path, edge.spot.line, edge.guards[-1])
                queue.append(edge.importer)
            parent = module.rpartition(".")[0]
            if parent and parent not in loaded:
                queue.append(parent)
        return None


def _state(contents: dict[Value, Value] | None, key: Key) -> Tristate:
    if contents is None:
        return "maybe"
    probe = Dict()
    probe.cells = contents
    value = dict_get(probe, Tuple(tuple(Const(part) for part in key)))
    if value is MISSING:
        return "no"
    return "maybe" if may_be_missing(value) else "yes"


def _merge(old: SiteValue | None, new: SiteValue) -> SiteValue:
    if old is None:
        return new
    arrives: Tristate = "yes" if "yes" in (old.arrives, new.arrives) else "maybe"
    loaded: Tristate = old.loaded if old.loaded == new.loaded else "maybe"
    outcome: Outcome = old.outcome if old.outcome == new.outcome else "maybe"
    return SiteValue(
        new.value, new.key, arrives, loaded, outcome, old.exception or new.exception
    )


def _member_text(member: Value) -> str:
    if isinstance(member, Instance):
        value = member.cells.get("value")
        if isinstance(value, Const):
            return str(value.value)
        return member.member or ""
    return ""


__all__ = ["Analysis", "Function", "Pending", "describe", "split_path"]
