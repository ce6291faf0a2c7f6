"""An audit beside the truth: where do they differ?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from regreach.model import Audit, Cell
from regreach.probe.truth import CellTruth, Ending, Truth

# The path that CPython adds to some messages.
_PATH = re.compile(r" \((?:/[^()]*|unknown location)\)$")

KINDS = ("cells", "eager modules", "imported first", "process")


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
                _said(said[key], prefix) if key in said else "no such cell",
                _real(found) if found is not None else "no such cell",
                found.ending.unjudged if found is not None and found.ending is not None else None,
            )


def _said(cell: Cell, prefix: str) -> str:
    at = cell.raised_at
    place = f" at {at.path.removeprefix(prefix)}:{at.line}" if at is not None else ""
    ending: str = cell.outcome
    if cell.outcome != "ok" and cell.exception is not None:
        ending = f"{cell.outcome} {cell.exception}{place}"
    return _story(cell.after_import, cell.at_lookup, ending)


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
