"""Modules as they are once they have been loaded, evaluated name by name as somebody asks.

What a module binds hardly ever depends on who imported it first. So the names of a module that is
not run as a whole have their values from here: of its statements those are run that bind the name,
or that do something to what it stands for, and so on with the names that these ask for. Which modules
are loaded is no question here: an import gives the finished module. What is found stays, whatever
becomes of the process that has asked for it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from regreach.evaluate.calls import call
from regreach.evaluate.dispatch import evaluate, run_block
from regreach.evaluate.frames import Abrupt, Frame
from regreach.evaluate.heap import Heap
from regreach.evaluate.importing import absolute_name
from regreach.evaluate.library.identity import IDENTITY
from regreach.evaluate.machine import Machine
from regreach.evaluate.module_attributes import all_names
from regreach.evaluate.values import (
    MISSING,
    UNKNOWN,
    Const,
    Deferred,
    Finished,
    Function,
    Value,
)
from regreach.evaluate.world import Sources, World
from regreach.facts import ir, walk
from regreach.facts.names import names_of
from regreach.facts.source import SourceError


class FinishedModules:
    """The finished modules of a tree, for whatever process asks.

    ``registrars`` are functions (``module:Class.name``) that have an effect on a registry: that is a
    matter of the process, so here they give back what they decorate.
    """

    def __init__(
        self, sources: Sources, world: World, top_level: str, registrars: Collection[str]
    ) -> None:
        self._sources = sources
        self._machine = Machine(sources, world, top_level)
        self._machine.finished = self
        self._machine.is_finished = True
        self._machine.overrides.update(dict.fromkeys(registrars, IDENTITY))
        self._modules: dict[str, Finished] = {}
        self._asked: set[tuple[str, str]] = set()  # what is being found out now

    def module(self, name: str) -> Finished | None:
        """Return a module of the tree."""
        found = self._modules.get(name)
        if found is None and self._sources.has(name):
            found = self._modules[name] = Finished(name)
        return found

    def _read(self, module: Finished) -> None:
        """Look into a module, of which only the name was needed so far."""
        module.is_read = True
        try:
            facts = self._sources.facts(module.name)
        except SourceError:
            facts = None
        module.body = facts.body if facts is not None else ()
        module.is_open = facts is None and not self._sources.is_namespace(module.name)
        module.binders, module.stars = _index(module.body)

    def value(self, module: str, name: str) -> Value:
        """Return what a module has bound to a name; MISSING if it has not."""
        found = self.module(module)
        return MISSING if found is None else self.value_in(found, name)

    def value_in(self, module: Finished, name: str) -> Value:
        """Return what a finished module has bound to a name; MISSING if it has not."""
        if name in module.settled and not module.running:  # as it mostly is
            value = module.cells.get(name, MISSING)
            if type(value) is not Deferred:
                return self._machine.known(value)
        if not module.is_read:
            self._read(module)
        question = module.name, name
        if question in self._asked:
            # a cycle: what is bound so far
            found = module.cells.get(name, UNKNOWN if name in module.binders else MISSING)
            return UNKNOWN if type(found) is Deferred else found
        self._asked.add(question)
        try:
            if name not in module.settled:
                self._settle(module, name)
            return self._machine.known(self._bound(module, name))
        finally:
            self._asked.discard(question)

    def evaluated(self, module: str, node: ir.Expr) -> Value:
        """Return the value of an expression at the margin of a finished module; UNKNOWN where it raises."""
        found = self.module(module)
        if found is None:
            return UNKNOWN
        machine = self._machine
        with self._apart():
            frame = Frame(found, found, context=machine.context(0, "asked", module))
            try:
                with machine.running(frame), machine.module_level():
                    return machine.known(evaluate(machine, frame, node))
            except Abrupt:
                return UNKNOWN

    @staticmethod
    def _bound(module: Finished, name: str) -> Value:
        """Return what a name is bound to, at the margin of its own module what it was bound to by then."""
        if module.running:
            before = [v for i, v in module.history.get(name, ()) if i < module.running[-1]]
            if before:
                return before[-1]
        return module.cells.get(name, MISSING)

    def _settle(self, module: Finished, name: str) -> None:
        """Run what binds a name, and bind it to what it would be found as otherwise."""
        statements = module.binders.get(name, ())
        if module.running:
            # in a statement of this very module: what comes before it has been run by then
            statements = [i for i in statements if i < module.running[-1]] or statements
        else:
            module.settled.add(name)
        for index in statements:
            self._run(module, index)
        if name not in module.cells:
            value = self._otherwise(module, name)
            if value is not MISSING:
                module.cells[name] = value

    def _run(self, module: Finished, index: int) -> None:
        if index in module.done:
            return
        module.done.add(index)
        machine = self._machine
        module.running.append(index)
        with self._apart():
            frame = Frame(module, module, context=machine.context(0, "module", module.name))
            node = module.body[index]
            try:
                with machine.running(frame), machine.module_level():
                    run_block(machine, frame, (node,))
            except Abrupt:
                for name in names_of(node):
                    module.cells.setdefault(name, UNKNOWN)
        module.running.pop()
        for name in names_of(node):
            if len(module.binders[name]) > 1 and name in module.cells:
                module.history.setdefault(name, []).append((index, module.cells[name]))

    def _otherwise(self, module: Finished, name: str) -> Value:
        """Return what a name of a module stands for that none of its own statements binds."""
        for node in reversed(module.stars):
            value = self._by_star(module, node, name)
            if value is not MISSING:
                return value
        child = self.module(f"{module.name}.{name}")
        if child is not None:
            return child
        if name.startswith("__"):
            return self._special(module, name)
        if module.is_open:
            return UNKNOWN
        hook = self.value_in(module, "__getattr__") if "__getattr__" in module.binders else MISSING
        if isinstance(hook, Function):
            with self._apart():
                frame = Frame(module, module, context=self._machine.context(0, "hook", module.name))
                try:
                    return call(
                        self._machine, frame, hook, (Const(name),), {}, site=("getattr", name)
                    )
                except Abrupt:
                    return MISSING
        return MISSING

    def _by_star(self, module: Finished, node: ir.ImportFrom, name: str) -> Value:
        try:
            dotted = absolute_name(self._machine, Frame(module, module), node.module, node.level)
        except Abrupt:
            return MISSING  # it leads out of the package
        origin = self.module(dotted)
        if origin is None:
            return MISSING if name.startswith("_") or self._sources.has(dotted) else UNKNOWN
        if not origin.is_read:
            self._read(origin)
        if "__all__" in origin.binders:
            names = all_names(self._machine, origin)
            if names is not None and name not in names:
                return MISSING
        elif name.startswith("_"):
            return MISSING
        return self.value_in(origin, name)

    def _special(self, module: Finished, name: str) -> Value:
        is_package = self._sources.is_package(module.name)
        names = self._machine.special_names(module.name, is_package).names
        return names.get(name, UNKNOWN if name in ("__dict__", "__builtins__") else MISSING)

    @contextmanager
    def _apart(self) -> Iterator[None]:
        """Run something as if nothing else were being run, and keep what it does."""
        machine = self._machine
        before = (
            machine.heap,
            machine.frames,
            machine.conditions,
            machine.import_guards,
        )
        machine.heap, machine.frames, machine.conditions, machine.import_guards = (
            Heap(),
            [],
            [],
            [],
        )
        try:
            yield
        finally:
            machine.heap, machine.frames, machine.conditions, machine.import_guards = before


def _index(body: ir.Body) -> tuple[dict[str, list[int]], list[ir.ImportFrom]]:
    """Return which statements bind a name or do something to what it is, and the star imports."""
    binders: dict[str, list[int]] = {}
    stars: list[ir.ImportFrom] = []
    for index, node in enumerate(body):
        stars += _stars(node)
        for name in names_of(node):
            binders.setdefault(name, []).append(index)
    imported = _imported(body)
    for index, node in enumerate(body):
        for name in _changed(node):
            # what becomes of another module, or of something from outside the tree, is not of this one
            if name not in imported and name in binders and index not in binders[name]:
                binders[name].append(index)
                binders[name].sort()
    return binders, stars


def _imported(body: ir.Body) -> set[str]:
    names: set[str] = set()
    for node in body:
        if isinstance(node, (ir.Import, ir.ImportFrom)):
            names |= names_of(node)
        for part in walk.blocks(node):
            names |= _imported(part)
    return names


def _stars(node: ir.Stmt) -> Iterator[ir.ImportFrom]:
    if isinstance(node, ir.ImportFrom) and not node.names:
        yield node
    for part in walk.blocks(node):
        for each in part:
            yield from _stars(each)


def _changed(node: ir.Stmt) -> Iterator[str]:
    """Yield the names that stand for what a statement may change."""
    if isinstance(node, (ir.FunctionDef, ir.ClassDef, ir.Import, ir.ImportFrom)):
        return
    if isinstance(node, ir.ExprStmt):
        for called in walk.calls(node.value):
            yield from _roots(called.func)
            for arg in called.args:
                yield from _roots(arg.value)
    elif isinstance(node, (ir.Assign, ir.AugAssign, ir.AnnAssign)):
        for target in walk.targets(node):
            if not isinstance(target, ir.Name):
                yield from _roots(target)
    elif isinstance(node, ir.Delete):
        for target in node.targets:
            yield from _roots(target)
    for part in walk.blocks(node):
        for each in part:
            yield from _changed(each)


def _roots(node: ir.Expr) -> Iterator[str]:
    while isinstance(node, (ir.Attribute, ir.Subscript)):
        node = node.value
    if isinstance(node, ir.Name):
        yield node.id
