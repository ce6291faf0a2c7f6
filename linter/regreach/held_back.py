"""Conditions that keep a registration from being made: around itself, or around the imports of its module."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import Literal

from regreach.acceptance import is_asked_where_accepted
from regreach.facts import ir, walk
from regreach.graph import ImportGraph
from regreach.guards import definitions, guards_at, is_local, questions, test_at
from regreach.importers import importers_of
from regreach.model import Guarded, ImportEdge, Registration, Spot
from regreach.pack import Pack
from regreach.program import Program
from regreach.registrations import last_name, split_path

_Of = Literal["import", "registration"]

# So many modules are looked through for the conditions that hold a registration back.
_MAX_SEARCH = 12


class HeldBack:
    """Finds the conditions that hold registrations back, and those that are asked where they are looked up."""

    def __init__(self, program: Program, graph: ImportGraph, pack: Pack) -> None:
        self._program = program
        self._graph = graph
        self._pack = pack

    def itself(self, registrations: Sequence[Registration]) -> tuple[Guarded, ...]:
        """Return the innermost conditions around registrations, which their loaded modules have not met."""
        return tuple(
            self._guarded(r.module, r.guards[-1], r.spot, "registration")
            for r in registrations
            if r.guards
        )

    def imports(
        self, modules: Sequence[str], is_loaded: Callable[[str], bool]
    ) -> tuple[Guarded, ...]:
        """Return the conditions under which loaded code imports one of these, or what would import it.

        ``is_loaded`` says of a module whether the process or somebody who asks for the key has loaded it.
        """
        seen: set[str] = set()
        level = list(dict.fromkeys(modules))
        while level and len(seen) < _MAX_SEARCH:
            found: list[Guarded] = []
            further: list[str] = []
            for module in level[: _MAX_SEARCH - len(seen)]:
                seen.add(module)
                for edge in self._graph.eager_importers(module):
                    if self._pack.ignores(edge.spot.path):
                        continue
                    if edge.guards and is_loaded(edge.importer):
                        found += self._of_edge(edge)
                    else:
                        further.append(edge.importer)
                parent = module.rpartition(".")[0]
                if parent and not is_loaded(parent):
                    further.append(parent)
            if found:
                return tuple(found)
            level = [m for m in dict.fromkeys(further) if m not in seen]
        return ()

    def on_the_way(
        self, modules: Sequence[str], home: str, taken: Collection[int]
    ) -> tuple[Guarded, ...]:
        """Return the conditions under which the code that looks up would import one of these first.

        ``home`` is its module, ``taken`` are the lines of the headers that lead to the look-up. A condition on
        what a function was given, or on a selector, is the selector's branch and none of these.
        """
        found: list[Guarded] = []
        for edge in self._leading_to(modules):
            if edge.importer != home or edge.kind != "lazy" or not edge.guards:
                continue
            *outer, inner = guards_at(self._program, home, edge.spot.line) or (edge.spot,)
            if inner == edge.spot or inner.line in taken:
                continue
            if all(g.line in taken or g.text.startswith("else of: ") for g in outer) and (
                not self._asks_selector(home, inner)
            ):
                found.append(self._guarded(home, inner, edge.spot, "import"))
        return tuple(found)

    def doubtful(
        self,
        registrations: Sequence[Registration],
        conditions: Collection[Spot],
        is_loaded: Callable[[str], bool],
    ) -> tuple[Guarded, ...]:
        """Return those of these conditions that stand around registrations or imports of their modules.

        Where one is an import that may fail, that is the ``try`` in which loaded code would hide it.
        """
        found = [
            self._guarded(r.module, guard, r.spot, "registration")
            for r in registrations
            for guard in r.guards
            if guard.line in {c.line for c in conditions if c.path == guard.path}
        ]
        modules = list(dict.fromkeys(r.module for r in registrations))
        for edge in importers_of(self._graph, self._pack, modules):
            lines = {c.line for c in conditions if c.path == edge.spot.path}
            for guard in guards_at(self._program, edge.importer, edge.spot.line) if lines else ():
                if guard.line in lines and not self._asks_selector(edge.importer, guard):
                    found.append(self._guarded(edge.importer, guard, edge.spot, "import"))
        if any(c.text.startswith(("import ", "from ")) for c in conditions):
            found += self._tried(modules, is_loaded)
        return tuple(dict.fromkeys(found))

    def _tried(self, modules: Sequence[str], is_loaded: Callable[[str], bool]) -> Iterator[Guarded]:
        """Yield the imports in a ``try`` by which loaded code comes to import one of these."""
        for edge in self._leading_to(modules):
            guards = guards_at(self._program, edge.importer, edge.spot.line)
            tries = [guard for guard in guards if guard.text.rstrip(":") == "try"]
            if tries and is_loaded(edge.importer):
                yield self._guarded(edge.importer, tries[-1], edge.spot, "import")

    def _leading_to(self, modules: Sequence[str]) -> Iterator[ImportEdge]:
        """Yield the imports of modules, and of those that would import one of them in any case."""
        seen = list(dict.fromkeys(modules))
        for module in seen:
            for edge in importers_of(self._graph, self._pack, [module]):
                yield edge
                is_new = edge.importer not in seen and len(seen) < _MAX_SEARCH
                if edge.kind == "eager" and not edge.guards and is_new:
                    seen.append(edge.importer)

    def asked_too(
        self, guarded: Sequence[Guarded], consumer: str | None, value: str
    ) -> tuple[Guarded, ...]:
        """Return these, and which of them ask what is asked where ``value`` is accepted.

        Or by the code of ``consumer``, a class as ``module:Class``: of that nobody knows whether it lets the value
        pass. (None: it is known to.)
        """
        asked = self._asked_by(consumer, guarded) if consumer is not None else []
        registering = {each.module for each in guarded if each.of == "registration"}
        result = []
        for each in guarded:
            words = self._asks(each.module, each.guard)
            too = any(words & other for other in asked) or (
                bool(words)
                and is_asked_where_accepted(self._program, self._pack, value, registering, words)
            )
            result.append(replace(each, asked_too=too))
        return tuple(result)

    def _asked_by(self, consumer: str, guarded: Sequence[Guarded]) -> list[frozenset[str]]:
        """Return the words of what the conditions in a class ask, other than these."""
        module, name = split_path(consumer)
        own = {each.guard.line for each in guarded if each.module == module}
        facts = self._program.readable_facts(module)
        nodes = walk.statements(facts, "if ") if facts is not None else ()
        return [
            questions(self._program, module, node.test)
            for node, around in nodes
            if isinstance(node, ir.If) and f"{around.scope}.".startswith(f"{name}.")
            if node.line not in own
        ]

    def _asks(self, module: str, guard: Spot) -> frozenset[str]:
        """Return the words of what a condition in a module asks; none of a ``try``."""
        return questions(self._program, module, test_at(self._program, module, guard.line))

    def _asks_selector(self, module: str, guard: Spot) -> bool:
        test = test_at(self._program, module, guard.line)
        sources = {s for selector in self._pack.selectors.values() for s in selector.sources}
        names = {last_name(source).lower() for source in sources}
        return is_local(self._program, module, test) or bool(names & self._asks(module, guard))

    def _of_edge(self, edge: ImportEdge) -> Iterator[Guarded]:
        guards = guards_at(self._program, edge.importer, edge.spot.line)
        if guards:
            yield self._guarded(edge.importer, guards[-1], edge.spot, "import")

    def _guarded(self, module: str, guard: Spot, spot: Spot, of: _Of) -> Guarded:
        program = self._program
        facts, path = program.readable_facts(module), program.path(module)
        defined: list[Spot] = []
        if facts is not None and path is not None:
            test = test_at(program, module, guard.line)
            lines = [node.line for node in definitions(program, module, test)]
            defined = [Spot(path, line, facts.statement_text(line)) for line in lines]
        return Guarded(module, guard, spot, of, tuple(defined))
