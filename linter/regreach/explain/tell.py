"""From an analysis that is still open to the story of a key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from regreach.consumer_analysis import ConsumerAnalysis
from regreach.evaluate.frames import Place
from regreach.explain.story import Loading, Related, SiteStory, Story, Way
from regreach.facts import ir
from regreach.importers import importers_of
from regreach.loading import edges_on, ring, since, way_to
from regreach.model import Audit, Cell, Finding, RegistryResult, Spot
from regreach.pack import Registry
from regreach.rule import Rule
from regreach.verdicts import Analysis


class Teller:
    """Tells the stories of the keys of one audit.

    ``audit`` and ``findings`` are what ``analysis`` and the ``rules`` gave; it must still be open. With
    ``thorough`` it is also found out what an import that the consumer has in a function would do at
    the top, which takes seconds for each module.
    """

    def __init__(
        self,
        analysis: Analysis,
        audit: Audit,
        findings: Sequence[Finding],
        rules: Mapping[str, Rule],
        *,
        thorough: bool,
    ) -> None:
        self._thorough = thorough
        self._analysis = analysis
        self._audit = audit
        self._findings = findings
        self._rules = rules

    def story(self, result: RegistryResult, cell: Cell) -> Story:
        """Return all that is known of a cell of a registry."""
        analysis = self._analysis
        part = analysis.consumers[cell.consumer]
        registry = next(r for r in part.registries if r.id == result.id)
        findings = tuple(f for f in self._findings if self._is_about(f, result, cell))
        return Story(
            result.parts,
            cell,
            self._defined(part),
            tuple(self._asked_at(part, registry, cell)),
            tuple(analysis.process_roots.roots),
            tuple(self._loading(part, registry, cell, m) for m in _modules(cell)),
            tuple(self._sites(part, registry, cell)),
            tuple(c for c in result.cells if c.key[-1:] == cell.key[-1:] and c.key != cell.key),
            tuple(self._related(result, cell)),
            findings,
            {f.rule: self._rules[f.rule] for f in findings if f.rule in self._rules},
        )

    def _defined(self, part: ConsumerAnalysis) -> Spot | None:
        module, _, name = part.consumer.path.partition(":")
        facts = self._analysis.program.readable_facts(module)
        for node in facts.body if facts is not None else ():
            if isinstance(node, (ir.ClassDef, ir.FunctionDef)) and node.name == name:
                return self._analysis.spot(Place(module, node.line))
        return None

    def _asked_at(self, part: ConsumerAnalysis, registry: Registry, cell: Cell) -> Iterable[Spot]:
        for place in part.asked_later.get(registry.id, {}).get(cell.key, ()):
            spot = self._analysis.spot(place)
            if spot is not None:
                yield spot

    def _loading(
        self, part: ConsumerAnalysis, registry: Registry, cell: Cell, module: str
    ) -> Loading:
        analysis = self._analysis
        at_import = part.path.session.loaded().get(module) is True
        process = None
        if cell.at_lookup != "yes" and analysis.process_roots.roots:
            process = Way(part.process.has(registry, cell.key), part.process.chain(module))
        remedy = cell.remedy
        unknown = self._thorough and (remedy is None or remedy.module != module)
        pair = part.pair_for(registry, cell.key)
        if unknown and registry.on_init_path and not at_import and cell.outcome != "unreached":
            remedy = part.remedy(module, part.runs.get(cell.key))
        home = part.consumer.module
        began = edges_on(analysis.program, way_to(home, part.path.session.loaders))
        return Loading(
            module,
            analysis.program.path(module) or module,
            at_import,
            self._by_consumer(part, pair, module),
            process,
            remedy,
            ring(remedy.cycle, home, began) if remedy is not None else (),
            importers_of(analysis.graph, analysis.pack, [module]),
        )

    def _by_consumer(
        self, part: ConsumerAnalysis, pair: tuple[str, ...] | None, module: str
    ) -> Way:
        """Return how a module is loaded once the consumer is constructed, its module imported first."""
        session = part.path.session
        with session.attempt():
            if pair is not None:
                part.path.construct(pair)
            loaded = session.loaded().get(module)
            if loaded is None:
                return Way("no")
            way = way_to(module, session.loaders)
        edges = since(edges_on(self._analysis.program, way), part.consumer.module)
        return Way("yes" if loaded else "maybe", edges)

    def _sites(self, part: ConsumerAnalysis, registry: Registry, cell: Cell) -> Iterable[SiteStory]:
        if not registry.on_init_path:
            return
        places = {(site.spot, site.function): site for site in part.sites}
        for site, value in self._audit.arriving(cell):
            ways = {}
            if part.arrivals is not None:
                found = places[site.spot, site.function]
                ways = part.arrivals.ways.get((found, cell.key), {})
            edges = (edges_on(self._analysis.program, way) for way in ways.values())
            trimmed = (since(each, site.module) for each in edges if each)
            yield SiteStory(site, value, tuple(trimmed))

    def _related(self, result: RegistryResult, cell: Cell) -> Iterable[Related]:
        by_id = {r.id: {c.key: c for c in r.cells} for r in self._audit.registries}
        if result.counterpart is not None and cell.counterpart is not None:
            other = by_id.get(result.counterpart, {}).get(cell.counterpart)
            yield Related(result.counterpart, cell.counterpart, other, "counterpart")
            return
        for other_result in self._audit.registries:
            # without an entry of its own the consumer asks these, for the same value of its selector
            if other_result.id == result.id or result.parts[-1] not in other_result.parts:
                continue
            place = other_result.parts.index(result.parts[-1])
            for each in other_result.cells:
                same = each.consumer == cell.consumer and each.key[place] == cell.key[-1]
                if same and (each.registrations or each.asked):
                    yield Related(other_result.id, each.key, each, "same value")

    def _is_about(self, finding: Finding, result: RegistryResult, cell: Cell) -> bool:
        """Return whether a finding has to do with a key: it names it, its value, or an import that it needs."""
        if finding.key is None:
            return False
        if finding.key == cell.key:
            holders = [
                r.id for r in self._audit.registries if any(c.key == cell.key for c in r.cells)
            ]
            return len(holders) == 1 or finding.spot.path in _paths(cell)
        if finding.key == cell.key[-1:]:
            return finding.spot.path in _paths(cell)
        return any(
            finding.spot == each.spot
            and any(
                (loss.now.registry, loss.now.key) == (result.id, cell.key) for loss in each.losses
            )
            for each in self._audit.side_effect_imports
        )


def _modules(cell: Cell) -> list[str]:
    return list(dict.fromkeys(r.module for r in cell.registrations))


def _paths(cell: Cell) -> set[str]:
    """Return the files that a finding of a cell's own may stand in."""
    spots = [r.spot for r in cell.registrations]
    spots += [s for s in (cell.lookup, cell.branch, cell.raised_at) if s is not None]
    if cell.cycle is not None:
        spots += [cell.cycle.asking, cell.cycle.waiting]
    return {spot.path for spot in spots}
