"""RR101: a registration that the look-up cannot reach."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

from regreach.model import Audit, Cell, Finding
from regreach.rule import Rule

from regreach_rules import simply_unreached, story
from regreach_rules.import_order import order_fault
from regreach_rules.unreached import finding, is_unreached


def check(audit: Audit) -> Iterator[Finding]:
    """Yield a finding for each key that is registered, asked for, and not there when it is."""
    for registry in audit.registries:
        for cell in registry.cells:
            if is_unreached(audit, cell) and order_fault(cell) is None:
                yield finding("RR101", audit, cell, _why(audit, cell))
    yield from simply_unreached.findings("RR101", audit)


def _why(audit: Audit, cell: Cell) -> str:
    crashing = story.sites(audit, cell, "raises", "maybe")
    return {
        "orphan": "nothing imports the module",
        "none": "nobody who asks for it has imported the module",
        "partial": f"{len(crashing)} of {len(audit.arriving(cell))} call sites that ask for it have"
        " not imported the module",
    }[cell.reach]


RULE = Rule(
    "RR101",
    "unreached-registration",
    "error",
    "a registration that the look-up needs and cannot reach",
    files(__package__ or "").joinpath("rr101.md").read_text(encoding="utf-8"),
    check,
    mended="yes",
    by_key=True,
)
