"""What there is to say of one key: whether it is there when it is looked up, how it ends, and its reach."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from regreach.cycles import cycle_of
from regreach.evaluate.frames import Place
from regreach.evaluate.values import Raised
from regreach.held_back import HeldBack
from regreach.importers import importers_of
from regreach.init_path import InitRun, Key
from regreach.model import (
    Cell,
    Guarded,
    ImportEdge,
    Outcome,
    Reach,
    Registration,
    Spot,
    Tristate,
)
from regreach.pack import Registry

if TYPE_CHECKING:
    from regreach.consumer_analysis import ConsumerAnalysis

_IMPORT_ERRORS = ("ImportError", "ModuleNotFoundError")


class CellJudge:
    """Judges the keys of one consumer's registries, once that was run and its call sites were."""

    def __init__(self, part: ConsumerAnalysis) -> None:
        self.part, self.analysis = part, part.analysis
        self.only = part.only

    def cell(self, registry: Registry, key: Key) -> Cell:
        """Return what there is to say of a key of a registry."""
        analysis = self.analysis
        registrations = tuple(self.part.registrations[registry.id].get(key, ()))
        after_import = self.part.path.present(registry, key)
        run = self.part.run_for(registry, key)
        outcome: Outcome = run.outcome if run is not None else "unreached"
        at_lookup = self.part.at_lookup(registry, key)
        raised = _exception_of(run)
        lookup = run.lookups.get(registry.id) if run is not None else None
        branch = analysis.spot(run.branch if run is not None else None)
        modules = list(dict.fromkeys(r.module for r in registrations))
        reach = self._reach(registry, key, registrations, at_lookup)
        importers: tuple[ImportEdge, ...] = ()
        if self._tells_importers(registry, key, reach):
            importers = importers_of(analysis.graph, self.part.pack, modules)
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
                remedy = self.part.remedy(modules[0], run)
        elif analysis.every_remedy and needs_entry and reach in ("caller", "process"):
            remedy = self.part.remedy(modules[0], run)
        return Cell(
            registry.id,
            self.part.consumer.path,
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
            cycle=cycle_of(self.part.program, run.ended.raised) if run is not None else None,
            asked=key in self.part.asked_later.get(registry.id, ()),
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
        finder = HeldBack(self.part.program, self.analysis.graph, self.part.pack)
        found = self._holding_back(finder, registry, key, registrations, run)
        # what is certain was run: it does not ask
        unsure = self.part.consumer.path if self.part.at_lookup(registry, key) == "maybe" else None
        return finder.asked_too(found, unsure, key[-1])

    def _holding_back(
        self,
        finder: HeldBack,
        registry: Registry,
        key: Key,
        registrations: tuple[Registration, ...],
        run: InitRun | None,
    ) -> tuple[Guarded, ...]:
        loaded = {*self.part.path.session.loaded(), *(s.module for s in self.part.sites)}
        if self.part.at_lookup(registry, key) == "maybe":
            return finder.doubtful(registrations, self._conditions(run), loaded.__contains__)
        own = {self.part.own.get((registry.id, key, r.module)) for r in registrations}
        if own == {"no"} and all(r.guards for r in registrations):
            return finder.itself(registrations)
        modules = list(dict.fromkeys(r.module for r in registrations))
        found = finder.imports(modules, lambda m: m in loaded or self.part.process.loads(m))
        taken = {place.line for place in run.branches} if run is not None else set()
        return found or finder.on_the_way(modules, self.part.consumer.module, taken)

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
        if self.part.process.has(registry, key) == "yes":
            return "process"
        loaded = (
            {v.loaded for _, v in self.part.arriving(key) if v.reads}
            if registry.on_init_path
            else set()
        )
        if loaded == {"yes"}:
            return "caller"
        if loaded - {"no"} or at_lookup == "maybe":
            return "partial"
        return "none"

    def _hangs_on(self, reach: Reach, key: Key, modules: Sequence[str]) -> tuple[ImportEdge, ...]:
        """Return the imports that a key of reach ``process`` or ``caller`` depends on."""
        if reach == "process":
            return self.part.process.chain(modules[0])
        if reach == "caller":
            graph = self.analysis.graph
            entered = [{e.module for e in site.entries} for site, _ in self.part.arriving(key)]
            among = sorted(set[str]().union(*entered))
            imports = [edge for module in modules for edge in graph.importers_in(module, among)]
            edges = [
                edge
                for own in entered
                for edge in imports
                if edge.importer in own
                and edge.kind != "type-checking"
                and not self.part.pack.ignores(edge.spot.path)
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
