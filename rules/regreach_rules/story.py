"""The facts that the findings about an unreached registration share, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from regreach.model import Audit, CallSite, Cell, Detail, ImportEdge, Spot

# So many places are listed in one line; the rest is counted.
_LISTED = 4


def short(spot: Spot) -> str:
    """Return file name and line; findings lead with the full path once."""
    return f"{spot.path.rpartition('/')[2]}:{spot.line}"


def listed(texts: Iterable[str], limit: int = _LISTED) -> str:
    """Return the texts joined, those beyond the limit counted."""
    unique = list(dict.fromkeys(texts))
    more = len(unique) - limit
    shown = unique if more <= 1 else unique[:limit]
    return ", ".join(shown) + (f" and {more} more" if more > 1 else "")


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
        details.append(Detail("branch", f"{cell.branch}  {cell.branch.text}"))
    if cell.lookup is not None:
        details.append(Detail("looked up", f"{cell.lookup}  {cell.lookup.text}"))
    if cell.raised_at is not None:
        details.append(Detail("raises", f"{cell.raised_at}  {cell.exception}"))
    crashing = site_texts(sites(audit, cell, "raises", "maybe"))
    if crashing:
        details.append(Detail("crashes", listed(crashing, 8)))
    safe = site_texts(sites(audit, cell, "ok"))
    if safe:
        details.append(Detail("saves itself", listed(safe, 8)))
    details.append(Detail("imported by", listed(map(importer, cell.importers), 6) or "nobody"))
    return details


def importer(edge: ImportEdge) -> str:
    """Return an import as file, line and what makes it special."""
    words = [edge.kind] if edge.kind != "eager" else ["at module level"]
    if edge.kind == "lazy":
        words = [f"in {edge.scope.rpartition('.')[2]}"]
    if edge.guards and edge.kind != "type-checking":
        words.append(edge.guards[-1].rstrip(":"))
    return f"{short(edge.spot)} ({', '.join(words)})"


def cycle_text(cycle: Sequence[ImportEdge], closing: str) -> str:
    """Return a cycle as module names without the package they share; ``closing`` is the new importer."""
    names = [closing.rpartition(".")[2], *(e.importer.rpartition(".")[2] for e in cycle)]
    return " → ".join([*names, closing.rpartition(".")[2]])
