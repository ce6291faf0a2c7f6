"""The modules with which processes begin that read a simple registry."""

from __future__ import annotations

import fnmatch

from regreach.pack import Pack
from regreach.program import Program
from regreach.simple.declared import SimpleRegistry
from regreach.supply.scans import named_in_strings


def roots_in(program: Program, pack: Pack, registry: SimpleRegistry) -> list[str]:
    """Return the roots of a registry that a tree has: by name or pattern, in strings, and by convention."""
    found: dict[str, None] = {}
    patterns = list(registry.roots)
    for word, more in registry.finders.items():
        if any(not _ignores(program, pack, m) for m in program.mentioning(word.encode())):
            patterns += more
    for pattern in patterns:
        if "*" not in pattern:
            found |= dict.fromkeys([pattern] if program.has(pattern) else ())
            continue
        for module in fnmatch.filter(program.tree.modules, pattern):
            if not _ignores(program, pack, module):
                found[module] = None
    if registry.roots_in_strings:
        package = pack.location.name
        for module in program.mentioning(package.encode()):
            if not _ignores(program, pack, module):
                names = program.ask(module, named_in_strings(package))
                assert isinstance(names, list), "these are names"
                found |= dict.fromkeys(filter(None, (_module_of(program, n) for n in names)))
    return list(found)


def _module_of(program: Program, name: str) -> str:
    """Return the module that a dotted name is, or is a member of; empty when it is none."""
    while name and not program.has(name):
        name = name.rpartition(".")[0] if "." in name else ""
    return name


def _ignores(program: Program, pack: Pack, module: str) -> bool:
    return pack.ignores(program.path(module) or "")
