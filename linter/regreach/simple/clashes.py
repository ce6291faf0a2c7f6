"""Keys that two modules register although one process can load both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from regreach.model import Clash, ImportEdge, SimpleEntry
from regreach.simple.guards import conditions
from regreach.simple.same import Sameness
from regreach.simple.uses import Use
from regreach.simple.ways import Way, Ways

_MAX_DETOURS = 4


def clashes_of(
    entries: Sequence[SimpleEntry],
    uses: Mapping[SimpleEntry, Use],
    ways: Ways,
    same: Sameness | None,
    starts: Sequence[str],
) -> tuple[Clash, ...]:
    """Return the clashes, one for each key and each module that registers it once more.

    What no process on this platform can have, and what stands in opposite branches is none; nor is what is the
    ``same`` in both, unless that is None: a registry that raises for a key that it has does not compare.
    """
    by_key: dict[str, list[SimpleEntry]] = {}
    in_one_table = _in_one_table(entries, uses)
    for entry in entries:
        if entry.key is not None and entry.possible:
            by_key.setdefault(entry.key, []).append(entry)
    found = (
        clash
        for each in by_key.values()
        for clash in _clashes(_first_of_each(each), uses, ways, same, starts)
    )
    return tuple(sorted((*found, *in_one_table), key=lambda c: (c.key, str(c.entries[1].spot))))


def _in_one_table(entries: Sequence[SimpleEntry], uses: Mapping[SimpleEntry, Use]) -> list[Clash]:
    """Return the keys that stand twice in one literal of a dict and lead to two things."""
    seen: dict[tuple[str, int, str], SimpleEntry] = {}
    found = []
    for entry in entries:
        use = uses[entry]
        if not use.table or entry.key is None:
            continue
        place = entry.module, use.table, entry.key
        first = seen.setdefault(place, entry)
        if first.target != entry.target and first.target and entry.target:
            found.append(Clash(entry.key, (first, entry), "", ((), ())))
    return found


def _first_of_each(entries: Sequence[SimpleEntry]) -> list[SimpleEntry]:
    modules: dict[str, SimpleEntry] = {}
    for entry in entries:
        modules.setdefault(entry.module, entry)
    return list(modules.values())


def _clashes(
    entries: Sequence[SimpleEntry],
    uses: Mapping[SimpleEntry, Use],
    ways: Ways,
    same: Sameness | None,
    starts: Sequence[str],
) -> Iterator[Clash]:
    for number, second in enumerate(entries):
        for first in entries[:number]:
            if same is not None and same.register_the_same(uses[first], uses[second]):
                continue
            clash = _clash(first, second, uses, ways, starts)
            if clash is not None:
                yield clash
                break


def _clash(
    first: SimpleEntry,
    second: SimpleEntry,
    uses: Mapping[SimpleEntry, Use],
    ways: Ways,
    starts: Sequence[str],
) -> Clash | None:
    """Return how both come to be loaded in one process, the one that is loaded at its start first."""
    for root in starts:
        found = _together(root, first, second, uses, ways)
        if found is None:
            continue
        one, other = found
        if other.is_eager and not one.is_eager:
            first, second, one, other = second, first, other, one
        return Clash(first.key or "", (first, second), root, (one.edges, other.edges))
    return None


def _together(
    root: str,
    first: SimpleEntry,
    second: SimpleEntry,
    uses: Mapping[SimpleEntry, Use],
    ways: Ways,
) -> tuple[Way, Way] | None:
    """Return the ways by which a process loads both modules, such that both can be gone in one run."""
    one, other = ways.way(root, first.module), ways.way(root, second.module)
    for way, module, importer in (
        (other, first.module, second.module),
        (one, second.module, first.module),
    ):
        on = ways.eager(importer, module)
        if way is not None and on is not None and not way.excludes(on):
            # whoever loads the one loads the other: no clearer case
            both = Way((*way.edges, *on.edges), way.conditions | on.conditions)
            return (both, way) if importer == second.module else (way, both)
    without: set[ImportEdge] = set()
    for _ in range(_MAX_DETOURS):
        if one is None or other is None:
            return None
        whole = _to_the_end(one, uses[first]), _to_the_end(other, uses[second])
        if not whole[0].excludes(whole[1]):
            return one, other
        # another way to the second, without the imports in branches that are not taken then
        barred = {c.opposite for c in whole[0].conditions}
        detour = {e for e in other.edges if ways.conditions(e) & barred}
        if not detour or detour <= without:
            return None
        without |= detour
        other = ways.way(root, second.module, frozenset(without))
    return None


def _to_the_end(way: Way, use: Use) -> Way:
    """Return a way with the conditions around the registration at its end."""
    own = conditions(use.spot.path, use.around.guards)
    return Way(way.edges, way.conditions | frozenset(own))
