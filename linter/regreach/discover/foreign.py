"""Registries whose class is not of the tree: objects that modules make, and fill through their methods."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from regreach.discover.bodies import assignments, last_of
from regreach.discover.containers import Container
from regreach.discover.definitions import is_named
from regreach.discover.folding import expanded, folded
from regreach.discover.found import FoundRegistrar, FoundRegistry, Key, Place, Registration
from regreach.discover.names import Imported, Target, level
from regreach.discover.reads import Reads
from regreach.discover.scopes import whole_words
from regreach.discover.uses import Uses
from regreach.facts import ir, walk
from regreach.facts.parse import ModuleFacts
from regreach.model import Spot
from regreach.registrations import exact_line

_KEYS = ("name", "key", "id")


@dataclass(slots=True)
class Foreign:
    """An object made by a call of something outside the tree."""

    module: str
    name: str
    maker: str
    spot: Spot
    methods: dict[str, str] = field(default_factory=dict)  # those that register, and their form
    registrations: list[Registration] = field(default_factory=list)

    @property
    def path(self) -> str:
        """``module:name``."""
        return f"{self.module}:{self.name}"


class ForeignRegistries:
    """Finds them. That something is registered must be said by a name: of the maker, the object or a method."""

    def __init__(self, uses: Uses, reads: Reads) -> None:
        self._uses, self._reads = uses, reads
        self._names, self._program = uses.names, uses.names.program
        self._objects: dict[tuple[str, str], Foreign] = {}

    def find(self) -> list[FoundRegistry]:
        """Return the registries that have registrations."""
        words: set[str] = set()
        for module in sorted(self._uses.candidates.registering):
            words |= self._objects_of(module)
        modules = {m for word in words for m in self._uses.words.of(word)}
        for module in sorted(modules):
            self._registrations(module, words)
        found = [o for o in self._objects.values() if o.registrations]
        return [self._registry(each) for each in sorted(found, key=lambda o: o.path)]

    def _objects_of(self, module: str) -> set[str]:
        """Take in what a module makes by calls of what is outside the tree; return the names."""
        facts, path = self._program.readable_facts(module), self._program.path(module)
        if facts is None or path is None:
            return set()
        words: set[str] = set()
        lines = _lines(facts.body)
        for name, value in assignments(facts.body):
            if not isinstance(value, ir.Call):
                continue
            dotted = walk.dotted_name(value.func)
            maker = self._names.resolve(module, dotted) if dotted is not None else None
            if maker is None or maker.kind != "outside":
                continue
            text = ".".join((maker.module, *maker.rest))
            if is_named(name) or is_named(text.rpartition(".")[2]) or is_named(text):
                spot = Spot(path, lines[name], facts.line_text(lines[name]))
                self._objects[module, name] = Foreign(module, name, text, spot)
                words.add(name.rpartition(".")[2])
        return words

    def _object(self, target: Target | None) -> tuple[Foreign, tuple[str, ...]] | None:
        """Return the object that a resolved name stands for, and what of it is asked for."""
        if target is None or target.kind not in ("value", "class"):
            return None
        parts = (target.name, *target.rest)
        for count in range(len(parts), 0, -1):
            found = self._objects.get((target.module, ".".join(parts[:count])))
            if found is not None:
                return found, parts[count:]
        return None

    def _registrations(self, module: str, words: set[str]) -> None:
        facts, path = self._program.readable_facts(module), self._program.path(module)
        if facts is None or path is None:
            return
        pattern = whole_words(words)
        if pattern.search(facts.text) is None:
            return
        nodes = list(walk.statements(facts, pattern))
        local: dict[str, Imported] = {}
        for node, around in nodes:
            if around.in_function and isinstance(node, (ir.Import, ir.ImportFrom)):
                local |= self._names.imported(module, node)
        for node, around in nodes:
            if isinstance(node, (ir.FunctionDef, ir.ClassDef)):
                for decorator in node.decorators:
                    call = decorator.value if isinstance(decorator.value, ir.Call) else None
                    func = call.func if call is not None else decorator.value
                    self._use(
                        facts, path, module, around, decorator.line, func, call, node.name, local
                    )
                continue
            for call in walk.calls(node):
                if isinstance(call.func, ir.Call) and call.args:
                    # REGISTRY("key")(function)
                    line = exact_line(facts, call.line, [last_of(call.func.func)])
                    thing = walk.dotted_name(call.args[0].value) or ""
                    self._use(
                        *(facts, path, module, around, line, call.func.func, call.func),
                        thing,
                        local,
                    )
                elif is_named(last_of(call.func)):
                    line = exact_line(facts, call.line, [last_of(call.func)])
                    self._use(facts, path, module, around, line, call.func, call, "", local)

    def _use(
        self,
        facts: ModuleFacts,
        path: str,
        module: str,
        around: walk.Surroundings,
        line: int,
        func: ir.Expr,
        call: ir.Call | None,
        symbol: str,
        local: dict[str, Imported],
    ) -> None:
        dotted = walk.dotted_name(func)
        target = self._names.resolve(module, dotted, local) if dotted is not None else None
        found = self._object(target)
        if found is None:
            return
        owner, rest = found
        if len(rest) > 1 or (not rest and not (call is not None and _literal_first(call))):
            return
        method = rest[0] if rest else ""
        if not (symbol or is_named(method)):
            return
        form = "call" if not symbol else "bare" if call is None else "maker"
        owner.methods.setdefault(method, form)
        symbol = symbol or _thing(call)
        when = around.scope if around.in_function else "import"
        spot = Spot(path, line, facts.line_text(line))
        guards = tuple(facts.statement_text(g.line) for g in around.guards)
        for key in self._keys(module, call, symbol):
            new = Registration(module, spot, symbol, key, when, guards)
            if new not in owner.registrations:
                owner.registrations.append(new)

    def _keys(self, module: str, call: ir.Call | None, symbol: str) -> list[Key]:
        """Return the keys: text that is given by place or under a name for it, else the own name."""
        for arg in call.args if call is not None else ():
            if arg.keyword in _KEYS or (arg.keyword is None and not arg.star):
                if isinstance(arg.value, ir.Sequence):
                    return [(value,) for value in expanded(self._names, module, arg.value)]
                value = folded(self._names, module, arg.value)
                if isinstance(value, str) and not isinstance(arg.value, ir.Name):
                    return [(value,)]
        return [(symbol,)]

    def _registry(self, found: Foreign) -> FoundRegistry:
        registry = FoundRegistry(Place(found.path, found.spot), "foreign", found.maker)
        registry.registrations = sorted(
            found.registrations, key=lambda r: (r.spot.path, r.spot.line, repr(r.key))
        )
        for method, form in sorted(found.methods.items()):
            called = f"{found.path}.{method}" if method else found.path
            registry.registrars.append(
                FoundRegistrar(Place(found.path, found.spot), called, (form,), ())
            )
        container = Container(found.module, found.name)
        read = self._reads.of_foreign(
            container,
            lambda target: self._is_read(target, found),
        )
        registry.reads = [r.place for r in read]
        registry.lookups = sorted({r.definition.path for r in read if r.definition is not None})
        registry.consumers = self._reads.consumers(read, ())
        return registry

    def _is_read(self, target: Target, found: Foreign) -> bool:
        owner = self._object(target)
        if owner is None or owner[0] is not found:
            return False
        return not owner[1] or (owner[1][0] not in found.methods and not is_named(owner[1][0]))


def _lines(body: ir.Body, above: str = "") -> dict[str, int]:
    lines: dict[str, int] = {}
    for node in level(body):
        if isinstance(node, ir.ClassDef):
            lines |= _lines(node.body, f"{above}{node.name}.")
        elif isinstance(node, ir.Assign):
            lines |= {f"{above}{t.id}": node.line for t in node.targets if isinstance(t, ir.Name)}
        elif isinstance(node, ir.AnnAssign) and isinstance(node.target, ir.Name):
            lines[f"{above}{node.target.id}"] = node.line
    return lines


def _literal_first(call: ir.Call) -> bool:
    first = call.args[0].value if call.args else None
    return isinstance(first, ir.Const) and isinstance(first.value, str)


def _thing(call: ir.Call | None) -> str:
    """Return the name of what a call registers: of its arguments the last that is a name."""
    names: Iterator[str | None] = (
        walk.dotted_name(arg.value) for arg in reversed(call.args if call is not None else ())
    )
    return next((name for name in names if name is not None), "")
