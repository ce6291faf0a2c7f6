"""What a process has loaded once its roots are imported, found out with as few files as will do.

The closure of a server's entry point is half of its tree, and the question is only whether a few
modules are in it. So the import lines, as a scan of bytes sees them, are searched for the shortest
way to each of those modules; the modules on the ways are run, all others being taken to be there
and to hold anything; where an import on a way is not made after all, another way is searched. What
is not settled so is settled by running everything.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import networkx as nx

from regreach.effects import calls_when_loaded, lazy_importers
from regreach.evaluate.machine import Machine
from regreach.evaluate.session import Ended, Session
from regreach.evaluate.world import Sources
from regreach.graph import ImportGraph
from regreach.program import Partly, Program
from regreach.quick import QuickSources
from regreach.supply.prediction import import_lines
from regreach.supply.scans import IMPORTS_ODDLY

_MAX_ROUNDS = 300


class ProcessRoots:
    """The process in which some modules were imported one after the other."""

    def __init__(
        self, program: Program, machine: Machine, graph: ImportGraph, roots: Sequence[str]
    ) -> None:
        self.roots = [root for root in roots if program.has(root)]
        self.ended: dict[str, Ended] = {}
        self._program = program
        self._machine = machine
        self._graph = graph
        self._lines = import_lines(program, self.roots)
        self._whole: Session | None = None

    def session(self, wanted: Iterable[str]) -> Session:
        """Return that process, right as to which of these modules are loaded and what they did."""
        if self._whole is not None:
            return self._whole
        targets = list(dict.fromkeys(wanted))
        if not self._may_any_be_called(targets):
            session = self._sketched(targets)
            if session is not None:
                return session
        self._whole = self._imported(None)
        return self._whole

    def _sketched(self, targets: Sequence[str]) -> Session | None:
        """Run what decides whether the targets are loaded; None when they cannot be told so."""
        ways: nx.DiGraph[str] = nx.DiGraph(
            [(a, b) for a, names in self._lines.items() for b in names]
        )
        run = self._always_run(self._lines)
        session = self._imported(run)
        for _ in range(_MAX_ROUNDS):
            loaded = session.loaded()
            beyond = [m for m in loaded if m not in self._lines]
            if beyond:
                # what no line told of was imported all the same, and has import lines of its own
                lines = import_lines(self._program, beyond)
                ways.add_edges_from((self.roots[0], m) for m in beyond)
                ways.add_edges_from((a, b) for a, names in lines.items() for b in names)
                self._lines |= {m: names for m, names in lines.items() if m not in self._lines}
                run |= self._always_run(lines)
                session = self._imported(run)
                continue
            if any(m in loaded and not loaded[m] for m in targets):
                return None
            found = [self._shortest(ways, m) for m in targets if m not in loaded]
            if not any(found):
                return None if self._may_any_be_called(targets) else session
            for importer, imported in itertools.chain.from_iterable(map(itertools.pairwise, found)):
                if importer in run and not loaded.get(imported):
                    # it was run without that, or perhaps without: there must be another way
                    if imported in loaded:
                        return None
                    ways.remove_edges_from([(importer, imported)])
            new = {m for way in found for m in way} - run
            if new:
                run |= new
                session = self._imported(run)
        return None

    def _always_run(self, modules: Iterable[str]) -> set[str]:
        """Return which of these are run in any case: those parsed already, and those that import oddly."""
        program, sources = self._program, self._machine.sources
        return {
            m
            for m in modules
            if program.is_known(m)
            or (isinstance(sources, QuickSources) and sources.is_known(m))
            or program.ask(m, IMPORTS_ODDLY)
        }

    def _shortest(self, ways: nx.DiGraph[str], target: str) -> list[str]:
        """Return the shortest way from a root to a module; empty when there is none."""
        found: list[list[str]] = [
            nx.shortest_path(ways, root, target)
            for root in self.roots
            if root in ways and target in ways and nx.has_path(ways, root, target)
        ]
        return min(found, key=len, default=[])

    def _imported(self, run: set[str] | None) -> Session:
        """Import the roots in a fresh process, with all modules run or only some."""
        session = Session(self._machine)
        sources: Sources = self._machine.sources
        if run is not None:
            sources = Partly(sources, run)
        with self._machine.reading(sources):
            for root in self.roots:
                self.ended[root] = session.import_module(root)
        return session

    def _may_any_be_called(self, targets: Iterable[str]) -> bool:
        """Return whether a function that imports one of these may be called while others are imported."""
        others = [module for module in targets if module not in self._lines]
        names = lazy_importers(self._program, self._graph, others)
        sources = self._machine.sources
        return any(
            sources.may_call(module, names)
            if isinstance(sources, QuickSources)
            else calls_when_loaded(self._program, module, names)
            for module in (self._lines if names else ())
        )
