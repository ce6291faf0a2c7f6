"""What becomes of a baseline when its tree is analysed again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from regreach.model import Finding
from regreach.policy.baseline import Entry
from regreach.policy.meta_rules import CODES
from regreach.rule import Rule


@dataclass(frozen=True, slots=True)
class Update:
    """The entries of a pack and platform from now on, what changed, and the findings that have none."""

    entries: tuple[Entry, ...]
    added: int
    removed: int
    left: tuple[Finding, ...]


def updated(
    old: Sequence[Entry] | None,
    findings: Iterable[Finding],
    rules: Iterable[Rule],
    reason: str = "",
    *,
    add: bool = False,
) -> Update:
    """Return the entries for the findings of ``rules``, of which ``old`` are known (None: nothing is yet).

    Entries that no finding matches are gone, but for those of other rules; the others keep their reasons.
    A finding without an entry gets one, with the ``reason``, if nothing was known before or ``add`` says so.
    Findings about the baseline and about comments never get one.
    """
    codes = {rule.code for rule in rules}
    unused: dict[str, list[Entry]] = {}
    kept = []
    for entry in old or ():
        if entry.rule in codes:
            unused.setdefault(entry.fingerprint, []).append(entry)
        else:
            kept.append(entry)
    new: list[Finding] = []
    for finding in findings:
        if finding.rule in CODES:
            continue
        if unused.get(finding.fingerprint):
            known = unused[finding.fingerprint].pop(0)
            # what it is about may be written in other words since
            kept.append(replace(Entry.of_finding(finding, known.reason), line=known.line))
        else:
            new.append(finding)
    removed = sum(map(len, unused.values()))
    if old is None or add:
        entries = (*kept, *(Entry.of_finding(finding, reason) for finding in new))
        return Update(in_order(entries), len(new), removed, ())
    return Update(in_order(kept), 0, removed, tuple(new))


def in_order(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return entries in the order of a file: by rule and what they are about."""
    return tuple(sorted(entries, key=lambda e: (e.rule, e.of, e.fingerprint, e.reason)))
