"""Which modules an audit will need, in about the order in which it will."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from regreach.call_sites import is_ignored
from regreach.facts.import_lines import imported_names
from regreach.pack import Pack

if TYPE_CHECKING:
    from regreach.program import Program


def likely_modules(program: Program, pack: Pack) -> Iterator[str]:
    """Yield the modules that an audit with this pack probably parses, each once.

    What the consumers import; what mentions one of them or a registrar, and what that imports; what
    the process roots import.
    """
    registrars = {r for registry in pack.registries for r in registry.registrars}
    words = registrars | {consumer.callable for consumer in pack.consumers.values()}
    mentioning = program.mentioning(*sorted(_last_part(word).encode() for word in words))
    paths = {module: program.path(module) or "" for module in mentioning}
    ignored = [m for m in mentioning if is_ignored(paths[m], pack.ignored_paths)]
    roots = [consumer.module for consumer in pack.consumers.values()]
    roots += [module for module in mentioning if module not in ignored]
    roots += pack.process_roots
    yield from dict.fromkeys([*imports_of(program, roots), *ignored])


def imports_of(program: Program, roots: Iterable[str]) -> list[str]:
    """Return the modules that importing the roots one by one probably loads, in that order."""
    loaded: dict[str, None] = {}
    waiting = [root for root in roots if program.has(root)][::-1]
    while waiting:
        module = waiting.pop()
        if module in loaded:
            continue
        parent = module.rpartition(".")[0]
        if parent and parent not in loaded:
            waiting += (module, parent)
            continue
        loaded[module] = None
        package = module if program.is_package(module) else parent
        names = imported_names(program.source(module), package)
        waiting += [n for n in names if n not in loaded and program.has(n)][::-1]
    return list(loaded)


def _last_part(path: str) -> str:
    return path.rpartition(":")[2].rpartition(".")[2]
