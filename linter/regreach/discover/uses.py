"""Uses of registrars in a tree: registrations, with keys, and functions that hand on what they are given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from regreach.discover.bodies import called_at_margin, classes_in, last_of
from regreach.discover.candidates import Candidates
from regreach.discover.containers import Container
from regreach.discover.definitions import Definition, definitions, is_named
from regreach.discover.family import Family
from regreach.discover.found import Key, Registration
from regreach.discover.handing_on import bind
from regreach.discover.key_values import KeyValues
from regreach.discover.names import ClassRef, Imported, Target, level
from regreach.discover.registrars import Callee, Registrar, Registrars, bound_to
from regreach.discover.scopes import whole_words
from regreach.discover.shapes import Mode
from regreach.facts import ir, walk
from regreach.facts.parse import ModuleFacts
from regreach.model import Spot
from regreach.registrations import exact_line
from regreach.supply.scans import matches

_ROUNDS = 5


@dataclass(slots=True)
class Filled:
    """A container with the registrars that fill it, and what they put into it."""

    container: Container
    registrars: dict[str, tuple[Registrar, list[Mode]]] = field(default_factory=dict)
    registrations: list[Registration] = field(default_factory=list)
    decorated: int = 0  # of the registrations, those by a decorator
    lasting: int = 0  # those that are no passing state of a run


class Uses:
    """Looks for uses until no new registrar comes to light."""

    def __init__(self, registrars: Registrars, candidates: Candidates, modules: list[str]) -> None:
        self.registrars, self.names = registrars, registrars.names
        self.program = self.names.program
        self.candidates, self.words, self.modules = candidates, candidates.words, frozenset(modules)
        self.filled: dict[Container, Filled] = {}
        self.family = Family(self.names, candidates)
        self._done: dict[str, set[str]] = {}
        # of the module that is looked through: the imports of its functions, and which of these it calls
        self._local: dict[str, Imported] = {}
        self._called_at_margin: frozenset[str] = frozenset()

    def find(self) -> None:
        """Find all registrars and their uses."""
        for _ in range(_ROUNDS):
            wanted = self._wanted()
            self.program.prefetch(sorted(m for m in wanted if not self.program.is_known(m)))
            news = False
            for module, words in sorted(wanted.items()):
                news |= self._handing_on(module, words)
            if not news:
                break
        for module, words in sorted(self._wanted().items()):
            self._registrations(module, words)
        self._subclasses()
        for registrar in self.registrars.known.values():
            for container, mode in registrar.entries:
                for each in self._of_all(registrar, container):
                    self._of(each, registrar, mode)

    def _of_all(self, registrar: Registrar, container: Container) -> list[Container]:
        """Return a container, or those of all objects of a class, whether these are filled or not."""
        if not container.of_class:
            return [container]
        owner = registrar.definition.owner
        if owner is None or not _is_told(registrar):
            return []
        objects = (o for cls in self.family.heirs(owner) for o in self.family.instances(cls))
        return [bound_to(container, o.module, o.name) for o in objects]

    def _of(self, container: Container, registrar: Registrar, mode: Mode) -> Filled:
        filled = self.filled.setdefault(container, Filled(container))
        path = registrar.definition.path
        modes = filled.registrars.setdefault(path, (registrar, []))[1]
        if mode not in modes:
            modes.append(mode)
        return filled

    def _wanted(self) -> dict[str, set[str]]:
        """Return the modules that may use a registrar, each with the last names of those."""
        wanted: dict[str, set[str]] = {}
        for registrar in list(self.registrars.known.values()):
            definition = registrar.definition
            if all(m.form in ("subclass", "loop") for _, m in registrar.entries):
                continue
            word = definition.node.name
            if word == "__init__" and definition.owner is not None:
                word = definition.owner.name.rpartition(".")[2]
                found = self._calling(word, self.words.of(word))
            elif definition.owner is not None:
                found = self._of_method(definition)
            else:
                found = self._calling(word, self.words.of(word))
            if not _is_told(registrar):
                found = {m for m in found if m == definition.module or self._at_margin(m, word)}
            for module in found:
                wanted.setdefault(module, set()).add(word)
            for alias in self._aliases(word, found):
                for module in self._calling(alias, self.words.of(alias)):
                    wanted.setdefault(module, set()).add(alias)
        return wanted

    def _aliases(self, word: str, modules: Iterable[str]) -> set[str]:
        """Return the names that modules give to something of a name: ``register = REGISTRY.register``."""
        data = word.encode()
        question = matches(rb"(?m)^\w+[ \t]*=[ \t]*[\w.]*\b%b[ \t]*$" % re.escape(data), data)
        return {
            name
            for module in modules
            if self.program.ask(module, question) is True
            for name, bound in self.names.of(module).bound.items()
            if isinstance(bound, ir.Assign)
            and (walk.dotted_name(bound.value) or "").rpartition(".")[2] == word
        }

    def _of_method(self, definition: Definition) -> set[str]:
        """Return the modules that may call a method of a class, or of an object that lives long."""
        assert definition.owner is not None
        word = definition.node.name
        classes = self.family.heirs(definition.owner)
        objects = [o for cls in classes for o in self.family.instances(cls)]
        names = {c.name.rpartition(".")[2] for c in classes} | {o.name for o in objects}
        names = {n.rpartition(".")[2] for n in names}
        if word == "__call__":
            return {m for n in names for m in self.words.of(n)}
        using = {m for n in names for m in self.words.of(n)}
        return self._calling(word, using) | {definition.module}

    def _calling(self, word: str, modules: Iterable[str]) -> set[str]:
        """Return those of the modules that seem to call something of a name, or to name it otherwise."""
        name = re.escape(word.encode())
        pattern = rb"(?<!def )\b%b\s*\(|@[\w.]*\b%b\b|\b%b[ \t]+as\b|=[ \t]*[\w.]*\b%b\b" % (
            (name,) * 4
        )
        question = matches(pattern, word.encode())
        return {m for m in modules if self.program.ask(m, question) is True}

    def _at_margin(self, module: str, word: str) -> bool:
        """Return whether a line at the margin, or a decorator, seems to call something of this name."""
        name = re.escape(word.encode())
        pattern = rb"(?m)^(?:[ \t]*@|(?:[\w., \t]+=[ \t]*)?)(?:\w+\.)*%b\b[ \t]*(?:\(|$)" % name
        return self.program.ask(module, matches(pattern, word.encode())) is True

    def _handing_on(self, module: str, words: set[str]) -> bool:
        """Learn the functions of a module that call a registrar with what they are given."""
        known = self._done.setdefault(module, set())
        new = words - known
        facts = self.program.readable_facts(module)
        if facts is None or not new:
            return False
        self._done[module] |= new
        called = self._called(module, new)
        pattern = whole_words(called)
        wanted = set(facts.slices_with(pattern))
        news = False
        for definition in definitions(module, facts):
            if definition.node.slice is None or definition.node.slice in wanted:
                entries = self.registrars.handed_on(definition, facts)
                news |= self.registrars.learn(definition, entries)
                kept = self.registrars.kept_first(definition, facts)
                if kept is not None:
                    news |= self.registrars.learn(*kept)
        return news

    def _called(self, module: str, words: set[str]) -> set[str]:
        """Return the words and what the module's imports and aliases call the same things."""
        called = set(words)
        for name, bound in self.names.of(module).bound.items():
            if isinstance(bound, Imported) and bound.name in words:
                called.add(name)
            elif isinstance(bound, ir.Assign):
                alias = walk.dotted_name(bound.value)
                if alias is not None and alias.rpartition(".")[2] in words:
                    called.add(name)
        if "__call__" in words:
            called |= {n for n in self.names.of(module).bound if n in self.candidates.objects}
        return called

    def _registrations(self, module: str, words: set[str]) -> None:
        facts, path = self.program.readable_facts(module), self.program.path(module)
        if facts is None or path is None:
            return
        called = self._called(module, words)
        pattern = whole_words(called)
        local: dict[str, Imported] = {}
        nodes = list(walk.statements(facts, pattern))
        for node, around in nodes:
            if around.in_function and isinstance(node, (ir.Import, ir.ImportFrom)):
                local |= self.names.imported(module, node)
        self._local = local
        self._called_at_margin = called_at_margin(facts.body)
        owners = {c.name: c for c in classes_in(self.names, module)}
        for node, around in nodes:
            owner, own_name = _owner(facts, owners, around)
            if self._inside_registrar(module, around.scope):
                continue
            if isinstance(node, (ir.FunctionDef, ir.ClassDef)):
                for decorator in node.decorators:
                    value = decorator.value
                    call = value if isinstance(value, ir.Call) else None
                    func = call.func if call is not None else value
                    if last_of(func) in called:
                        callee = self.registrars.callee(module, func, owner, own_name, local)
                        if callee is not None:
                            self._decorated(
                                callee, facts, path, module, node, around, decorator.line, call
                            )
                continue
            for call in walk.calls(node):
                inner = call.func if isinstance(call.func, ir.Call) else None
                func = inner.func if inner is not None else call.func
                if last_of(func) not in called:
                    continue
                callee = self.registrars.callee(module, func, owner, own_name, local)
                if callee is not None:
                    self._calls(callee, facts, path, module, around, call, inner, func)

    def _inside_registrar(self, module: str, scope: str) -> bool:
        """Return whether a scope is in a registrar, or in a class whose objects are what one makes."""
        parts = scope.split(".")
        around = [".".join(parts[:count]) for count in range(1, len(parts) + 1)]
        names = [*around, *(f"{each}.__init__" for each in around)]
        return any((module, name) in self.registrars.known for name in names)

    def _decorated(
        self,
        callee: Callee,
        facts: ModuleFacts,
        path: str,
        module: str,
        node: ir.FunctionDef | ir.ClassDef,
        around: walk.Surroundings,
        line: int,
        call: ir.Call | None,
    ) -> None:
        form = "maker" if call is not None else "bare"
        modes = [e for e in callee.entries if e[1].form == form]
        if call is None and not modes and not any(m.form == "call" for _, m in callee.entries):
            return
        if call is not None and not modes:
            return
        if call is None and not modes:
            modes = [e for e in callee.entries if e[1].form == "call"][:1]
        spot = Spot(path, line, facts.line_text(line))
        arguments = bind(modes[0][1].params, call) if call is not None else {}
        for container, mode in modes:
            if container.of_class:
                continue
            if call is not None:
                arguments = bind(mode.params, call)
            filled = self._of(container, callee.registrar, mode)
            for key in self._key_values().keys(module, mode, arguments, node):
                new = _registration(facts, module, spot, node.name, key, around)
                _add(filled, new, decorated=True, lasting=True)

    def _calls(
        self,
        callee: Callee,
        facts: ModuleFacts,
        path: str,
        module: str,
        around: walk.Surroundings,
        call: ir.Call,
        inner: ir.Call | None,
        func: ir.Expr,
    ) -> None:
        line = exact_line(facts, call.line, [last_of(func)])
        spot = Spot(path, line, facts.line_text(line))
        for container, mode in callee.entries:
            if container.of_class:
                continue
            if inner is not None:
                if mode.form != "maker" or not call.args:
                    continue
                arguments, thing = bind(mode.params, inner), call.args[0].value
            else:
                if mode.form not in ("call", "bare"):
                    continue
                arguments = bind(mode.params, call)
                given = arguments.get(mode.stored)
                if given is None:
                    continue
                thing = given
            target = self._target(module, thing)
            node = target.node if target is not None and not target.rest else None
            filled = self._of(container, callee.registrar, mode)
            symbol = walk.dotted_name(thing) or _text_of(thing)
            lasting = (
                not around.in_function
                or around.scope in self._called_at_margin
                or self._is_lasting(module, thing, target)
            )
            definition = node if isinstance(node, (ir.FunctionDef, ir.ClassDef)) else None
            for key in self._key_values().keys(module, mode, arguments, definition, thing):
                new = _registration(facts, module, spot, symbol, key, around)
                # a name that is written down stays, whatever has it
                named = any(isinstance(part, str) for part in key)
                _add(filled, new, decorated=inner is not None, lasting=lasting or named)

    def _target(self, module: str, value: ir.Expr) -> Target | None:
        dotted = walk.dotted_name(value)
        return self.names.resolve(module, dotted, self._local) if dotted is not None else None

    def _is_lasting(self, module: str, thing: ir.Expr, target: Target | None) -> bool:
        """Return whether what is registered in a function is there for good: a definition, or made of them."""
        if target is not None:
            return target.kind in ("function", "class", "outside", "value")
        if isinstance(thing, ir.Const):
            return isinstance(thing.value, str)
        if isinstance(thing, ir.Call):
            dotted = walk.dotted_name(thing.func)
            made = self.names.resolve(module, dotted, self._local) if dotted is not None else None
            return made is not None and made.kind in ("class", "outside")
        return isinstance(thing, ir.Lambda)

    def _key_values(self) -> KeyValues:
        return KeyValues(self.names, self._local)

    def _subclasses(self) -> None:
        """Add what classes register that inherit from one with ``__init_subclass__``."""
        for registrar in self.registrars.known.values():
            owner = registrar.definition.owner
            modes = [e for e in registrar.entries if e[1].form == "subclass"]
            if owner is None or not modes:
                continue
            for heir in self.family.heirs(owner):
                path, facts = (
                    self.program.path(heir.module),
                    self.program.readable_facts(heir.module),
                )
                if path is None or facts is None or heir.name == owner.name:
                    continue
                spot = Spot(path, heir.node.line, facts.line_text(heir.node.line))
                for container, mode in modes:
                    filled = self._of(container, registrar, mode)
                    for key in self._key_values().keys(heir.module, mode, {}, heir.node):
                        new = Registration(heir.module, spot, heir.name, key, "import")
                        _add(filled, new, decorated=True, lasting=True)


def _is_told(registrar: Registrar) -> bool:
    """Return whether a function looks like a registrar by itself, whoever calls it."""
    forms = {mode.form for _, mode in registrar.entries}
    return bool(forms & {"maker", "bare"}) or is_named(registrar.definition.name)


def _registration(
    facts: ModuleFacts,
    module: str,
    spot: Spot,
    symbol: str,
    key: Key,
    around: walk.Surroundings,
) -> Registration:
    guards = tuple(
        f"else of: {facts.statement_text(g.line)}"
        if g.kind == "else"
        else facts.statement_text(g.line)
        for g in around.guards
    )
    when = around.scope if around.in_function else "import"
    return Registration(module, spot, symbol, key, when, guards)


def _add(filled: Filled, new: Registration, *, decorated: bool, lasting: bool) -> None:
    if new not in filled.registrations:
        filled.registrations.append(new)
        filled.decorated += decorated
        filled.lasting += lasting


def _owner(
    facts: ModuleFacts, owners: Mapping[str, ClassRef], around: walk.Surroundings
) -> tuple[ClassRef | None, str]:
    """Return the class in a method of which a statement stands, and what the method calls its object."""
    if not around.in_function:
        return None, ""
    parts = around.scope.split(".")
    for count in range(len(parts) - 1, 0, -1):
        cls = owners.get(".".join(parts[:count]))
        if cls is None:
            continue
        for node in level(cls.node.body):
            if isinstance(node, ir.FunctionDef) and node.name == parts[count]:
                params = facts.params_of(node)
                return cls, params[0].name if params else ""
    return None, ""


def _text_of(value: ir.Expr) -> str:
    if isinstance(value, ir.Const) and isinstance(value.value, str):
        return value.value
    if isinstance(value, ir.Call):
        return walk.dotted_name(value.func) or ""
    return ""
