"""What a module reads under a dotted name: ``a.b.key``, ``getattr(a.b, "key")``, and ``c.key`` after ``c = a.b``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass

from regreach.facts import ir, walk
from regreach.facts.parse import ModuleFacts

_BLOCKS = ("body", "orelse", "final", "handlers", "cases")


def possible_names(source: bytes, prefix: str) -> set[str]:
    """Return what a source may read under a prefix, as its bytes tell: comments and texts count, too."""
    owner, _, last = prefix.rpartition(".")
    words = owner.rpartition(".")[2], last
    under = rb"\b%b\s*\.\s*%b" % tuple(re.escape(word.encode()) for word in words)
    alias = re.compile(rb"\b(\w+)\s*(?::[^=\n]+)?=\s*[\w.]*" + under + rb"\b(?!\s*\.)")
    names: set[bytes] = set()
    for owned in (under, *(rb"\b%b" % re.escape(name) for name in alias.findall(source))):
        names.update(re.findall(owned + rb"\s*\.\s*([^\W\d]\w*)", source))
        names.update(re.findall(owned + rb"\s*,\s*[\"'](\w+)", source))
    return {name.decode() for name in names}


def attribute_uses(
    facts: ModuleFacts, prefix: str, resolved: Callable[[str], str]
) -> Iterator[tuple[ir.Stmt, str]]:
    """Yield the keys that are read under a prefix, with the statements that do.

    ``resolved`` gives what a dotted name of the module stands for. What a module asks for somewhere, with
    ``hasattr`` or a default, it does not use.
    """
    last = prefix.rpartition(".")[2]
    aliases = _aliases(facts, prefix, resolved, f".{last}")
    words = (f".{last}", *(f"{name}{end}" for _, name in aliases for end in ".,"))
    statements = list(walk.statements(facts, *words))
    asked = {key for node, _ in statements for key in _asked(node)}
    for node, around in statements:
        own = {name for scope, name in aliases if f"{around.scope}.".startswith(f"{scope}.")}
        own |= {name for scope, name in aliases if not scope}
        for dotted in chains(node):
            first, _, rest = dotted.partition(".")
            full = f"{prefix}.{rest}" if first in own else resolved(dotted).replace(":", ".")
            key = full.removeprefix(f"{prefix}.")
            if key != full and "." not in key and not key.startswith("__") and key not in asked:
                yield node, key
        for call in _calls(node, "getattr", 2):
            owner, name = walk.dotted_name(call.args[0].value), call.args[1].value
            if owner is None or not isinstance(name, ir.Const) or not isinstance(name.value, str):
                continue
            under = owner in own or resolved(owner).replace(":", ".") == prefix
            if under and name.value not in asked:
                yield node, name.value


def chains(node: object) -> Iterator[str]:
    """Yield the dotted names in the expressions of a statement, not in its blocks, inner ones too."""
    if isinstance(node, ir.Attribute):
        dotted = walk.dotted_name(node)
        if dotted is not None:
            yield dotted
        yield from chains(node.value)
    elif isinstance(node, tuple):
        for item in node:
            yield from chains(item)
    elif is_dataclass(node) and not isinstance(node, type):
        for field in fields(node):
            if field.name not in _BLOCKS or isinstance(node, ir.Conditional):
                yield from chains(getattr(node, field.name))


def _aliases(
    facts: ModuleFacts, prefix: str, resolved: Callable[[str], str], word: str
) -> set[tuple[str, str]]:
    """Return the names that are bound to a prefix, and nothing else, with the scopes that do."""
    bound: dict[tuple[str, str], bool] = {}
    for node, around in walk.statements(facts, word):
        if not isinstance(node, (ir.Assign, ir.AnnAssign)) or node.value is None:
            continue
        dotted = walk.dotted_name(node.value)
        is_it = dotted is not None and resolved(dotted).replace(":", ".") == prefix
        for target in walk.targets(node):
            if isinstance(target, ir.Name):
                place = around.scope, target.id
                bound[place] = bound.get(place, True) and is_it
    return {place for place, is_it in bound.items() if is_it}


def _asked(node: ir.Stmt) -> Iterator[str]:
    """Yield the names that a statement asks an object for, which may not have them."""
    for name, count in (("hasattr", 2), ("getattr", 3)):
        for call in _calls(node, name, count):
            key = call.args[1].value
            if isinstance(key, ir.Const) and isinstance(key.value, str):
                yield key.value


def _calls(node: object, name: str, count: int) -> Iterator[ir.Call]:
    for call in walk.calls(node):
        if isinstance(call.func, ir.Name) and call.func.id == name and len(call.args) == count:
            yield call
