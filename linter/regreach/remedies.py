"""The import that mends a key: where it can stand, found by running the tree with it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from regreach.cycles import cycle_of, edges_under_way
from regreach.evaluate.machine import Machine
from regreach.evaluate.session import Ended, Session
from regreach.evaluate.values import Raised, describe
from regreach.facts import ir
from regreach.facts.parse import ModuleFacts
from regreach.importers import importers_of
from regreach.model import ImportEdge, Placement, Remedy, Spot
from regreach.program import Program, View

if TYPE_CHECKING:
    from regreach.init_path import InitPath
    from regreach.verdicts import Analysis

# So many modules are tried that could be imported in the place of the registering one.
_MAX_OTHERS = 12


def find_remedy(
    analysis: Analysis, path: InitPath, module: str, branch: Spot | None, before: Spot | None
) -> Remedy:
    """Return the import of ``module`` that the consumer lacks, and what becomes of it where.

    ``path.session`` is the process in which the consumer's module was imported first; ``branch`` and
    ``before`` are lines of that module, see ``Remedy``.
    """
    key = path.consumer.module, module
    found = analysis.remedies.get(key)
    if found is None:
        found = analysis.remedies[key] = _remedy(analysis, path, module)
    return replace(found, branch=branch, before=before)


def _remedy(analysis: Analysis, path: InitPath, module: str) -> Remedy:
    program, session = analysis.program, path.session
    home = path.consumer.module
    statement = _statement(session, module)
    packages = _third_party(session)
    with session.attempt():
        lazy = _placement(program, session.run(statement), home)
        lazy = replace(lazy, packages=tuple(sorted(_third_party(session) - packages)))
    top = Placement(None, home)
    cycle: tuple[ImportEdge, ...] = ()
    sources = _with_import(program, home, statement)
    for first in (home, module):
        if analysis.first_import(first).raised is not None:
            continue  # it fails with or without
        tried = Session(Machine(sources, analysis.world, analysis.pack.location.name))
        ended = tried.import_module(first)
        if ended.raised is not None:
            top = _placement(program, ended, first)
            cycle = edges_under_way(program, _after(ended.raised, home))
            break
        if first == home:
            costs = tuple(sorted(_third_party(tried) - packages))
            top = replace(top, packages=costs)
    if top.error is None:
        analysis.first_import(module)
        analysis.graph.add(analysis.visitor.loaded())
        cycle = analysis.graph.chain(module, home)
    others = _others(analysis, session, module, home) if lazy.error is not None else []
    if lazy.cycle is not None:
        # the module at the other end of the cycle is the nearest
        nearest = lazy.cycle.asking.path
        others.sort(key=lambda name: program.path(name) != nearest)
    return Remedy(
        f"{_text(statement)}  # noqa: F401",
        None,
        lazy,
        top,
        cycle,
        module=module,
        home=program.path(home) or home,
        others=tuple(others),
    )


def _statement(session: Session, module: str) -> ir.Import | ir.ImportFrom:
    """Return the import of a module as it is mostly written, if that does load the module.

    Where the package has bound the name to something else, ``from package import name`` gives that.
    """
    package, _, name = module.rpartition(".")
    plain = ir.Import(0, ((module, None),))
    if not package:
        return plain
    usual = ir.ImportFrom(0, package, 0, ((name, None),))
    with session.attempt():
        ended = session.run(usual)
        loads = ended.raised is not None or session.loaded().get(module) is True
    return usual if loads else plain


def _text(statement: ir.Import | ir.ImportFrom) -> str:
    ((name, _),) = statement.names
    if isinstance(statement, ir.ImportFrom):
        return f"from {statement.module} import {name}"
    return f"import {name}"


def _placement(program: Program, ended: Ended, first: str) -> Placement:
    if ended.raised is None:
        return Placement(None, first)
    return Placement(describe(ended.raised), first, cycle_of(program, ended.raised))


def _third_party(session: Session) -> set[str]:
    """Return the packages of others that have or may have been imported."""
    session.activate()
    names = map(str, session.machine.externals.cells)
    return {name for name in names if name not in sys.stdlib_module_names}


def _others(analysis: Analysis, session: Session, module: str, home: str) -> list[str]:
    """Return the modules that import this one at their top, and with which in its place it works."""
    edges = importers_of(analysis.graph, analysis.pack, [module])
    names = dict.fromkeys(e.importer for e in edges if e.kind == "eager" and e.importer != home)
    working = []
    for name in [*names][:_MAX_OTHERS]:
        with session.attempt():
            ended = session.import_module(name)
            if ended.ok and session.loaded().get(module) is True:
                working.append(name)
    return working


def _with_import(program: Program, module: str, statement: ir.Import | ir.ImportFrom) -> View:
    """Return the program with one more import after the last one of its kind at the top of a module."""

    def facts(asked: str) -> ModuleFacts | None:
        found = program.facts(asked)
        if asked != module or found is None:
            return found
        place = _place(found.body, module.partition(".")[0])
        return found.with_body((*found.body[:place], statement, *found.body[place:]))

    return View(program, facts)


def _place(body: ir.Body, package: str) -> int:
    """Return after how many statements an import of the package belongs; as ``fixes.add_import`` has it."""
    last = last_own = 0
    for place, node in enumerate(body, start=1):
        if isinstance(node, ir.Import):
            last = place
            own = any(name.partition(".")[0] == package for name, _ in node.names)
        elif isinstance(node, ir.ImportFrom):
            last = place
            own = node.level > 0 or (node.module or "").partition(".")[0] == package
        else:
            continue
        if own:
            last_own = place
    return last_own or last


def _after(raised: Raised, start: str) -> Sequence[tuple[str, int]]:
    """Return the part of a failure's trace that comes after a module's own line."""
    modules = [name for name, _ in raised.trace]
    return raised.trace[modules.index(start) + 1 :] if start in modules else raised.trace
