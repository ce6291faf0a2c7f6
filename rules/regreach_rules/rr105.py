"""RR105: one key that two modules register although both can be loaded in one process."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

from regreach.model import Audit, Clash, Detail, Finding, ImportEdge, Related, SimpleRegistryResult
from regreach.rule import Rule, fingerprint

from regreach_rules import story


def check(audit: Audit) -> Iterator[Finding]:
    """Yield a finding for each key that a second module registers with something else."""
    for registry in audit.simple_registries:
        for clash in registry.clashes:
            yield _finding(registry, clash)


def _finding(registry: SimpleRegistryResult, clash: Clash) -> Finding:
    first, second = clash.entries
    if clash.root:
        message = (
            f'"{clash.key}" is registered here and at {first.spot}, and one process can load both:'
            f" {_fate(registry.doubled)}"
        )
    else:
        message = (
            f'"{clash.key}" stands in this dict twice: what it leads to at {first.spot} is lost'
        )
    return Finding(
        "RR105",
        "error",
        second.spot,
        second.column,
        message,
        (clash.key,),
        fingerprint("RR105", registry.id, clash.key, *sorted((first.module, second.module))),
        None,
        tuple(_details(clash)),
        related=tuple(_spots(clash)),
    )


def _fate(doubled: str) -> str:
    return {
        "first": "the one that is loaded first is kept, and the other is ignored without a word",
        "last": "the one that is loaded last replaces the other without a word",
        "raises": "the one that is loaded last raises, and its module cannot be imported",
    }[doubled]


def _details(clash: Clash) -> Iterator[Detail]:
    for entry in clash.entries:
        yield Detail("registered", f"{entry.spot}  {entry.symbol}")
    for entry, edges in zip(clash.entries, clash.ways, strict=True) if clash.root else ():
        goal = entry.module
        chain = story.chain_text(edges, goal) if edges else goal
        yield Detail("loaded", f"{chain}{_when(edges)}")


def _when(edges: tuple[ImportEdge, ...]) -> str:
    """Return which functions have to be called before a module is loaded."""
    scopes = [f"{edge.scope} ({story.short(edge.spot)})" for edge in edges if edge.kind == "lazy"]
    if not scopes:
        return ""
    return f"  once {' and '.join(scopes)} {'has' if len(scopes) == 1 else 'have'} run"


def _spots(clash: Clash) -> Iterator[Related]:
    for entry in clash.entries:
        yield Related("registered", entry.spot, entry.symbol)
    for edges in clash.ways:
        yield from story.edges("loaded", edges)


RULE = Rule(
    "RR105",
    "doubled-key",
    "error",
    "a key that two modules register, and that both can be loaded in one process",
    files(__package__ or "").joinpath("rr105.md").read_text(encoding="utf-8"),
    check,
    final=True,
)
