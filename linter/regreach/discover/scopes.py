"""Functions as they are written: what is bound, called and returned in them, and in those inside."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from regreach.facts import ir, walk
from regreach.facts.parse import ModuleFacts


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
            for target in walk.targets(node):
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


def own_params(params: tuple[ir.Param, ...], method: bool) -> tuple[ir.Param, ...]:
    """Return the parameters that a caller gives: of a method, not the first one."""
    return params[1:] if method and params and params[0].kind == "positional" else params


def whole_words(words: Iterable[str]) -> re.Pattern[str]:
    """Return what finds one of these words in a text."""
    return re.compile(r"\b(?:{})\b".format("|".join(map(re.escape, sorted(words)))))
