"""The call sites of a consumer, executed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from regreach.model import Audit, CallSite, Spot
from regreach.pack import Consumer, Pack, Platform
from regreach.probe.ending import Ending, ending_of
from regreach.probe.plan import consumer_of
from regreach.probe.servers import Case, Result

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Arrival:
    """What happened once when a call site constructed the consumer for a key."""

    loaded: bool
    reads: bool
    ending: Ending


@dataclass(slots=True)
class SiteTruth:
    """What arrived at a call site on the paths that were tried; ``cut`` when there are more of them.

    ``endings`` counts how the paths ended: with an exception's name, or else ``ended``.
    """

    arrivals: dict[Key, list[Arrival]] = field(default_factory=dict)
    endings: dict[str, int] = field(default_factory=dict)
    cut: bool = False


class Sites:
    """The call sites of an audit, as cases; takes their results."""

    def __init__(self, pack: Pack, platform: Platform, audit: Audit) -> None:
        self.truths: dict[Spot, SiteTruth] = {}
        self._cases: dict[str, list[tuple[list[CallSite], str, Case]]] = {}
        self._consumer_of: dict[str, str] = {}
        for consumer in pack.consumers.values():
            self._add(pack, platform, consumer, audit)

    def _add(self, pack: Pack, platform: Platform, consumer: Consumer, audit: Audit) -> None:
        """Add each function around a site once for each ambient value that somebody registers for."""
        registry = next(
            (r for r in pack.registries if r.consumer == consumer.name and r.on_init_path), None
        )
        cells = next((r.cells for r in audit.registries if registry and r.id == registry.id), ())
        if registry is None or not cells:
            return
        first = cells[0].key[:-1]
        ambient = [first, *sorted({c.key[:-1] for c in cells if c.registrations} - {first})]
        selector = next(iter(consumer.selectors.values()))
        values = dict.fromkeys(cell.key[-1] for cell in cells)
        own = [value for value in values if platform.can_choose(selector, value)]
        live = [
            site
            for site in audit.call_sites
            if site.consumer == consumer.path and not site.foreign and site.function != "<module>"
        ]
        entered: dict[tuple[str, str], list[CallSite]] = {}
        for site in live:
            self.truths[site.spot] = SiteTruth()
            for entry in site.entries:
                entered.setdefault(entry, []).append(site)
        for (module, function), sites in entered.items():
            self._consumer_of[module] = consumer.module
            for around in ambient:
                case = _case(consumer, module, function, sites, around, own)
                self._cases.setdefault(module, []).append((sites, registry.id, case))

    @property
    def modules(self) -> list[str]:
        """Return the modules in which there are sites."""
        return list(self._cases)

    def cases(self, module: str) -> list[Case]:
        """Return the cases that run once this module is imported."""
        return [case for _, _, case in self._cases.get(module, ())]

    def second_try(self, module: str) -> list[str]:
        """Return what to import where the module cannot be the first: the consumer's module, then it."""
        return [self._consumer_of[module], module]

    def take(self, module: str, imported: Result, results: Sequence[Result]) -> None:
        """Take the results of a module's cases."""
        for (sites, registry, _), result in zip(self._cases.get(module, ()), results, strict=True):
            for site in sites:
                _take(self.truths[site.spot], site, registry, imported, result)


def _case(
    consumer: Consumer,
    module: str,
    function: str,
    sites: Sequence[CallSite],
    around: Key,
    own: Sequence[str],
) -> Case:
    axes = (*consumer.ambient, *consumer.selectors.values())
    return {
        "what": "explore",
        "consumer": consumer_of(consumer),
        "module": module,
        "function": function,
        "sites": sorted({site.module for site in sites}),
        "last": max((s.spot.line for s in sites if s.function == function), default=0),
        "axes": list(axes),
        "ambient": dict(zip(consumer.ambient, around, strict=True)),
        "own": axes[-1],
        "choices": list(own),
    }


def _take(
    truth: SiteTruth, site: CallSite, registry: str, imported: Result, result: Result
) -> None:
    if not imported["ok"] or not result["ok"]:
        ended = ending_of(imported if not imported["ok"] else result)
        what = ended.exception or ended.message
        truth.endings[what] = truth.endings.get(what, 0) + 1
        truth.cut = True
        return
    truth.cut = truth.cut or result["cut"]
    for ending, count in result["endings"].items():
        truth.endings[ending] = truth.endings.get(ending, 0) + count
    for each in result["arrivals"]:
        if (each["module"], each["line"]) != (site.module, site.spot.line):
            continue
        key = tuple(each["key"])
        # what the look-up finds, or would
        read = each["reads"].get(registry)
        there = list(key) in (read if read is not None else each["before"][registry])
        arrival = Arrival(there, read is not None, ending_of(each))
        arrivals = truth.arrivals.setdefault(key, [])
        if arrival not in arrivals:
            arrivals.append(arrival)
