"""Registrars by what they do themselves: functions that keep what they are given in what stays."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from regreach.discover.containers import Container, container_of, foreign_object
from regreach.discover.definitions import Definition, is_named, local_imports
from regreach.discover.key_sources import Part, Source, sources
from regreach.discover.names import Imported, Names
from regreach.discover.scopes import Scope, own_params, scope_of
from regreach.discover.shapes import Mode, holds
from regreach.discover.stores import Store, handed_out, stores_in
from regreach.facts import ir
from regreach.facts.parse import ModuleFacts

Entry = tuple[Container, Mode]
"""What is filled, and how."""


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
    if not is_product(scope, store.scope) or not store.scope.params:
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


def is_product(scope: Scope, inner: Scope) -> bool:
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
