"""Which findings are suppressed: by a comment in their statement, or by an entry of the baseline."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from regreach.model import Finding, Spot, Suppressed
from regreach.policy.baseline import Entry
from regreach.policy.comments import Comment


def by_comments(
    findings: Iterable[Finding], comments: Iterable[Comment]
) -> tuple[list[Suppressed], list[Finding], set[tuple[Comment, str]]]:
    """Return the findings that a comment suppresses, the others, and the comments used, each with the rule."""
    by_path: dict[str, list[Comment]] = {}
    for comment in comments:
        by_path.setdefault(comment.path, []).append(comment)
    suppressed: list[Suppressed] = []
    left: list[Finding] = []
    used: set[tuple[Comment, str]] = set()
    for finding in findings:
        on_it = [
            comment
            for comment in by_path.get(finding.spot.path, ())
            if finding.rule in comment.codes and comment.first <= finding.spot.line <= comment.last
        ]
        if not on_it:
            left.append(finding)
            continue
        used.add((on_it[0], finding.rule))
        spot = Spot(on_it[0].path, on_it[0].line, on_it[0].text)
        suppressed.append(Suppressed(finding, "comment", spot, on_it[0].reason))
    return suppressed, left, used


def by_baseline(
    findings: Iterable[Finding], entries: Sequence[Entry], place: str
) -> tuple[list[Suppressed], list[Finding], list[Entry]]:
    """Match each finding with one entry; the entries that are left are those that match nothing."""
    unused: dict[str, list[Entry]] = {}
    for entry in entries:
        unused.setdefault(entry.fingerprint, []).append(entry)
    suppressed: list[Suppressed] = []
    left: list[Finding] = []
    for finding in findings:
        if unused.get(finding.fingerprint):
            entry = unused[finding.fingerprint].pop(0)
            suppressed.append(
                Suppressed(finding, "baseline", Spot(place, entry.line), entry.reason)
            )
        else:
            left.append(finding)
    return suppressed, left, [entry for group in unused.values() for entry in group]
