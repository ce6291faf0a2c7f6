"""The import that mends a key: where it can stand, found by running the tree with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from regreach.cycles import edges_under_way
from regreach.evaluate.machine import Machine
from regreach.evaluate.session import Session
from regreach.evaluate.values import Raised, describe
from regreach.facts import ir
from regreach.facts.parse import ModuleFacts
from regreach.model import ImportEdge, Placement, Remedy, Spot
from regreach.program import Program, View

if TYPE_CHECKING:
    from regreach.init_path import InitPath
    from regreach.verdicts import Analysis


def find_remedy(analysis: Analysis, path: InitPath, module: str, branch: Spot | None) -> Remedy:
    """Return the import of ``module`` that the consumer lacks, and what becomes of it where.

    ``path.session`` is the process in which the consumer's module was imported first.
    """
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
            cycle = edges_under_way(analysis.program, _after(ended.raised, consumer))
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


def _after(raised: Raised, start: str) -> Sequence[tuple[str, int]]:
    """Return the part of a failure's trace that comes after a module's own line."""
    modules = [name for name, _ in raised.trace]
    return raised.trace[modules.index(start) + 1 :] if start in modules else raised.trace
