"""Classes of a tree by the names that modules have for them, as written: nothing is evaluated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from regreach.facts import ir, walk
from regreach.program import Program
from regreach.simple.origins import Origins
from regreach.supply.scans import matches

_MAX_BASES = 60


@dataclass(frozen=True, slots=True)
class Defined:
    """A class, and where: in a module, with what surrounds it."""

    module: str
    node: ir.ClassDef
    around: walk.Surroundings


class Definitions:
    """Finds the classes that names stand for."""

    def __init__(self, program: Program, origins: Origins) -> None:
        self._program, self._origins = program, origins
        self._known: dict[str, dict[str, tuple[ir.Stmt, walk.Surroundings]]] = {}
        self._imported: dict[str, dict[str, str]] = {}

    def classes(self, module: str) -> Iterator[Defined]:
        """Yield the classes at a module's margin, in the order of its statements."""
        for node, around in self._names(module).values():
            if isinstance(node, ir.ClassDef):
                yield Defined(module, node, around)

    def class_of(self, module: str, dotted: str, hops: int = 0) -> Defined | None:
        """Return the class that a dotted name in a module stands for; None where none of the tree is seen."""
        home, _, name = self._origins.of(module, dotted).partition(":")
        node, around = self._names(home).get(name, (None, walk.Surroundings()))
        if isinstance(node, ir.ClassDef):
            return Defined(home, node, around)
        if isinstance(node, (ir.Assign, ir.AnnAssign)) and node.value is not None and hops < 5:
            other = walk.dotted_name(node.value)
            return self.class_of(home, other, hops + 1) if other is not None else None
        return None

    def name_of(self, module: str, node: ir.Expr) -> str | None:
        """Return the ``__name__`` of the class that an expression stands for; None where it is not known."""
        dotted = walk.dotted_name(node)
        if dotted is None:
            return None
        home, _, last = self._import(module, dotted).rpartition(".")
        # a class that stands there is what it is called: no need to parse its module
        pattern = rb"(?m)^class[ \t]+%b\b" % re.escape(last.encode())
        if home and self._program.has(home) and self._program.ask(home, matches(pattern)):
            return last
        found = self.class_of(module, dotted)
        if found is not None:
            return found.node.name
        origin = self._origins.of(module, dotted)
        return None if ":" in origin else origin.rpartition(".")[2]

    def attribute(self, defined: Defined, name: str) -> tuple[Defined, ir.Stmt, ir.Expr] | None:
        """Return what a class or the nearest of its bases binds to a name, with the class and the statement."""
        for each in self.with_bases(defined):
            for statement in reversed(each.node.body):
                if not isinstance(statement, (ir.Assign, ir.AnnAssign)):
                    continue
                if walk.assigns(statement, name) and statement.value is not None:
                    return each, statement, statement.value
        return None

    def with_bases(self, defined: Defined) -> Iterator[Defined]:
        """Yield a class and those of its bases that are seen, each once, the nearest on the left first."""
        stack, seen = [defined], {(defined.module, defined.node.name)}
        while stack and len(seen) < _MAX_BASES:
            each = stack.pop(0)
            yield each
            inner = []
            for arg in each.node.args:
                dotted = walk.dotted_name(arg.value) if arg.keyword is None else None
                base = self.class_of(each.module, dotted) if dotted is not None else None
                if base is not None and (base.module, base.node.name) not in seen:
                    seen.add((base.module, base.node.name))
                    inner.append(base)
            stack[:0] = inner

    def _import(self, module: str, dotted: str) -> str:
        """Return the absolute name behind a name that a module's only binding imports; empty for others."""
        if module not in self._imported:
            facts = self._program.readable_facts(module)
            found = walk.bindings_of_imports(facts, "\0") if facts is not None else {}
            self._imported[module] = {
                name: origin for name, origin in found.items() if name not in self._names(module)
            }
        first, _, rest = dotted.partition(".")
        origin = self._imported[module].get(first)
        if origin is None:
            return ""
        full = self._origins.absolute(module, origin)
        return f"{full}.{rest}" if rest else full

    def _names(self, module: str) -> dict[str, tuple[ir.Stmt, walk.Surroundings]]:
        if module not in self._known:
            facts = self._program.readable_facts(module) if self._program.has(module) else None
            found: dict[str, tuple[ir.Stmt, walk.Surroundings]] = {}
            for node, around in walk.statements(facts, "\0") if facts is not None else ():
                if around.scope:
                    continue
                if isinstance(node, (ir.ClassDef, ir.FunctionDef)):
                    found[node.name] = node, around
                elif isinstance(node, (ir.Assign, ir.AnnAssign)) and not _is_none(node.value):
                    for target in walk.targets(node):
                        if isinstance(target, ir.Name):
                            found[target.id] = node, around
            self._known[module] = found
        return self._known[module]


def _is_none(node: ir.Expr | None) -> bool:
    """Return whether a value is what stands for a class that could not be imported."""
    return isinstance(node, ir.Const) and node.value is None
