"""The import that mends a key: where it can stand, found by running the tree with it."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from regreach.evaluate.machine import Machine
from regreach.evaluate.session import Session
from regreach.evaluate.values import Raised
from regreach.facts import ir
from regreach.facts.parse import ModuleFacts
from regreach.graph import edges_of
from regreach.model import ImportEdge, Placement, Remedy, Spot
from regreach.program import Program, View

if TYPE_CHECKING:
    from regreach.init_path import InitPath
    from regreach.verdicts import Analysis


def find_remedy(analysis: Analysis, path: InitPath, module: str, branch: Spot | None) -> Remedy:
    """Return the import of ``module`` that the consumer lacks, and what becomes of it where.

    ``path.session`` is the process in which the consumer's module was imported first.
    """
    from regreach.verdicts import describe

    consumer = path.consumer.module
    package, _, name = module.rpartition(".")
    statement = f"from {package} import {name}" if package else f"import {name}"
    with path.session.attempt():
        ended = path.session.import_module(module)
    lazy = Placement(None if ended.raised is None else describe(ended.raised), consumer)
    top = Placement(None, consumer)
    cycle: tuple[ImportEdge, ...] = ()
    sources = _with_import(analysis.program, consumer, package, name)
    for first in (consumer, module):
        if analysis.first_import(first).raised is not None:
            continue  # it fails with or without
        machine = Machine(sources, analysis.world, analysis.pack.location.name)
        ended = Session(machine).import_module(first)
        if ended.raised is not None:
            top = Placement(describe(ended.raised), first)
            cycle = _traced(analysis.program, ended.raised, consumer)
            break
    if top.error is None:
        analysis.first_import(module)
        analysis.graph.add(analysis.visitor.loaded())
        cycle = analysis.graph.chain(module, consumer)
    return Remedy(f"{statement}  # noqa: F401", branch, lazy, top, cycle)


def _with_import(program: Program, module: str, package: str, name: str) -> View:
    """Return the program with one more import after the last import at the top of a module."""
    statement = ir.ImportFrom(0, package, 0, ((name, None),))

    def facts(asked: str) -> ModuleFacts | None:
        found = program.facts(asked)
        if asked != module or found is None:
            return found
        imports = [i for i, n in enumerate(found.body) if isinstance(n, (ir.Import, ir.ImportFrom))]
        last = max(imports, default=-1)
        return found.with_body((*found.body[: last + 1], statement, *found.body[last + 1 :]))

    return View(program, facts)


def _traced(program: Program, raised: Raised, start: str) -> tuple[ImportEdge, ...]:
    """Return the imports that were under way when an import failed, from a module's own on."""
    modules = [name for name, _ in raised.trace]
    trace = raised.trace[modules.index(start) + 1 :] if start in modules else raised.trace
    edges: list[ImportEdge] = []
    for (importer, line), (imported, _) in itertools.pairwise((*trace, ("", 0))):
        found = [e for e in edges_of(program, importer) if e.spot.line == line]
        # the next frame may be that of a parent package of what the line asks for
        exact = [e for e in found if e.imported == imported] or found
        edges += exact[:1]
    return tuple(edges)
