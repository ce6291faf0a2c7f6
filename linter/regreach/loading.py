"""By which imports a module came to be loaded, as an abstract run has noted it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from regreach.evaluate.frames import Place
from regreach.graph import edges_of
from regreach.model import ImportEdge, Spot
from regreach.program import Program

# Modules in the order in which one loaded the next, each with the line that did.
Way = tuple[tuple[str, Place], ...]


def way_to(module: str, loaders: Mapping[str, Place]) -> Way:
    """Return how a module was loaded: what imported it last, and so on back to where it began.

    ``loaders`` are the lines that loaded modules, see ``Session.loaders``. What was imported by no module of
    the tree is the beginning; a module that was not loaded gives nothing.
    """
    way: list[tuple[str, Place]] = []
    seen: set[str] = set()
    while (place := loaders.get(module)) is not None and place.module in loaders:
        if module in seen:  # what was tried and undone leaves its lines behind
            break
        seen.add(module)
        way.append((module, place))
        module = place.module
    return tuple(reversed(way))


def edges_on(program: Program, way: Way) -> tuple[ImportEdge, ...]:
    """Return the imports of a way; ``imported`` is what was loaded, be it the parent of what is named."""
    return tuple(_edge(program, module, place) for module, place in way)


def since(edges: Sequence[ImportEdge], module: str) -> tuple[ImportEdge, ...]:
    """Return the last part of a chain, from where a module imports; all of it where it does not."""
    begins = [number for number, edge in enumerate(edges) if edge.importer == module]
    return tuple(edges[begins[-1] :] if begins else edges)


def ring(
    cycle: Sequence[ImportEdge], start: str, loaded_by: Sequence[ImportEdge]
) -> tuple[ImportEdge, ...]:
    """Return the imports of a cycle as they follow from each other, back to the module ``start``.

    ``cycle`` are the lines that import, the first of them in what ``start`` would import. Where a line names a
    module and its parent package makes the next, that package is ``imported``. ``loaded_by`` is how ``start``
    itself comes to be loaded: a cycle that ends in a package that is still loading it is closed by that.
    """
    linked = [replace(a, imported=b.importer) for a, b in pairwise(cycle)] + list(cycle[-1:])
    if not linked or linked[-1].imported == start:
        return tuple(linked)
    return (*linked, *_from(loaded_by, linked[-1].imported))


def _from(edges: Sequence[ImportEdge], module: str) -> Sequence[ImportEdge]:
    return next((edges[i:] for i, edge in enumerate(edges) if edge.importer == module), ())


def _edge(program: Program, module: str, place: Place) -> ImportEdge:
    edges = edges_of(program, place.module, module.rpartition(".")[2])
    on_line = [edge for edge in edges if edge.spot.line == place.line]
    exact = [edge for edge in on_line if edge.imported == module]
    if exact or on_line:
        return replace((exact or on_line)[0], imported=module)
    # no literal names it there: a loop over a package, a name that is put together
    path = program.path(place.module) or place.module
    spot = Spot(path, place.line, program.line(place.module, place.line))
    return ImportEdge(place.module, module, spot, "dynamic")
