"""Which modules an audit will need, in about the order in which it will."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from regreach.pack import Pack
from regreach.registrations import last_name

if TYPE_CHECKING:
    from regreach.program import Program


def likely_modules(program: Program, pack: Pack) -> Iterator[str]:
    """Yield the modules that an audit with this pack probably parses, each once.

    What the consumers import; what constructs one of them or mentions a registrar, and what that imports.
    """
    mentioning, ignored = _mentioning(program, pack)
    roots = [consumer.module for consumer in pack.consumers.values()]
    roots += [module for module in mentioning if module not in ignored]
    yield from dict.fromkeys([*imports_of(program, roots), *ignored])


def mentioning_modules(program: Program, pack: Pack) -> list[str]:
    """Return the modules that mention a registrar or construct a consumer: no audit does without parsing them."""
    return _mentioning(program, pack)[0]


def _mentioning(program: Program, pack: Pack) -> tuple[list[str], list[str]]:
    """Return the modules that seem to register or construct something, and those of them that the pack ignores."""
    registrars = {last_name(r) for registry in pack.registries for r in registry.registrars}
    names = {last_name(consumer.callable) for consumer in pack.consumers.values()}
    registering = set(program.mentioning(*(word.encode() for word in sorted(registrars))))
    constructing = {module for name in sorted(names) for module in program.calling(name)}
    ignored = {m for m in registering | constructing if pack.ignores(program.path(m) or "")}
    # what is constructed in a file that counts for nothing is not looked at
    return sorted(registering | (constructing - ignored)), sorted(registering & ignored)


def imports_of(program: Program, roots: Iterable[str]) -> list[str]:
    """Return the modules that importing the roots one by one probably loads, in that order."""
    return list(import_lines(program, roots))


def import_lines(program: Program, roots: Iterable[str]) -> dict[str, list[str]]:
    """Return the modules that importing the roots may load, with those that each has import lines for.

    They are in the order in which they are probably loaded. A module's parent package counts as
    imported by it.
    """
    lines: dict[str, list[str]] = {}
    waiting = [root for root in roots if program.has(root)][::-1]
    while waiting:
        module = waiting.pop()
        if module in lines:
            continue
        parent = module.rpartition(".")[0]
        if parent and parent not in lines:
            waiting += (module, parent)
            continue
        names = program.imported_names(module, program.package_of(module))
        found = [name for name in names if program.has(name)]
        lines[module] = [*found, parent] if parent else found
        waiting += [name for name in found if name not in lines][::-1]
    return lines
