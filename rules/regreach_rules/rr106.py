"""RR106: an import that is there for its side effect, and that a fixer of unused imports would delete."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

from regreach.model import Audit, Detail, Finding, Loss, SideEffectImport
from regreach.rule import Rule, fingerprint, key_text

from regreach_rules import story


def check(audit: Audit) -> Iterator[Finding]:
    """Yield a finding for each import that would be deleted and without which a key changes."""
    for found in audit.side_effect_imports:
        if found.losses:
            yield _finding(found)


def _finding(found: SideEffectImport) -> Finding:
    keys = story.listed((key_text(loss.now.key) for loss in found.losses), 3)
    first = found.losses[0]
    names = ", ".join(found.names)
    message = (
        f"a fixer of unused imports would delete this ({names} is used nowhere, nothing says to keep it);"
        f" {keys} {_fate(found)}"
    )
    details = [
        Detail("registered", f"{loss.now.registrations[0].spot}  {key_text(loss.now.key)}")
        for loss in found.losses
    ]
    details += [Detail("then", text) for text in dict.fromkeys(map(_then, found.losses))]
    details.append(Detail("add", "# noqa: F401, at the end of the line"))
    return Finding(
        "RR106",
        "warning",
        found.spot,
        found.column,
        message,
        first.now.key,
        fingerprint("RR106", found.importer, found.scope, *found.modules),
        {"kind": "add-noqa", "path": found.spot.path, "line": found.spot.line},
        tuple(details),
    )


def _fate(found: SideEffectImport) -> str:
    """Return what becomes of the keys, in one clause: the worst of it."""
    crashing = story.listed(
        story.short(site.spot) for loss in found.losses for site in loss.crashing
    )
    if crashing:
        return f"would be missing when it is looked up, and {crashing} would crash"
    if any(loss.then.needs_entry and not loss.now.needs_entry for loss in found.losses):
        return f"would be there only if {_consumer(found.losses[0])}'s callers import the module"
    return "would no longer be loaded by it"


def _then(loss: Loss) -> str:
    """Return what becomes of one key, as a verdict before and after."""
    text = f"{key_text(loss.now.key)}: reach {loss.now.reach}"
    text += f" → {loss.then.reach}" if loss.then.reach != loss.now.reach else ""
    if loss.then.raised_at is not None and loss.then.outcome != loss.now.outcome:
        text += f", {loss.then.exception} at {story.short(loss.then.raised_at)}"
    return text


def _consumer(loss: Loss) -> str:
    return loss.now.consumer.rpartition(":")[2]


RULE = Rule(
    "RR106",
    "fixer-would-delete",
    "warning",
    "an import for its side effect that a fixer of unused imports would delete",
    files(__package__ or "").joinpath("rr106.md").read_text(encoding="utf-8"),
    check,
)
