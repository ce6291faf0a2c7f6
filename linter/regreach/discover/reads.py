"""Who reads a registry, and the functions from which the reads are reached."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass

from regreach.discover.bodies import last_of
from regreach.discover.containers import Container, container_of, instance_class
from regreach.discover.definitions import Definition, definitions, local_imports
from regreach.discover.found import Place
from regreach.discover.names import ClassRef, Imported, Target
from regreach.discover.scopes import Scope, scope_of, whole_words
from regreach.discover.stores import ADDING
from regreach.discover.uses import Uses
from regreach.facts import ir, walk
from regreach.facts.parse import ModuleFacts
from regreach.model import Spot
from regreach.registrations import exact_line
from regreach.supply.scans import matches

_LEVELS = 3  # of callers
_MOST = 40  # consumers of one registry
_FILLING = {*ADDING, "update", "clear", "__setitem__", "remove", "discard", "extend"}
_BLOCKS = {"body", "orelse", "handlers", "final", "cases", "decorators"}


@dataclass(frozen=True, slots=True)
class Read:
    """A read of a container: the function in which it stands, None at a module level."""

    place: Place
    definition: Definition | None


class Reads:
    """Finds reads and consumers; what was found out about a module is kept."""

    def __init__(self, uses: Uses) -> None:
        self.uses, self.names, self.program = uses, uses.names, uses.names.program
        self.words = uses.candidates.words
        self._scopes: dict[tuple[str, str], tuple[Scope, dict[str, Imported]]] = {}
        self._class_reads: dict[tuple[str, str, str], list[Read]] = {}

    def of(self, container: Container, registrars: Collection[str]) -> list[Read]:
        """Return the reads of a container outside of its registrars, in order of their places."""
        if container.attr is None:
            found = list(self._of_name(container))
        else:
            found = list(self._of_object(container, registrars))
        found = [r for r in found if r.definition is None or r.definition.path not in registrars]
        unique = {(r.place.path, r.place.spot.path, r.place.spot.line): r for r in found}
        return [unique[key] for key in sorted(unique, key=lambda k: (k[1], k[2]))]

    def _of_name(self, container: Container) -> Iterator[Read]:
        """Yield the reads of what a module or a class binds."""
        last = container.name.rpartition(".")[2]
        for module in self.words.of(last):
            facts, path = self.program.readable_facts(module), self.program.path(module)
            if facts is None or path is None:
                continue
            called = {last}
            for name, bound in self.names.of(module).bound.items():
                if isinstance(bound, Imported) and bound.name == last:
                    called.add(name)
            for definition, scope, local in self._functions(module, facts, called):
                for inner in scope.all():
                    for node, dotted in loads(inner.statements):
                        if dotted.rpartition(".")[2] not in called:
                            continue
                        for each in container_of(
                            self.names, module, definition.owner, inner, node, local
                        ):
                            if each == container:
                                yield self._read(definition, facts, path, dotted, inner)
            yield from self._at_level(module, facts, path, container, called)

    def _at_level(
        self, module: str, facts: ModuleFacts, path: str, container: Container, called: set[str]
    ) -> Iterator[Read]:
        """Yield the reads that run when a module is imported."""
        top = Scope("", ())
        for node, around in walk.statements(facts):
            if around.in_function or isinstance(node, (ir.FunctionDef, ir.ClassDef)):
                continue
            for expr, dotted in loads([node]):
                if dotted.rpartition(".")[2] not in called:
                    continue
                if container in container_of(self.names, module, None, top, expr, {}):
                    line = exact_line(facts, node.line, [dotted.rpartition(".")[2]])
                    spot = Spot(path, line, facts.line_text(line))
                    yield Read(Place(module, spot), None)

    def _of_object(self, container: Container, registrars: Collection[str]) -> Iterator[Read]:
        """Yield the reads of what an object has: in the methods of its class, and where those are called."""
        target = self.names.resolve(container.module, container.name)
        cls = instance_class(self.names, target) if target is not None else None
        if cls is None or container.attr is None:
            return
        within = [r for r in self._in_class(cls, container.attr) if r.definition is not None]
        methods = {r.definition.node.name for r in within if r.definition is not None}
        methods |= {"__getitem__", "get", "__contains__"} if container.attr == "" else set()
        wanted = {m for m in methods if m not in ("__init__", "__repr__", "__str__", "__len__")}
        yield from within
        last = container.name.rpartition(".")[2]
        for module in self.words.of(last):
            facts, path = self.program.readable_facts(module), self.program.path(module)
            if facts is None or path is None:
                continue
            for definition, scope, local in self._functions(module, facts, {last}):
                if definition.path in registrars:
                    continue
                for inner in scope.all():
                    for _, dotted in loads(inner.statements):
                        if self._reads_object(module, inner, dotted, container, wanted, local):
                            yield self._read(definition, facts, path, dotted, inner, last)

    def of_foreign(self, container: Container, is_read: Callable[[Target], bool]) -> list[Read]:
        """Return the uses of an object that the tree does not define, of those that ``is_read`` says are reads."""
        found: list[Read] = []
        last = container.name.rpartition(".")[2]
        for module in self.words.of(last):
            facts, path = self.program.readable_facts(module), self.program.path(module)
            if facts is None or path is None:
                continue
            for definition, scope, local in self._functions(module, facts, {last}):
                for inner in scope.all():
                    for _, dotted in loads(inner.statements):
                        if last not in dotted.split(".") or is_local_in(inner, dotted):
                            continue
                        target = self.names.resolve(module, dotted, local)
                        if target is not None and is_read(target):
                            found.append(self._read(definition, facts, path, dotted, inner, last))
                            break
        unique = {(r.place.path, r.place.spot.path, r.place.spot.line): r for r in found}
        return [unique[key] for key in sorted(unique, key=lambda k: (k[1], k[2]))]

    def _reads_object(
        self,
        module: str,
        scope: Scope,
        dotted: str,
        container: Container,
        methods: Collection[str],
        local: Mapping[str, Imported],
    ) -> bool:
        parts = dotted.split(".")
        if scope.is_local(parts[0]):
            return False
        target = self.names.resolve(module, dotted, local)
        if target is None or target.kind != "value":
            return False
        name = container.name
        if (target.module, target.name) != (container.module, name):
            return False
        return not target.rest or target.rest[0] in methods or target.rest[0] == container.attr

    def _in_class(self, cls: ClassRef, attr: str) -> list[Read]:
        """Return the reads of an attribute in the methods of a class, and the methods that call those."""
        key = (cls.module, cls.name, attr)
        if key in self._class_reads:
            return self._class_reads[key]
        found: list[Read] = []
        for home in self.names.ancestry(cls):
            facts, path = self.program.readable_facts(home.module), self.program.path(home.module)
            if facts is None or path is None:
                continue
            methods = [
                d
                for d in definitions(home.module, facts)
                if d.owner is not None and d.owner.name == home.name
            ]
            for definition in methods:
                scope, _ = self._scope(definition, facts)
                own = scope.params[0].name if scope.params else ""
                wanted = f"{own}.{attr}" if attr else own
                for inner in scope.all():
                    for _, dotted in loads(inner.statements):
                        if dotted == wanted or (attr and dotted.startswith(f"{wanted}.")):
                            found.append(self._read(definition, facts, path, dotted, inner, attr))
                            break
            reading = {r.definition.node.name for r in found if r.definition is not None}
            for definition in methods:
                scope, _ = self._scope(definition, facts)
                own = scope.params[0].name if scope.params else ""
                for inner in scope.all():
                    for _, dotted in loads(inner.statements):
                        first, _, rest = dotted.partition(".")
                        if first == own and rest in reading and definition.node.name not in reading:
                            found.append(self._read(definition, facts, path, dotted, inner, rest))
                            break
        self._class_reads[key] = found
        return found

    def _functions(
        self, module: str, facts: ModuleFacts, words: Collection[str]
    ) -> Iterator[tuple[Definition, Scope, dict[str, Imported]]]:
        """Yield the functions of a module whose text has one of the words."""
        pattern = whole_words(words)
        wanted = set(facts.slices_with(pattern))
        for definition in definitions(module, facts):
            if definition.node.slice is None or definition.node.slice in wanted:
                scope, local = self._scope(definition, facts)
                yield definition, scope, local

    def _scope(
        self, definition: Definition, facts: ModuleFacts
    ) -> tuple[Scope, dict[str, Imported]]:
        key = (definition.module, f"{definition.name}@{definition.node.line}")
        if key not in self._scopes:
            scope = scope_of(facts, definition.node)
            self._scopes[key] = scope, local_imports(self.names, definition.module, scope)
        return self._scopes[key]

    def _read(
        self,
        definition: Definition,
        facts: ModuleFacts,
        path: str,
        dotted: str,
        scope: Scope,
        word: str = "",
    ) -> Read:
        last = word or dotted.rpartition(".")[2]
        line = _line_of(scope, facts, dotted, last)
        spot = Spot(path, line, facts.line_text(line))
        return Read(Place(definition.path, spot), definition)

    def consumers(self, reads: list[Read], registrars: Collection[str]) -> list[Place]:
        """Return the functions from which the reads are reached, nearest first, a few levels of callers."""
        seen = {r.definition.path for r in reads if r.definition is not None} | set(registrars)
        level = [r.definition for r in reads if r.definition is not None]
        found: list[Place] = []
        for _ in range(_LEVELS):
            callers: dict[str, tuple[Definition, Place]] = {}
            for callee in {d.path: d for d in level}.values():
                for caller, spot in self._callers(callee):
                    if caller.path not in seen:
                        callers.setdefault(caller.path, (caller, Place(caller.path, spot)))
            found += [callers[path][1] for path in sorted(callers)]
            seen |= set(callers)
            level = [definition for definition, _ in callers.values()]
            if len(found) >= _MOST or not level:
                break
        return found[:_MOST]

    def _callers(self, callee: Definition) -> Iterator[tuple[Definition, Spot]]:
        """Yield the functions that call a function, as far as names tell."""
        word = callee.node.name
        if word == "__init__" and callee.owner is not None:
            word = callee.owner.name.rpartition(".")[2]
        elif word.startswith("__"):
            return
        name = re.escape(word.encode())
        called = matches(rb"(?<!def )\b%b\s*\(" % name, word.encode())
        modules = [m for m in self.words.of(word) if self.program.ask(m, called) is True]
        if len(modules) > _MOST:
            return  # a word like `get`: what it means is not told by it
        for module in modules:
            facts, path = self.program.readable_facts(module), self.program.path(module)
            if facts is None or path is None:
                continue
            for definition, scope, local in self._functions(module, facts, {word}):
                for inner in scope.all():
                    line = self._call_of(definition, scope, inner, local, callee, word)
                    if line:
                        exact = exact_line(facts, line, [word])
                        yield definition, Spot(path, exact, facts.line_text(exact))
                        break

    def _call_of(
        self,
        definition: Definition,
        scope: Scope,
        inner: Scope,
        local: Mapping[str, Imported],
        callee: Definition,
        word: str,
    ) -> int:
        for call in inner.calls():
            if last_of(call.func) == word:
                if self._is_call_of(definition, scope, inner, local, callee, call.func):
                    return call.line
        return 0

    def _is_call_of(
        self,
        definition: Definition,
        scope: Scope,
        inner: Scope,
        local: Mapping[str, Imported],
        callee: Definition,
        func: ir.Expr,
    ) -> bool:
        dotted = walk.dotted_name(func)
        if dotted is None:
            return False
        first, _, rest = dotted.partition(".")
        own = scope.params[0].name if definition.has_self and scope.params else ""
        if definition.owner is not None and first == own:
            found = self.names.member(definition.owner, rest) if "." not in rest else None
            return found is not None and found[1] is callee.node
        if inner.is_local(first):
            return False
        target = self.names.resolve(definition.module, dotted, local)
        return target is not None and self._is(target, callee)

    def _is(self, target: Target, callee: Definition) -> bool:
        if target.kind == "function":
            return (target.module, target.name) == (callee.module, callee.name)
        cls: ClassRef | None = None
        member = "__init__"
        if target.kind == "class":
            if target.rest:
                outer = Target("class", target.module, target.name, target.rest[:-1], target.node)
                cls, member = self.names.class_of(outer), target.rest[-1]
            else:
                cls = self.names.class_of(target)
        elif target.kind == "value" and len(target.rest) == 1:
            cls, member = instance_class(self.names, target), target.rest[0]
        found = self.names.member(cls, member) if cls is not None else None
        return found is not None and found[1] is callee.node


def is_local_in(scope: Scope, dotted: str) -> bool:
    """Return whether a name begins with a variable of a function."""
    return scope.is_local(dotted.partition(".")[0])


def _line_of(scope: Scope, facts: ModuleFacts, dotted: str, word: str) -> int:
    for node in scope.statements:
        if not isinstance(node, (ir.FunctionDef, ir.ClassDef)):
            if any(d == dotted for _, d in loads([node])):
                return exact_line(facts, node.line, [word] if word else [dotted])
    return scope.node.line if scope.node is not None else 1


def loads(statements: list[ir.Stmt]) -> Iterator[tuple[ir.Expr, str]]:
    """Yield the names and chains of attributes that statements read, not those that they only fill."""
    for node in statements:
        if isinstance(node, (ir.FunctionDef, ir.ClassDef, ir.Delete, ir.Import, ir.ImportFrom)):
            continue
        if isinstance(node, ir.Assign):
            for target in node.targets:
                yield from _of_target(target)
            yield from _read_in(node.value)
        elif isinstance(node, (ir.AnnAssign, ir.AugAssign)):
            yield from _of_target(node.target)
            yield from _read_in(node.value)
        else:
            yield from _read_in(node)


def _of_target(target: ir.Expr) -> Iterator[tuple[ir.Expr, str]]:
    """Yield what an assignment reads to find its target: an index, not what is indexed."""
    while isinstance(target, (ir.Subscript, ir.Attribute)):
        if isinstance(target, ir.Subscript):
            yield from _read_in(target.index)
        target = target.value


def _read_in(node: object) -> Iterator[tuple[ir.Expr, str]]:
    if isinstance(node, tuple):
        for item in node:
            yield from _read_in(item)
        return
    if isinstance(node, (ir.Name, ir.Attribute)):
        dotted = walk.dotted_name(node)
        if dotted is not None:
            yield node, dotted
            # the method that is called is none of the container's name
            while isinstance(node, ir.Attribute):
                node = node.value
                inner = walk.dotted_name(node)
                if inner is not None:
                    yield node, inner
            return
    if isinstance(node, ir.Call) and isinstance(node.func, ir.Attribute):
        if node.func.attr in _FILLING:
            yield from _read_in(tuple(a.value for a in node.args))
            return
    if is_dataclass(node) and not isinstance(node, type):
        for each in fields(node):
            if each.name in _BLOCKS and isinstance(node, _COMPOUND):
                continue
            yield from _read_in(getattr(node, each.name))


_COMPOUND = (ir.If, ir.For, ir.While, ir.Try, ir.With, ir.Match)
