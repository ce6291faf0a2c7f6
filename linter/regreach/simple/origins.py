"""What a name in a module stands for: followed through imports to the module that defines it."""

from __future__ import annotations

from collections.abc import Mapping

from regreach.facts import ir, walk
from regreach.program import Program

_MAX_HOPS = 20


class Origins:
    """Names of a tree's modules, as their import statements say; nothing is evaluated."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._bound: dict[str, tuple[dict[str, str], list[str]]] = {}

    def of(self, module: str, dotted: str, local: Mapping[str, str] | None = None) -> str:
        """Return what a dotted name stands for in a module: ``module:name``, or a dotted path from outside.

        ``local`` are bindings of imports (``walk.bindings_of_imports``) that come before the module's own.
        """
        first, _, rest = dotted.partition(".")
        origin = local.get(first) if local is not None else None
        if origin is not None:
            full = self.absolute(module, origin)
            return self._canonical(f"{full}.{rest}" if rest else full, 0)
        return self._in_module(module, dotted, 0)

    def absolute(self, module: str, origin: str) -> str:
        """Return a dotted name whose leading dots are relative to a module's package."""
        name = origin.lstrip(".")
        level = len(origin) - len(name)
        if not level:
            return name
        package = self._program.package_of(module)
        for _ in range(level - 1):
            package = package.rpartition(".")[0]
        return f"{package}.{name}" if name else package

    def _canonical(self, dotted: str, hops: int) -> str:
        """Return ``module:name`` for an absolute dotted name, itself when it leads out of the tree."""
        parts = dotted.split(".")
        for count in range(len(parts), 0, -1):
            module = ".".join(parts[:count])
            if self._program.has(module):
                rest = ".".join(parts[count:])
                return self._in_module(module, rest, hops + 1) if rest else module
        return dotted

    def _in_module(self, module: str, dotted: str, hops: int) -> str:
        own = f"{module}:{dotted}"
        if hops > _MAX_HOPS:
            return own
        imported, stars = self._bindings(module)
        first, _, rest = dotted.partition(".")
        origin = imported.get(first)
        if origin is not None:
            return self._canonical(f"{origin}.{rest}" if rest else origin, hops) if origin else own
        for star in stars:
            if self._program.has(star) and self._binds(star, first, hops + 1):
                return self._in_module(star, dotted, hops + 1)
        return own

    def _binds(self, module: str, name: str, hops: int) -> bool:
        imported, stars = self._bindings(module)
        return name in imported or (
            hops <= _MAX_HOPS
            and any(self._program.has(s) and self._binds(s, name, hops + 1) for s in stars)
        )

    def _bindings(self, module: str) -> tuple[dict[str, str], list[str]]:
        """Return what a module binds: name -> absolute origin, empty for its own; and its star imports."""
        found = self._bound.get(module)
        if found is not None:
            return found
        imported: dict[str, str] = {}
        stars: list[str] = []
        facts = self._program.readable_facts(module)
        for node, around in walk.statements(facts) if facts is not None else ():
            if around.scope:
                continue
            if isinstance(node, ir.Import):
                for dotted, alias in node.names:
                    top = dotted.partition(".")[0]
                    imported[alias or top] = dotted if alias else top
            elif isinstance(node, ir.ImportFrom):
                base = "." * node.level + (node.module or "")
                if not node.names:
                    stars.append(self.absolute(module, base))
                for name, alias in node.names:
                    dotted = f"{base}.{name}" if base.strip(".") else base + name
                    imported[alias or name] = self.absolute(module, dotted)
            elif isinstance(node, (ir.FunctionDef, ir.ClassDef)):
                imported[node.name] = ""
            elif isinstance(node, (ir.Assign, ir.AnnAssign)):
                bound = walk.targets(node)
                imported.update({t.id: "" for t in bound if isinstance(t, ir.Name)})
        self._bound[module] = imported, stars
        return self._bound[module]
