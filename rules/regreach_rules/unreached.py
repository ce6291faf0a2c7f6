"""Registrations that the look-up needs and cannot reach: which they are, and their story."""

from __future__ import annotations

from regreach.model import Audit, Cell, Detail, Finding, Related, Remedy
from regreach.rule import fingerprint, key_text

from regreach_rules import story
from regreach_rules.import_order import cycle_details, cycle_spots


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
    rule: str,
    audit: Audit,
    cell: Cell,
    why: str,
    more: tuple[Detail, ...] = (),
    lines: tuple[Related, ...] = (),
) -> Finding:
    """Return the finding: ``why`` it is not reached; details and lines beside those that all have."""
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
        why_no_fix(cell),
        (*story.spots(audit, cell), *lines, *_fatal_spots(cell)),
    )


def _fatal_spots(cell: Cell) -> tuple[Related, ...]:
    """Return the lines of the cycle that an import in the branch would die of."""
    cycle = cell.remedy.lazy.cycle if cell.remedy is not None else None
    return cycle_spots(cycle) if cycle is not None and cycle != cell.cycle else ()


def remedy_details(remedy: Remedy, cell: Cell) -> list[Detail]:
    """Return the line to add, where, and why there."""
    details = []
    if remedy.lazy.error is not None:
        details.append(Detail("add", f"no import in the branch works: {remedy.lazy.error}"))
        if remedy.lazy.cycle is not None and remedy.lazy.cycle != cell.cycle:
            details += cycle_details(remedy.lazy.cycle)
    if remedy.place is not None:
        details.append(Detail("add", remedy.statement))
        details.append(Detail("where", _where(remedy)))
    label = "at the top" if remedy.lazy.error is not None else "why lazy"
    details.append(Detail("why there" if remedy.place == "top" else label, _top(remedy, cell)))
    if remedy.others:
        others = story.listed(f"import {name}" for name in remedy.others)
        details.append(Detail("works instead", f"in the branch, {others}"))
    return details


def _where(remedy: Remedy) -> str:
    if remedy.place == "top":
        return f"at the top of {remedy.home}"
    if remedy.place == "before":
        return f"above {remedy.before}, from where it is looked up"
    return f"below {remedy.branch}, before the look-up"


def _top(remedy: Remedy, cell: Cell) -> str:
    home = cell.consumer.partition(":")[0]
    costs = f"it would also import {story.listed(remedy.top.packages)}"
    if not remedy.cycle and remedy.top.error is None:
        if remedy.top.packages:
            return f"at the top of the module {costs}"
        return "at the top of the module it closes no import cycle, and imports no further package"
    chain = story.chain_text(remedy.cycle, remedy.cycle[-1].imported if remedy.cycle else home)
    text = (
        f"at the top of the module it closes an import cycle: {home.rpartition('.')[2]} → {chain}"
    )
    if remedy.top.error is None:
        risk = f"{text}; a risk only: with either end imported first it works today"
        return f"{risk}; {costs}" if remedy.top.packages else risk
    first = remedy.top.first.rpartition(".")[2]
    return f"{text}; with {first} imported first it dies of {remedy.top.error}"


def fix_of(cell: Cell) -> dict[str, str | int] | None:
    """Return the fix as data: the import, the file, the place in it, and why there.

    ``after_line`` is the header of the branch, ``before_line`` the statement that comes to look up; for
    an import at the top they say where else it works.
    """
    remedy = cell.remedy
    if remedy is None or remedy.place is None:
        return None
    fix: dict[str, str | int] = {
        "kind": "add-import",
        "statement": remedy.statement,
        "path": remedy.home,
        "module": remedy.module,
        "placement": remedy.place,
        "because": _because(remedy),
    }
    if remedy.lazy.error is None and remedy.branch is not None:
        fix["after_line"] = remedy.branch.line
    elif remedy.lazy.error is None and remedy.before is not None:
        fix["before_line"] = remedy.before.line
    return fix


def why_no_fix(cell: Cell) -> str:
    """Return why no import is offered, in one line; empty where one is."""
    remedy = cell.remedy
    if remedy is None or remedy.place is not None:
        return ""
    if remedy.lazy.error is None and remedy.before is not None:
        packages = story.listed(remedy.lazy.packages or remedy.top.packages)
        return (
            "the consumer has no branch for the key, and where the import could stand it would be executed"
            f" for every value: it needs {packages}, which the others do without"
        )
    if remedy.lazy.error is None:
        return "no line of the consumer is known before which the import belongs"
    died = remedy.lazy.cycle
    why = f"an import in the branch would die of {remedy.lazy.error}"
    if died is not None:
        why = f"an import in the branch would die of an import cycle: {story.cycle_text(died)}"
    if not remedy.others:
        return f"{why}; no other place was found that works"
    return f"{why}; to import {remedy.others[0]} there instead works, which imports the module"


def _because(remedy: Remedy) -> str:
    """Return in a few words why an import stands where it does, for a comment beside it."""
    if remedy.place == "top":
        return "in the branch it would die of an import cycle" if remedy.lazy.error else ""
    if remedy.top.error is not None or remedy.cycle:
        return "at the top of the module it would close an import cycle"
    return f"at the top of the module it would import {story.listed(remedy.top.packages)} for all"
