"""What a function of a tree does with its parameters: the shapes that registrars have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from regreach.facts import ir, walk
from regreach.facts.parse import ModuleFacts

Form = Literal["maker", "bare", "call", "subclass", "loop"]
"""How an entry comes about: by ``@f(key)``, by ``@f``, by ``f(key, x)``, by a class statement, or in a
loop over modules that imports them."""

ADDING = ("append", "add", "appendleft", "insert")
ONE = ("setdefault", "__setitem__", "update", *ADDING)
# Calls that give what holds their argument, whatever they are called with.
_HOLDERS = {
    *(
        "tuple",
        "list",
        "set",
        "frozenset",
        "dict",
        "partial",
        "ref",
        "WeakMethod",
        "replace",
        "cast",
    ),
    *("staticmethod", "classmethod", "property", "wraps", "proxy"),
}
# Methods of objects outside the tree that take a key and a thing.
_TAKES_ENTRIES = re.compile(r"impl$|_*(?:register|add)(?:_|$)")
_DEPTH = 6  # so many local names are followed


@dataclass(frozen=True, slots=True)
class Source:
    """Where (a part of) a key comes from.

    ``kind`` is param (the argument for ``name``), attr (the attribute ``name`` of what is stored), self
    (what is stored is its own key) or const (``name`` is the value). With ``each``, the items.
    """

    kind: Literal["param", "attr", "self", "const"]
    name: object = None
    each: bool = False


Part = tuple[Source, ...]
"""The sources one of which gives a part of a key, the preferred one first."""


@dataclass(frozen=True, slots=True)
class Mode:
    """One way in which a function registers: what it stores, and under which key (None: it has none).

    ``params`` are those that a caller gives, without ``self``; ``stored`` is the one of them that is
    stored, empty for a maker, whose product is given it.
    """

    form: Form
    params: tuple[ir.Param, ...]
    stored: str
    key: tuple[Part, ...] | None
    whole: bool = False  # whether what is stored is the thing itself, under a key


@dataclass(slots=True)
class Scope:
    """A function and what stands in it, those in it included."""

    name: str
    params: tuple[ir.Param, ...]
    parent: Scope | None = None
    node: ir.FunctionDef | None = None
    assigned: dict[str, list[ir.Expr]] = field(default_factory=dict)
    items_of: dict[str, list[ir.Expr]] = field(default_factory=dict)  # variables of loops
    outer: set[str] = field(default_factory=set)  # declared global or nonlocal
    imports: list[ir.Import | ir.ImportFrom] = field(default_factory=list)
    inner: dict[str, Scope] = field(default_factory=dict)
    statements: list[ir.Stmt] = field(default_factory=list)
    returns: list[ir.Expr] = field(default_factory=list)
    _calls: list[ir.Call] | None = None

    def calls(self) -> list[ir.Call]:
        """Return the calls in the statements of this scope itself."""
        if self._calls is None:
            nodes = (n for n in self.statements if not isinstance(n, (ir.FunctionDef, ir.ClassDef)))
            self._calls = [call for node in nodes for call in walk.calls(node)]
        return self._calls

    def all(self) -> Iterator[Scope]:
        """Yield this scope and all inside of it."""
        yield self
        for each in self.inner.values():
            yield from each.all()

    def values(self, name: str) -> list[ir.Expr]:
        """Return what is assigned to a name here or around."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.assigned and name not in scope.outer:
                return scope.assigned[name]
            scope = scope.parent
        return []

    def items(self, name: str) -> list[ir.Expr]:
        """Return what a name runs over in a loop, here or around."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.items_of:
                return scope.items_of[name]
            scope = scope.parent
        return []

    def is_local(self, name: str) -> bool:
        """Return whether a name is a parameter or a variable of the function, or of one around it."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.outer:
                return False
            if any(p.name == name for p in scope.params):
                return True
            if name in scope.assigned or name in scope.items_of or name in scope.inner:
                return True
            scope = scope.parent
        return False


@dataclass(frozen=True, slots=True)
class Store:
    """A statement that puts a value into something: ``into`` is the container's expression."""

    scope: Scope
    line: int
    into: ir.Expr
    key: tuple[ir.Expr, ...] | None  # the parts of the key; None where a value has none
    value: ir.Expr
    keyed: bool


def whole_words(words: Iterable[str]) -> re.Pattern[str]:
    """Return what finds one of these words in a text."""
    return re.compile(r"\b(?:{})\b".format("|".join(map(re.escape, sorted(words)))))


def scope_of(facts: ModuleFacts, function: ir.FunctionDef, parent: Scope | None = None) -> Scope:
    """Return what stands in a function."""
    scope = Scope(function.name, facts.params_of(function), parent, function)
    _collect(facts, facts.body_of(function), scope)
    return scope


def _collect(facts: ModuleFacts, body: ir.Body, scope: Scope) -> None:
    for node in body:
        scope.statements.append(node)
        if isinstance(node, ir.FunctionDef):
            scope.inner[node.name] = scope_of(facts, node, scope)
            continue
        if isinstance(node, ir.ClassDef):
            continue
        if isinstance(node, (ir.Import, ir.ImportFrom)):
            scope.imports.append(node)
        elif isinstance(node, ir.Scope):
            scope.outer |= set(node.names)
        elif isinstance(node, ir.Return) and node.value is not None:
            scope.returns.append(node.value)
            if isinstance(node.value, ir.Lambda):
                inner = Scope(f"<lambda at line {node.line}>", node.value.params, scope)
                inner.statements.append(ir.ExprStmt(node.line, node.value.body))
                scope.inner[inner.name] = inner
        elif isinstance(node, (ir.Assign, ir.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ir.Assign) else (node.target,)
            for target in targets:
                _bind(scope, target, node.value)
        elif isinstance(node, ir.For):
            for each in _names(node.target):
                scope.items_of.setdefault(each, []).append(node.iter)
        elif isinstance(node, ir.With):
            for manager, name in node.items:
                if name is not None:
                    _bind(scope, name, manager)
        for block in walk.blocks(node):
            _collect(facts, block, scope)


def _bind(scope: Scope, target: ir.Expr, value: ir.Expr) -> None:
    if isinstance(target, ir.Name):
        scope.assigned.setdefault(target.id, []).append(value)
    elif isinstance(target, ir.Sequence):
        for name in _names(target):
            scope.assigned.setdefault(name, []).append(value)


def _names(target: ir.Expr) -> Iterator[str]:
    if isinstance(target, ir.Name):
        yield target.id
    elif isinstance(target, ir.Sequence):
        for item in target.items:
            yield from _names(item)
    elif isinstance(target, ir.Starred):
        yield from _names(target.value)


def stores_in(scope: Scope) -> Iterator[Store]:
    """Yield what the statements of a scope itself put into containers."""
    for node in scope.statements:
        if isinstance(node, (ir.Assign, ir.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ir.Assign) else (node.target,)
            for target in targets:
                if isinstance(target, ir.Subscript):
                    yield _into(scope, node.line, target.value, (target.index,), node.value)
    for call in scope.calls():
        yield from _by_call(scope, call.line, call)


def handed_out(scope: Scope) -> Iterator[Store]:
    """Yield what the statements of a scope give to methods of objects: a key first, then a thing."""
    for call in scope.calls():
        if isinstance(call.func, ir.Attribute) and _TAKES_ENTRIES.match(call.func.attr):
            values = [a.value for a in call.args if not a.star and a.keyword is None]
            if len(values) >= 2 and isinstance(values[1], ir.Name):
                yield Store(scope, call.line, call.func.value, (values[0],), values[1], keyed=True)


def _by_call(scope: Scope, line: int, call: ir.Call) -> Iterator[Store]:
    if not isinstance(call.func, ir.Attribute) or call.func.attr not in ONE:
        return
    into, values = call.func.value, [a.value for a in call.args if not a.star]
    name = call.func.attr
    if name in ADDING and values:
        yield _into(scope, line, into, (), values[-1])
    elif name in ("setdefault", "__setitem__") and len(values) == 2:
        yield _into(scope, line, into, (values[0],), values[1])
    elif name == "update":
        for value in values:
            if isinstance(value, ir.Dict):
                for key, item in value.items:
                    if key is not None:
                        yield _into(scope, line, into, (key,), item)
            else:
                yield Store(scope, line, into, None, value, keyed=True)


def _into(
    scope: Scope, line: int, into: ir.Expr, key: tuple[ir.Expr, ...], value: ir.Expr
) -> Store:
    """Return the store, the container being what is left without subscripts and defaults."""
    keyed = bool(key)
    place: ir.Expr = into
    while True:
        if isinstance(place, ir.Subscript):
            key = (place.index, *key)
            place = place.value
        elif isinstance(place, ir.Call) and isinstance(place.func, ir.Attribute) and place.args:
            if place.func.attr not in ("setdefault", "get"):
                break
            key = (place.args[0].value, *key)
            place = place.func.value
        else:
            break
    parts = [
        each
        for part in key
        for each in (
            part.items if isinstance(part, ir.Sequence) and part.kind == "tuple" else (part,)
        )
    ]
    return Store(scope, line, place, tuple(parts) if parts else None, value, keyed)


def own_params(params: tuple[ir.Param, ...], method: bool) -> tuple[ir.Param, ...]:
    """Return the parameters that a caller gives: of a method, not the first one."""
    return params[1:] if method and params and params[0].kind == "positional" else params


def holds(scope: Scope, value: ir.Expr, name: str, *, loose: bool, depth: int = _DEPTH) -> bool:
    """Return whether a value is what a name stands for, or has it as a part.

    What is computed from it is another thing: the results of a cache hold no argument. With ``loose``, any
    call is taken to hold its arguments: what a decorator puts away is no result.
    """

    def inside(part: ir.Expr | None) -> bool:
        return part is not None and holds(scope, part, name, loose=loose, depth=depth)

    if isinstance(value, ir.Name):
        if value.id == name:
            return True
        if not depth:
            return False
        less = depth - 1
        inner = _function_named(scope, value.id)
        if inner is not None and inner.name != scope.name:
            return loose and mentions(inner, name)
        return any(
            holds(scope, v, name, loose=loose, depth=less) for v in scope.values(value.id)
        ) or any(holds(scope, v, name, loose=loose, depth=less) for v in scope.items(value.id))
    if isinstance(value, ir.Call):
        called = walk.dotted_name(value.func) or ""
        last = called.rpartition(".")[2]
        first = called.partition(".")[0]
        given = [a.value for a in value.args]
        if isinstance(value.func, ir.Call):
            given += [a.value for a in value.func.args]
        elif called == name and loose:
            return True  # a class that is made an object of
        elif first == name or (scope.is_local(first) and first not in ("self", "cls")):
            if not (loose and last in ("items", "values")):
                return False
        if loose and last in ("items", "values") and isinstance(value.func, ir.Attribute):
            given.append(value.func.value)
        builds = last[:1].isupper() or last.lstrip("_")[:1].isupper() or last in _HOLDERS
        return (loose or builds) and any(map(inside, given))
    if isinstance(value, ir.Sequence):
        return any(map(inside, value.items))
    if isinstance(value, ir.Dict):
        return any(inside(item) for _, item in value.items)
    if isinstance(value, ir.Conditional):
        return inside(value.body) or inside(value.orelse)
    if isinstance(value, ir.BoolOp):
        return inside(value.left) or inside(value.right)
    if isinstance(value, (ir.Starred, ir.Walrus)):
        return inside(value.value)
    if isinstance(value, ir.Lambda):
        return loose and _mentioned(value.body, name)
    if isinstance(value, ir.Comprehension):
        return inside(value.element) or inside(value.value)
    return False


def _function_named(scope: Scope, name: str) -> Scope | None:
    around: Scope | None = scope
    while around is not None:
        if name in around.inner:
            return around.inner[name]
        around = around.parent
    return None


def mentions(scope: Scope, name: str) -> bool:
    """Return whether a function reads a name somewhere."""
    return any(_mentioned(node, name) for each in scope.all() for node in each.statements)


def _mentioned(node: object, name: str) -> bool:
    if isinstance(node, ir.Name):
        return node.id == name
    if isinstance(node, tuple):
        return any(_mentioned(item, name) for item in node)
    slots = getattr(type(node), "__slots__", None)
    if slots is None or not type(node).__module__.endswith(".ir"):
        return False
    return any(_mentioned(getattr(node, slot), name) for slot in slots)


def sources(
    scope: Scope, value: ir.Expr, stored: str, params: Mapping[str, ir.Param], depth: int = _DEPTH
) -> Part:
    """Return where a key, or a part of one, comes from; ``stored`` names what is stored."""

    def each_of(parts: list[ir.Expr]) -> Part:
        found = (s for part in parts for s in sources(scope, part, stored, params, depth - 1))
        return _unique(found)

    if depth <= 0:
        return ()
    if isinstance(value, ir.Const):
        return (Source("const", value.value),) if value.value is not None else ()
    if isinstance(value, ir.Name):
        assigned, items = scope.values(value.id), scope.items(value.id)
        found: list[Source] = []
        if value.id == stored:
            found.append(Source("self"))
        elif value.id in params:
            star = params[value.id].kind == "star"
            found.append(Source("param", value.id, each=star))
        found += each_of([v for v in assigned if v is not value])
        for each in each_of(items):
            found.append(Source(each.kind, each.name, each=True))
        return _unique(found)
    if isinstance(value, ir.Attribute):
        return _attribute(scope, value.value, value.attr, stored, params, depth)
    if isinstance(value, ir.Call):
        called = walk.dotted_name(value.func) or ""
        given = [a.value for a in value.args]
        if called in ("getattr", "vars") and len(given) >= 2:
            attr = given[1]
            if isinstance(attr, ir.Const) and isinstance(attr.value, str):
                return _attribute(scope, given[0], attr.value, stored, params, depth)
        receiver = [value.func.value] if isinstance(value.func, ir.Attribute) else []
        return each_of([*given, *receiver])
    if isinstance(value, ir.BoolOp):
        return each_of([value.left, value.right])
    if isinstance(value, ir.Conditional):
        return each_of([value.body, value.orelse])
    if isinstance(value, ir.Walrus):
        return each_of([value.value])
    if isinstance(value, (ir.Subscript, ir.Starred)):
        return each_of([value.value])
    if isinstance(value, ir.Binary):
        return each_of([value.left, value.right])
    if isinstance(value, (ir.Sequence, ir.FString)):
        return each_of(list(value.items if isinstance(value, ir.Sequence) else value.parts))
    if isinstance(value, ir.Opaque):
        return each_of(list(value.children))
    return ()


def _attribute(
    scope: Scope,
    owner: ir.Expr,
    attr: str,
    stored: str,
    params: Mapping[str, ir.Param],
    depth: int,
) -> Part:
    found = sources(scope, owner, stored, params, depth - 1)
    return _unique(
        Source("attr", attr) if each.kind == "self" else each
        for each in found
        if each.kind != "attr" or attr not in ("__name__",)
    )


def _unique(found: Iterator[Source] | list[Source]) -> Part:
    """Return the sources, each once, without constants where there are others."""
    unique = list(dict.fromkeys(found))
    real = [s for s in unique if s.kind != "const"]
    return tuple(real or unique)
