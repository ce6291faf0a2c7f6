"""What a dotted name in a module stands for, through imports, re-exports and plain aliases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from regreach.facts import ir, walk
from regreach.facts.parse import ModuleFacts
from regreach.program import Program

# So many re-exports and aliases are followed.
_STEPS = 16


@dataclass(frozen=True, slots=True)
class Imported:
    """A name that an import binds: a module (``name`` is empty), or a member of one."""

    module: str
    name: str = ""


Bound: TypeAlias = "Imported | ir.FunctionDef | ir.ClassDef | ir.Assign | ir.AnnAssign"


@dataclass(frozen=True, slots=True)
class Target:
    """What was found: a definition of the tree and the attributes of it that are asked for.

    ``kind`` is module (``name`` is empty), function, class, value (bound by an assignment) or outside:
    ``module`` is the whole dotted name of something outside the tree then.
    """

    kind: Literal["module", "function", "class", "value", "outside"]
    module: str
    name: str
    rest: tuple[str, ...] = ()
    node: ir.FunctionDef | ir.ClassDef | ir.Assign | ir.AnnAssign | None = None


@dataclass(frozen=True, slots=True)
class ModuleNames:
    """What the statements at the module level of a module bind, last binding first served."""

    bound: Mapping[str, Bound]
    stars: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClassRef:
    """A class of the tree: its module and its name there."""

    module: str
    name: str
    node: ir.ClassDef


class Names:
    """Resolves names; what was found out about a module is kept."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._modules: dict[str, ModuleNames] = {}
        self._ancestors: dict[tuple[str, str], tuple[ClassRef, ...]] = {}

    def of(self, module: str) -> ModuleNames:
        """Return what a module of the tree binds."""
        found = self._modules.get(module)
        if found is None:
            facts = self.program.readable_facts(module)
            found = self._modules[module] = self._bound_in(module, facts)
        return found

    def _bound_in(self, module: str, facts: ModuleFacts | None) -> ModuleNames:
        bound: dict[str, Bound] = {}
        stars: list[str] = []
        for node in level(facts.body) if facts is not None else ():
            if isinstance(node, (ir.Import, ir.ImportFrom)):
                bound |= self.imported(module, node)
                if isinstance(node, ir.ImportFrom) and not node.names:
                    stars.append(self.base_of(module, node))
            elif isinstance(node, (ir.FunctionDef, ir.ClassDef)):
                bound[node.name] = node
            elif isinstance(node, (ir.Assign, ir.AnnAssign)) and node.value is not None:
                # what stands for an import that failed, or for what comes later, hides nothing
                nothing = isinstance(node.value, ir.Const) and node.value.value is None
                for name in bound_by(node):
                    if not (nothing and name in bound):
                        bound[name] = node
        return ModuleNames(bound, tuple(stars))

    def base_of(self, module: str, node: ir.ImportFrom) -> str:
        """Return the absolute name of the module that a ``from`` import names."""
        base = node.module or ""
        if not node.level:
            return base
        package = self.program.package_of(module)
        for _ in range(node.level - 1):
            package = package.rpartition(".")[0]
        return f"{package}.{base}".strip(".") if base else package

    def imported(self, module: str, node: ir.Import | ir.ImportFrom) -> dict[str, Imported]:
        """Return what an import statement in a module binds."""
        if isinstance(node, ir.Import):
            return {
                alias or dotted.partition(".")[0]: Imported(
                    dotted if alias else dotted.partition(".")[0]
                )
                for dotted, alias in node.names
            }
        base = self.base_of(module, node)
        return {alias or name: Imported(base, name) for name, alias in node.names}

    def resolve(
        self, module: str, dotted: str, local: Mapping[str, Imported] | None = None
    ) -> Target | None:
        """Return what a dotted name in a module stands for; None when nothing in sight binds it.

        ``local`` is what imports inside of the function bind in which the name stands.
        """
        first, *rest = dotted.split(".")
        found: Bound | None = (local or {}).get(first)
        if found is None:
            return self._in_module(module, first, tuple(rest), _STEPS)
        return self._follow(module, first, found, tuple(rest), _STEPS)

    def _in_module(
        self, module: str, name: str, rest: tuple[str, ...], steps: int
    ) -> Target | None:
        names = self.of(module)
        found = names.bound.get(name)
        if found is not None and found != Imported(module, name):  # a package's own submodule
            return self._follow(module, name, found, rest, steps)
        if self.program.has(f"{module}.{name}") and self.program.is_package(module):
            return self._of_module(f"{module}.{name}", rest, steps)
        for star in names.stars if steps else ():
            if self.program.has(star):
                target = self._in_module(star, name, rest, steps - 1)
                if target is not None:
                    return target
        return None

    def _follow(
        self, module: str, name: str, found: Bound, rest: tuple[str, ...], steps: int
    ) -> Target | None:
        if isinstance(found, Imported):
            return self._imported(found, rest, steps)
        if isinstance(found, ir.FunctionDef):
            return Target("function", module, name, rest, found)
        if isinstance(found, ir.ClassDef):
            return Target("class", module, name, rest, found)
        value = found.value
        alias = walk.dotted_name(value) if value is not None else None
        if alias is not None and alias.partition(".")[0] != name and steps:
            target = self._in_module(
                module, alias.partition(".")[0], (*alias.split(".")[1:], *rest), steps - 1
            )
            if target is not None:
                return target
        return Target("value", module, name, rest, found)

    def _imported(self, found: Imported, rest: tuple[str, ...], steps: int) -> Target | None:
        if not self.program.has(found.module):
            return Target("outside", ".".join(filter(None, (found.module, found.name))), "", rest)
        if not found.name:
            return self._of_module(found.module, rest, steps)
        if not steps:
            return None
        return self._in_module(found.module, found.name, rest, steps - 1)

    def _of_module(self, module: str, rest: tuple[str, ...], steps: int) -> Target | None:
        if not rest:
            return Target("module", module, "")
        return self._in_module(module, rest[0], rest[1:], steps - 1) if steps else None

    def class_of(self, target: Target | None) -> ClassRef | None:
        """Return the class that a target is, itself or as a class inside of one."""
        if target is None or not isinstance(target.node, ir.ClassDef):
            return None
        found = ClassRef(target.module, target.name, target.node)
        for name in target.rest:
            inner = next(
                (
                    n
                    for n in level(found.node.body)
                    if isinstance(n, ir.ClassDef) and n.name == name
                ),
                None,
            )
            if inner is None:
                return None
            found = ClassRef(target.module, f"{found.name}.{name}", inner)
        return found

    def ancestry(self, cls: ClassRef) -> tuple[ClassRef, ...]:
        """Return a class and those classes of the tree that it inherits from, nearest first."""
        key = (cls.module, cls.name)
        found = self._ancestors.get(key)
        if found is None:
            self._ancestors[key] = (cls,)  # for a class that inherits from its own name
            found = self._ancestors[key] = tuple(
                {(c.module, c.name): c for c in (cls, *self._inherited(cls))}.values()
            )
        return found

    def _inherited(self, cls: ClassRef) -> Iterator[ClassRef]:
        for arg in cls.node.args:
            base = arg.value.value if isinstance(arg.value, ir.Subscript) else arg.value
            dotted = walk.dotted_name(base)
            if arg.keyword is None and dotted is not None:
                found = self.class_of(self.resolve(cls.module, dotted))
                if found is not None:
                    yield from self.ancestry(found)

    def member(self, cls: ClassRef, name: str) -> tuple[ClassRef, ir.Stmt] | None:
        """Return the statement that binds a name in a class or in one that it inherits from, and where."""
        for each in self.ancestry(cls):
            for node in level(each.node.body):
                if name in bound_by(node):
                    return each, node
        return None


def level(body: ir.Body) -> Iterator[ir.Stmt]:
    """Yield the statements of a body and of its blocks, not those of the definitions in it."""
    for node in body:
        yield node
        for block in walk.blocks(node):
            yield from level(block)


def bound_by(node: ir.Stmt) -> tuple[str, ...]:
    """Return the names that a definition or an assignment binds."""
    if isinstance(node, (ir.FunctionDef, ir.ClassDef)):
        return (node.name,)
    if isinstance(node, ir.Assign):
        return tuple(t.id for t in node.targets if isinstance(t, ir.Name))
    if isinstance(node, ir.AnnAssign) and isinstance(node.target, ir.Name):
        return (node.target.id,)
    return ()
