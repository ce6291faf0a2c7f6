"""An audit beside the truth: where do they differ?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from regreach.model import Audit, Cell, SiteValue, Spot
from regreach.probe.ending import Ending
from regreach.probe.sites import Arrival
from regreach.probe.truth import CellTruth, Truth

# The path that CPython adds to some messages.
_PATH = re.compile(r" \((?:/[^()]*|unknown location)\)$")

# Why a key that is said to arrive at a call site was not compared.
UNSEEN = "it arrives on no path that was tried"

KINDS = ("cells", "eager modules", "imported first", "call sites", "process")


@dataclass(frozen=True, slots=True)
class Compared:
    """One thing that both sides say something of; ``unjudged`` tells why the real side is no truth."""

    kind: str
    what: str
    said: str
    real: str
    unjudged: str | None = None

    @property
    def agrees(self) -> bool:
        """Return whether both say the same."""
        return self.said == self.real


def compare(audit: Audit, truth: Truth, import_root: str) -> list[Compared]:
    """Return all that can be compared; paths of the audit begin at a root above ``import_root``."""
    return [
        *_cells(audit, truth, f"{import_root}/" if import_root else ""),
        *_eager(audit, truth),
        *_imported_first(audit, truth),
        *_sites(audit, truth),
        *_process(audit, truth),
    ]


def _cells(audit: Audit, truth: Truth, prefix: str) -> Iterator[Compared]:
    for registry in audit.registries:
        real = truth.cells.get(registry.id, {})
        said = {cell.key: cell for cell in registry.cells}
        for key in dict.fromkeys([*said, *real]):
            found = real.get(key)
            yield Compared(
                "cells",
                f"{registry.id} {' '.join(key)}",
                _said(said[key], prefix, found) if key in said else "no such cell",
                _all_of(found) if found is not None else "no such cell",
                found.ending.unjudged if found is not None and found.ending is not None else None,
            )


def _said(cell: Cell, prefix: str, found: CellTruth | None) -> str:
    if found is not None and "maybe" in (cell.at_lookup, cell.outcome):
        each = {_real(t) for t in (found, *found.otherwise)}
        if len(each) > 1:
            return _all_of(found)  # it does depend on what it is said to depend on
    place = _place(cell.raised_at, prefix, found) if cell.raised_at is not None else ""
    ending: str = cell.outcome
    if cell.outcome != "ok" and cell.exception is not None:
        ending = f"{cell.outcome} {cell.exception}{place}"
    return _story(cell.after_import, cell.at_lookup, ending)


def _place(said: Spot, prefix: str, found: CellTruth | None) -> str:
    """Return where it raises: on which line of a statement, versions of CPython do not agree."""
    path, line = said.path.removeprefix(prefix), said.line
    real = found.ending.raised_at if found is not None and found.ending is not None else None
    if real is not None and real[0] == path and line <= real[1] <= (said.last or line):
        line = real[1]
    return f" at {path}:{line}"


def _all_of(truth: CellTruth) -> str:
    """Return what becomes of a key, and what else may."""
    return "; or ".join(dict.fromkeys(_real(t) for t in (truth, *truth.otherwise)))


def _real(truth: CellTruth) -> str:
    ending: str = truth.outcome
    if truth.ending is not None and not truth.ending.ok:
        at = truth.ending.raised_at
        place = f" at {at[0]}:{at[1]}" if at is not None else ""
        ending = f"{ending} {truth.ending.exception}{place}"
    return _story(_word(truth.after_import), _word(truth.at_lookup), ending)


def _story(after_import: str, at_lookup: str, ending: str) -> str:
    return f"after the import: {after_import}, at the look-up: {at_lookup}, {ending}"


def _word(there: bool) -> str:
    return "yes" if there else "no"


def _eager(audit: Audit, truth: Truth) -> Iterator[Compared]:
    for place in range(max(len(audit.eager), len(truth.eager))):
        said, real = (
            names[place] if place < len(names) else "nothing"
            for names in (audit.eager, truth.eager)
        )
        yield Compared("eager modules", f"number {place + 1}", said, real)


def _imported_first(audit: Audit, truth: Truth) -> Iterator[Compared]:
    for module, said in audit.imported_first.items():
        ending = truth.imported_first[module]
        yield Compared("imported first", module, said, described(ending), ending.unjudged)


def described(ending: Ending) -> str:
    """Return an ending as an audit describes one."""
    if ending.ok:
        return "ok"
    message = _PATH.sub("", ending.message)
    return f"{ending.exception}: {message}" if message else str(ending.exception)


def _sites(audit: Audit, truth: Truth) -> Iterator[Compared]:
    """Compare each key that arrived at a site, or that is said to.

    Stand-ins do not stand for all that there may be: that a key was not seen to arrive is no proof.
    """
    for site in audit.call_sites:
        real = truth.sites.get(site.spot)
        if real is None:
            continue
        values = {value.key: value for value in site.values}
        for key in dict.fromkeys([*values, *real.arrivals]):
            said = values.get(key)
            arrivals = real.arrivals.get(key, [])
            judged = [a for a in arrivals if a.ending.unjudged is None]
            unjudged = None
            if not arrivals:
                unjudged = UNSEEN
            elif not judged:
                unjudged = arrivals[0].ending.unjudged
            yield Compared(
                "call sites",
                f"{site.spot} {' '.join(key)}",
                _arrival_said(said, judged),
                " or ".join(sorted({_arrived(a) for a in judged or arrivals})) or "not seen",
                unjudged,
            )


def _arrival_said(value: SiteValue | None, judged: Sequence[Arrival]) -> str:
    """Return what is said; where that is ``maybe``, what happened is among it."""
    if value is None or value.arrives == "no":
        return "does not arrive"
    if judged and value.outcome == "maybe":
        return " or ".join(sorted({_arrived(a) for a in judged}))
    ending = f"raises {value.exception}" if value.outcome == "raises" else value.outcome
    # how it ends before the look-up tells nothing of what that would find
    reads = any(a.reads for a in judged) if judged else value.reads
    return f"loaded: {value.loaded}, {ending}" if reads else ending


def _arrived(arrival: Arrival) -> str:
    ending = "ok" if arrival.ending.ok else f"raises {arrival.ending.exception}"
    return f"loaded: {_word(arrival.loaded)}, {ending}" if arrival.reads else ending


def _process(audit: Audit, truth: Truth) -> Iterator[Compared]:
    if truth.process is None or truth.process_ending is None:
        return
    unjudged = truth.process_ending.unjudged
    if not truth.process_ending.ok:
        unjudged = f"the process roots cannot be imported here: {described(truth.process_ending)}"
    for registry in audit.registries:
        for cell in registry.cells:
            if cell.registrations and cell.at_lookup != "yes":
                real = cell.key in truth.process[registry.id]
                what = f"{registry.id} {' '.join(cell.key)}"
                said = _word(cell.reach == "process")
                yield Compared("process", what, said, _word(real), unjudged)
