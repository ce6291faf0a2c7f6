"""The modules of a tree as they are run when only their imports and their registrations matter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from regreach.evaluate.finished import FinishedModules
from regreach.evaluate.machine import Machine
from regreach.evaluate.world import World
from regreach.facts import ir, walk
from regreach.facts.parse import ModuleFacts
from regreach.facts.skeleton import Pruning, other_names
from regreach.graph import ImportGraph
from regreach.init_path import Key
from regreach.pack import Pack
from regreach.program import Program
from regreach.registrations import Use, find_uses, split_path
from regreach.supply.prediction import likely_modules, mentioning_modules
from regreach.supply.scans import Question, matches

_MAX_WORDS = 60
# A line at the margin that calls something or decorates with it.
_CALL = rb"\n(?:@[ \t.\w]*\b(?:%b)\b|(?!def |class |async )[^\s#\"'@](?:[^\n]*\W)?(?:%b)\()"


class QuickSources:
    """Sources for the machine in which a module's body has only what has to be run when it is loaded."""

    def __init__(
        self, program: Program, effects: Effects, top: str, packages: frozenset[str]
    ) -> None:
        """Take a tree whose package is ``top``; ``packages`` are that and those that are not installed."""
        self._program = program
        self.has, self.is_package = program.has, program.is_package
        self.is_namespace, self.children = program.is_namespace, program.children
        self.facts = program.facts
        self._words = [word.encode() for word in effects.registrars]
        self._calls = call_at_margin(effects.importers)
        words = (*effects.registrars, *effects.importers)
        self._pruning = Pruning(top, words, packages - {top})
        self._packages = packages
        self._bodies: dict[str, ir.Body | None] = {}
        self.skimmed = 0

    def is_known(self, module: str) -> bool:
        """Return whether a module was run before."""
        return module in self._bodies

    def body(self, module: str) -> ir.Body | None:
        """Return what is run when a module is loaded; None as for ``facts``. Raises SourceError."""
        if module not in self._bodies:
            self._bodies[module] = self._body(module)
        return self._bodies[module]

    def _body(self, module: str) -> ir.Body | None:
        program = self._program
        if not program.is_known(module):
            data = program.source(module)
            if (
                data
                and not any(word in data for word in self._words)
                and not program.ask(module, self._calls)
            ):
                found = program.skim(module, self._packages)
                if found is not None:
                    self.skimmed += 1
                    return found
        facts = program.facts(module)
        return self._pruning.skeleton(facts.body).body if facts is not None else None


def call_at_margin(names: Sequence[str]) -> Question:
    """Ask whether one of these functions is called on a line that begins at the margin."""
    words = [name.encode() for name in names]
    any_of = b"|".join(map(re.escape, words)) or b"(?!)"
    return matches(_CALL % (any_of, any_of), *words)


def quick_machine(
    program: Program, pack: Pack, world: World, graph: ImportGraph, only: Key | None = None
) -> Machine:
    """Return a machine that runs modules as far as what they import and register goes.

    With ``only``, that is right as to this key.
    """
    top = pack.location.name
    packages = frozenset((top, *(name.partition(".")[0] for name in world.absent)))
    program.prefetch(
        mentioning_modules(program, pack), skim=likely_modules(program, pack), packages=packages
    )
    effects = effects_of(program, pack, graph, only)
    machine = Machine(QuickSources(program, effects, top, packages), world, top)
    registrars = [path for registry in pack.registries for path in registry.registrars]
    machine.finished = FinishedModules(program, world, top, registrars)
    return machine


@dataclass(frozen=True, slots=True)
class Effects:
    """Names of functions that matter when they are called while a module is loaded.

    ``registrars`` register something, ``importers`` import a module that does.
    """

    registrars: tuple[str, ...]
    importers: tuple[str, ...]


def effects_of(
    program: Program, pack: Pack, graph: ImportGraph, only: Key | None = None
) -> Effects:
    """Return the functions of a tree whose calls have an effect on a registry.

    With ``only``, a key, those that import what registers others are left out.
    """
    words = {
        split_path(path)[1].rpartition(".")[2]
        for registry in pack.registries
        for path in registry.registrars
    }
    waiting = sorted(words)
    while waiting and len(words) < _MAX_WORDS:
        found = set()
        for module in program.mentioning(*(word.encode() for word in waiting)):
            facts = program.readable_facts(module)
            if facts is not None:
                others = other_names(facts.body, words)
                found |= others | _callers(facts, [*waiting, *sorted(others)])
        waiting = sorted(found - words)
        words |= found
    modules = {
        use.module
        for registry in pack.registries
        for use in find_uses(program, registry)
        if only is None or _may_be(use, only)
    }
    importers = {
        called_as(edge.scope, program.readable_facts(edge.importer))
        for module in sorted(modules)
        for edge in graph.importers(module)
        if edge.kind == "lazy"
    }
    return Effects(tuple(sorted(words)), tuple(sorted(importers - words)))


def _may_be(use: Use, key: Key) -> bool:
    """Return whether a use of a registrar may be one for this key."""
    texts = [part.value if isinstance(part, ir.Const) else None for part in use.key]
    return None in texts or tuple(texts) == key


def _callers(facts: ModuleFacts, words: Sequence[str]) -> set[str]:
    """Return the names of functions in whose bodies a function of these names is called."""
    found = set()
    for node, around in walk.statements(facts, *words):
        if around.in_function and any(
            (walk.dotted_name(call.func) or "").rpartition(".")[2] in words
            for call in walk.calls(node)
        ):
            found.add(called_as(around.scope, facts))
    return found


def called_as(scope: str, facts: ModuleFacts | None) -> str:
    """Return the name under which the outermost function around something is called.

    That is its own, or its class's for a special method.
    """
    first, _, rest = scope.partition(".")
    classes = {node.name for node in facts.body if isinstance(node, ir.ClassDef)} if facts else ()
    if first not in classes or not rest:
        return first
    method = rest.partition(".")[0]
    return first if method.startswith("__") else method
