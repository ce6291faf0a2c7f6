"""RR109: an import whose failure is swallowed, and with it keys that are looked up."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

from regreach.model import Audit, Cell, Detail, Finding, Related, Spot, Swallowed
from regreach.rule import Rule, fingerprint, key_text

from regreach_rules import story


def check(audit: Audit) -> Iterator[Finding]:
    """Yield a finding for each such import."""
    for found in audit.swallowed:
        if found.package and not found.is_told:
            yield _silent(found)
        elif any(_is_asked_for(audit, cell) for cell in found.losses):
            yield _finding(audit, found)


def _is_asked_for(audit: Audit, cell: Cell) -> bool:
    if not audit.arriving(cell):
        # nobody in the tree asks: a fault only where the consumer is for others to construct
        return not any(s.consumer == cell.consumer for s in audit.call_sites)
    return bool(story.sites(audit, cell, "raises", "maybe"))


def _finding(audit: Audit, found: Swallowed) -> Finding:
    first = found.losses[0]
    consumer = first.consumer.rpartition(":")[2]
    keys = story.listed((key_text(cell.key) for cell in found.losses), 2)
    hangs = ""
    if found.hangs_on:
        spot = found.hangs_on[0]
        hangs = f"; it hangs on `{story.clipped(spot.text, 60)}` ({story.short(spot)})"
    message = (
        f"if this import fails, {story.short(found.handler)} swallows it, and {keys} is not there when"
        f" {consumer} asks{hangs}"
    )
    lines = list(_lines(found))
    own = [r for r in story.spots(audit, first) if r.role != "registered"]
    told = [d for d in story.facts(audit, first) if d.label != "registered"]
    return Finding(
        "RR109",
        "info" if found.is_told else "warning",
        found.spot,
        found.column,
        message,
        first.key,
        fingerprint("RR109", found.importer, *found.modules),
        None,
        (*map(story.detail, lines), *told, Detail("mend", _MEND)),
        related=(*lines, *own),
    )


def _silent(found: Swallowed) -> Finding:
    message = (
        f"a module of {found.package} that cannot be imported is left out in silence, with all that it registers:"
        f" {story.short(found.handler)} tells nobody"
    )
    lines = tuple(_lines(found))
    details = [Detail("imports", f"the {len(found.modules)} modules of {found.package}")]
    details += map(story.detail, lines)
    return Finding(
        "RR109",
        "warning",
        found.spot,
        found.column,
        message,
        None,
        fingerprint("RR109", found.importer, found.package),
        None,
        (*details, Detail("mend", "log the exception in the handler, with the module's name")),
        related=lines,
    )


_MEND = "raise in the handler, with the cause, where the value was asked for; or tell of the failure there"


def _lines(found: Swallowed) -> Iterator[Related]:
    yield _line("swallowed by", found.handler)
    for spot in found.hangs_on:
        yield _line("hangs on", spot)
    for registration in found.lost:
        yield Related("lost", registration.spot, key_text(registration.key))


def _line(role: str, spot: Spot) -> Related:
    return Related(role, spot, story.clipped(spot.text))


RULE = Rule(
    "RR109",
    "swallowed-import",
    "warning",
    "the import of a registering module whose failure is swallowed, and which keys are lost with it",
    files(__package__ or "").joinpath("rr109.md").read_text(encoding="utf-8"),
    check,
)
