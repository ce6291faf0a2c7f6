"""RR106: an import that is there for its side effect, and that a fixer of unused imports would delete."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

from regreach.model import Audit, Detail, Finding, Loss, Related, SideEffectImport, Spot
from regreach.rule import Rule, fingerprint, key_text

from regreach_rules import story


def check(audit: Audit) -> Iterator[Finding]:
    """Yield a finding for each import that would be deleted and without which a key is worse off."""
    for found in audit.side_effect_imports:
        if found.losses:
            yield _finding(audit, found)


def _finding(audit: Audit, found: SideEffectImport) -> Finding:
    unused = " and ".join(f"`{name}`" for name in found.names)
    message = (
        f"an unused-import fixer would delete this import ({unused} is used nowhere,"
        f" and no `# noqa: F401` keeps it); {_fate(found)}"
    )
    first = found.losses[0].now
    return Finding(
        "RR106",
        "warning",
        found.spot,
        found.column,
        message,
        first.key,
        fingerprint("RR106", found.importer, found.scope, *found.modules),
        {"kind": "add-noqa", "path": found.spot.path, "line": found.spot.line},
        tuple(_details(audit, found)),
        related=tuple(_spots(audit, found)),
    )


def _fate(found: SideEffectImport) -> str:
    """Return what becomes of the keys, in one clause: the worst of it."""
    keys = story.listed((key_text(loss.now.key) for loss in found.losses), 2)
    consumer = found.losses[0].now.consumer.rpartition(":")[2]
    missing = f"{keys} would not be there when {consumer} asks"
    crashing = [site for loss in found.losses for site in loss.crashing]
    if crashing:
        return f"{missing}, and {story.listed(story.short(s.spot) for s in crashing)} would crash"
    if any(loss.then.reach in ("process", "caller") for loss in found.losses):
        return f"{keys} would be there only by luck, no longer by {consumer}'s own imports"
    return missing


def _details(audit: Audit, found: SideEffectImport) -> Iterator[Detail]:
    for loss in found.losses:
        registration = loss.now.registrations[0]
        yield Detail("registered", f"{registration.spot}  {key_text(loss.now.key)}")
    for loss in found.losses:
        yield Detail("then", _then(loss))
    others = _deleted_too(audit, found)
    if others:
        yield Detail("deleted too", story.listed(map(story.short, others), 8))
    yield Detail("add", "# noqa: F401")


def _spots(audit: Audit, found: SideEffectImport) -> Iterator[Related]:
    for loss in found.losses:
        yield Related("registered", loss.now.registrations[0].spot, key_text(loss.now.key))
    for site in dict.fromkeys(site for loss in found.losses for site in loss.crashing):
        yield Related("would crash", site.spot, site.function)
    for spot in _deleted_too(audit, found):
        yield Related("deleted too", spot, spot.text)


def _deleted_too(audit: Audit, found: SideEffectImport) -> list[Spot]:
    return [
        other.spot
        for other in audit.side_effect_imports
        if other is not found and not set(other.modules).isdisjoint(found.modules)
    ]


def _then(loss: Loss) -> str:
    """Return what becomes of one key: its reach before and after, and what is raised."""
    now, then = loss.now, loss.then
    text = f"{key_text(now.key)}  reach {now.reach}"
    if then.reach != now.reach:
        text += f" → {then.reach}"
    if then.raised_at is not None and then.outcome != now.outcome:
        text += f"; {then.exception} at {story.short(then.raised_at)}"
    return text


RULE = Rule(
    "RR106",
    "fixer-would-delete",
    "warning",
    "an import for its side effect that a fixer of unused imports would delete",
    files(__package__ or "").joinpath("rr106.md").read_text(encoding="utf-8"),
    check,
    mended="yes",
)
