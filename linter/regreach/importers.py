"""Who imports the modules that register, and which guard keeps such an import from being executed."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from regreach.graph import ImportGraph
from regreach.model import ImportEdge, Spot
from regreach.pack import Pack

# So many modules are looked through for the guard that holds a registration back.
_MAX_GUARD_SEARCH = 12


def importers_of(graph: ImportGraph, pack: Pack, modules: Sequence[str]) -> tuple[ImportEdge, ...]:
    """Return the imports of modules, those from tests, benchmarks and examples left out."""
    edges = (edge for module in modules for edge in graph.importers(module))
    return tuple(edge for edge in edges if not pack.ignores(edge.spot.path))


def held_back_by(
    graph: ImportGraph, pack: Pack, modules: Sequence[str], loaded: Collection[str]
) -> Spot | None:
    """Return the guard, not true on this platform, behind which loaded code imports a module."""
    seen: set[str] = set()
    queue = list(modules)
    while queue and len(seen) < _MAX_GUARD_SEARCH:
        module = queue.pop(0)
        if module in seen:
            continue
        seen.add(module)
        for edge in graph.eager_importers(module):
            if pack.ignores(edge.spot.path):
                continue
            if edge.guards and edge.importer in loaded:
                return Spot(edge.spot.path, edge.spot.line, edge.guards[-1])
            queue.append(edge.importer)
        parent = module.rpartition(".")[0]
        if parent not in loaded:
            queue.append(parent)
    return None
