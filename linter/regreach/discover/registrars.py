"""Registrars: functions that keep what they are given, and those that hand it on to one that does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from regreach.discover.containers import Container, instance_class
from regreach.discover.definitions import Definition, is_named, local_imports
from regreach.discover.direct import Entry
from regreach.discover.handing_on import kept_params, through, with_params
from regreach.discover.names import ClassRef, Imported, Names, Target, level
from regreach.discover.scopes import own_params, scope_of
from regreach.facts import ir, walk
from regreach.facts.parse import ModuleFacts


@dataclass(slots=True)
class Registrar:
    """A function with what it fills, and how."""

    definition: Definition
    entries: list[Entry] = field(default_factory=list)

    def add(self, entries: Iterable[Entry]) -> bool:
        """Take in what is not known yet; return whether there was any."""
        before = len(self.entries)
        known = {(c, m.form, m.stored, m.key) for c, m in self.entries}
        for container, mode in entries:
            mark = (container, mode.form, mode.stored, mode.key)
            if mark not in known:
                known.add(mark)
                self.entries.append((container, mode))
        return len(self.entries) > before


@dataclass(frozen=True, slots=True)
class Callee:
    """A registrar that an expression names, and the object through which it is reached, if any."""

    registrar: Registrar
    entries: tuple[Entry, ...]
    through: str = ""  # module:name of the object


class Registrars:
    """What is known of registrars so far, by the module and name of their definition."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.known: dict[tuple[str, str], Registrar] = {}

    def learn(self, definition: Definition, entries: list[Entry]) -> bool:
        """Take in what a function registers; return whether that is news."""
        if not entries:
            return False
        key = (definition.module, definition.name)
        registrar = self.known.setdefault(key, Registrar(definition))
        return registrar.add(entries)

    def callee(
        self,
        module: str,
        func: ir.Expr,
        owner: ClassRef | None = None,
        own_name: str = "",
        local: Mapping[str, Imported] | None = None,
    ) -> Callee | None:
        """Return the registrar that an expression in a module names.

        In a method of the class ``owner``, ``own_name`` is what the object or class is called.
        """
        dotted = walk.dotted_name(func)
        if dotted is None:
            return None
        first, *rest = dotted.split(".")
        if owner is not None and first == own_name:
            return self._method(owner, rest[0]) if len(rest) == 1 else None
        target = self.names.resolve(module, dotted, local)
        return self.of_target(target) if target is not None else None

    def of_target(self, target: Target) -> Callee | None:
        """Return the registrar that a resolved name is."""
        if target.kind == "function" and not target.rest:
            found = self.known.get((target.module, target.name))
            return Callee(found, tuple(found.entries)) if found is not None else None
        if target.kind == "class" and not target.rest:
            cls = self.names.class_of(target)
            return self._method(cls, "__init__") if cls is not None else None
        if target.kind == "class":
            outer = Target("class", target.module, target.name, target.rest[:-1], target.node)
            cls = self.names.class_of(outer)
            return self._method(cls, target.rest[-1]) if cls is not None else None
        if target.kind == "value" and len(target.rest) <= 1:
            cls = instance_class(self.names, target)
            if cls is None:
                return None
            method = target.rest[0] if target.rest else "__call__"
            found_in = self._method(cls, method)
            if found_in is None:
                return None
            through = f"{target.module}:{target.name}"
            entries = tuple(
                (bound_to(container, target.module, target.name), mode)
                for container, mode in found_in.entries
            )
            return Callee(found_in.registrar, entries, through)
        return None

    def _method(self, cls: ClassRef, name: str) -> Callee | None:
        found = self.names.member(cls, name)
        if found is None:
            return None
        home, node = found
        if not isinstance(node, ir.FunctionDef):
            return None
        registrar = self.known.get((home.module, f"{home.name}.{name}"))
        return Callee(registrar, tuple(registrar.entries)) if registrar is not None else None

    def handed_on(self, definition: Definition, facts: ModuleFacts) -> list[Entry]:
        """Return what a function registers by handing it to a registrar that is known."""
        scope = scope_of(facts, definition.node)
        own = own_params(scope.params, definition.has_self)
        local = local_imports(self.names, definition.module, scope)
        own_name = scope.params[0].name if definition.has_self and scope.params else ""
        entries: list[Entry] = []
        told = is_named(definition.name)
        for inner in scope.all():
            for call in inner.calls():
                made = isinstance(call.func, ir.Call)
                func = call.func.func if isinstance(call.func, ir.Call) else call.func
                callee = self.callee(definition.module, func, definition.owner, own_name, local)
                if callee is None or callee.registrar.definition.path == definition.path:
                    continue
                for container, mode in callee.entries:
                    for new in through(scope, inner, own, call, mode, made=made):
                        # who hands on to a function of another sort is most often no registrar
                        if told or new.form != "call":
                            entries.append((container, new))
        return entries

    def kept_first(
        self, definition: Definition, facts: ModuleFacts
    ) -> tuple[Definition, list[Entry]] | None:
        """Return the ``__init__`` of a class whose method hands a registrar what the object was made with."""
        owner = definition.owner
        if owner is None or not definition.has_self or definition.node.name == "__init__":
            return None
        scope = scope_of(facts, definition.node)
        if not scope.params:
            return None
        init = next(
            (
                n
                for n in level(owner.node.body)
                if isinstance(n, ir.FunctionDef) and n.name == "__init__"
            ),
            None,
        )
        if init is None:
            return None
        made = Definition(definition.module, f"{owner.name}.__init__", init, owner)
        maker = scope_of(facts, init)
        own = own_params(maker.params, True)
        local = local_imports(self.names, definition.module, scope)
        kept = kept_params(maker, own)
        entries: list[Entry] = []
        for call in scope.calls():
            callee = self.callee(definition.module, call.func, owner, scope.params[0].name, local)
            if callee is None or callee.registrar.definition.path == made.path:
                continue
            given = with_params(call, scope.params[0].name, kept)
            for container, mode in callee.entries:
                if is_named(callee.registrar.definition.name):
                    for new in through(maker, maker, own, given, mode, made=False):
                        entries.append((container, new))
        return (made, entries) if entries else None


def bound_to(container: Container, module: str, name: str) -> Container:
    """Return the container that an object has where its class was meant."""
    return Container(module, name, container.attr) if container.of_class else container
