"""RR108: an entry that is registered under a condition, and looked up without it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

from regreach.model import Audit, Cell, Detail, Finding, Guarded, Related
from regreach.rule import Rule, fingerprint, key_text

from regreach_rules import story


def check(audit: Audit) -> Iterator[Finding]:
    """Yield a finding for each key that fails somewhere because a condition does not hold there."""
    for registry in audit.registries:
        for cell in registry.cells:
            guards = _guards(cell)
            if guards and _is_asked_for(audit, cell):
                yield _finding(audit, cell, guards)


def _guards(cell: Cell) -> tuple[Guarded, ...]:
    """Return the conditions that nobody asks who looks up; none where the import fails unheard (RR109)."""
    if not cell.needs_entry or any(each.asked_too for each in cell.guarded):
        return ()
    return tuple(g for g in cell.guarded if not (g.is_try and g.of == "import"))


def _is_asked_for(audit: Audit, cell: Cell) -> bool:
    if not audit.arriving(cell):
        # nobody in the tree asks: a fault only where the consumer is for others to construct
        return not any(s.consumer == cell.consumer for s in audit.call_sites)
    return bool(story.sites(audit, cell, "raises", "maybe"))


def _finding(audit: Audit, cell: Cell, guards: tuple[Guarded, ...]) -> Finding:
    first = cell.registrations[0]
    consumer = cell.consumer.rpartition(":")[2]
    main = guards[0]
    crashing = story.sites(audit, cell, "raises", "maybe")
    names = story.listed(story.short(s.spot) for s in crashing)
    crash = f"; without it {names} raise{'s' * (len(crashing) == 1)} {cell.exception}"
    under = f"only under `{story.clipped(main.condition, 60)}` ({story.short(main.guard)})"
    if main.is_try:
        under = f"only if nothing fails in the `try` at {story.short(main.guard)}"
    message = (
        f"{key_text(cell.key)} is registered {under}, which {consumer} does not ask for"
        f"{crash if crashing else ''}"
    )
    lines = _lines(guards)
    told = story.facts(audit, cell)
    details = [told[0], *map(story.detail, lines), *told[1:], Detail("mend", _mend(cell, main))]
    own = story.spots(audit, cell)
    return Finding(
        "RR108",
        "warning",
        first.spot,
        first.column,
        message,
        cell.key,
        fingerprint("RR108", cell.registry, *cell.key, cell.consumer),
        None,
        tuple(details),
        related=(own[0], *lines, *own[1:]),
    )


def _lines(guards: tuple[Guarded, ...]) -> list[Related]:
    lines: list[Related] = []
    for each in guards:
        lines.append(Related("only under", each.guard, story.clipped(each.guard.text)))
        if each.of == "import":
            lines.append(Related("imported", each.spot, story.clipped(each.spot.text)))
    for spot in dict.fromkeys(spot for each in guards for spot in each.defined):
        lines.append(Related("which is", spot, story.clipped(spot.text)))
    return lines


def _mend(cell: Cell, main: Guarded) -> str:
    """Return what to do, in one line."""
    where = f"below {story.short(cell.branch)}" if cell.branch is not None else "before the look-up"
    ask = f"ask for it {where} as well, and say there what is missing"
    if main.of == "registration":
        return f"{ask}; or register a fallback where it does not hold"
    return f"{ask}; or import the module there: {_statement(cell)}"


def _statement(cell: Cell) -> str:
    package, _, name = cell.registrations[0].module.rpartition(".")
    return f"from {package} import {name}  # noqa: F401" if package else f"import {name}"


RULE = Rule(
    "RR108",
    "guarded-registration",
    "warning",
    "an entry that is registered under a condition, and looked up without it",
    files(__package__ or "").joinpath("rr108.md").read_text(encoding="utf-8"),
    check,
    by_key=True,
)
