"""Keys that are written down beside a registry: choices, members of an enum, and uses by name."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace

from regreach.facts import ir, walk
from regreach.model import SimpleEntry, Spot, Wanted
from regreach.pack import Pack
from regreach.program import Program
from regreach.simple.declared import SimpleRegistry
from regreach.simple.keys import Keys
from regreach.simple.origins import Origins


def unserved_choices(
    program: Program, keys: Keys, registry: SimpleRegistry, registered: Collection[str]
) -> Iterator[Wanted]:
    """Yield the choices that are neither registered, nor an alias, nor served by something else."""
    for path in registry.choices:
        listed = keys.listed(path)
        if listed is None:
            continue
        aliases = dict(registry.aliases)
        for table in registry.alias_tables:
            aliases |= keys.table(table)
        known = {*registered, *registry.beside}
        known |= {choice for choice, key in aliases.items() if key in known}
        for choice in dict.fromkeys(listed):
            if choice not in known:
                spot, column = _place_of(program, path, choice)
                yield Wanted("choice", choice, spot, column, path, _near(choice, registered))
        return


def wrong_members(
    keys: Keys, registry: SimpleRegistry, entries: Sequence[SimpleEntry]
) -> Iterator[Wanted]:
    """Yield the registered keys that are no member of the enum."""
    members = keys.listed(registry.enum) if registry.enum else None
    for entry in entries if members is not None else ():
        if entry.key is not None and entry.key not in (members or ()):
            near = _near(entry.key, members or ())
            yield Wanted(
                "no-member", entry.key, entry.spot, entry.column, registry.enum, near, (entry,)
            )


def literal_uses(
    program: Program, pack: Pack, origins: Origins, registry: SimpleRegistry
) -> Iterator[Wanted]:
    """Yield the attributes that are read under a registry's prefix, each once a module, as uses of keys."""
    if not registry.prefix:
        return
    last = registry.prefix.rpartition(".")[2]
    pattern = re.compile(rf"\b{re.escape(last)}\s*\.\s*[^\W\d]\w*")
    for module in program.mentioning(f".{last}.".encode()):
        path, facts = program.path(module), None
        if path is not None and not pack.ignores(path) and _is_named(program, module, registry):
            facts = program.readable_facts(module)
        if facts is None or path is None:
            continue
        local = walk.bindings_of_imports(facts, pattern.pattern and f".{last}.")
        seen: set[str] = set()
        for node, _ in walk.statements(facts, f".{last}."):
            for dotted in _chains(node):
                full = origins.of(module, dotted, local).replace(":", ".")
                key = full.removeprefix(f"{registry.prefix}.")
                if key == full or "." in key or key in seen or key.startswith("__"):
                    continue
                seen.add(key)
                line = _line_of(facts.text, node.line, facts.end_of_statement(node.line), key)
                text = facts.text.split("\n", line)[line - 1]
                column = text.find(key) + 1
                yield Wanted("use", key, Spot(path, line, text.strip()), max(1, column), module)


def unserved_uses(uses: Sequence[Wanted], registered: Collection[str]) -> Iterator[Wanted]:
    """Yield the uses of keys that nobody registers."""
    for use in uses:
        if use.key not in registered:
            yield replace(use, near=_near(use.key, registered))


def _is_named(program: Program, module: str, registry: SimpleRegistry) -> bool:
    """Return whether the code of a module may use something under the prefix; comments may, too."""
    parts = registry.prefix.encode().split(b".")
    data = program.source(module)
    return all(part in data for part in parts)


def _chains(node: object) -> Iterator[str]:
    """Yield the dotted names in the expressions of a statement, not in its blocks, inner ones too."""
    if isinstance(node, ir.Attribute):
        dotted = walk.dotted_name(node)
        if dotted is not None:
            yield dotted
        yield from _chains(node.value)
    elif isinstance(node, tuple):
        for item in node:
            yield from _chains(item)
    elif is_dataclass(node) and not isinstance(node, type):
        blocks = {id(block) for block in walk.blocks(node)} if hasattr(node, "line") else set()
        for field in fields(node):
            value = getattr(node, field.name)
            if id(value) not in blocks and not _is_body(field.name, node):
                yield from _chains(value)


def _is_body(name: str, node: object) -> bool:
    is_definition = isinstance(node, (ir.FunctionDef, ir.ClassDef))
    return (is_definition and name == "body") or name in ("handlers", "cases")


def _line_of(text: str, first: int, last: int, word: str) -> int:
    pattern = re.compile(rf"\b{re.escape(word)}\b")
    for number, line in enumerate(text.split("\n")[first - 1 : last], first):
        if pattern.search(line.partition("#")[0]):
            return number
    return first


def _place_of(program: Program, path: str, choice: str) -> tuple[Spot, int]:
    """Return where a choice stands in the statement that binds the list, or that statement's first line."""
    module, _, name = path.partition(":")
    facts = program.readable_facts(module)
    file = program.path(module) or module
    for node, around in walk.statements(facts) if facts is not None else ():
        targets = getattr(node, "targets", None) or (getattr(node, "target", None),)
        if around.scope or not any(isinstance(t, ir.Name) and t.id == name for t in targets):
            continue
        assert facts is not None, "it has statements"
        lines = facts.text.split("\n")
        for number in range(node.line, facts.end_of_statement(node.line) + 1):
            for quoted in (f'"{choice}"', f"'{choice}'"):
                column = lines[number - 1].partition("#")[0].find(quoted)
                if column >= 0:
                    return Spot(file, number, lines[number - 1].strip()), column + 1
        return Spot(file, node.line, lines[node.line - 1].strip()), 1
    return Spot(file, 1), 1


def _near(key: str, known: Collection[str]) -> str:
    near = difflib.get_close_matches(key, sorted(known), 1, 0.75)
    return near[0] if near else ""
