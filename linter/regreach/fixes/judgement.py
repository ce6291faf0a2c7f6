"""What an edit did to a tree: two audits of it beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from regreach.model import Audit, Cell, Finding


@dataclass(frozen=True, slots=True)
class Judged:
    """An audit and the findings of all rules."""

    audit: Audit
    findings: tuple[Finding, ...]


def why_not_mended(finding: Finding, after: Judged) -> str | None:
    """Return why a finding is not mended in an edited tree; None when it is.

    That a finding is gone is not enough: its key must certainly be there, and the consumer come about.
    """
    cells = [cell for cell in cells_of(finding, after.audit) if cell.at_lookup != "no"]
    for cell in cells:
        if cell.at_lookup == "maybe" or cell.outcome == "maybe":
            depends = (
                f": {cell.conditions[0]}  {cell.conditions[0].text}" if cell.conditions else ""
            )
            return f"with the import it still depends on a condition{depends}"
        if cell.outcome == "raises":
            return f"with the import it raises {cell.exception} all the same, at {cell.raised_at}"
    still = any(each.fingerprint == finding.fingerprint for each in after.findings)
    if still or not cells:
        return "with the import it is still not there when it is looked up"
    return None


def cells_of(finding: Finding, audit: Audit) -> list[Cell]:
    """Return the cells that a finding is about: of its key, registered in its file."""
    return [
        cell
        for registry in audit.registries
        for cell in registry.cells
        if cell.key == finding.key
        and any(r.spot.path == finding.spot.path for r in cell.registrations)
    ]


def damage(before: Judged, after: Judged) -> list[str]:
    """Return what is worse than it was: each a line."""
    return [
        *_new_findings(before.findings, after.findings),
        *_new_failures(before.audit, after.audit),
        *_worse_cells(before.audit, after.audit),
    ]


def _new_findings(before: Sequence[Finding], after: Sequence[Finding]) -> Iterator[str]:
    known = {finding.fingerprint for finding in before}
    for finding in after:
        if finding.fingerprint not in known:
            yield f"it would bring {finding.rule} at {finding.spot}: {finding.message}"


def _new_failures(before: Audit, after: Audit) -> Iterator[str]:
    for module, ended in after.imported_first.items():
        if ended != "ok" and before.imported_first.get(module) == "ok":
            yield f"with {module} imported first it would die of {ended}"
    known = {problem.spot.path for problem in before.problems}
    for problem in after.problems:
        if problem.spot.path not in known:
            yield f"{problem.spot} would not be read any more: {problem.message}"


def _worse_cells(before: Audit, after: Audit) -> Iterator[str]:
    fine = {
        (registry.id, cell.key)
        for registry in before.registries
        for cell in registry.cells
        if cell.outcome == "ok"
    }
    for registry in after.registries:
        for cell in registry.cells:
            if (registry.id, cell.key) in fine and cell.outcome != "ok":
                what = f"{cell.outcome} {cell.exception or ''}".rstrip()
                yield f"({', '.join(cell.key)}) is ok today, and would be: {what}"
