"""The functions of a module and the methods of its classes, each with its name and its class."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from regreach.discover.names import ClassRef, Imported, Names, level
from regreach.discover.scopes import Scope
from regreach.facts import ir, walk
from regreach.facts.parse import ModuleFacts

_NAMED = re.compile("regist", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Definition:
    """A function of a module, or a method of a class at its module level."""

    module: str
    name: str
    node: ir.FunctionDef
    owner: ClassRef | None

    @property
    def path(self) -> str:
        """``module:name``."""
        return f"{self.module}:{self.name}"

    def decorated(self, name: str) -> bool:
        """Return whether the definition has a decorator of this name."""
        dotted = (walk.dotted_name(d.value) or "" for d in self.node.decorators)
        return any(d.rpartition(".")[2] == name for d in dotted)

    @property
    def has_self(self) -> bool:
        """Whether the first parameter is the object or the class."""
        return self.owner is not None and not self.decorated("staticmethod")

    @property
    def of_object(self) -> bool:
        """Whether an object is needed to call it."""
        return self.has_self and not self.decorated("classmethod")


def is_named(name: str) -> bool:
    """Return whether a name says that something is registered."""
    return _NAMED.search(name) is not None


def definitions(module: str, facts: ModuleFacts) -> Iterator[Definition]:
    """Yield the functions at the module level, and the methods of the classes there."""

    def inside(body: ir.Body, owner: ClassRef | None) -> Iterator[Definition]:
        for node in level(body):
            if isinstance(node, ir.FunctionDef):
                name = f"{owner.name}.{node.name}" if owner is not None else node.name
                yield Definition(module, name, node, owner)
            elif isinstance(node, ir.ClassDef):
                name = f"{owner.name}.{node.name}" if owner is not None else node.name
                yield from inside(node.body, ClassRef(module, name, node))

    yield from inside(facts.body, None)


def local_imports(names: Names, module: str, scope: Scope) -> dict[str, Imported]:
    """Return what the imports bind that stand in a function."""
    found: dict[str, Imported] = {}
    for each in scope.all():
        for node in each.imports:
            found |= names.imported(module, node)
    return found
