"""Registrations that the look-up needs and cannot reach: which they are, and their story."""

from __future__ import annotations

from regreach.model import Audit, Cell, Detail, Finding, Remedy
from regreach.rule import fingerprint, key_text

from regreach_rules import story


def is_unreached(audit: Audit, cell: Cell) -> bool:
    """Return whether a key is registered, asked for, and not there when it is."""
    if cell.reach not in ("none", "partial", "orphan") or cell.at_lookup != "no":
        return False
    if not cell.needs_entry or cell.held_back_by is not None:
        return False
    arriving = audit.arriving(cell)
    if not arriving:
        # nobody in the tree asks: a fault only where the consumer is for others to construct
        return not any(s.consumer == cell.consumer for s in audit.call_sites)
    return bool(story.sites(audit, cell, "raises", "maybe"))


def finding(
    rule: str, audit: Audit, cell: Cell, why: str, more: tuple[Detail, ...] = ()
) -> Finding:
    """Return the finding: ``why`` it is not reached, and details beside those that all have."""
    first = cell.registrations[0]
    consumer = cell.consumer.rpartition(":")[2]
    crashing = story.sites(audit, cell, "raises", "maybe")
    names = story.listed(story.short(s.spot) for s in crashing)
    crash = f"; {names} crash{'es' if len(crashing) == 1 else ''}" if crashing else ""
    message = (
        f"{key_text(cell.key)} is registered here, but {consumer} cannot reach it: {why}{crash}"
    )
    details = [*story.facts(audit, cell), *more]
    crash_paths = {s.spot.path for s in crashing}
    details.append(Detail("imported by", story.importers(cell.importers, crash_paths)))
    if cell.remedy is not None:
        details += remedy_details(cell.remedy, cell)
    return Finding(
        rule,
        "error",
        first.spot,
        first.column,
        message,
        cell.key,
        fingerprint(rule, cell.registry, *cell.key, cell.consumer),
        fix_of(cell),
        tuple(details),
    )


def remedy_details(remedy: Remedy, cell: Cell) -> list[Detail]:
    """Return the line to add, where, and why there."""
    details = []
    if remedy.lazy.error is None:
        where = (
            f"below {remedy.branch}, before the look-up" if remedy.branch else "before the look-up"
        )
        details.append(Detail("add", f"{remedy.statement}"))
        details.append(Detail("where", where))
    else:
        details.append(Detail("add", f"no import in the branch works: {remedy.lazy.error}"))
    details.append(
        Detail("why lazy" if remedy.lazy.error is None else "at the top", _top(remedy, cell))
    )
    return details


def _top(remedy: Remedy, cell: Cell) -> str:
    if not remedy.cycle and remedy.top.error is None:
        return "not needed: at the top of the module it closes no import cycle"
    home = cell.consumer.partition(":")[0]
    chain = story.chain_text(remedy.cycle, remedy.cycle[-1].imported if remedy.cycle else home)
    text = (
        f"at the top of the module it closes an import cycle: {home.rpartition('.')[2]} → {chain}"
    )
    if remedy.top.error is None:
        return f"{text}; a risk only: with either end imported first it works today"
    first = remedy.top.first.rpartition(".")[2]
    return f"{text}; with {first} imported first it dies of {remedy.top.error}"


def fix_of(cell: Cell) -> dict[str, str | int] | None:
    """Return the fix as data: the statement, and the file and line below which it belongs."""
    remedy = cell.remedy
    if remedy is None or remedy.lazy.error is not None or remedy.branch is None:
        return None
    return {
        "kind": "add-import",
        "statement": remedy.statement,
        "path": remedy.branch.path,
        "after_line": remedy.branch.line,
    }
