"""Imports that are there and do not help: too late, for type checkers only, or dying of a cycle."""

from __future__ import annotations

from regreach.model import Cell, Detail, ImportCycle, Related

from regreach_rules import story

Fault = tuple[str, tuple[Detail, ...], tuple[Related, ...]]


def order_fault(cell: Cell) -> Fault | None:
    """Return why a key's imports do not help, the lines to see in words and as such; None when none do."""
    if cell.cycle is not None:
        why = "its import dies of an import cycle"
        return why, cycle_details(cell.cycle), cycle_spots(cell.cycle)
    home = cell.lookup.path if cell.lookup is not None else None
    late = [
        edge
        for edge in cell.importers
        if edge.kind == "lazy"
        and cell.lookup is not None
        and edge.spot.path == home
        and edge.spot.line > cell.lookup.line
        and edge.scope == f"{cell.consumer.rpartition(':')[2]}.__init__"
    ]
    if late and cell.reach == "none":
        line = Related("too late", late[0].spot, late[0].spot.text)
        why = f"{story.short(line.spot)} imports the module after the look-up"
        return why, (story.detail(line),), (line,)
    if cell.importers and all(edge.kind == "type-checking" for edge in cell.importers):
        line = Related("not executed", cell.importers[0].spot, cell.importers[0].spot.text)
        why = f"{story.short(line.spot)} imports the module for type checkers only"
        return why, (story.detail(line),), (line,)
    return None


def cycle_details(cycle: ImportCycle) -> tuple[Detail, ...]:
    """Return the two lines of a cycle: which asks for the name, and which is executed meanwhile."""
    asks, meanwhile, *_ = cycle_spots(cycle)
    return (
        story.detail(asks),
        Detail("not bound yet", f"{cycle.module}.{cycle.name}"),
        story.detail(meanwhile),
        Detail("cycle", story.chain_text(cycle.edges, cycle.module)),
    )


def cycle_spots(cycle: ImportCycle) -> tuple[Related, ...]:
    """Return the lines of a cycle: the two that matter, and the imports between them."""
    return (
        Related("asks", cycle.asking, story.clipped(cycle.asking.text)),
        Related("meanwhile at", cycle.waiting, story.clipped(cycle.waiting.text)),
        *story.edges("cycle", cycle.edges),
    )
