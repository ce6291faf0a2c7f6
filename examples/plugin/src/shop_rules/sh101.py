"""SH101: a kind of payment that nothing handles in some region."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

from regreach.model import Audit, Cell, Finding
from regreach.rule import Rule, fingerprint

REGISTRY = "shop.handlers"


def check(audit: Audit) -> Iterator[Finding]:
    """Yield a finding for each key that can be asked for and under which nothing is registered."""
    for registry in audit.registries:
        for cell in registry.cells:
            if cell.registry == REGISTRY and not cell.registrations and cell.lookup is not None:
                yield _finding(cell)


def _finding(cell: Cell) -> Finding:
    assert cell.lookup is not None, "nobody would ask for it else"
    region, kind = cell.key
    return Finding(
        "SH101",
        "info",
        cell.lookup,
        1,
        f"nothing handles {kind} in {region}",
        cell.key,
        fingerprint("SH101", cell.registry, *cell.key),
    )


RULE = Rule(
    "SH101",
    "nobody-handles",
    "info",
    "a kind of payment that nothing handles in some region",
    files(__package__ or "").joinpath("sh101.md").read_text(encoding="utf-8"),
    check,
    by_key=True,
)
