"""RR110: an import that comes too late, is never executed, or dies of an import cycle."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

from regreach.model import Audit, Cell, Finding, ImportCycle, Related, Severity
from regreach.rule import Rule, fingerprint

from regreach_rules import story
from regreach_rules.import_order import cycle_details, cycle_spots, order_fault
from regreach_rules.unreached import finding, is_unreached


def check(audit: Audit) -> Iterator[Finding]:
    """Yield a finding for each key whose imports do not help, and for each cycle that a value runs into."""
    for registry in audit.registries:
        told: set[ImportCycle | None] = set()
        cycles: dict[tuple[str, ImportCycle], list[Cell]] = {}
        for cell in registry.cells:
            fault = order_fault(cell) if is_unreached(audit, cell) else None
            if fault is not None:
                told.add(cell.cycle)
                yield finding("RR110", audit, cell, *fault)
            elif cell.cycle is not None:
                cycles.setdefault((cell.key[-1], cell.cycle), []).append(cell)
        for (value, cycle), cells in cycles.items():
            if cycle not in told:
                yield _of_value(audit, value, cycle, cells)


def _of_value(audit: Audit, value: str, cycle: ImportCycle, cells: list[Cell]) -> Finding:
    """Return the finding of a value whose branch dies, whatever the process has chosen beside it."""
    consumer = cells[0].consumer.rpartition(":")[2]
    crashing = [
        site
        for cell in cells
        for site, at in audit.arriving(cell)
        if at.outcome == "raises" and at.exception == "ImportError"
    ]
    branch = [each for each in story.spots(audit, cells[0]) if each.role == "branch"]
    severity: Severity = "error" if crashing else "warning"
    names = story.listed(story.short(s.spot) for s in crashing)
    ends = (
        f"; {names} crash{'es' if len(set(crashing)) == 1 else ''}"
        if crashing
        else ("; it works only where something else was imported before")
    )
    message = (
        f'with {consumer} imported first, the branch for "{value}" dies of an import cycle: {cycle.name}'
        f" is not bound yet in {cycle.module}{ends}"
    )
    return Finding(
        "RR110",
        severity,
        cycle.asking,
        1,
        message,
        (value,),
        fingerprint("RR110", cells[0].registry, value, cells[0].consumer),
        None,
        (*map(story.detail, branch), *cycle_details(cycle)),
        f"the cycle has to be broken where it is: {story.cycle_text(cycle)}",
        (
            *branch,
            *(Related("crashes", s.spot, s.function) for s in dict.fromkeys(crashing)),
            *cycle_spots(cycle),
        ),
    )


RULE = Rule(
    "RR110",
    "import-order",
    "error",
    "an import that comes too late, is never executed, or dies of an import cycle",
    files(__package__ or "").joinpath("rr110.md").read_text(encoding="utf-8"),
    check,
    mended="yes",
    by_key=True,
)
