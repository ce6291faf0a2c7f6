"""RR103: a selector value that the consumer accepts and that nothing serves."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

from regreach.model import Audit, Cell, Finding
from regreach.rule import Rule, fingerprint

from regreach_rules import story


def check(audit: Audit) -> Iterator[Finding]:
    """Yield a finding for each value whose branch is taken, and whose look-up finds nothing under any key."""
    for registry in audit.registries:
        by_value: dict[str, list[Cell]] = {}
        for cell in registry.cells:
            by_value.setdefault(cell.key[-1], []).append(cell)
        for value, cells in by_value.items():
            finding = _judge(audit, value, cells)
            if finding is not None:
                yield finding


def _judge(audit: Audit, value: str, cells: list[Cell]) -> Finding | None:
    if any(c.registrations for c in cells) or not audit.knows_registrations:
        return None
    asking = [c for c in cells if c.needs_entry and c.lookup is not None and c.outcome == "raises"]
    if len(asking) != len([c for c in cells if c.lookup is not None]) or not asking:
        return None
    crashing = [
        site
        for cell in asking
        for site, at in audit.arriving(cell)
        if at.outcome == "raises" and at.arrives == "yes"
    ]
    if not crashing and any(s.consumer == asking[0].consumer for s in audit.call_sites):
        return None  # nobody in the tree constructs the consumer with it
    cell = asking[0]
    assert cell.lookup is not None, "a cell that asks has a look-up"
    consumer = cell.consumer.rpartition(":")[2]
    unread = ", ".join(doubt.path for doubt in audit.doubtful)
    known = f" in what could be read (not {unread})" if unread else ""
    message = (
        f'"{value}" is accepted by {consumer}, but nothing is registered for it under any key{known}, and '
        f"the look-up raises {cell.exception}"
    )
    return Finding(
        "RR103",
        "error",
        cell.lookup,
        1,
        message,
        (value,),
        fingerprint("RR103", cell.registry, value, cell.consumer),
        None,
        tuple(story.facts(audit, cell)),
        related=tuple(story.spots(audit, cell)),
    )


RULE = Rule(
    "RR103",
    "accepted-but-unserved",
    "error",
    "a selector value that is accepted, and for which nothing is registered",
    files(__package__ or "").joinpath("rr103.md").read_text(encoding="utf-8"),
    check,
    by_key=True,
)
