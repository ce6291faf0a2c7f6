"""How places, chains and cycles are put into words, in rules and in reports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from regreach.model import ImportCycle, ImportEdge, Spot

# So many places are listed in one line; the rest is counted.
LISTED = 4


def short(spot: Spot) -> str:
    """Return file name and line, an ``__init__.py`` with its folder; findings lead with the full path once."""
    parts = spot.path.split("/")
    name = "/".join(parts[-2:]) if parts[-1] == "__init__.py" else parts[-1]
    return f"{name}:{spot.line}"


def listed(texts: Iterable[str], limit: int = LISTED) -> str:
    """Return the texts joined, those beyond the limit counted."""
    unique = list(dict.fromkeys(texts))
    more = len(unique) - limit
    shown = unique if more <= 1 else unique[:limit]
    return ", ".join(shown) + (f" and {more} more" if more > 1 else "")


def clipped(text: str, width: int = 72) -> str:
    """Return a line of code, cut short when it is long."""
    return text if len(text) <= width else text[: width - 1] + "…"


def chain_text(edges: Sequence[ImportEdge], goal: str) -> str:
    """Return a chain of imports as the places that make it, and where it ends."""
    return " → ".join([*(short(e.spot) for e in edges), goal.rpartition(".")[2]])


def cycle_text(cycle: ImportCycle) -> str:
    """Return in one line of what an import dies: the name, whose it is, and the two lines."""
    return (
        f"{cycle.asking} asks for {cycle.name}, which {cycle.module} has not bound yet,"
        f" being at {cycle.waiting} then"
    )
