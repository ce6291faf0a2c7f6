"""What really happens: the cases of an audit, executed."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from regreach.model import Audit, Outcome, Spot
from regreach.pack import Consumer, Pack, Platform, Registry
from regreach.probe.ending import Ending, ending_of
from regreach.probe.plan import consumer_of
from regreach.probe.servers import Group, Result, Servers
from regreach.probe.sites import Sites, SiteTruth

Key = tuple[str, ...]
_IMPORT = re.compile(r"(?:import|from)\s+(\w+)")


@dataclass(frozen=True, slots=True)
class CellTruth:
    """What really becomes of one key. ``ending`` is None where nothing asks for it.

    ``otherwise`` is what becomes of it without one of the packages on which it is said to depend.
    """

    after_import: bool
    at_lookup: bool
    ending: Ending | None
    otherwise: tuple[CellTruth, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """Return how it ends, in an audit's words."""
        if self.ending is None:
            return "unreached"
        return "ok" if self.ending.ok else "raises"


@dataclass(slots=True)
class Truth:
    """What was found out of one tree on one platform."""

    imports: dict[str, Ending] = field(default_factory=dict)  # of the consumers' modules
    eager: list[str] = field(default_factory=list)
    cells: dict[str, dict[Key, CellTruth]] = field(default_factory=dict)
    imported_first: dict[str, Ending] = field(default_factory=dict)
    process: dict[str, set[Key]] | None = None
    process_ending: Ending | None = None
    sites: dict[Spot, SiteTruth] = field(default_factory=dict)
    decisions: dict[str, list[str]] = field(default_factory=dict)
    python: str = ""
    untouched: list[str] = field(default_factory=list)


def execute(
    servers: Servers,
    pack: Pack,
    platform: Platform,
    audit: Audit,
    say: Callable[[str], None],
    *,
    in_part: bool = False,
) -> Truth:
    """Execute what an audit is about; with ``in_part``, of its keys only those that it has.

    Raises TargetError when the processes cannot be run.
    """
    truth = Truth(python=servers.python, untouched=servers.untouched)
    for consumer in pack.consumers.values():
        registries = [r for r in pack.registries if r.consumer == consumer.name]
        known = {r.id: [c.key for c in r.cells] for r in audit.registries}
        doubts = _doubts(audit, pack.location.name)
        if any(r.id in known for r in registries):
            each = _Consumer(servers, pack, consumer, registries, known, doubts, truth, say)
            each.run(in_part=in_part)
    _each_first(servers, Sites(pack, platform, audit), list(audit.imported_first), truth, say)
    if pack.process_roots:
        say("importing the process roots")
        ((result,),) = servers.run([Group(_importing(*pack.process_roots))])
        truth.process_ending = ending_of(result)
        truth.process = {r.id: _keys(result, r) for r in pack.registries}
        _note(truth, "the process roots imported", result)
    return truth


def _doubts(audit: Audit, package: str) -> dict[tuple[str, Key], list[str]]:
    """Return the packages on whose presence keys are said to depend."""
    found: dict[tuple[str, Key], list[str]] = {}
    for registry in audit.registries:
        for cell in registry.cells:
            names = [m.group(1) for c in cell.conditions if (m := _IMPORT.match(c.text))]
            names = [name for name in dict.fromkeys(names) if name != package]
            if names and "maybe" in (cell.at_lookup, cell.outcome):
                found[registry.id, cell.key] = names
    return found


def _each_first(
    servers: Servers, sites: Sites, modules: Sequence[str], truth: Truth, say: Callable[[str], None]
) -> None:
    """Import each module before anything else, and execute the call sites in it."""
    say(f"importing each of {len(modules)} modules first, and executing call sites")
    again = []
    groups = [Group(_importing(m), sites.cases(m)) for m in modules]
    for module, (result, *others) in zip(modules, servers.run(groups), strict=True):
        truth.imported_first[module] = ending_of(result)
        _note(truth, f"{module} imported first", result)
        if result["ok"]:
            sites.take(module, result, others)
        elif others:
            again.append(module)
    groups = [Group(_importing(*sites.second_try(m)), sites.cases(m)) for m in again]
    for module, (result, *others) in zip(again, servers.run(groups), strict=True):
        sites.take(module, result, others)
    truth.sites = sites.truths


class _Consumer:
    """The cases of one consumer: each starts from its module being imported, and nothing else."""

    def __init__(
        self,
        servers: Servers,
        pack: Pack,
        consumer: Consumer,
        registries: Sequence[Registry],
        known: Mapping[str, Sequence[Key]],
        doubts: Mapping[tuple[str, Key], Sequence[str]],
        truth: Truth,
        say: Callable[[str], None],
    ) -> None:
        self._servers = servers
        self._pack = pack
        self._consumer = consumer
        self._registries = registries
        self._known = known
        self._truth = truth
        self._say = say
        self._axes = (*consumer.ambient, *consumer.selectors.values())
        self._doubts = doubts

    def run(self, *, in_part: bool) -> None:
        """Fill in the eager modules and the cells."""
        self._say(f"importing {self._consumer.module}")
        first, members = self._servers.run([self._group([{"what": "members"}])])[0]
        self._truth.eager += [m for m in first.get("modules", ()) if m not in self._truth.eager]
        _note(self._truth, f"{self._consumer.module} imported", first)
        self._truth.imports[self._consumer.module] = ending_of(first)
        values = members.get("members", {})
        pairs = list(itertools.product(*(values.get(name, ()) for name in self._axes)))
        if in_part:
            asked = {key for keys in self._known.values() for key in keys}
            pairs = [pair for pair in pairs if pair in asked]
        self._say(f"constructing {self._consumer.callable} {len(pairs)} times")
        cases = [self._case("construct", pair) for pair in pairs]
        # where the import fails all fails so; a second try in the same process may not
        results = self._all(cases) if first["ok"] else [first] * len(cases)
        made = dict(zip(pairs, results, strict=True))
        for pair, result in made.items():
            _note(self._truth, " ".join(pair), result)
        for registry in self._registries:
            after = _keys(first, registry)
            if registry.on_init_path:
                # what the selectors' enums do not have, nobody can ask for
                unasked = [k for k in self._known.get(registry.id, ()) if k not in made]
                self._truth.cells[registry.id] = {
                    **{k: self._told(registry, k, after, result) for k, result in made.items()},
                    **{k: CellTruth(k in after, k in after, None) for k in unasked},
                }
            else:
                self._later(registry, made, after)

    def _cell(self, registry: Registry, key: Key, after: set[Key], result: Result) -> CellTruth:
        # what the init path never came to read was not there when it was read
        read = {tuple(k) for k in result.get("reads", {}).get(registry.id, ())}
        return CellTruth(key in after, key in read, ending_of(result))

    def _told(self, registry: Registry, key: Key, after: set[Key], result: Result) -> CellTruth:
        """Return a cell, and what it would be without each package on which it is said to depend."""
        cell = self._cell(registry, key, after, result)
        packages = self._doubts.get((registry.id, key), ())
        case = self._case("construct", key)
        groups = [Group(_importing(self._consumer.module), [case], [p]) for p in packages]
        others = [
            self._cell(registry, key, _keys(first, registry), second if first["ok"] else first)
            for first, second in self._servers.run(groups)
        ]
        return replace(cell, otherwise=tuple(others))

    def _later(self, registry: Registry, made: Mapping[Key, Result], after: set[Key]) -> None:
        """Look up the keys of a registry that the finished consumer reads."""
        own = self._axes[-1]
        cells: dict[Key, CellTruth] = {}
        asked: list[tuple[Key, Key]] = []
        for key in self._known.get(registry.id, ()):
            text = key[registry.key.index(own)] if own in registry.key else ""
            pair = next((p for p in made if p[-1] == text and made[p]["ok"]), None)
            if pair is None:
                cells[key] = CellTruth(key in after, key in after, None)
            else:
                asked.append((key, pair))
        cases = [
            {
                **self._case("look up", pair),
                "lookup": registry.lookups[0],
                "key": list(key),
            }
            for key, pair in asked
        ]
        for (key, _), result in zip(asked, self._all(cases), strict=True):
            cells[key] = CellTruth(key in after, key in _keys(result, registry), ending_of(result))
        self._truth.cells[registry.id] = cells

    def _case(self, what: str, pair: Key) -> dict[str, object]:
        choice = dict(zip(self._axes, pair, strict=True))
        return {"what": what, "consumer": consumer_of(self._consumer), "choice": choice}

    def _group(self, cases: Sequence[Mapping[str, object]]) -> Group:
        return Group(_importing(self._consumer.module), cases)

    def _all(self, cases: Sequence[Mapping[str, object]]) -> list[Result]:
        """Run cases, spread over the processes."""
        size = -(-len(cases) // self._servers.count)
        parts = [cases[i : i + size] for i in range(0, len(cases), size)] if cases else []
        results = self._servers.run([self._group(part) for part in parts])
        return [result for part in results for result in part[1:]]


def _importing(*modules: str) -> dict[str, object]:
    return {"what": "import", "modules": list(modules)}


def _keys(result: Result, registry: Registry) -> set[Key]:
    return {tuple(key) for key in result.get("registries", {}).get(registry.id, ())}


def _note(truth: Truth, what: str, result: Result) -> None:
    if result.get("decisions"):
        truth.decisions[what] = list(result["decisions"])
