"""Every use of a simple registry's registrars, as written: where it stands, and what its key is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from regreach.facts import ir, walk
from regreach.facts.parse import ModuleFacts
from regreach.facts.registrar_lines import EVERY, described
from regreach.model import Spot
from regreach.program import Program
from regreach.registrations import exact_line, split_path
from regreach.simple.declared import Registrar, SimpleRegistry
from regreach.simple.origins import Origins
from regreach.simple.owners import in_front


@dataclass(frozen=True, slots=True)
class Use:
    """A registration as written.

    ``key`` is the expression of its key, or the text where the own name of what is registered is that;
    None where nothing in the call says it. ``symbol`` is what is registered, ``registrar`` by whom, if one
    did. ``target`` is the template of what the entry leads to, and ``parts`` are what it is filled with.
    ``listed`` is the list or dict (``module:name``) through which a loop goes that gives the key.
    """

    module: str
    spot: Spot
    column: int
    symbol: str
    key: ir.Expr | str | None
    around: walk.Surroundings
    registrar: Registrar | None = None
    target: str = ""
    parts: Mapping[str, ir.Expr] = field(default_factory=dict)
    table: int = 0  # the line of the dict in whose literal it stands
    listed: str = ""


@dataclass(frozen=True, slots=True)
class Placed:
    """A registrar, and where among the positional arguments its key is.

    That is -1 if it cannot be one, and ``EVERY`` if each of them is a key. ``parameters`` are the names of
    those that can be given by position, where they are known.
    """

    registrar: Registrar
    key: str
    position: int
    parameters: tuple[str, ...] = ()

    @property
    def described(self) -> str:
        """The registrar, for a scan of bytes."""
        registrar = self.registrar
        # what stands in front of a method's key no bytes tell
        strip = "" if registrar.owner else registrar.strip
        return described(
            registrar.word,
            self.key,
            self.position,
            named=registrar.named,
            strip=strip,
            until=registrar.until,
        )


def placed(program: Program, registry: SimpleRegistry) -> list[Placed]:
    """Return the registrars with the places of their keys, read off their definitions where the tree has them."""
    return [_placed(program, registrar) for registrar in registry.registrars]


def _placed(program: Program, registrar: Registrar) -> Placed:
    home, name = split_path(registrar.path)
    definitions = _definitions(program, home, name)
    if registrar.attribute:
        return Placed(registrar, "", -1)
    for parameters in reversed(definitions):  # the last one counts: overloads come before it
        own = [p for p in parameters if p.name not in ("self", "cls")]
        names = [p.name for p in own if p.kind == "positional"]
        stars = [p.name for p in own if p.kind == "star"]
        if (registrar.key or not names) and registrar.key in ("", *stars) and stars:
            return Placed(registrar, "", EVERY)
        wanted = registrar.key or (names[0] if names else "")
        position = names.index(wanted) if wanted in names else -1
        return Placed(registrar, wanted, position, tuple(names))
    return Placed(registrar, registrar.key, -1 if registrar.key else 0)


def _definitions(program: Program, home: str, name: str) -> list[tuple[ir.Param, ...]]:
    """Return the parameters of each definition of a function, or of the constructor of a class."""
    facts = program.readable_facts(home) if program.has(home) else None
    if facts is None:
        return []
    return [
        facts.params_of(node)
        for node, around in walk.statements(facts)
        if isinstance(node, ir.FunctionDef)
        and around.within(node.name, function=True).scope in (name, f"{name}.__init__")
    ]


def uses_in(
    program: Program,
    origins: Origins,
    module: str,
    registry: SimpleRegistry,
    registrars: Sequence[Placed],
) -> Iterator[Use]:
    """Yield the uses of a registry's registrars in a module, in the order of its statements."""
    facts, path = program.readable_facts(module), program.path(module)
    if facts is None or path is None:
        return
    finder = _Finder(program, origins, module, facts, path, registrars)
    plumbing = module in registry.homes
    for use in finder.uses():
        # what the registry's own functions do with a key that is handed to them registers nothing yet
        if not (plumbing and use.around.in_function and not _is_literal(use.key)):
            yield use


def _is_literal(key: ir.Expr | str | None) -> bool:
    return isinstance(key, ir.Const)


class _Finder:
    """Looks for uses in one module."""

    def __init__(
        self,
        program: Program,
        origins: Origins,
        module: str,
        facts: ModuleFacts,
        path: str,
        registrars: Sequence[Placed],
    ) -> None:
        self._program, self._origins = program, origins
        self._module, self._facts, self._path = module, facts, path
        words = {each.registrar.word for each in registrars}
        self._by_path = {each.registrar.path: each for each in registrars}
        self._methods = [each for each in registrars if each.registrar.owner]
        # what a library defines is called by its dotted name
        self._by_path |= {path.replace(":", "."): each for path, each in self._by_path.items()}
        self._local: Mapping[str, str] = walk.bindings_of_imports(facts, *sorted(words))
        aliases = {n for n, origin in self._local.items() if origin.rpartition(".")[2] in words}
        self._words = sorted(words | aliases)

    def uses(self) -> Iterator[Use]:
        for node, around in walk.statements(self._facts, *self._words):
            if isinstance(node, ir.ClassDef):
                for base in node.args:
                    found = self._registrar(base.value) if base.keyword is None else None
                    if found is not None and found.registrar.subclasses:
                        key = self._key(found, None, node.name, node)
                        line = exact_line(self._facts, node.line, [node.name])
                        yield self._use(found, line, node.name, key, around, None)
            if isinstance(node, (ir.FunctionDef, ir.ClassDef)):
                for decorator in node.decorators:
                    value = decorator.value
                    call = value if isinstance(value, ir.Call) else None
                    found = self._registrar(call.func if call is not None else value)
                    if found is not None and not _is_elsewhere(found, call):
                        key = self._key(found, call, node.name, node)
                        yield self._use(found, decorator.line, node.name, key, around, call)
                continue
            for call in walk.calls(node):
                found = self._registrar(call.func)
                if found is not None and not _is_elsewhere(found, call):
                    line = exact_line(self._facts, call.line, self._words)
                    name = _registered(node, call)
                    key = self._key(found, call, name.rpartition(".")[2], None)
                    yield self._use(found, line, name, key, around, call)

    def _registrar(self, func: ir.Expr) -> Placed | None:
        dotted = walk.dotted_name(func)
        if dotted is None:
            return None
        if dotted.rpartition(".")[2] not in self._words:
            return None
        found = self._by_path.get(self._origins.of(self._module, dotted, self._local))
        return found if found is not None else self._method(dotted)

    def _method(self, dotted: str) -> Placed | None:
        """Return the registrar that a method of an object is, if the keys given there are the registry's."""
        receiver, _, word = dotted.rpartition(".")
        for each in self._methods if receiver else ():
            registrar = each.registrar
            if registrar.word == word and registrar.strip == in_front(
                self._program, self._origins, registrar, self._module, receiver, self._local
            ):
                return replace(each, registrar=replace(registrar, strip=""))
        return None

    @staticmethod
    def _key(
        found: Placed, call: ir.Call | None, name: str, node: ir.FunctionDef | ir.ClassDef | None
    ) -> ir.Expr | str | None:
        if found.registrar.attribute:
            return _attribute(node, found.registrar.attribute)
        for arg in call.args if call is not None else ():
            if arg.keyword is not None and arg.keyword == found.key:
                return arg.value
        starred = call is not None and any(arg.star for arg in call.args)
        given = [a.value for a in call.args if not a.keyword] if call is not None else []
        if found.position == EVERY:
            return ir.Sequence("tuple", tuple(given)) if given and not starred else None
        if 0 <= found.position < len(given) and not starred:
            return given[found.position]
        return name if found.registrar.named and name and not starred else None

    def _use(
        self,
        found: Placed,
        line: int,
        symbol: str,
        key: ir.Expr | str | None,
        around: walk.Surroundings,
        call: ir.Call | None,
    ) -> Use:
        spot = Spot(self._path, line, self._facts.line_text(line))
        column = self._facts.column_of(line)
        target = found.registrar.target
        parts = _given(call, found.parameters) if target and call is not None else {}
        return Use(self._module, spot, column, symbol, key, around, found.registrar, target, parts)


def _is_elsewhere(found: Placed, call: ir.Call | None) -> bool:
    """Return whether a call gives what makes it a registration of another registry."""
    name = found.registrar.unless
    if call is None or not name:
        return False
    given = sum(not arg.keyword and not arg.star for arg in call.args)
    return name in found.parameters[:given] or any(arg.keyword == name for arg in call.args)


def _given(call: ir.Call, parameters: Sequence[str]) -> dict[str, ir.Expr]:
    """Return what a call gives to parameters, by their names."""
    if any(arg.star for arg in call.args):
        return {}
    given = [arg.value for arg in call.args if not arg.keyword]
    named = {arg.keyword: arg.value for arg in call.args if arg.keyword}
    return dict(zip(parameters, given, strict=False)) | named


def _attribute(node: ir.FunctionDef | ir.ClassDef | None, name: str) -> ir.Expr | None:
    """Return what the body of a class binds to an attribute."""
    for statement in node.body if isinstance(node, ir.ClassDef) else ():
        if isinstance(statement, (ir.Assign, ir.AnnAssign)) and walk.assigns(statement, name):
            return statement.value
    return None


def _registered(node: ir.Stmt, call: ir.Call) -> str:
    """Return the name of what a registrar that is called as a function registers, if it has one.

    That is the argument of ``register("k")(f)``, or else what is given first, or as what is no text.
    """
    value = getattr(node, "value", None)
    outer = value if isinstance(value, ir.Call) and value.func is call else call
    for arg in outer.args:
        name = walk.dotted_name(arg.value)
        if name is not None:
            return name
    return ""
