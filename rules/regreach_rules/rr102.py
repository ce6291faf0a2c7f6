"""RR102: a registration that is there only because somebody else imported it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

from regreach.model import Audit, Cell, Detail, Finding
from regreach.rule import Rule, fingerprint, key_text

from regreach_rules import story
from regreach_rules.unreached import fix_of, remedy_details, why_no_fix

# Nothing fails today: the branch and the exception are not told.
_TOLD = {"registered", "looked up", "crashes"}


def check(audit: Audit) -> Iterator[Finding]:
    """Yield a finding for each key that works by its callers or by an unrelated import."""
    for registry in audit.registries:
        for cell in registry.cells:
            if cell.reach in ("caller", "process") and cell.needs_entry:
                yield _finding(audit, cell)


def _finding(audit: Audit, cell: Cell) -> Finding:
    first = cell.registrations[0]
    consumer = cell.consumer.rpartition(":")[2]
    if cell.reach == "caller":
        why = "each caller imports the module itself"
    else:
        last = cell.hangs_on[-1] if cell.hangs_on else None
        edge = f"hangs on {story.short(last.spot)}" if last is not None else "hangs on it"
        why = f"the process happens to import the module; it {edge}"
    message = f"{key_text(cell.key)} is there when {consumer} asks for it only because {why}"
    details = [d for d in story.facts(audit, cell) if d.label in _TOLD]
    lines = [each for each in story.spots(audit, cell) if each.role in _TOLD]
    lines += story.edges("relies on" if cell.reach == "caller" else "hangs on", cell.hangs_on)
    if cell.reach == "caller":
        details.append(Detail("relies on", story.importers(cell.hangs_on)))
    elif cell.hangs_on:
        chain = story.chain_text(cell.hangs_on, first.module)
        details.append(Detail("hangs on", chain))
    if cell.remedy is not None:
        details += remedy_details(cell.remedy, cell)
    return Finding(
        "RR102",
        "warning",
        first.spot,
        first.column,
        message,
        cell.key,
        fingerprint("RR102", cell.registry, *cell.key, cell.consumer),
        fix_of(cell),
        tuple(details),
        why_no_fix(cell),
        tuple(lines),
    )


RULE = Rule(
    "RR102",
    "reached-by-others",
    "warning",
    "a registration that is reached only through callers, or by luck",
    files(__package__ or "").joinpath("rr102.md").read_text(encoding="utf-8"),
    check,
    mended="on request",
    by_key=True,
)
