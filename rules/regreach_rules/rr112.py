"""RR112: an entry of a string map whose module, or what it names there, does not exist."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

from regreach.model import Audit, Detail, Finding, Lost, SimpleRegistryResult
from regreach.rule import Rule, fingerprint


def check(audit: Audit) -> Iterator[Finding]:
    """Yield a finding for each entry that names what cannot be imported."""
    for registry in audit.simple_registries:
        for lost in registry.lost:
            yield _finding(registry, lost)


def _finding(registry: SimpleRegistryResult, lost: Lost) -> Finding:
    entry = lost.entry
    key = entry.key if entry.key is not None else entry.target
    return Finding(
        "RR112",
        "error",
        entry.spot,
        entry.column,
        f'"{key}" leads to {entry.target}, but {lost.missing}',
        (key,),
        fingerprint("RR112", registry.id, key, entry.target),
        None,
        tuple(_details(registry, lost)),
    )


def _details(registry: SimpleRegistryResult, lost: Lost) -> Iterator[Detail]:
    yield Detail("registered", f"{lost.entry.spot}  {registry.id}")
    for lookup in registry.lookups:
        yield Detail("looked up", lookup)


RULE = Rule(
    "RR112",
    "dangling-name",
    "error",
    "an entry that is the name of a module or of what it defines, and that is not there",
    files(__package__ or "").joinpath("rr112.md").read_text(encoding="utf-8"),
    check,
    final=True,
)
