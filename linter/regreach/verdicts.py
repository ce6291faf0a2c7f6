"""From a tree and a pack to an ``Audit``: run the init path for every selector value, and judge each key."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Sequence

from regreach.above_root import imports_above_root
from regreach.arrivals import Arrivals
from regreach.call_sites import Site, find_sites
from regreach.callers import Entry
from regreach.cycles import cycle_of
from regreach.discovering import discovering_loops
from regreach.evaluate.dispatch import evaluate
from regreach.evaluate.frames import Abrupt, Frame, Place
from regreach.evaluate.machine import Machine
from regreach.evaluate.session import Ended, Session
from regreach.evaluate.values import UNKNOWN, Const, Module, Raised, Value, describe
from regreach.evaluate.world import World
from regreach.facts import ir, walk
from regreach.graph import ImportGraph
from regreach.held_back import HeldBack
from regreach.importers import importers_of
from regreach.init_path import InitPath, InitRun, Key, choose_branches
from regreach.later_lookups import Asked, keys_asked_later
from regreach.model import (
    Audit,
    CallSite,
    Cell,
    Doubt,
    Guarded,
    ImportEdge,
    Outcome,
    Problem,
    Reach,
    Registration,
    RegistryResult,
    Remedy,
    SiteValue,
    Spot,
    Tristate,
)
from regreach.pack import Consumer, Pack, Platform, Registry
from regreach.process import ProcessRoots
from regreach.process_start import ProcessStart
from regreach.program import Program
from regreach.quick import quick_machine
from regreach.registrations import Use, find_uses, last_name
from regreach.remedies import find_remedy
from regreach.supply.prediction import likely_modules
from regreach.swallowed import swallowed_imports

_IMPORT_ERRORS = ("ImportError", "ModuleNotFoundError")


class Analysis:
    """One tree, one pack, one platform. ``audit()`` does the work.

    Several abstract processes are kept; what is tried in one of them is undone. In ``visitor`` any
    module was imported first.
    """

    def __init__(
        self,
        program: Program,
        pack: Pack,
        platform: Platform,
        *,
        every_remedy: bool = False,
        only: Key | None = None,
        quick: bool = False,
    ) -> None:
        """Take a tree; with ``every_remedy``, remedies are also sought for keys that others load.

        With ``only``, the key of an init path, what does not matter to it is left out, and no remedy is
        sought: what the audit says of this key, and only that, is as it is without. The other cells
        of its selector value are there, their call sites not. A key of another kind changes nothing.

        With ``quick``, modules are run only as far as what they import and register goes, see ``quick``:
        for verdicts, that is enough; which modules are loaded beside may be told less completely.
        """
        self.program = program
        self.pack = pack
        self.platform = platform
        self.every_remedy = every_remedy
        self.any_remedy = True  # set to False, none is sought: that takes as long as all else
        self.only = only
        self.quick = quick
        self.ways: list[
            dict[str, Place]
        ] = []  # by which line modules were loaded, process by process
        self.remedies: dict[
            tuple[str, str], Remedy
        ] = {}  # by the modules of consumer and registration
        self.world = World(
            platform.values,
            platform.absent,
            pack.installed,
            platform.environment,
            pack.environment_closed,
        )
        self.graph = ImportGraph(program)
        if quick:
            self.machine = quick_machine(program, pack, self.world, self.graph, only)
        else:
            program.prefetch(likely_modules(program, pack))
            self.machine = Machine(program, self.world, pack.location.name)
        self.notes: list[str] = []
        self.blocked: list[str] = []
        self.visitor = self.new_session()
        self.process_roots = ProcessRoots(program, self.machine, self.graph, pack.process_roots)
        self.imported_first: dict[str, str] = {}
        self.consumers: dict[str, ConsumerAnalysis] = {}  # by their paths; filled by ``audit``

    def new_session(self) -> Session:
        """Return a fresh abstract process for this tree and platform."""
        return Session(self.machine)

    def audit(self) -> Audit:
        """Analyse every registry of the pack."""
        results: list[RegistryResult] = []
        call_sites: list[CallSite] = []
        eager: list[str] = []
        for consumer in self.pack.consumers.values():
            if not self.program.has(consumer.module):
                self.note(
                    f"this tree has no module {consumer.module}; nothing reads its registries"
                )
                continue
            registries = [r for r in self.pack.registries if r.consumer == consumer.name]
            session = self.new_session()
            ended = session.import_module(consumer.module)
            if ended.raised is not None:
                self.note(f"importing {consumer.module} fails: {describe(ended.raised)}")
            eager += [m for m in session.loaded() if m not in eager]
            self.ways.append(session.loaders)
            part = self.consumers[consumer.path] = ConsumerAnalysis(
                self, session, consumer, registries
            )
            found, sites = part.run(ended)
            results += found
            call_sites += sites
            missing = self._not_read(session, part, ended)
            why = self._cannot_run(part, ended)
            if missing:
                why = f"a file that it needs was not read, {'; '.join(missing)}"
            if why is not None:
                self.blocked.append(f"{consumer.path} cannot be judged: {why}")
        tree = self.program.tree
        # no key depends on these
        whole = self.only is None
        above_root = imports_above_root(self.program, self.pack) if whole else ()
        absent = self.platform.absent
        tried = swallowed_imports(self.program, self.pack, results, absent, eager)
        loops = discovering_loops(self.program, self.pack, results) if whole else ()
        problems = [
            Problem(Spot(path, error.line), error.column, error.told)
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
            blocked=tuple(self.blocked),
            doubtful=self._doubtful(),
            above_root=above_root,
            swallowed=(*tried, *loops),
        )

    def _not_read(self, session: Session, part: ConsumerAnalysis, ended: Ended) -> list[str]:
        """Return which files a consumer needs that could not be read, and why: nothing is sure without them."""
        needed = set(session.loaded()) & self.machine.unread
        needed |= {module for run in part.runs.values() for module in run.unread}
        if ended.raised is not None:
            needed.add(ended.raised.path)
        told = {self.program.not_read(module) for module in needed}
        return sorted(each for each in told if each is not None)

    def _cannot_run(self, part: ConsumerAnalysis, ended: Ended) -> str | None:
        """Return why a consumer can never be constructed, whatever is registered; None where it may be.

        Its import fails, or each construction does for want of one of the tree's own modules.
        """
        if ended.raised is not None:
            return f"importing it fails: {self._told(ended.raised)}"
        raised = [run.ended.raised for run in part.runs.values()]
        missing = [each for each in raised if each is not None and self._is_own_gap(each)]
        if not missing or len(missing) < len(raised):
            return None
        return f"constructing it fails: {self._told(missing[0])}"

    def _is_own_gap(self, raised: Raised) -> bool:
        package = self.program.tree.package
        return (
            raised.name == "ModuleNotFoundError"
            and re.match(rf"No module named '{re.escape(package)}[.']", raised.message) is not None
        )

    def _told(self, raised: Raised) -> str:
        """Return an exception as a traceback shows it, and where it is raised."""
        path = self.program.path(raised.path)
        return describe(raised) + (f" ({path}:{raised.line})" if path and raised.line else "")

    def _doubtful(self) -> tuple[Doubt, ...]:
        """Return the files that were not read and may register something or construct a consumer."""
        registrars = [r for registry in self.pack.registries for r in registry.registrars]
        callables = [consumer.callable for consumer in self.pack.consumers.values()]
        registering = self.program.not_read_with(_last_words(registrars))
        found = registering | self.program.not_read_with(_last_words(callables))
        return tuple(
            Doubt(path, registering.get(path, False))
            for path in sorted(found)
            if not self.pack.ignores(path)
        )

    def note(self, text: str) -> None:
        """Note something that the reader of a report should know, once."""
        if text not in self.notes:
            self.notes.append(text)

    def spot(self, place: Place | None) -> Spot | None:
        """Return a place as path, line and text."""
        if place is None:
            return None
        path = self.program.path(place.module)
        facts = self.program.readable_facts(place.module)
        if facts is None:
            return Spot(path or place.module, place.line)
        text, last = facts.statement_text(place.line), facts.end_of_statement(place.line)
        return Spot(path or place.module, place.line, text, last)

    def first_import(self, module: str) -> Ended:
        """Import a module first in a fresh process (``visitor``), and remember how that ended."""
        ended = self.visitor.import_first(module)
        self.imported_first[module] = "ok" if ended.raised is None else describe(ended.raised)
        return ended


def _last_words(paths: Iterable[str]) -> set[bytes]:
    return {last_name(path).encode() for path in paths}


class ConsumerAnalysis:
    """The registries that one consumer reads."""

    def __init__(
        self,
        analysis: Analysis,
        session: Session,
        consumer: Consumer,
        registries: Sequence[Registry],
    ) -> None:
        self.analysis = analysis
        self.program = analysis.program
        self.pack = analysis.pack
        self.consumer = consumer
        self.registries = registries
        self.path = InitPath(session, analysis.pack, consumer, registries)
        self.registrations: dict[str, dict[Key, list[Registration]]] = {}
        self.sites: list[Site] = []
        self.arrivals: Arrivals | None = None
        self.runs: dict[Key, InitRun] = {}
        self.asked_later: Asked = {}
        self.later_runs: dict[tuple[str, Key], InitRun | None] = {}
        self.process = ProcessStart(analysis, consumer, registries)
        # whether a key is there once a module that registers it was imported first
        self.own: dict[tuple[str, Key, str], Tristate] = {}
        self.only: Key | None = None

    def run(self, imported: Ended) -> tuple[list[RegistryResult], list[CallSite]]:
        """Return the results of all registries, and the call sites.

        ``imported`` is how importing the consumer's module ended: where that fails, all fails so.
        """
        for name in self.path.axes:
            if not self.path.members(name):
                self.analysis.note(f"this tree has no enum {self.pack.selectors[name].enum}")
        pairs = self.path.pairs()
        if self.analysis.only in pairs:
            self.only = self.analysis.only
            pairs = [pair for pair in pairs if pair[-1] == self.only[-1]]
            self.registries = [r for r in self.registries if r.on_init_path]
        if imported.raised is None:
            self.runs = {pair: self.path.run(pair) for pair in pairs}
            choose_branches(self.runs)
        else:
            unread: dict[str, Tristate] = {r.id: "no" for r in self.registries if r.on_init_path}
            self.runs = {pair: InitRun(imported, unread) for pair in pairs}
        for registry in self.registries:
            self.registrations[registry.id] = self._registrations(registry)
        if self.consumer.use is not None and self.only is None:
            later = [r for r in self.registries if not r.on_init_path]
            self.asked_later = keys_asked_later(self.path, self.consumer.use, self.runs, later)
        self.sites = find_sites(self.program, self.pack, self.consumer)
        if not (self.analysis.quick and self.only is not None and self._is_there(self.only)):
            unreached = self._unreached()
            self._visit()
            self.process.enter(unreached)
        results = [self._result(r) for r in self.registries]
        return results, [self._call_site(s) for s in self.sites]

    def _is_there(self, key: Key) -> bool:
        """Return whether a key is there whenever it is looked up: callers and process do not matter then."""
        run = self.runs.get(key)
        return (
            run is not None
            and run.outcome == "ok"
            and bool(run.lookups)
            and all(run.at_lookup.get(registry) == "yes" for registry in run.lookups)
        )

    # -- registrations ------------------------------------------------------------------------

    def _registrations(self, registry: Registry) -> dict[Key, list[Registration]]:
        keys: dict[Key, list[Registration]] = {}
        for use in find_uses(self.program, registry):
            if self.pack.ignores(use.spot.path):
                continue
            key = self._key_of_use(use)
            if key is not None:
                found = Registration(use.module, use.spot, use.column, use.symbol, key, use.guards)
                keys.setdefault(key, []).append(found)
        return keys

    def _key_of_use(self, use: Use) -> Key | None:
        """Return a key's parts; those that are no literals are evaluated in the module's own namespace."""
        parts: list[object] = [n.value if isinstance(n, ir.Const) else None for n in use.key]
        if None in parts:
            parts = self._evaluated(use)
        if not all(isinstance(part, str) for part in parts):
            self.analysis.note(f"{use.spot}: the key is not a constant; this entry is not judged")
            return None
        return tuple(str(part) for part in parts)

    def _evaluated(self, use: Use) -> list[object]:
        self.analysis.first_import(use.module)
        machine = self.analysis.visitor.machine
        # where its import failed, some names are bound all the same
        module = machine.module_object(use.module) or Module(use.module)
        values: list[object] = []
        for node in use.key:
            try:
                value: Value = evaluate(machine, Frame(module, module), node)
            except Abrupt:
                value = UNKNOWN
            values.append(value.value if isinstance(value, Const) else None)
        return values

    # -- call sites ---------------------------------------------------------------------------

    def _visit(self) -> None:
        """Import each registering and each call-site module first, and run the call sites there."""
        visitor = self.analysis.visitor
        path = InitPath(visitor, self.pack, self.consumer, self.registries)
        registry = next((r for r in self.registries if r.on_init_path), None)
        if registry is not None:
            registered = self.registrations[registry.id]
            can_choose = self.analysis.platform.can_choose
            self.arrivals = Arrivals(path, registry, registered, can_choose, self.only)
        registering = {
            r.module
            for keys in self.registrations.values()
            for key, rs in keys.items()
            for r in rs
            if self.only in (None, key)
        }
        entered: dict[str, dict[Entry, list[Site]]] = {}
        sites = [
            site for site in self.sites if self.only is None or self._may_give(site, self.only)
        ]
        for site in sites:
            for entry in site.entries if not self._is_foreign(site) else ():
                entered.setdefault(entry.module, {}).setdefault(entry, []).append(site)
        for module in sorted({*registering, *entered, *(s.module for s in sites)}):
            ended = self.analysis.first_import(module)
            self._note_own(path, module)
            entries = entered.get(module)
            if not entries or self.arrivals is None:
                continue
            if ended.raised is None:
                self.arrivals.run(entries)
                continue
            # It cannot be imported first: what imports it in practice has imported the consumer.
            visitor.import_first(self.consumer.module)
            with visitor.attempt():
                visitor.import_module(module)
                self.arrivals.run(entries)

    def _note_own(self, path: InitPath, module: str) -> None:
        """Note which keys a module, just imported first, has registered."""
        for registry in self.registries:
            for key, registrations in self.registrations[registry.id].items():
                if any(r.module == module for r in registrations):
                    self.own[registry.id, key, module] = path.present(registry, key)

    def _may_give(self, site: Site, key: Key) -> bool:
        """Return whether a site may ask for a key: not if it names another member of the enum."""
        enum, _, member = site.argument.rpartition(".")
        own = self.pack.selectors[self.path.axes[-1]].enum.rpartition(":")[2]
        facts = self.program.readable_facts(site.module)
        if not enum or enum != own.rpartition(".")[2] or facts is None:
            return True
        if not walk.bindings_of_imports(facts, enum).get(enum, "").endswith(f".{own}"):
            return True
        named = self.path.members(self.path.axes[-1]).items()
        return any(text == key[-1] for text, m in named if getattr(m, "member", None) == member)

    def _is_foreign(self, site: Site) -> bool:
        name = f"{site.module}:{site.function}"
        return any(fnmatch.fnmatchcase(name, p) for p in self.analysis.platform.foreign)

    def _call_site(self, site: Site) -> CallSite:
        values = self.arrivals.values.get(site, {}) if self.arrivals is not None else {}
        ordered = tuple(values[key] for key in self.runs if key in values)
        path = self.consumer.path
        foreign = self._is_foreign(site)
        return CallSite(
            site.spot,
            site.module,
            site.function,
            path,
            site.argument,
            ordered,
            foreign,
            tuple((entry.module, entry.function) for entry in site.entries),
        )

    # -- cells --------------------------------------------------------------------------------

    def _result(self, registry: Registry) -> RegistryResult:
        registered = self.registrations[registry.id]
        pairs = list(self.runs) if registry.key == self.path.axes else []
        others = {*registered, *self.asked_later.get(registry.id, ())}.difference(pairs)
        if self.only is not None:
            others = {key for key in others if key[-1] == self.only[-1]}
        cells = tuple(self._cell(registry, key) for key in (*pairs, *sorted(others)))
        return RegistryResult(registry.id, registry.key, cells, registry.counterpart)

    def _run_for(self, registry: Registry, key: Key) -> InitRun | None:
        """Return the run that reads the registry under this key; None when the key cannot be asked for."""
        if registry.on_init_path:
            return self.runs.get(key)
        if (registry.id, key) not in self.later_runs:
            self.later_runs[registry.id, key] = self._later_run(registry, key)
        return self.later_runs[registry.id, key]

    def pair_for(self, registry: Registry, key: Key) -> Key | None:
        """Return selector values with which the consumer is constructed before it asks for a key, if any."""
        if registry.on_init_path:
            return key if key in self.runs else None
        own = self.path.axes[-1]
        text = key[registry.key.index(own)] if own in registry.key else ""
        return next((p for p in self.runs if p[-1] == text and self.runs[p].outcome == "ok"), None)

    def _later_run(self, registry: Registry, key: Key) -> InitRun | None:
        """Run a look-up of the finished consumer, constructed for the selector value in the key."""
        pair = self.pair_for(registry, key)
        if pair is None:
            return None
        session = self.path.session
        with session.attempt():
            self.path.construct(pair)
            run = InitRun(Ended(None, ()), {registry.id: self.path.present(registry, key)})
            run.ended = session.call(session.resolve(registry.lookups[0]), [Const(k) for k in key])
        return run

    def _cell(self, registry: Registry, key: Key) -> Cell:
        analysis = self.analysis
        registrations = tuple(self.registrations[registry.id].get(key, ()))
        after_import = self.path.present(registry, key)
        run = self._run_for(registry, key)
        outcome: Outcome = run.outcome if run is not None else "unreached"
        at_lookup = self._at_lookup(registry, key)
        raised = _exception_of(run)
        lookup = run.lookups.get(registry.id) if run is not None else None
        branch = analysis.spot(run.branch if run is not None else None)
        modules = list(dict.fromkeys(r.module for r in registrations))
        reach = self._reach(registry, key, registrations, at_lookup)
        importers: tuple[ImportEdge, ...] = ()
        if self._tells_importers(registry, key, reach):
            importers = importers_of(analysis.graph, self.pack, modules)
        if reach == "none" and not importers:
            reach = "orphan"
        # an import that fails on the way to the look-up is a miss like any other
        missed = lookup is not None or (raised is not None and raised.name in _IMPORT_ERRORS)
        needs_entry = outcome != "ok" and missed
        remedy = None
        guarded: tuple[Guarded, ...] = ()
        if self.only not in (None, key) or not analysis.any_remedy:
            pass  # nobody is to ask; of another key, the call sites were not run
        elif needs_entry and at_lookup != "yes" and reach in ("none", "partial", "orphan"):
            guarded = self._guarded(registry, key, registrations, run)
            if not guarded and at_lookup == "no" and self.only is None:
                remedy = self.remedy(modules[0], run)
        elif analysis.every_remedy and needs_entry and reach in ("caller", "process"):
            remedy = self.remedy(modules[0], run)
        return Cell(
            registry.id,
            self.consumer.path,
            key,
            registrations,
            after_import,
            at_lookup,
            outcome,
            raised.name if raised is not None else None,
            analysis.spot(Place(raised.path, raised.line)) if raised is not None else None,
            reach,
            accepted=run is not None and (outcome == "ok" or lookup is not None),
            needs_entry=needs_entry,
            lookup=analysis.spot(lookup),
            branch=branch,
            conditions=self._conditions(run),
            importers=importers,
            hangs_on=self._hangs_on(reach, key, modules),
            remedy=remedy,
            cycle=cycle_of(self.program, run.ended.raised) if run is not None else None,
            asked=key in self.asked_later.get(registry.id, ()),
            counterpart=tuple(key[i] for i in registry.counterpart_key)
            if registry.counterpart
            else None,
            guarded=guarded,
        )

    def _guarded(
        self,
        registry: Registry,
        key: Key,
        registrations: tuple[Registration, ...],
        run: InitRun | None,
    ) -> tuple[Guarded, ...]:
        """Return the conditions that keep a key from being there when it is looked up."""
        finder = HeldBack(self.program, self.analysis.graph, self.pack)
        found = self._holding_back(finder, registry, key, registrations, run)
        # what is certain was run: it does not ask
        unsure = self.consumer.path if self._at_lookup(registry, key) == "maybe" else None
        return finder.asked_too(found, unsure, key[-1])

    def _holding_back(
        self,
        finder: HeldBack,
        registry: Registry,
        key: Key,
        registrations: tuple[Registration, ...],
        run: InitRun | None,
    ) -> tuple[Guarded, ...]:
        loaded = {*self.path.session.loaded(), *(s.module for s in self.sites)}
        if self._at_lookup(registry, key) == "maybe":
            return finder.doubtful(registrations, self._conditions(run), loaded.__contains__)
        own = {self.own.get((registry.id, key, r.module)) for r in registrations}
        if own == {"no"} and all(r.guards for r in registrations):
            return finder.itself(registrations)
        modules = list(dict.fromkeys(r.module for r in registrations))
        found = finder.imports(modules, lambda m: m in loaded or self.process.loads(m))
        taken = {place.line for place in run.branches} if run is not None else set()
        return found or finder.on_the_way(modules, self.consumer.module, taken)

    def remedy(self, module: str, run: InitRun | None) -> Remedy:
        """Return the import of a module that a run lacks, and where it can stand."""
        branch, asking = (run.branch, run.asking) if run is not None else (None, None)
        spot = self.analysis.spot
        return find_remedy(self.analysis, self.path, module, spot(branch), spot(asking))

    def _at_lookup(self, registry: Registry, key: Key) -> Tristate:
        run = self._run_for(registry, key)
        after_import = self.path.present(registry, key)
        return run.at_lookup.get(registry.id, after_import) if run is not None else after_import

    def _conditions(self, run: InitRun | None) -> tuple[Spot, ...]:
        if run is None:
            return ()
        places = [*run.doubts, *(p for each in run.ended.may_raise for p in each.conditions)]
        spots = [self.analysis.spot(place) for place in dict.fromkeys(places)]
        return tuple(spot for spot in spots if spot is not None)

    def _tells_importers(self, registry: Registry, key: Key, reach: Reach) -> bool:
        """Return whether it matters who imports what registers a key.

        To a quick analysis it does not where only what the key hangs on is told.
        """
        told_otherwise = registry.on_init_path and reach in ("process", "caller")
        return (
            reach not in ("runner", "unregistered")
            and self.only in (None, key)
            and not (self.analysis.quick and told_otherwise)
        )

    # -- reach --------------------------------------------------------------------------------

    def _reach(
        self,
        registry: Registry,
        key: Key,
        registrations: tuple[Registration, ...],
        at_lookup: Tristate,
    ) -> Reach:
        """Return the reach of a key; ``none`` also where it is ``orphan``."""
        if not registrations:
            return "unregistered"
        if at_lookup == "yes":
            return "runner"
        if self.process.has(registry, key) == "yes":
            return "process"
        loaded = (
            {v.loaded for _, v in self._arriving(key) if v.reads}
            if registry.on_init_path
            else set()
        )
        if loaded == {"yes"}:
            return "caller"
        if loaded - {"no"} or at_lookup == "maybe":
            return "partial"
        return "none"

    def _arriving(self, key: Key) -> list[tuple[Site, SiteValue]]:
        return self.arrivals.at(key) if self.arrivals is not None else []

    def _unreached(self) -> list[str]:
        """Return the modules that register what is not there at the look-up."""
        return [
            registration.module
            for registry in self.registries
            for key, registrations in self.registrations[registry.id].items()
            if self.only in (None, key) and self._at_lookup(registry, key) != "yes"
            for registration in registrations
        ]

    def _hangs_on(self, reach: Reach, key: Key, modules: Sequence[str]) -> tuple[ImportEdge, ...]:
        """Return the imports that a key of reach ``process`` or ``caller`` depends on."""
        if reach == "process":
            return self.process.chain(modules[0])
        if reach == "caller":
            graph = self.analysis.graph
            entered = [{e.module for e in site.entries} for site, _ in self._arriving(key)]
            among = sorted(set[str]().union(*entered))
            imports = [edge for module in modules for edge in graph.importers_in(module, among)]
            edges = [
                edge
                for own in entered
                for edge in imports
                if edge.importer in own
                and edge.kind != "type-checking"
                and not self.pack.ignores(edge.spot.path)
            ]
            return tuple(dict.fromkeys(edges))
        return ()


def _exception_of(run: InitRun | None) -> Raised | None:
    """Return what a run raises, or may raise."""
    if run is None:
        return None
    if run.ended.raised is not None:
        return run.ended.raised
    for pending in run.ended.may_raise:
        if isinstance(pending.value, Raised):
            return pending.value
    return None
