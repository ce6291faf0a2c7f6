"""Expressions in keys that are as good as literals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from regreach.discover.names import Imported, Names, Target, level
from regreach.facts import ir, walk

_DEPTH = 6
Local: TypeAlias = "Mapping[str, Imported] | None"
"""What imports bind in the function in which an expression stands."""


def folded(
    names: Names,
    module: str,
    value: ir.Expr,
    local: Local = None,
    depth: int = _DEPTH,
) -> object:
    """Return what an expression in a module is: text, number, tuple of such; None when that is not told.

    A member of an enum is its value where that is a literal; a class or a function is its name.
    ``local`` is as for ``Names.resolve``.
    """
    if not depth:
        return None
    if isinstance(value, ir.Const):
        return value.value if isinstance(value.value, (str, int, float, bool)) else None
    if isinstance(value, ir.Sequence) and value.kind == "tuple":
        parts = tuple(folded(names, module, item, local, depth - 1) for item in value.items)
        return None if None in parts else parts
    if isinstance(value, ir.FString):
        texts = [folded(names, module, part, local, depth - 1) for part in value.parts]
        return None if None in texts else "".join(map(str, texts))
    if isinstance(value, ir.Binary) and value.op == "+":
        left, right = (
            folded(names, module, v, local, depth - 1) for v in (value.left, value.right)
        )
        return left + right if isinstance(left, str) and isinstance(right, str) else None
    dotted = walk.dotted_name(value)
    target = names.resolve(module, dotted, local) if dotted is not None else None
    return _of_target(names, target, dotted, depth) if target is not None else None


def _of_target(names: Names, target: Target, dotted: str | None, depth: int) -> object:
    if isinstance(target.node, (ir.Assign, ir.AnnAssign)) and not target.rest:
        return (
            folded(names, target.module, target.node.value, None, depth - 1)
            if target.node.value is not None
            else None
        )
    if target.kind == "class" and target.rest:
        rest = target.rest[:-1] if target.rest[-1] in ("value", "name") else target.rest
        for node in level(target.node.body) if isinstance(target.node, ir.ClassDef) else ():
            if (
                isinstance(node, ir.Assign)
                and len(rest) == 1
                and any(isinstance(t, ir.Name) and t.id == rest[0] for t in node.targets)
            ):
                found = folded(names, target.module, node.value, None, depth - 1)
                return found if found is not None else ".".join((target.name, *rest))
    if target.kind in ("function", "class"):
        return ".".join((target.name, *target.rest))
    if target.kind == "outside":
        return ".".join((target.module, *target.rest))
    return None


def expanded(names: Names, module: str, value: ir.Expr, local: Local = None) -> list[object]:
    """Return the items of a display, or the keys of one of a dictionary; a single value is its own item."""
    if isinstance(value, ir.Sequence):
        items = [folded(names, module, item, local) for item in value.items]
        return items or [None]
    if isinstance(value, ir.Dict):
        return [
            folded(names, module, k, local) if k is not None else None for k, _ in value.items
        ] or [None]
    found = folded(names, module, value, local)
    if found is None:
        dotted = walk.dotted_name(value)
        target = names.resolve(module, dotted, local) if dotted is not None else None
        if target is not None and isinstance(target.node, (ir.Assign, ir.AnnAssign)):
            inner = target.node.value
            if isinstance(inner, (ir.Sequence, ir.Dict)):
                return expanded(names, target.module, inner)
    return list(found) if isinstance(found, tuple) else [found]
