"""Registrations in simple registries that nobody can reach: which they are, and their story."""

from __future__ import annotations

from collections.abc import Iterator

from regreach.model import (
    Audit,
    Detail,
    Finding,
    Related,
    SimpleEntry,
    SimpleRegistryResult,
    Wanted,
)
from regreach.rule import fingerprint

from regreach_rules import story


def findings(rule: str, audit: Audit) -> Iterator[Finding]:
    """Yield a finding for each module that nothing loads, and for each use of what its module never loads."""
    for registry in audit.simple_registries:
        modules: dict[str, list[SimpleEntry]] = {}
        for entry in registry.unreached:
            modules.setdefault(entry.module, []).append(entry)
        for entries in modules.values():
            yield _orphan(rule, registry, entries)
        for wanted in registry.wanted:
            if wanted.kind == "use-unreached":
                yield _use(rule, registry, wanted)


def _orphan(rule: str, registry: SimpleRegistryResult, entries: list[SimpleEntry]) -> Finding:
    first = entries[0]
    keys = [entry.key or "" for entry in entries]
    names = story.listed(f'"{key}"' for key in keys)
    lookup = registry.lookups[0].rpartition(":")[2]
    what = "is" if len(keys) == 1 else "are"
    message = (
        f"{names} {what} registered here, but {lookup} cannot reach {'it' if len(keys) == 1 else 'them'}:"
        " nothing that a process loads imports the module"
    )
    return Finding(
        rule,
        "error",
        first.spot,
        first.column,
        message,
        tuple(keys[:1]),
        fingerprint(rule, registry.id, first.module),
        None,
        (
            *(Detail("registered", f"{e.spot}  {e.symbol}") for e in entries),
            Detail("looked up", story.listed(registry.lookups)),
        ),
        related=tuple(Related("registered", e.spot, e.symbol) for e in entries),
    )


def _use(rule: str, registry: SimpleRegistryResult, wanted: Wanted) -> Finding:
    first = wanted.entries[0]
    message = (
        f'"{wanted.key}" is used here, but nothing that this module imports, or a process root,'
        f" loads {first.module}, which registers it"
    )
    return Finding(
        rule,
        "error",
        wanted.spot,
        wanted.column,
        message,
        (wanted.key,),
        fingerprint(rule, registry.id, wanted.key, wanted.source),
        None,
        tuple(Detail("registered", f"{e.spot}  {e.symbol}") for e in wanted.entries),
        related=tuple(Related("registered", e.spot, e.symbol) for e in wanted.entries),
    )
