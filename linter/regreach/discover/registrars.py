"""Registrars: functions that keep what they are given, and those that hand it on to one that does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from regreach.discover.containers import Container, container_of, foreign_object, instance_class
from regreach.discover.names import ClassRef, Imported, Names, Target, level
from regreach.discover.shapes import (
    Mode,
    Part,
    Scope,
    Source,
    Store,
    handed_out,
    holds,
    own_params,
    scope_of,
    sources,
    stores_in,
)
from regreach.facts import ir, walk
from regreach.facts.parse import ModuleFacts

Entry = tuple[Container, Mode]
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


def direct_entries(names: Names, definition: Definition, facts: ModuleFacts) -> list[Entry]:
    """Return what a function itself puts into containers of what it is given."""
    scope = scope_of(facts, definition.node)
    own = own_params(scope.params, definition.has_self)
    local = local_imports(names, definition.module, scope)
    entries: list[Entry] = []
    for inner in scope.all():
        for store in stores_in(inner):
            modes = list(_modes(facts, definition, scope, own, store))
            if modes:
                for container in container_of(
                    names, definition.module, definition.owner, inner, store.into, local
                ):
                    entries += [(container, mode) for mode in modes]
    if not entries and is_named(definition.name):
        entries = list(_to_foreign(names, definition, facts, scope, own, local))
    return entries


def _to_foreign(
    names: Names,
    definition: Definition,
    facts: ModuleFacts,
    scope: Scope,
    own: tuple[ir.Param, ...],
    local: Mapping[str, Imported],
) -> Iterator[Entry]:
    """Yield what a function that says that it registers gives to an object of a class outside the tree."""
    for inner in scope.all():
        for store in handed_out(inner):
            modes = list(_modes(facts, definition, scope, own, store))
            for container in foreign_object(
                names, definition.module, definition.owner, inner, store.into, local
            ):
                if modes:
                    # what else it gives there belongs to the same entry
                    yield from ((container, mode) for mode in modes)
                    return


def _modes(
    facts: ModuleFacts,
    definition: Definition,
    scope: Scope,
    own: tuple[ir.Param, ...],
    store: Store,
) -> Iterator[Mode]:
    given = {p.name: p for p in own}
    if store.scope is scope:
        if definition.node.name in ("__init_subclass__", "__init__", "__new__"):
            if definition.node.name == "__init_subclass__" and scope.params:
                stored = scope.params[0].name
                if _stores(store, stored, loose=True):
                    yield Mode("subclass", (), stored, _key(store, stored, {}))
            return
        for param in own:
            bare = is_decorator(scope, own, param.name)
            if not _stores(store, param.name, loose=bare or is_named(definition.name)):
                continue
            if not (bare or is_named(definition.name) or _gives_nothing(scope, param.name)):
                continue  # it is asked for what it returns
            key = _key(store, param.name, given)
            itself = isinstance(store.value, ir.Name) and store.value.id == param.name
            if store.keyed and _is_own_key(key) and not (bare and itself):
                continue  # a cache of what was made of a key
            whole = store.keyed and _is_whole(scope, store.value, param.name)
            yield Mode("bare" if bare else "call", own, param.name, key, whole)
        if _is_loop(facts, definition.node) and not any(
            _stores(store, p.name, loose=False) for p in own
        ):
            yield Mode("loop", own, "", None)
        return
    if not _is_product(scope, store.scope) or not store.scope.params:
        return
    stored = store.scope.params[0].name
    by_value = _stores(store, stored, loose=True)
    key = _key(store, stored, given)
    by_key = store.keyed and key is not None and any(_is_of_thing(part) for part in key)
    if by_value or (by_key and any(holds(store.scope, store.value, p, loose=False) for p in given)):
        whole = store.keyed and _is_whole(store.scope, store.value, stored)
        yield Mode("maker", own, "", key, whole)
        for param in own:
            if _is_called_with(scope, store.scope.name, param.name):
                bare = is_decorator(scope, own, param.name)
                yield Mode("bare" if bare else "call", own, param.name, key, whole)


def _is_whole(scope: Scope, value: ir.Expr, name: str) -> bool:
    """Return whether a value is what a name stands for, or a function around it."""
    return isinstance(value, ir.Name) and (value.id == name or value.id in scope.inner)


def _is_called_with(scope: Scope, function: str, name: str) -> bool:
    """Return whether a function calls one that is defined in it with one of its own parameters."""
    return any(
        isinstance(call.func, ir.Name)
        and call.func.id == function
        and bool(call.args)
        and isinstance(call.args[0].value, ir.Name)
        and call.args[0].value.id == name
        for call in scope.calls()
    )


def _stores(store: Store, name: str, *, loose: bool) -> bool:
    """Return whether a store keeps what a name stands for; or its name, in what has no keys."""
    if holds(store.scope, store.value, name, loose=loose):
        return True
    if store.keyed or not loose:
        return False
    parts = sources(store.scope, store.value, name, {})
    return any(s.kind in ("self", "attr") for s in parts)


def _key(store: Store, stored: str, params: Mapping[str, ir.Param]) -> tuple[Part, ...] | None:
    if store.key is not None:
        parts = [each for part in store.key for each in _unpacked(store.scope, part)]
        return tuple(sources(store.scope, part, stored, params) for part in parts)
    if store.keyed:  # update: the keys of what is given
        found = sources(store.scope, store.value, "", params)
        return (tuple(Source(s.kind, s.name, each=True) for s in found),)
    found = sources(store.scope, store.value, stored, params)
    named = tuple(s for s in found if s.kind == "attr")
    return (named,) if named else None


def _unpacked(scope: Scope, part: ir.Expr) -> tuple[ir.Expr, ...]:
    """Return the parts of a key that is a tuple made before."""
    values = scope.values(part.id) if isinstance(part, ir.Name) else []
    if len(values) == 1 and isinstance(values[0], ir.Sequence) and values[0].kind == "tuple":
        return values[0].items
    return (part,)


def _is_of_thing(part: Part) -> bool:
    """Return whether a part of a key is what is registered, or an attribute of it."""
    return any(source.kind in ("self", "attr") for source in part)


def _is_own_key(key: tuple[Part, ...] | None) -> bool:
    return key is not None and any(s.kind == "self" for part in key for s in part)


def is_decorator(scope: Scope, own: tuple[ir.Param, ...], name: str) -> bool:
    """Return whether a function can stand behind ``@``: it takes one thing, and gives it or a wrapper back."""
    needed = [p for p in own if p.default is None and p.kind in ("positional", "star")]
    if not own or own[0].name != name or any(p.name != name for p in needed):
        return False
    return any(_gives_back(scope, value, name) for value in scope.returns)


def _gives_back(scope: Scope, value: ir.Expr, name: str) -> bool:
    """Return whether a value is what a name stands for, or a function around it."""
    if isinstance(value, ir.Name):
        return value.id == name or value.id in scope.inner
    if isinstance(value, ir.Call):
        given = [*value.args, *(value.func.args if isinstance(value.func, ir.Call) else ())]
        return any(_gives_back(scope, arg.value, name) for arg in given)
    if isinstance(value, ir.Conditional):
        return _gives_back(scope, value.body, name) or _gives_back(scope, value.orelse, name)
    return False


def _gives_nothing(scope: Scope, name: str) -> bool:
    """Return whether all that a function gives back is what it was given, or nothing."""
    return all(
        (isinstance(value, ir.Const) and value.value is None) or _gives_back(scope, value, name)
        for value in scope.returns
    )


def _is_product(scope: Scope, inner: Scope) -> bool:
    """Return whether a function returns this one that is defined in it, or a call of it."""
    if inner.parent is not scope:
        return False
    if inner.name.startswith("<lambda"):
        return True
    return any(_names_it(value, inner.name) for value in scope.returns)


def _names_it(value: ir.Expr, name: str) -> bool:
    if isinstance(value, ir.Name):
        return value.id == name
    if isinstance(value, ir.Conditional):
        return _names_it(value.body, name) or _names_it(value.orelse, name)
    if isinstance(value, ir.Call):
        return _names_it(value.func, name) or any(_names_it(a.value, name) for a in value.args)
    if isinstance(value, ir.BoolOp):
        return _names_it(value.left, name) or _names_it(value.right, name)
    return False


_LOOP = re.compile(r"\b(?:iter_modules|walk_packages)\b")


def _is_loop(facts: ModuleFacts, function: ir.FunctionDef) -> bool:
    """Return whether a function goes through the modules of a package."""
    if _LOOP.search(facts.text) is None or function.slice is None:
        return False
    return function.slice in facts.slices_with(_LOOP)


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
                    for new in _through(scope, inner, own, call, mode, made=made):
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
        kept = _kept(maker, own)
        entries: list[Entry] = []
        for call in scope.calls():
            callee = self.callee(definition.module, call.func, owner, scope.params[0].name, local)
            if callee is None or callee.registrar.definition.path == made.path:
                continue
            given = _with_params(call, scope.params[0].name, kept)
            for container, mode in callee.entries:
                if is_named(callee.registrar.definition.name):
                    for new in _through(maker, maker, own, given, mode, made=False):
                        entries.append((container, new))
        return (made, entries) if entries else None


def _kept(maker: Scope, own: tuple[ir.Param, ...]) -> dict[str, str]:
    """Return the attributes that ``__init__`` sets to parameters, as they are."""
    kept: dict[str, str] = {}
    names = {p.name for p in own}
    for node in maker.statements:
        if isinstance(node, ir.Assign) and isinstance(node.value, ir.Name):
            for target in node.targets:
                if isinstance(target, ir.Attribute) and node.value.id in names:
                    kept[target.attr] = node.value.id
    return kept


def _with_params(call: ir.Call, own_name: str, kept: Mapping[str, str]) -> ir.Call:
    """Return a call in which attributes of the object are the parameters that they were set to."""
    args = []
    for arg in call.args:
        first, _, attr = (walk.dotted_name(arg.value) or "").partition(".")
        value = ir.Name(kept[attr]) if first == own_name and attr in kept else arg.value
        args.append(ir.Arg(value, arg.keyword, arg.star))
    return ir.Call(call.func, tuple(args), call.line)


def bound_to(container: Container, module: str, name: str) -> Container:
    """Return the container that an object has where its class was meant."""
    return Container(module, name, container.attr) if container.of_class else container


def _through(
    scope: Scope,
    inner: Scope,
    own: tuple[ir.Param, ...],
    call: ir.Call,
    mode: Mode,
    *,
    made: bool,
) -> Iterator[Mode]:
    """Yield how a function registers that calls a registrar; ``made``: it calls what that returns."""
    given = {p.name: p for p in own}
    if mode.form == "maker":
        asked = call.func if made else call
        assert isinstance(asked, ir.Call)
        arguments = bind(mode.params, asked)
        if not made:
            # the product itself is handed out
            if inner is scope and any(value is call for value in scope.returns):
                yield Mode("maker", own, "", _key_through(inner, mode, arguments, "", given))
            return
        thing = call.args[0].value if call.args else None
    elif made or mode.form not in ("call", "bare"):
        return
    else:
        arguments = bind(mode.params, call)
        thing = arguments.get(mode.stored)
    if thing is None:
        return
    if inner is scope:
        for param in own:
            bare = is_decorator(scope, own, param.name)
            if holds(inner, thing, param.name, loose=bare):
                key = _key_through(inner, mode, arguments, param.name, given)
                yield Mode("bare" if bare else "call", own, param.name, key)
    elif _is_product(scope, inner) and inner.params:
        stored = inner.params[0].name
        if holds(inner, thing, stored, loose=True):
            yield Mode("maker", own, "", _key_through(inner, mode, arguments, stored, given))


def _key_through(
    scope: Scope,
    mode: Mode,
    arguments: Mapping[str, ir.Expr],
    stored: str,
    params: Mapping[str, ir.Param],
) -> tuple[Part, ...] | None:
    if mode.key is None:
        return None
    key: list[Part] = []
    for part in mode.key:
        found: list[Source] = []
        for source in part:
            if source.kind != "param":
                found.append(source)
            elif source.name in arguments:
                for each in sources(scope, arguments[str(source.name)], stored, params):
                    found.append(Source(each.kind, each.name, each=each.each or source.each))
            else:
                default = next((p.default for p in mode.params if p.name == source.name), None)
                if isinstance(default, ir.Const) and default.value is not None:
                    found.append(Source("const", default.value))
        key.append(tuple(dict.fromkeys(found)))
    return tuple(key)


def bind(params: Iterable[ir.Param], call: ir.Call) -> dict[str, ir.Expr]:
    """Return what a call gives each parameter, as far as that shows."""
    given: dict[str, ir.Expr] = {}
    positional = [p for p in params if p.kind in ("positional", "star")]
    rest: list[ir.Expr] = []
    known = {p.name for p in params}
    index = 0
    for arg in call.args:
        if arg.star:
            break
        if arg.keyword is not None:
            if arg.keyword in known:
                given[arg.keyword] = arg.value
            continue
        if index < len(positional) and positional[index].kind == "positional":
            given[positional[index].name] = arg.value
            index += 1
        elif index < len(positional):
            rest.append(arg.value)
    if rest:
        given[positional[index].name] = ir.Sequence("tuple", tuple(rest))
    for arg in call.args:
        if arg.keyword is not None and arg.keyword in known:
            given[arg.keyword] = arg.value
    return given
