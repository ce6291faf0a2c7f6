"""Imports that fail for a cycle: which name was not bound yet, and how it came to be asked for."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from regreach.evaluate.values import Raised
from regreach.graph import edges_of
from regreach.model import ImportCycle, ImportEdge, Spot
from regreach.program import Program

# CPython's own words, see import_from in Python/ceval.c.
_PARTIAL = re.compile(r"cannot import name '(\w+)' from partially initialized module '([\w.]+)'")


def cycle_of(program: Program, raised: Raised | None) -> ImportCycle | None:
    """Return the cycle of which an import has died; None when it is another error."""
    found = _PARTIAL.match(raised.message) if raised is not None else None
    if raised is None or found is None:
        return None
    name, module = found.groups()
    begun = [place for place, (frame, _) in enumerate(raised.trace) if frame == module]
    if not begun:
        return None
    return ImportCycle(
        name,
        module,
        _spot(program, raised.path, raised.line),
        _spot(program, module, raised.trace[begun[-1]][1]),
        edges_under_way(program, raised.trace[begun[-1] :]),
    )


def edges_under_way(program: Program, trace: Sequence[tuple[str, int]]) -> tuple[ImportEdge, ...]:
    """Return the imports of a trace, which is modules and the lines that were being executed."""
    edges: list[ImportEdge] = []
    for (importer, line), (imported, _) in itertools.pairwise((*trace, ("", 0))):
        found = [e for e in edges_of(program, importer) if e.spot.line == line]
        # the next frame may be that of a parent package of what the line asks for
        exact = [e for e in found if e.imported == imported] or found
        edges += exact[:1]
    return tuple(edges)


def _spot(program: Program, module: str, line: int) -> Spot:
    return Spot(program.path(module) or module, line, program.line(module, line))
