"""What regreach's abstract machine does with the same packages and functions, in the same form."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from regreach.evaluate.dispatch import evaluate
from regreach.evaluate.frames import Frame
from regreach.evaluate.machine import Machine
from regreach.evaluate.session import Ended, Session
from regreach.evaluate.values import (
    FALSE,
    OPEN,
    Class,
    Const,
    Dict,
    Function,
    Instance,
    Listing,
    Module,
    Tuple,
    Value,
    cell_of,
    describe,
    may_be_missing,
    names_in,
)
from regreach.evaluate.world import World
from regreach.facts import ir
from regreach.facts.parse import ModuleFacts
from regreach.tree.modules import modules_of

WORLD = World(
    values={"typing.TYPE_CHECKING": FALSE}, installed=frozenset({"*"}), environment_closed=True
)


@functools.lru_cache(maxsize=16)
def _facts_of(text: str) -> ModuleFacts:
    return ModuleFacts(text)


class MemorySources:
    """The modules of a package whose files are given as texts."""

    def __init__(self, files: Mapping[str, str], top: str) -> None:
        self._files = files
        self._modules = modules_of(files, top)
        self._facts: dict[str, ModuleFacts] = {}

    def has(self, module: str) -> bool:
        return module in self._modules

    def is_package(self, module: str) -> bool:
        found = self._modules.get(module)
        return found is not None and found.is_package

    def is_namespace(self, module: str) -> bool:
        found = self._modules.get(module)
        return found is not None and found.path is None

    def children(self, package: str) -> Sequence[str]:
        return [m for m in self._modules if m.rpartition(".")[0] == package]

    def body(self, module: str) -> ir.Body | None:
        facts = self.facts(module)
        return None if facts is None else facts.body

    def facts(self, module: str) -> ModuleFacts | None:
        path = self._modules[module].path
        if path is None:
            return None
        if module not in self._facts:
            self._facts[module] = _facts_of(self._files[path])
        return self._facts[module]


def modules_in(files: Mapping[str, str], top: str) -> list[str]:
    """Return the modules of a package that is given as files."""
    return list(modules_of(files, top))


def session_with(files: Mapping[str, str], top: str) -> Session:
    """Return a process in which a package is imported."""
    session = Session(Machine(MemorySources(files, top), WORLD, top))
    assert session.import_module(top).ok
    return session


def value_of(session: Session, module: str, expression: str) -> Value:
    """Return the value of a literal or a name of a module."""
    body = ModuleFacts(expression).body[0]
    assert isinstance(body, ir.ExprStmt)
    found = session.machine.module_object(module)
    assert found is not None
    return evaluate(session.machine, Frame(found, found), body.value)


def import_in_orders(
    files: Mapping[str, str], top: str, orders: Sequence[Sequence[str]], *, shared: bool = True
) -> list[list[dict[str, Any]]]:
    """Do in the abstract what `CPython.import_in_orders` does; one machine may serve all processes."""
    sources = MemorySources(files, top)
    machine = Machine(sources, WORLD, top)
    answers = []
    for names in orders:
        session = Session(machine if shared else Machine(sources, WORLD, top))
        answers.append([_imported(session, name) for name in names])
    return answers


def execute(text: str, head: str = "") -> tuple[Ended, Module | None]:
    """Run a text as the package `p`, with `p.head`; return how that ends, and `p` if it is loaded then."""
    files = {"p/__init__.py": text, "p/head.py": head}
    session = Session(Machine(MemorySources(files, "p"), WORLD, "p"))
    return session.import_module("p"), session.machine.module_object("p")


def _imported(session: Session, name: str) -> dict[str, Any]:
    ended = session.import_module(name)
    modules = session.machine.modules.cells
    return {
        "ended": _described(ended),
        "loaded": [m if sure else f"{m} perhaps" for m, sure in session.loaded().items()],
        "bound": {m: _names(module) for m, module in modules.items() if isinstance(module, Module)},
    }


def _described(ended: Ended) -> str:
    perhaps = [describe(p.value) for p in ended.may_raise]  # type: ignore[arg-type]
    outcome = "ok" if ended.raised is None else describe(ended.raised)
    return " or perhaps ".join([outcome, *perhaps])


def _names(owner: Module | Class) -> dict[str, Any]:
    return {
        name: encoded(value)
        for name, value in _cells(owner)
        if (isinstance(name, str) and not name.startswith(("__", "<"))) or name == OPEN
    }


def _cells(owner: Module | Class) -> list[tuple[Any, Value]]:
    """Return what a module or class has bound; a module's imports are together in one cell."""
    if not isinstance(owner, Module):
        return list(owner.cells.items())
    names = [(name, cell_of(owner, name)) for name in names_in(owner)]
    return [*names, *((n, value) for n, value in owner.cells.items() if n == OPEN)]


def encoded(value: Value) -> list[Any]:
    """Return a value as the server does; what is not known for certain as what it is."""
    if may_be_missing(value):
        return ["perhaps not bound", repr(value)]
    if isinstance(value, Const):
        return ["const", repr(value.value)]
    if isinstance(value, Module):
        return ["module", value.name]
    if isinstance(value, Tuple) and not value.names:
        return ["tuple", [encoded(v) for v in value.items]]
    if isinstance(value, Listing) and value.kind == "list":
        items = value.cells["items"]
        return ["list", [encoded(v) for v in items.items] if isinstance(items, Tuple) else []]
    if isinstance(value, Dict) and OPEN not in value.cells:
        return ["dict", [[encoded(k), encoded(v)] for k, v in value.cells.items()]]
    if isinstance(value, Instance):
        if value.member is not None:
            return ["member", value.cls.qualname, value.member]
        return ["instance", value.cls.qualname]
    if isinstance(value, Function):
        return ["function", value.qualname]
    if isinstance(value, Class):
        return ["class", value.qualname, _names(value)]
    return ["other", repr(value)]
