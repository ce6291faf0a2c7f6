"""What a function of a tree does with its parameters: the shapes that registrars have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from regreach.discover.key_sources import Part
from regreach.discover.scopes import Scope
from regreach.facts import ir, walk

Form = Literal["maker", "bare", "call", "subclass", "loop"]
"""How an entry comes about: by ``@f(key)``, by ``@f``, by ``f(key, x)``, by a class statement, or in a
loop over modules that imports them."""

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
_DEPTH = 6  # so many local names are followed


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
    if isinstance(value, ir.FString):
        return loose and any(_is_name_of(part, name) for part in value.parts)
    if isinstance(value, ir.Lambda):
        return loose and _mentioned(value.body, name)
    if isinstance(value, ir.Comprehension):
        return inside(value.element) or inside(value.value)
    return False


def _is_name_of(value: ir.Expr, name: str) -> bool:
    """Return whether a value is the name of a thing, by which it can be imported again."""
    return (
        isinstance(value, ir.Attribute)
        and value.attr in ("__module__", "__qualname__")
        and isinstance(value.value, ir.Name)
        and value.value.id == name
    )


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
