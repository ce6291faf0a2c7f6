"""How the modules that register in a simple registry come to be loaded, and what of it never is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from regreach.model import ImportEdge, SimpleEntry, SimpleReach, Wanted
from regreach.program import Program
from regreach.simple.declared import SimpleRegistry
from regreach.simple.ways import Ways


class Reaches:
    """The reach of modules, for one registry. Where a search is given up, a module counts as loaded."""

    def __init__(
        self,
        program: Program,
        registry: SimpleRegistry,
        ways: Ways,
        roots: Sequence[str],
        homes: Sequence[str],
        *,
        of_library: bool,
    ) -> None:
        """``roots`` and ``homes`` are the registry's that the tree has.

        One ``of_library`` is read by a library, which finds what a process that begins with a root has loaded.
        """
        self._registry, self._ways = registry, ways
        self._roots = list(roots)
        self._of_library = of_library
        reading = dict.fromkeys(path.partition(":")[0] for path in registry.lookups)
        self._reading = [module for module in reading if program.has(module)]
        self.starts = self._roots or list(homes)
        self._found: dict[str, tuple[SimpleReach, tuple[ImportEdge, ...]]] = {}

    def is_loaded(self, module: str) -> bool:
        """Return whether anything loads a module, be it only when some function is called."""
        return self._ways.is_discovered(module) or self._reach(module)[0] != "orphan"

    def reached(self, entry: SimpleEntry) -> SimpleEntry:
        """Return an entry with its reach."""
        reach, chain = self._reach(entry.module)
        return replace(entry, reach=reach, chain=chain)

    def unreached(self, entries: Sequence[SimpleEntry]) -> list[SimpleEntry]:
        """Return the entries that a look-up would want and that nothing loads."""
        if not self._reading and not (self._of_library and self._roots):
            return []
        return [e for e in entries if e.reach == "orphan" and e.possible and not e.lazy and e.key]

    def unreached_uses(
        self, uses: Sequence[Wanted], entries: Sequence[SimpleEntry]
    ) -> list[Wanted]:
        """Return the uses of keys that are registered where whoever uses them never comes to."""
        by_key: dict[str | None, list[SimpleEntry]] = {}
        for entry in entries:
            by_key.setdefault(entry.key, []).append(entry)
        found = []
        for use in uses:
            registered = tuple(by_key.get(use.key, ()))
            if registered and not any(self._comes_to(use.source, e.module) for e in registered):
                found.append(replace(use, kind="use-unreached", entries=registered))
        return found

    def _comes_to(self, module: str, registering: str) -> bool:
        """Return whether a module loads another that registers what it uses, or the process does anyway."""
        if registering == module or registering in self._registry.homes:
            return True
        ways = self._ways
        if ways.may_come_to(module, registering):
            return True
        return any(ways.eager(root, registering) is not None for root in self._roots)

    def _reach(self, module: str) -> tuple[SimpleReach, tuple[ImportEdge, ...]]:
        if module not in self._found:
            self._found[module] = self._find(module)
        return self._found[module]

    def _find(self, module: str) -> tuple[SimpleReach, tuple[ImportEdge, ...]]:
        ways = self._ways
        if module in self._registry.homes:
            return "own", ()
        starts: list[tuple[SimpleReach, list[str]]] = [
            ("process", self._roots),
            ("lookup", self._reading),
        ]
        for reach, modules in starts:
            for start in modules:
                way = ways.eager(start, module)
                if way is not None:
                    return reach, way.edges
        if ways.is_discovered(module):
            return "discovered", ()
        if not self._reading and not (self._of_library and self._roots):
            return "later", ()  # who uses an entry by its name is asked for each use
        for start in (*self._roots, *self._reading):
            if ways.may_come_to(start, module):
                way = ways.way(start, module)
                return "lazy", way.edges if way is not None else ()
        return ("lazy" if ways.may_be_named(module) else "orphan"), ()
