"""The facts that the findings about an unreached registration share, in words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from regreach.model import Audit, CallSite, Cell, Detail, ImportCycle, ImportEdge, Spot

# So many places are listed in one line; the rest is counted.
_LISTED = 4


def short(spot: Spot) -> str:
    """Return file name and line, an ``__init__.py`` with its folder; findings lead with the full path once."""
    parts = spot.path.split("/")
    name = "/".join(parts[-2:]) if parts[-1] == "__init__.py" else parts[-1]
    return f"{name}:{spot.line}"


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
        details.append(Detail("branch", f"{cell.branch}  {clipped(cell.branch.text)}"))
    if cell.lookup is not None:
        details.append(Detail("looked up", f"{cell.lookup}  {clipped(cell.lookup.text)}"))
    if cell.raised_at is not None:
        details.append(Detail("raises", f"{cell.raised_at}  {cell.exception}"))
    crashing = sites(audit, cell, "raises", "maybe")
    for site in crashing[:_LISTED]:
        details.append(Detail("crashes", f"{site.spot}  {site.function}"))
    if len(crashing) > _LISTED:
        details.append(Detail("crashes", f"and {len(crashing) - _LISTED} more call sites"))
    safe = site_texts(sites(audit, cell, "ok"))
    if safe:
        details.append(Detail("saves itself", listed(safe, 8)))
    return details


def cycle_text(cycle: ImportCycle) -> str:
    """Return in one line of what an import dies: the name, whose it is, and the two lines."""
    return (
        f"{cycle.asking} asks for {cycle.name}, which {cycle.module} has not bound yet,"
        f" being at {cycle.waiting} then"
    )


def clipped(text: str, width: int = 72) -> str:
    """Return a line of code, cut short when it is long."""
    return text if len(text) <= width else text[: width - 1] + "…"


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


def chain_text(edges: Sequence[ImportEdge], goal: str) -> str:
    """Return a chain of imports as the places that make it, and where it ends."""
    return " → ".join([*(short(e.spot) for e in edges), goal.rpartition(".")[2]])
