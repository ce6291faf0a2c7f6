"""Who imports the modules that register."""

from __future__ import annotations

from collections.abc import Sequence

from regreach.graph import ImportGraph
from regreach.model import ImportEdge
from regreach.pack import Pack


def importers_of(graph: ImportGraph, pack: Pack, modules: Sequence[str]) -> tuple[ImportEdge, ...]:
    """Return the imports of modules, those from tests, benchmarks and examples left out."""
    edges = (edge for module in modules for edge in graph.importers(module))
    return tuple(edge for edge in edges if not pack.ignores(edge.spot.path))
