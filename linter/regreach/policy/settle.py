"""``settle``: from what rules found to what counts, what is suppressed, and what is stale."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from regreach.model import SEVERITIES, Detail, Finding, Severity, Spot, Suppressed
from regreach.policy.baseline import COMMAND, Baseline, Entry, Known, Run
from regreach.policy.comments import Comment, comments_of
from regreach.policy.matching import by_baseline, by_comments
from regreach.policy.path_ignores import PathIgnores
from regreach.rule import Rule, fingerprint, told_apart

if TYPE_CHECKING:
    from regreach.program import Program
    from regreach.tree import Tree


@dataclass(frozen=True, slots=True)
class Policy:
    """What is made of findings; ``suppress`` says whether comments and the baseline count."""

    severities: Mapping[str, Severity] = field(default_factory=dict)
    path_ignores: PathIgnores = field(default_factory=PathIgnores)
    baseline: Baseline | None = None
    suppress: bool = True


EVERYTHING = Policy(suppress=False)
"""Each finding counts, as its rule gives it."""


@dataclass(frozen=True, slots=True)
class Settled:
    """The findings that count, errors first, then by place, and those that are suppressed."""

    findings: tuple[Finding, ...]
    suppressed: tuple[Suppressed, ...]


def settle(
    found: Iterable[Finding],
    rules: Iterable[Rule],
    policy: Policy,
    program: Program,
    run: Run,
    known: Known,
) -> Settled:
    """Apply a policy to what ``rules`` found in a program, analysed as ``run`` says.

    ``known`` has the codes of all rules, selected or not: comments may name them. A finding is suppressed
    by a comment before an entry of the baseline is used up for it. An entry or a comment for a rule that is
    not among ``rules`` is not judged: it is not stale.
    """
    judge = _Judge({rule.code: rule for rule in rules}, policy, program.tree)
    counting = judge.counting(found)
    if not policy.suppress:
        return Settled(in_order(counting), ())
    comments = comments_of(program, known.rules)
    commented, counting, used = by_comments(counting, comments)
    entries = policy.baseline.runs.get(run, ()) if policy.baseline is not None else ()
    place = _shown(policy.baseline, program.tree)
    known_before, counting, stale = by_baseline(counting, entries, place)
    orphans = policy.baseline.orphans(known) if policy.baseline is not None else []
    about = [
        *(judge.stale_entry(entry, place) for entry in stale),
        *(judge.orphan(entry, why, place) for entry, why in orphans),
        *judge.stale_comments(comments, used),
        *(finding for comment in comments for finding in _faults(comment)),
    ]
    more = judge.counting(told_apart(f for f in about if f is not None))
    suppressed = sorted(
        (*commented, *known_before), key=lambda s: (s.finding.spot.path, s.finding.spot.line)
    )
    return Settled(in_order((*counting, *more)), tuple(suppressed))


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings in the order in which they are reported: errors first, then by place."""
    return tuple(
        sorted(
            findings,
            key=lambda f: (
                SEVERITIES.index(f.severity),
                f.spot.path,
                f.spot.line,
                f.rule,
                f.key or (),
            ),
        )
    )


class _Judge:
    """Which rules count where, and with which severity."""

    def __init__(self, rules: Mapping[str, Rule], policy: Policy, tree: Tree) -> None:
        self._rules, self._policy, self._tree = rules, policy, tree

    def counts(self, code: str, path: str) -> bool:
        """Return whether a rule is applied to a file."""
        return code in self._rules and code not in self._policy.path_ignores.codes(self._tree, path)

    def counting(self, findings: Iterable[Finding]) -> list[Finding]:
        """Return the findings of rules that are applied to their files, with their severities."""
        severities = self._policy.severities
        return [
            replace(finding, severity=severities.get(finding.rule, finding.severity))
            for finding in findings
            if self.counts(finding.rule, finding.spot.path)
        ]

    def stale_entry(self, entry: Entry, place: str) -> Finding | None:
        """Return what is to be said of an entry that matched nothing; None when it is not judged."""
        if entry.rule not in self._rules:
            return None
        return self._about_entry(entry, "which is not found any more", place)

    def orphan(self, entry: Entry, why: str, place: str) -> Finding:
        """Return what is to be said of an entry that nothing installed could match."""
        return self._about_entry(entry, f"but {why}", place)

    def _about_entry(self, entry: Entry, why: str, place: str) -> Finding:
        about = f"{entry.rule} ({', '.join(entry.of)})" if entry.of else entry.rule
        baseline = self._policy.baseline
        command = baseline.command if baseline is not None else COMMAND
        message = f"the baseline knows {about}, {why}: `{command}` removes it"
        identity = fingerprint("RR901", entry.fingerprint)
        details = (Detail("reason", entry.reason),) if entry.reason else ()
        return Finding(
            "RR901", "warning", Spot(place, entry.line), 1, message, None, identity, None, details
        )

    def stale_comments(
        self, comments: Iterable[Comment], used: Collection[tuple[Comment, str]]
    ) -> Iterator[Finding]:
        """Yield what is to be said of comments that suppress nothing, or not all that they name."""
        for comment in comments:
            codes = [
                code
                for code in comment.codes
                if (comment, code) not in used and self.counts(code, comment.path)
            ]
            if not codes:
                continue
            alone = "; it stands by itself: it belongs at the end of the line" * (not comment.first)
            message = f"`{comment.text}` suppresses no {' and no '.join(codes)} here{alone}"
            yield _about(comment, "RR902", message, *codes)


def _faults(comment: Comment) -> Iterator[Finding]:
    for fault in comment.faults:
        yield _about(comment, "RR903", f"`{comment.text}`: {fault}", fault)


def _about(comment: Comment, rule: str, message: str, *parts: str) -> Finding:
    spot = Spot(comment.path, comment.line, comment.text)
    identity = fingerprint(rule, comment.path, *parts)
    return Finding(rule, "warning", spot, comment.column, message, None, identity)


def _shown(baseline: Baseline | None, tree: Tree) -> str:
    """Return the path of a baseline as reports name it: from the tree's root where it lies in that."""
    if baseline is None:
        return ""
    if baseline.path is not None and tree.editable is not None:
        path = Path(baseline.path)
        if path.is_relative_to(tree.editable):
            return path.relative_to(tree.editable).as_posix()
    return Path(baseline.name).as_posix()
