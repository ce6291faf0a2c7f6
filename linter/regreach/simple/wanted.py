"""Keys that are written down beside a registry: choices, members of an enum, and uses by name."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial

from regreach.facts import ir, walk
from regreach.model import SimpleEntry, Spot, Wanted
from regreach.pack import Pack
from regreach.program import Program
from regreach.simple.attribute_uses import attribute_uses, possible_names
from regreach.simple.declared import SimpleRegistry
from regreach.simple.keys import Keys
from regreach.simple.origins import Origins
from regreach.supply.scans import matches


def unserved_choices(
    program: Program,
    keys: Keys,
    registry: SimpleRegistry,
    registered: Collection[str],
    alike: Collection[str],
) -> Iterator[Wanted]:
    """Yield the choices that are neither registered, nor an alias, nor served by something else.

    A key that is spelled alike is looked for among those ``alike``.
    """
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
                yield Wanted("choice", choice, spot, column, path, _near(choice, alike))
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
    program: Program,
    pack: Pack,
    origins: Origins,
    registry: SimpleRegistry,
    registered_at: Callable[[str], Collection[str]],
) -> Iterator[Wanted]:
    """Yield the attributes that are read under a registry's prefix, each once a module, as uses of keys.

    A module that uses only what it registers itself (``registered_at``) is not looked into.
    """
    if not registry.prefix:
        return
    word = f".{registry.prefix.rpartition('.')[2]}"
    for module, keys in _mentioned(program, pack, registry):
        if keys.issubset(registered_at(module)):
            continue
        path, facts = program.path(module), program.readable_facts(module)
        if facts is None or path is None:
            continue
        local = walk.bindings_of_imports(facts, word)
        resolved = partial(origins.of, module, local=local)
        seen: set[str] = set()
        for node, key in attribute_uses(facts, registry.prefix, resolved):
            if key not in seen:
                seen.add(key)
                line = _line_of(facts.text, node.line, facts.end_of_statement(node.line), key)
                text = facts.text.split("\n", line)[line - 1]
                column = text.find(key) + 1
                yield Wanted("use", key, Spot(path, line, text.strip()), max(1, column), module)


def unserved_uses(
    uses: Sequence[Wanted], registered: Collection[str], alike: Collection[str]
) -> Iterator[Wanted]:
    """Yield the uses of keys that nobody registers."""
    for use in uses:
        if use.key not in registered:
            yield replace(use, near=_near(use.key, alike))


def _mentioned(
    program: Program, pack: Pack, registry: SimpleRegistry
) -> Iterator[tuple[str, set[str]]]:
    """Yield the modules that name something under the prefix, be it in a comment, with those names."""
    owner, _, last = registry.prefix.rpartition(".")
    word = f".{last}"
    pattern = rb"\b%b\s*\.\s*%b\b" % tuple(
        re.escape(each.encode()) for each in (owner.rpartition(".")[2], last)
    )
    for module in program.mentioning(word.encode()):
        path = program.path(module)
        if path is None or pack.ignores(path) or not program.ask(module, matches(pattern)):
            continue
        names = possible_names(program.source(module), registry.prefix)
        if names:
            yield module, names


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
