"""Two audits of the same code at two times: what the change between them brought in, and what it mended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from regreach.model import SEVERITIES, Audit, CallSite, Cell, Detail, Finding, RegistryResult
from regreach.side_effects import is_worse


@dataclass(frozen=True, slots=True)
class Difference:
    """Findings of a new side, told apart by what an old side has.

    ``brought_in`` are those that are new, or graver than they were; ``mended`` are gone; ``old`` are
    there as before.
    """

    brought_in: tuple[Finding, ...]
    mended: tuple[Finding, ...]
    old: tuple[Finding, ...]


def difference(before: Sequence[Finding], after: Sequence[Finding]) -> Difference:
    """Compare findings by fingerprint; of several with the same, as many are old as there were."""
    known: dict[str, list[Finding]] = {}
    for finding in before:
        known.setdefault(finding.fingerprint, []).append(finding)
    for same in known.values():
        same.sort(key=lambda finding: SEVERITIES.index(finding.severity), reverse=True)
    brought_in, old = [], []
    # the gravest takes the gravest that there was
    for finding in sorted(after, key=lambda finding: SEVERITIES.index(finding.severity)):
        same = known.get(finding.fingerprint, [])
        if not same:
            brought_in.append(finding)
            continue
        was = same.pop()
        if SEVERITIES.index(finding.severity) < SEVERITIES.index(was.severity):
            told = Detail("before", f"the same, as {was.severity}")
            brought_in.append(replace(finding, details=(*finding.details, told)))
        else:
            old.append(finding)
    left = {id(finding) for same in known.values() for finding in same}
    order = {id(finding): place for place, finding in enumerate(after)}
    brought_in.sort(key=lambda f: (SEVERITIES.index(f.severity), f.spot.path, f.spot.line, f.rule))
    old.sort(key=lambda finding: order[id(finding)])
    return Difference(tuple(brought_in), tuple(f for f in before if id(f) in left), tuple(old))


@dataclass(frozen=True, slots=True)
class Worsened:
    """A key of which a change made something worse: its cell before and after (None: it is gone).

    ``crashing`` are the call sites that fail after and did not before.
    """

    before: Cell
    after: Cell | None
    crashing: tuple[CallSite, ...] = ()


def worsened(before: Audit, after: Audit) -> list[Worsened]:
    """Return the registered keys that are there less surely than they were, or that more sites lack."""
    then = {(cell.registry, cell.key): cell for cell in cells(after.registries)}
    found = []
    for cell in cells(before.registries):
        if not cell.registrations:
            continue
        other = then.get((cell.registry, cell.key))
        crashing = () if other is None else tuple(_newly_crashing(before, after, cell))
        if other is None or crashing or is_worse(cell, other):
            found.append(Worsened(cell, other, crashing))
    return found


def cells(registries: Sequence[RegistryResult]) -> Iterator[Cell]:
    """Yield the cells of all registries."""
    for registry in registries:
        yield from registry.cells


def _newly_crashing(before: Audit, after: Audit, cell: Cell) -> Iterator[CallSite]:
    """Yield the sites that fail after: those that fail before, as many in a function, are left out."""
    failing = Counter(
        (site.module, site.function)
        for site, value in before.arriving(cell)
        if value.outcome == "raises"
    )
    for site, value in after.arriving(cell):
        if value.outcome == "raises":
            failing[site.module, site.function] -= 1
            if failing[site.module, site.function] < 0:
                yield site
