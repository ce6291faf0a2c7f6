"""The facts that the findings about an unreached registration share, in words."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from regreach.model import Audit, CallSite, Cell, Detail, ImportEdge
from regreach.wording import LISTED, chain_text, clipped, cycle_text, listed, short

__all__ = [
    "chain_text",
    "clipped",
    "cycle_text",
    "facts",
    "importers",
    "listed",
    "short",
    "site_texts",
    "sites",
]


def sites(audit: Audit, cell: Cell, *outcomes: str) -> list[CallSite]:
    """Return the call sites where the key arrives and the look-up ends in one of these ways."""
    return [site for site, value in audit.arriving(cell) if value.outcome in outcomes]


def site_texts(found: Sequence[CallSite]) -> list[str]:
    """Return call sites as file, line and function."""
    return [f"{short(s.spot)} ({s.function.rpartition('.')[0] or s.function})" for s in found]


def facts(audit: Audit, cell: Cell) -> list[Detail]:
    """Return where the key is registered, which branch takes it, where it is looked up, who crashes."""
    details = []
    for registration in cell.registrations:
        symbol = f"  {registration.symbol}" if registration.symbol else ""
        details.append(Detail("registered", f"{registration.spot}{symbol}"))
    if cell.branch is not None:
        details.append(Detail("branch", f"{cell.branch}  {clipped(cell.branch.text)}"))
    if cell.lookup is not None:
        details.append(Detail("looked up", f"{cell.lookup}  {clipped(cell.lookup.text)}"))
    if cell.raised_at is not None:
        details.append(Detail("raises", f"{cell.raised_at}  {cell.exception}"))
    crashing = sites(audit, cell, "raises", "maybe")
    for site in crashing[:LISTED]:
        details.append(Detail("crashes", f"{site.spot}  {site.function}"))
    if len(crashing) > LISTED:
        details.append(Detail("crashes", f"and {len(crashing) - LISTED} more call sites"))
    safe = site_texts(sites(audit, cell, "ok"))
    if safe:
        details.append(Detail("saves itself", listed(safe, 8)))
    return details


def importers(edges: Sequence[ImportEdge], closely: Collection[str] = ()) -> str:
    """Return who imports a module, by file: its lines, and whether inside functions.

    In the files that are looked at ``closely``, the condition around an import is told too.
    """
    files: dict[tuple[str, str], list[str]] = {}
    for edge in edges:
        name = short(edge.spot).rpartition(":")[0]
        words: str = "at module level" if edge.kind == "eager" else edge.kind
        if edge.guards and (edge.kind == "eager" or edge.spot.path in closely):
            words = clipped(edge.guards[-1].rstrip(":"), 50)
        files.setdefault((name, words), []).append(str(edge.spot.line))
    texts = [f"{name}:{','.join(dict.fromkeys(n))} ({words})" for (name, words), n in files.items()]
    return listed(texts, 6) or "nobody"
