"""The import graph (networkx), built from facts: who imports whom, where, and under which guard.

Which imports really are executed is for the abstract run to say; the graph explains it: importers,
chains and cycles.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Literal

import networkx as nx

from regreach.facts import ir, walk
from regreach.guards import guard_text
from regreach.model import ImportEdge, Spot
from regreach.program import Program
from regreach.supply.scans import IMPORTS_ODDLY, matches

# An import statement, or a call of import_module, that names something: %s stands for the name.
_IMPORT_OF = r"(?:\bfrom\b|import)(?:[^\n(]|\\\n)*(?:\([^)]*)?\b%s\b"


@functools.cache
def import_of(*names: str) -> re.Pattern[str]:
    """Return what is found where a module of one of these last names may be imported."""
    return re.compile(_IMPORT_OF % f"(?:{'|'.join(map(re.escape, names))})")


def edges_of(program: Program, module: str, name: str | None = None) -> list[ImportEdge]:
    """Return the imports that a module makes of modules of the tree, in the order of its lines.

    With ``name``, the last part of what is imported, only functions are looked into that may import
    such a thing; with an empty one, none.
    """
    facts = program.readable_facts(module)
    path = program.path(module)
    if facts is None or path is None:
        return []
    names = (
        walk.bindings_of_imports(facts, "import_module") if "import_module" in facts.text else {}
    )
    result: list[ImportEdge] = []
    words = ("import",) if name is None else (import_of(name),) if name else ()
    for node, around in walk.statements(facts, *words):
        dynamic = False
        targets: list[tuple[str, bool]] = []
        if isinstance(node, ir.Import):
            targets = [(dotted, False) for dotted, _ in node.names]
        elif isinstance(node, ir.ImportFrom):
            names_of = tuple(name for name, _ in node.names)
            targets = list(from_targets(program, module, node.level, node.module, names_of))
        elif names:
            targets = [(t, False) for t in dynamic_targets(node, names)]
            dynamic = True
        for target, star in targets:
            if not program.has(target):
                continue
            kind = kind_of(around, dynamic=dynamic)
            guards = tuple(guard_text(facts, guard) for guard in around.guards)
            spot = Spot(path, node.line, facts.line_text(node.line))
            result.append(ImportEdge(module, target, spot, kind, around.scope, guards, star))
    return result


def from_targets(
    program: Program, module: str, level: int, dotted: str | None, wanted: Sequence[str]
) -> Iterator[tuple[str, bool]]:
    """Yield the modules that ``from dotted import wanted`` loads in a module, and whether by a star.

    ``level`` counts the dots; nothing ``wanted`` stands for the star.
    """
    base = dotted or ""
    if level:
        package = program.package_of(module)
        for _ in range(level - 1):
            package = package.rpartition(".")[0]
        base = f"{package}.{base}" if base else package
    if not program.has(base):
        return
    star = not wanted
    names = [name for name in wanted if program.has(f"{base}.{name}")]
    bound = _bound_names(program, base) if names else set()
    submodules = [f"{base}.{name}" for name in names if name not in bound]
    if star or len(submodules) < len(wanted):
        yield base, star
    for name in submodules:
        yield name, False


def _bound_names(program: Program, package: str) -> set[str]:
    """Return the names that a package binds itself: ``from package import name`` takes those first."""
    facts = program.readable_facts(package)
    names: set[str] = set()
    for node in facts.body if facts is not None else ():
        if isinstance(node, (ir.FunctionDef, ir.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ir.Assign):
            names.update(t.id for t in node.targets if isinstance(t, ir.Name))
        elif isinstance(node, ir.ImportFrom):
            # `from package import sub` in the package itself binds the submodule that it loads
            own = (node.level == 1 and node.module is None) or node.module == package
            names.update(alias or name for name, alias in node.names if not own)
    return names


def dynamic_targets(node: ir.Stmt, names: Mapping[str, str]) -> Iterator[str]:
    """Yield what a statement imports by calls with a literal; ``names`` are what imports bind."""
    for call in walk.calls(node):
        function = walk.dotted_name(call.func) or ""
        first, _, rest = function.partition(".")
        full = names.get(first, first) + (f".{rest}" if rest else "")
        if full == "importlib.import_module" and call.args:
            value = call.args[0].value
            if isinstance(value, ir.Const) and isinstance(value.value, str):
                yield value.value


def kind_of(
    around: walk.Surroundings, *, dynamic: bool
) -> Literal["eager", "lazy", "type-checking", "dynamic"]:
    """Return when an import that stands there is made; ``dynamic`` for a call."""
    if any(
        g.kind == "if" and g.test is not None and _is_type_checking(g.test) for g in around.guards
    ):
        return "type-checking"
    if around.in_function:
        return "lazy"
    return "dynamic" if dynamic else "eager"


def _is_type_checking(test: ir.Expr) -> bool:
    name = walk.dotted_name(test)
    return name is not None and name.rpartition(".")[2] == "TYPE_CHECKING"


class ImportGraph:
    """The imports between the modules that a question needs, as a networkx multigraph."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
        self._added: set[str] = set()
        self._importers: dict[str, tuple[ImportEdge, ...]] = {}

    def add(self, modules: Iterable[str]) -> None:
        """Take in the imports of these modules, parents included (a package runs before its modules)."""
        for module in modules:
            if module in self._added:
                continue
            self._added.add(module)
            self.graph.add_node(module)
            # module level only: chains and cycles of a start-up run over eager imports
            for edge in edges_of(self._program, module, ""):
                self.graph.add_edge(edge.importer, edge.imported, edge=edge)
            parent = module.rpartition(".")[0]
            if parent and parent not in self.graph.succ[module]:
                self.graph.add_edge(module, parent, edge=None)

    def leading_to(self, goals: Iterable[str]) -> dict[str, set[str]]:
        """Return for each module whose import executes some of these modules, those that it executes.

        Seen are the imports at module level that were taken in, whatever guards them.
        """
        edge: ImportEdge | None
        eager: nx.DiGraph[str] = nx.DiGraph()
        for importer, imported, edge in self.graph.edges(data="edge"):
            if edge is None or edge.kind != "type-checking":
                eager.add_edge(importer, imported)
        found: dict[str, set[str]] = {}
        for goal in goals:
            for module in (goal, *(nx.ancestors(eager, goal) if goal in eager else ())):
                found.setdefault(module, set()).add(goal)
        return found

    def importers(self, module: str) -> tuple[ImportEdge, ...]:
        """Return all imports of a module anywhere in the tree, sorted by place.

        Only files that seem to import something of the last part of its name are parsed.
        """
        found = self._importers.get(module)
        if found is None:
            edges = self._imports_of(module, self.may_import(module))
            found = self._importers[module] = tuple(_by_place(edges))
        return found

    def importers_in(self, module: str, among: Iterable[str]) -> list[ImportEdge]:
        """Return the imports of a module in some other ones, in the order of these and of their lines."""
        may = set(self.may_import(module))
        return list(self._imports_of(module, (name for name in among if name in may)))

    def eager_importers(self, module: str) -> list[ImportEdge]:
        """Return the imports of a module that are executed when the importing one is, sorted by place.

        Only files that seem to import it at their module level are parsed, and no function of them.
        """
        names = (n for n in self.may_import(module) if self._may_import_eagerly(n, module))
        edges = self._imports_of(module, names, in_functions=False)
        return _by_place(edge for edge in edges if edge.kind == "eager")

    def _imports_of(
        self, module: str, importers: Iterable[str], *, in_functions: bool = True
    ) -> Iterator[ImportEdge]:
        word = module.rpartition(".")[2] if in_functions else ""
        for importer in importers:
            for edge in edges_of(self._program, importer, word):
                if edge.imported == module:
                    yield edge

    def _may_import_eagerly(self, importer: str, module: str) -> bool:
        program = self._program
        return module in program.imported_names(importer, program.package_of(importer)) or bool(
            program.ask(importer, IMPORTS_ODDLY)
        )

    def may_import(self, module: str) -> list[str]:
        """Return the modules that seem to import something of the last part of a module's name."""
        package, _, word = module.rpartition(".")
        outer = package.rpartition(".")[2].encode()
        searched = matches(import_of(word).pattern.encode(), word.encode())
        # a relative import from inside the package need not name the package
        names = sorted({*self._program.inside(package), *self._program.mentioning(outer)})
        return [name for name in names if name != module and self._program.ask(name, searched)]

    def chain(self, start: str, goal: str) -> tuple[ImportEdge, ...]:
        """Return the shortest chain of eager imports from one module to another; empty when there is none.

        A step from a module to its parent package is no import that someone wrote: it may be part of
        the way, but not of what is returned.
        """
        eager: nx.DiGraph[str] = nx.DiGraph()
        edge: ImportEdge | None
        for importer, imported, edge in self.graph.edges(data="edge"):
            if edge is not None and edge.kind not in ("eager", "dynamic"):
                continue
            best = eager.get_edge_data(importer, imported, {}).get("edge")
            if best is None or (edge is not None and edge.spot.line < best.spot.line):
                # a written import is preferred to the step to a parent that a package always is
                eager.add_edge(importer, imported, edge=edge, weight=1 if edge is not None else 3)
        try:
            nodes = nx.shortest_path(eager, start, goal, weight="weight")
        except (nx.NetworkXNoPath, nx.NodeNotFound):
            return ()
        steps = (eager[a][b]["edge"] for a, b in pairwise(nodes))
        return tuple(step for step in steps if step is not None)


def _by_place(edges: Iterable[ImportEdge]) -> list[ImportEdge]:
    """Return edges, each once, sorted by place."""
    return sorted(dict.fromkeys(edges), key=lambda e: (e.spot.path, e.spot.line))
