"""Tables: dictionaries that are written down whole, from names to what other modules define."""

from __future__ import annotations

import re
from collections.abc import Iterator

from regreach.discover.containers import Container
from regreach.discover.folding import folded
from regreach.discover.found import FoundRegistry, Place, Registration
from regreach.discover.names import Names, level
from regreach.discover.reads import Reads
from regreach.discover.uses import Uses
from regreach.facts import ir, walk
from regreach.model import Spot
from regreach.supply.scans import matches

_LEAST = 3  # entries
_FEWEST_MODULES = 2
# A dictionary that begins with text, or a member of an enum, and what is a name, a text or a tuple of texts.
_TABLE = (
    rb"\n[ \t]*[^\W\d]\w*[ \t]*(?::[^=\n]+)?=[ \t]*(?:\w+\()?\{(?:\s|#[^\n]*)*"
    rb"""(?:["'][^"'\n]*["']|[A-Z]\w*\.\w+|\*\*\w+)[ \t]*[:,]?\s*(?:[(\[](?:\s|#[^\n]*)*)?["'\w]"""
)


def tables_of(uses: Uses, reads: Reads) -> Iterator[FoundRegistry]:
    """Yield the tables of a tree that somebody reads."""
    names, program = uses.names, uses.names.program
    question = matches(_TABLE)
    for module in sorted(uses.modules):
        if program.ask(module, question) is not True:
            continue
        facts, path = program.readable_facts(module), program.path(module)
        if facts is None or path is None:
            continue
        for name, node, value in _dictionaries(facts.body):
            entries = _entries(names, module, value)
            others = {home for _, home, _ in entries if home != module}
            if len(entries) < _LEAST or len(others) < _FEWEST_MODULES:
                continue
            if len(entries) * 2 < len(value.items):
                continue
            read = reads.of(Container(module, name), ())
            if not read:
                continue
            spot = Spot(path, node.line, facts.line_text(node.line))
            found = FoundRegistry(Place(f"{module}:{name}", spot), "table", "dict")
            found.registrations = [
                Registration(home, spot, symbol, (key,), "import") for key, home, symbol in entries
            ]
            found.reads = [r.place for r in read]
            found.lookups = sorted({r.definition.path for r in read if r.definition is not None})
            yield found


def _dictionaries(
    body: ir.Body, above: str = ""
) -> Iterator[tuple[str, ir.Assign | ir.AnnAssign, ir.Dict]]:
    for node in level(body):
        if isinstance(node, ir.ClassDef):
            yield from _dictionaries(node.body, f"{above}{node.name}.")
        elif isinstance(node, (ir.Assign, ir.AnnAssign)):
            targets = walk.targets(node)
            value = node.value
            if isinstance(value, ir.Call) and len(value.args) == 1:
                value = value.args[0].value  # as of OrderedDict({...})
            if isinstance(value, ir.Dict) and isinstance(targets[0], ir.Name):
                yield f"{above}{targets[0].id}", node, value


def _entries(names: Names, module: str, value: ir.Dict) -> list[tuple[object, str, str]]:
    """Return the entries that stand for what modules define: key, module and name."""
    found: list[tuple[object, str, str]] = []
    for key, item in value.items:
        if key is None:
            continue
        told = folded(names, module, key)
        entry = _entry(names, module, item)
        if isinstance(told, (str, int)) and entry is not None:
            found.append((told, *entry))
    return found


def _entry(names: Names, module: str, item: ir.Expr) -> tuple[str, str] | None:
    if isinstance(item, ir.Sequence) and item.items:
        first = item.items[0]
        second = item.items[1] if len(item.items) > 1 else None
        named = _module_named(names, module, first)
        if named is not None:
            is_text = isinstance(second, ir.Const) and isinstance(second.value, str)
            return named, str(second.value) if is_text and isinstance(second, ir.Const) else ""
        return _entry(names, module, first) if not isinstance(first, ir.Const) else None
    if isinstance(item, ir.Const) and isinstance(item.value, str) and "." in item.value:
        named = _module_named(names, module, item)
        return (named, str(item.value)) if named is not None else None
    dotted = walk.dotted_name(item)
    target = names.resolve(module, dotted) if dotted is not None else None
    if target is not None and target.kind in ("class", "function"):
        return target.module, ".".join((target.name, *target.rest))
    return None


_NAME_OF_MODULE = re.compile(r"\.*[^\W\d][\w.]*")


def _module_named(names: Names, module: str, item: ir.Expr) -> str | None:
    """Return the module of the tree that a text names, absolutely or from a package around."""
    if not (isinstance(item, ir.Const) and isinstance(item.value, str)):
        return None
    text = item.value.partition(":")[0]
    if not _NAME_OF_MODULE.fullmatch(text):
        return None
    program = names.program
    text = text.lstrip(".")
    package = module
    candidates = [text]
    while package:
        candidates.append(f"{package}.{text}")
        package = package.rpartition(".")[0]
    for each in candidates:
        for name in (each, each.rpartition(".")[0]):
            # a word alone means a module only where there is one of that name
            if program.has(name) and (name != module) and (name == each or "." in text):
                return name if name.count(".") else None
    return None
