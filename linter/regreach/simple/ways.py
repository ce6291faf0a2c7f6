"""How a process that begins with one module can come to load another: by which imports, executed when."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import networkx as nx

from regreach.graph import ImportGraph, edges_of
from regreach.importers import importers_of
from regreach.model import ImportEdge
from regreach.pack import Pack
from regreach.program import Program
from regreach.simple.guards import Condition, Guards
from regreach.supply.prediction import import_lines
from regreach.supply.scans import matches

_MAX_SEARCH = 400  # so many modules are looked through for a way
_MAX_ROUNDS = 40


@dataclass(frozen=True, slots=True)
class Way:
    """The imports that lead from a module to another, and the conditions on which all are executed."""

    edges: tuple[ImportEdge, ...] = ()
    conditions: frozenset[Condition] = frozenset()

    @property
    def is_eager(self) -> bool:
        """Whether importing the first module is enough."""
        return all(edge.kind in ("eager", "dynamic") for edge in self.edges)

    def excludes(self, other: Way) -> bool:
        """Return whether this and another cannot both be gone: they take two sides of one ``if``."""
        return any(condition.opposite in other.conditions for condition in self.conditions)


class Ways:
    """Finds ways through the imports of a tree: import lines first, then those statements that matter."""

    def __init__(self, program: Program, pack: Pack, graph: ImportGraph, guards: Guards) -> None:
        """Take a tree; modules that a loop finds (``discovers``) are loaded without an import statement."""
        registries = pack.simple_registries
        self._discovered = {p for each in registries for p in each.discovers}
        self._discovered |= {d.package for each in registries for d in each.discovered}
        self._deep = tuple(
            f"{d.package}." for each in registries for d in each.discovered if d.deep
        )
        self._program, self._pack, self._graph, self._guards = program, pack, graph, guards
        self._named: set[str] = set()
        self._lines: dict[str, nx.DiGraph[str]] = {}
        self._steps: dict[tuple[str, str], tuple[ImportEdge, ...]] = {}
        self._given_up: set[tuple[str, str, frozenset[ImportEdge]]] = set()
        self._ways: dict[tuple[str, str, frozenset[ImportEdge]], Way | None] = {}

    def named(self, modules: Iterable[str]) -> None:
        """Take modules that are imported by their names, when an entry that leads to them is looked up."""
        self._named.update(modules)

    def is_discovered(self, module: str) -> bool:
        """Return whether a loop over a package imports a module, or a look-up does."""
        return (
            module in self._named
            or module.rpartition(".")[0] in self._discovered
            or module.startswith(self._deep)
        )

    def way(
        self, root: str, module: str, without: frozenset[ImportEdge] = frozenset()
    ) -> Way | None:
        """Return how a process that begins with ``root`` can load a module; None when none is found.

        The way has few imports in functions. Those ``without`` are left out.
        """
        key = root, module, without
        if key not in self._ways:
            self._ways[key] = self._search(root, module, without)
        return self._ways[key]

    def eager(self, root: str, module: str) -> Way | None:
        """Return how importing ``root`` loads a module; None when it does not."""
        if module not in self._lines_of(root):
            return None
        edges = self._eager(root, module, frozenset())
        return self._made(edges) if edges is not None else None

    def conditions(self, edge: ImportEdge) -> frozenset[Condition]:
        """Return the conditions on which an import is executed."""
        return frozenset(self._guards.of_import(edge) or ())

    def may_come_to(self, root: str, module: str) -> bool:
        """Return whether a process that begins with ``root`` can load a module, or too many ways lead there."""
        return self.way(root, module) is not None or (root, module, frozenset()) in self._given_up

    def may_be_named(self, module: str) -> bool:
        """Return whether code may import a module by a text: its whole name, or the last part of it.

        The latter where something imports by texts at all, or in the package that the module is in.
        """
        package, _, last = module.rpartition(".")
        quoted = rb"[\"'](?:%b|\.*%b)[\"':]" % (
            re.escape(module.encode()),
            re.escape(last.encode()),
        )
        whole = matches(rb"[\"']%b\b" % re.escape(module.encode()), module.encode())
        named = matches(quoted, last.encode())
        for name in self._program.mentioning(module.encode(), b"import_module", b"__import__"):
            path = self._program.path(name)
            if name == module or path is None or self._pack.ignores(path):
                continue
            if name == package or self._program.ask(name, whole) or self._program.ask(name, named):
                return True
        return False

    def _search(self, root: str, module: str, without: frozenset[ImportEdge]) -> Way | None:
        lines = self._lines_of(root)
        queue: deque[tuple[str, tuple[ImportEdge, ...]]] = deque([(module, ())])
        seen = {module}
        while queue and len(seen) < _MAX_SEARCH:
            found, edges = queue.popleft()
            if found in lines:
                start = self._eager(root, found, without)
                if start is not None:
                    return self._made((*start, *edges))
            if self.is_discovered(found):
                return self._made(edges)
            for importer, edge in self._importers(found, without):
                if importer not in seen:
                    seen.add(importer)
                    queue.append((importer, (edge, *edges) if edge is not None else edges))
        if queue:
            self._given_up.add((root, module, without))
        return None

    def _importers(
        self, module: str, without: frozenset[ImportEdge]
    ) -> list[tuple[str, ImportEdge | None]]:
        """Return the modules that load a module, each with the import that does; packages by what is in them."""
        found: list[tuple[str, ImportEdge | None]] = [
            (edge.importer, edge)
            for edge in importers_of(self._graph, self._pack, [module])
            if self._is_made(edge, without)
        ]
        if self._program.is_package(module):
            found += [(name, None) for name in self._program.inside(module) if name != module]
        return found

    def _is_made(self, edge: ImportEdge, without: frozenset[ImportEdge]) -> bool:
        if edge.kind == "type-checking" or edge in without:
            return False
        return self._guards.of_import(edge) is not None

    def _made(self, edges: Sequence[ImportEdge]) -> Way:
        found = frozenset(c for edge in edges for c in self.conditions(edge))
        return Way(tuple(edges), found)

    def _eager(
        self, root: str, module: str, without: frozenset[ImportEdge]
    ) -> tuple[ImportEdge, ...] | None:
        """Return the shortest chain of imports by which importing ``root`` loads a module."""
        lines = self._lines_of(root)
        dropped: list[tuple[str, str]] = []
        try:
            for _ in range(_MAX_ROUNDS):
                try:
                    names = nx.shortest_path(lines, root, module)
                except (nx.NetworkXNoPath, nx.NodeNotFound):
                    return None
                chain: list[ImportEdge] = []
                for importer, imported in pairwise(names):
                    step = self._step(importer, imported, without)
                    if step is None:
                        lines.remove_edge(importer, imported)
                        dropped.append((importer, imported))
                        break
                    chain += step
                else:
                    return tuple(chain)
            return None
        finally:
            if without:  # what is left out this time is there the next
                lines.add_edges_from(dropped)

    def _step(
        self, importer: str, imported: str, without: frozenset[ImportEdge]
    ) -> tuple[ImportEdge, ...] | None:
        """Return the import that makes a step, nothing for the step to a parent; None if there is no such import."""
        if f"{importer}.".startswith(f"{imported}."):
            return ()
        key = importer, imported
        if key not in self._steps:
            word = imported.rpartition(".")[2]
            self._steps[key] = tuple(
                edge
                for edge in edges_of(self._program, importer, word)
                if f"{edge.imported}.".startswith(f"{imported}.")
                and edge.kind in ("eager", "dynamic")
            )
        return next(((edge,) for edge in self._steps[key] if self._is_made(edge, without)), None)

    def _lines_of(self, root: str) -> nx.DiGraph[str]:
        found = self._lines.get(root)
        if found is None:
            lines = import_lines(self._program, [root])
            found = nx.DiGraph([(a, b) for a, names in lines.items() for b in names])
            found.add_node(root)
            self._lines[root] = found
        return found
