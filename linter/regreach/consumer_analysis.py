"""What one consumer's registries hold when it reads them: its runs, its call sites, who registers what."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from typing import TYPE_CHECKING

from regreach.arrivals import Arrivals
from regreach.call_sites import Site, find_sites
from regreach.callers import Entry
from regreach.cells import CellJudge
from regreach.evaluate.dispatch import evaluate
from regreach.evaluate.frames import Abrupt, Frame
from regreach.evaluate.session import Ended, Session
from regreach.evaluate.values import UNKNOWN, Const, Module, Value
from regreach.facts import ir, walk
from regreach.init_path import InitPath, InitRun, Key, choose_branches
from regreach.later_lookups import Asked, keys_asked_later
from regreach.model import CallSite, Registration, RegistryResult, Remedy, SiteValue, Tristate
from regreach.pack import Consumer, Registry
from regreach.process_start import ProcessStart
from regreach.registrations import Use, find_uses
from regreach.remedies import find_remedy

if TYPE_CHECKING:
    from regreach.verdicts import Analysis


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

    # -- results --------------------------------------------------------------------------------

    def _result(self, registry: Registry) -> RegistryResult:
        registered = self.registrations[registry.id]
        pairs = list(self.runs) if registry.key == self.path.axes else []
        others = {*registered, *self.asked_later.get(registry.id, ())}.difference(pairs)
        if self.only is not None:
            others = {key for key in others if key[-1] == self.only[-1]}
        judge = CellJudge(self)
        cells = tuple(judge.cell(registry, key) for key in (*pairs, *sorted(others)))
        return RegistryResult(registry.id, registry.key, cells, registry.counterpart)

    def run_for(self, registry: Registry, key: Key) -> InitRun | None:
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

    def arriving(self, key: Key) -> list[tuple[Site, SiteValue]]:
        """Return the call sites at which a key arrives, and what happens there."""
        return self.arrivals.at(key) if self.arrivals is not None else []

    def _unreached(self) -> list[str]:
        """Return the modules that register what is not there at the look-up."""
        return [
            registration.module
            for registry in self.registries
            for key, registrations in self.registrations[registry.id].items()
            if self.only in (None, key) and self.at_lookup(registry, key) != "yes"
            for registration in registrations
        ]

    def at_lookup(self, registry: Registry, key: Key) -> Tristate:
        """Return whether a key is there when the registry is read, nobody having helped."""
        run = self.run_for(registry, key)
        after_import = self.path.present(registry, key)
        return run.at_lookup.get(registry.id, after_import) if run is not None else after_import

    def remedy(self, module: str, run: InitRun | None) -> Remedy:
        """Return the import of a module that a run lacks, and where it can stand."""
        branch, asking = (run.branch, run.asking) if run is not None else (None, None)
        spot = self.analysis.spot
        return find_remedy(self.analysis, self.path, module, spot(branch), spot(asking))
