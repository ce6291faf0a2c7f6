"""RR107: an entry that a later look-up needs has no counterpart, or is not there."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

from regreach.model import Audit, Cell, Detail, Finding, RegistryResult
from regreach.rule import Rule, fingerprint, key_text

from regreach_rules import story


def check(audit: Audit) -> Iterator[Finding]:
    """Yield a finding for each entry that the finished consumer uses and cannot use to the end."""
    registries = {registry.id: registry for registry in audit.registries}
    for registry in audit.registries:
        other = registries.get(registry.counterpart or "")
        if other is None:
            continue
        theirs = {cell.key: cell for cell in other.cells}
        for cell in registry.cells:
            if not cell.registrations or cell.held_back_by is not None:
                continue
            counterpart = theirs.get(cell.counterpart or ())
            if counterpart is None or not counterpart.registrations:
                asked = cell.asked or (counterpart is not None and counterpart.asked)
                if asked and audit.knows_registrations:
                    yield _without(registry, other, cell)
            elif cell.asked and cell.outcome == "raises" and _nobody_imports(audit, cell):
                yield _unloaded(registry, cell)


def _nobody_imports(audit: Audit, cell: Cell) -> bool:
    """Return whether neither the process nor a module that constructs the consumer loads the entry."""
    constructing = {site.module for site in audit.call_sites if site.consumer == cell.consumer}
    return cell.reach in ("none", "orphan", "partial") and not any(
        edge.importer in constructing and edge.kind != "type-checking" for edge in cell.importers
    )


def _without(registry: RegistryResult, other: RegistryResult, cell: Cell) -> Finding:
    consumer = cell.consumer.rpartition(":")[2]
    wanted = key_text(cell.counterpart or ())
    message = (
        f"{key_text(cell.key)} is registered here, but nothing is registered in {other.id} for"
        f" {wanted}, which {consumer} looks up with it"
    )
    return _finding(registry, cell, message, [Detail("missing", f"{other.id}  {wanted}")])


def _unloaded(registry: RegistryResult, cell: Cell) -> Finding:
    consumer = cell.consumer.rpartition(":")[2]
    message = (
        f"{key_text(cell.key)} is registered here, but {consumer} has not imported the module when it"
        f" looks it up, and raises {cell.exception}"
    )
    details = [Detail("imported by", story.importers(cell.importers))]
    return _finding(registry, cell, message, details)


def _finding(registry: RegistryResult, cell: Cell, message: str, more: list[Detail]) -> Finding:
    first = cell.registrations[0]
    lines = story.spots_of(cell)
    told = [story.detail(each) for each in lines if each.role in ("registered", "raises")]
    return Finding(
        "RR107",
        "error",
        first.spot,
        first.column,
        message,
        cell.key,
        fingerprint("RR107", registry.id, *cell.key, cell.consumer),
        None,
        (*told, *more),
        related=(*lines, *story.edges("imported by", cell.importers)),
    )


RULE = Rule(
    "RR107",
    "no-counterpart",
    "error",
    "an entry whose counterpart the consumer also looks up, and does not find",
    files(__package__ or "").joinpath("rr107.md").read_text(encoding="utf-8"),
    check,
    by_key=True,
)
