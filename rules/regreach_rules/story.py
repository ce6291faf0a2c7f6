"""The facts that the findings about an unreached registration share, in words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from regreach.model import Audit, CallSite, Cell, Detail, ImportEdge, Related
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


def spots(audit: Audit, cell: Cell) -> list[Related]:
    """Return the lines of a key, and the call sites that crash and that save themselves."""
    found = spots_of(cell)
    for role, outcomes in (("crashes", ("raises", "maybe")), ("saves itself", ("ok",))):
        found += [Related(role, s.spot, s.function) for s in sites(audit, cell, *outcomes)]
    return found


def spots_of(cell: Cell) -> list[Related]:
    """Return where the key is registered, which branch takes it, where it is looked up and raises."""
    found = [Related("registered", r.spot, r.symbol) for r in cell.registrations]
    for role, spot in (("branch", cell.branch), ("looked up", cell.lookup)):
        if spot is not None:
            found.append(Related(role, spot, clipped(spot.text)))
    if cell.raised_at is not None:
        found.append(Related("raises", cell.raised_at, str(cell.exception)))
    return found


def edges(role: str, found: Iterable[ImportEdge]) -> list[Related]:
    """Return the lines of imports, and what each imports."""
    return [Related(role, e.spot, f"{e.importer} imports {e.imported}") for e in found]


def facts(audit: Audit, cell: Cell) -> list[Detail]:
    """Return in words what ``spots`` tells."""
    found = spots(audit, cell)
    crashing = [each for each in found if each.role == "crashes"]
    others = [each for each in found if each.role not in ("crashes", "saves itself")]
    details = [detail(each) for each in (*others, *crashing[:LISTED])]
    if len(crashing) > LISTED:
        details.append(Detail("crashes", f"and {len(crashing) - LISTED} more call sites"))
    safe = site_texts(sites(audit, cell, "ok"))
    if safe:
        details.append(Detail("saves itself", listed(safe, 8)))
    return details


def detail(related: Related) -> Detail:
    """Return a line of a finding's story in words."""
    return Detail(related.role, f"{related.spot}{f'  {related.text}' if related.text else ''}")


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
