"""RR104: a key that is written down in one place, and not in the other that has to know it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

from regreach.model import Audit, Detail, Finding, Related, SimpleRegistryResult, Wanted
from regreach.rule import Rule, fingerprint


def check(audit: Audit) -> Iterator[Finding]:
    """Yield a finding for each choice that nothing serves, each unregistered use, and each odd key."""
    for registry in audit.simple_registries:
        for wanted in registry.wanted:
            if wanted.kind != "use-unreached":
                yield _finding(registry, wanted)


def _finding(registry: SimpleRegistryResult, wanted: Wanted) -> Finding:
    return Finding(
        "RR104",
        "error",
        wanted.spot,
        wanted.column,
        _message(registry, wanted),
        (wanted.key,),
        fingerprint("RR104", registry.id, wanted.kind, wanted.key, wanted.source),
        None,
        tuple(_details(registry, wanted)),
        related=tuple(Related("looked up", wanted.spot) for _ in range(wanted.kind == "use")),
    )


def _message(registry: SimpleRegistryResult, wanted: Wanted) -> str:
    name = wanted.source.rpartition(":")[2]
    near = f'; did you mean "{wanted.near}"?' if wanted.near else ""
    if wanted.kind == "choice":
        return (
            f'"{wanted.key}" can be chosen ({name}), but nothing is registered for it in {registry.id},'
            f" and it is no alias{near}"
        )
    if wanted.kind == "use":
        return f'"{wanted.key}" is used here, but nobody registers it in {registry.id}{near}'
    return f'"{wanted.key}" is registered here, but {name} has no such member{near}'


def _details(registry: SimpleRegistryResult, wanted: Wanted) -> Iterator[Detail]:
    for lookup in registry.lookups if wanted.kind == "choice" else ():
        yield Detail("looked up", lookup)
    for entry in wanted.entries:
        yield Detail("registered", f"{entry.spot}  {entry.symbol}")


RULE = Rule(
    "RR104",
    "unknown-key",
    "error",
    "a key that its enum or list of choices lacks, or a choice or use that nothing registered serves",
    files(__package__ or "").joinpath("rr104.md").read_text(encoding="utf-8"),
    check,
    final=True,
)
