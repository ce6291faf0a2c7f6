"""The modules of a tree as they are run when only their imports and their registrations matter."""

from __future__ import annotations

from collections.abc import Collection

from regreach.effects import (
    calls_any,
    calls_when_loaded,
    lazy_importers,
    registering_modules,
    registrars_of,
)
from regreach.evaluate.finished import FinishedModules
from regreach.evaluate.machine import Machine
from regreach.evaluate.world import World
from regreach.facts import ir
from regreach.facts.skeleton import Pruning
from regreach.graph import ImportGraph
from regreach.init_path import Key
from regreach.pack import Pack
from regreach.program import Program
from regreach.supply.prediction import likely_modules, mentioning_modules


class QuickSources:
    """Sources for the machine in which a module's body has only what has to be run when it is loaded."""

    def __init__(
        self,
        program: Program,
        registrars: Collection[str],
        importers: Collection[str],
        top: str,
        packages: frozenset[str],
    ) -> None:
        """Take a tree whose package is ``top``; ``packages`` are that and those that are not installed.

        ``registrars`` are names of functions that register something, ``importers`` of those that import a
        module that does.
        """
        self._program = program
        self.has, self.is_package = program.has, program.is_package
        self.is_namespace, self.children = program.is_namespace, program.children
        self.facts = program.facts
        self._words = [word.encode() for word in sorted(registrars)]
        self._importers = frozenset(importers)
        self._pruning = Pruning(top, {*registrars, *importers}, packages - {top})
        self._packages = packages
        self._bodies: dict[str, ir.Body | None] = {}

    def is_known(self, module: str) -> bool:
        """Return whether a module was run before."""
        return module in self._bodies

    def may_call(self, module: str, names: Collection[str]) -> bool:
        """Return whether a function of one of these names seems to be called when a module is loaded."""
        if not self._program.ask(module, calls_any(names)):
            return False
        found = self._program.skim(module, self._packages)
        if found is None:
            return calls_when_loaded(self._program, module, names)
        return not set(names).isdisjoint(found.called)

    def body(self, module: str) -> ir.Body | None:
        """Return what is run when a module is loaded; None as for ``facts``. Raises SourceError."""
        if module not in self._bodies:
            self._bodies[module] = self._body(module)
        return self._bodies[module]

    def _body(self, module: str) -> ir.Body | None:
        program = self._program
        if not program.is_known(module):
            data = program.source(module)
            if data and not any(word in data for word in self._words):
                found = program.skim(module, self._packages)
                if found is not None and self._importers.isdisjoint(found.called):
                    return found.body
        facts = program.facts(module)
        return self._pruning.skeleton(facts.body) if facts is not None else None


def quick_machine(
    program: Program, pack: Pack, world: World, graph: ImportGraph, only: Key | None = None
) -> Machine:
    """Return a machine that runs modules as far as what they import and register goes.

    With ``only``, that is right as to this key.
    """
    top = pack.location.name
    packages = frozenset((top, *(name.partition(".")[0] for name in world.absent)))
    program.prefetch(mentioning_modules(program, pack), likely_modules(program, pack), packages)
    words = registrars_of(program, pack)
    modules = registering_modules(program, pack, only)
    importers = lazy_importers(program, graph, modules) - words
    machine = Machine(QuickSources(program, words, importers, top, packages), world, top)
    registrars = [path for registry in pack.registries for path in registry.registrars]
    machine.finished = FinishedModules(program, world, top, registrars)
    return machine
