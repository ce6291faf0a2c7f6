"""Imports that are there and do not help: too late, for type checkers only, or dying of a cycle."""

from __future__ import annotations

from regreach.model import Cell, Detail, ImportCycle

from regreach_rules import story

Fault = tuple[str, tuple[Detail, ...]]


def order_fault(cell: Cell) -> Fault | None:
    """Return why the imports of a key's module do not help, and the lines to see; None when none do."""
    if cell.cycle is not None:
        return "its import dies of an import cycle", cycle_details(cell.cycle)
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
        return (
            f"{story.short(late[0].spot)} imports the module after the look-up",
            (Detail("too late", f"{late[0].spot}  {late[0].spot.text}"),),
        )
    if cell.importers and all(edge.kind == "type-checking" for edge in cell.importers):
        edge = cell.importers[0]
        return (
            f"{story.short(edge.spot)} imports the module for type checkers only",
            (Detail("not executed", f"{edge.spot}  {edge.spot.text}"),),
        )
    return None


def cycle_details(cycle: ImportCycle) -> tuple[Detail, ...]:
    """Return the two lines of a cycle: which asks for the name, and which is executed meanwhile."""
    return (
        Detail("asks", f"{cycle.asking}  {story.clipped(cycle.asking.text)}"),
        Detail("not bound yet", f"{cycle.module}.{cycle.name}"),
        Detail("meanwhile at", f"{cycle.waiting}  {story.clipped(cycle.waiting.text)}"),
        Detail("cycle", story.chain_text(cycle.edges, cycle.module)),
    )
