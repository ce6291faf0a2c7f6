"""``check --since``: a tree and what it was at a revision, and what the change between them did."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from regreach.errors import ConfigError, TargetError
from regreach.evaluate.session import with_deep_stack
from regreach.history.comparison import Worsened, cells, difference, worsened
from regreach.history.explanation import details, headline, places
from regreach.history.import_changes import ImportChange, import_change
from regreach.history.repository import Commit, Repository
from regreach.model import Audit, Detail, Finding, Suppressed
from regreach.plugins import load_plugins
from regreach.request import Request, Result
from regreach.rule import Rule
from regreach.run import common_sources, judged, opened, settled_of
from regreach.tree.paths import one_line
from regreach.verdicts import Analysis
from regreach.whole import whole_audit

_Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Information:
    """A key that a change made weaker without any rule that finds something: where, what, and why."""

    key: tuple[str, ...]
    path: str
    line: int
    message: str
    details: tuple[Detail, ...]


@dataclass(frozen=True, slots=True)
class Since:
    """What a change brought in and mended.

    ``result`` is that of the new side, its findings being those that are brought in; ``new`` is None
    for the working tree. What is not there any more is ``mended``, or only ``gone``: its key is worse
    off than it was. ``not_shown`` counts the findings that both sides have.
    """

    old: Commit
    new: Commit | None
    result: Result
    mended: tuple[Finding, ...]
    gone: tuple[Finding, ...]
    not_shown: int
    weaker: tuple[Information, ...]
    notes: tuple[str, ...]


def compare(request: Request, since: str, on_progress: _Say | None = None) -> Since:
    """Analyse a target and what it was at a revision, and tell what the change brought in and mended.

    ``since`` is a revision, to which the working tree (or ``request.rev``) is compared, or a range as
    ``git diff`` takes it: ``A..B``, or ``A...B`` for what B has beyond the merge base of both.

    Raises ConfigError and TargetError.
    """
    rules = load_plugins().selected(request.select, request.ignore)
    repository = Repository(request.target, "--since")
    old, new, notes = _sides(repository, since, request.rev)
    old_request = replace(request, rev=old.hash)
    new_request = replace(request, rev=new.hash if new is not None else None)
    with (
        common_sources(request, revisions=True) as sources,
        opened(old_request, on_progress, sources) as before,
        opened(new_request, on_progress, sources) as after,
    ):
        was, now = _judge(request, before, rules), _judge(request, after, rules)
        found = difference(was.findings, now.findings)
        explain = _Explanations(was, now, old)
        brought_in = tuple(explain.finding(finding) for finding in found.brought_in)
        weaker = tuple(explain.information(found.brought_in))
        # what is suppressed now is still there
        kept = {each.finding.fingerprint for each in now.suppressed}
        left = [finding for finding in found.mended if finding.fingerprint not in kept]
        mended = tuple(finding for finding in left if not explain.is_worse(finding))
    gone = tuple(finding for finding in left if finding not in mended)
    notes += _about_trees(was, now, old)
    result = Result(
        _named(now.audit, request, new), brought_in, now.suppressed, tuple(rules), analysis=after
    )
    return Since(old, new, result, mended, gone, len(found.old), weaker, tuple(notes))


def _sides(
    repository: Repository, since: str, rev: str | None
) -> tuple[Commit, Commit | None, list[str]]:
    """Return the commits to compare, the new one None for the working tree, and what is to be noted."""
    if not since.strip():
        raise ConfigError(
            "--since is empty (a variable that is not set?): give a revision, as main, or a range, as main...HEAD"
        )
    first, dots, last = since.partition("..")
    from_base = last.startswith(".")
    if dots and rev is not None:
        raise ConfigError(f"--since {one_line(since)} names the new side already: leave --rev out")
    name = (last.removeprefix(".") or "HEAD") if dots else rev
    if name is None and not repository.has_work_tree:
        raise ConfigError(
            f"{one_line(repository.folder)} has no working tree to compare with:"
            f" name both sides, as in --since {one_line(first)}..HEAD"
        )
    old = repository.commit(first or "HEAD" if dots else first)
    new = repository.commit(name) if name is not None else None
    present = new if new is not None else _head(repository)
    if present is None:
        return old, new, []
    base = repository.merge_base(old.hash, present.hash)
    if from_base:
        if base is None:
            raise ConfigError(f"{old} and {present} have no common ancestor: use --since A..B")
        return base, new, []
    if base == old:
        same = new == old
        return old, new, [f"{since} is empty: both sides are {old}"] if same else []
    there = f"{name or 'the working tree'}"
    hint = "" if base is None else f"; --since {first}...{name or 'HEAD'} leaves that out"
    return (
        old,
        new,
        [
            f"{one_line(first)} is no ancestor of {one_line(there)}: what is only in {one_line(first)}"
            f" counts as taken away{hint}"
        ],
    )


def _head(repository: Repository) -> Commit | None:
    try:
        return repository.commit("HEAD")
    except TargetError:
        return None  # nothing has been committed on this branch yet


@dataclass(frozen=True, slots=True)
class _Side:
    analysis: Analysis
    audit: Audit
    findings: tuple[Finding, ...]
    suppressed: tuple[Suppressed, ...]


def _judge(request: Request, analysis: Analysis, rules: Sequence[Rule]) -> _Side:
    audit = with_deep_stack(lambda: whole_audit(analysis))
    settled = settled_of(request, judged(audit, rules), rules, analysis)
    return _Side(analysis, audit, settled.findings, settled.suppressed)


class _Explanations:
    """What made keys worse, found out once for each."""

    def __init__(self, was: _Side, now: _Side, old: Commit) -> None:
        self._was, self._now, self._old = was, now, old
        self._worse = worsened(was.audit, now.audit)
        self._changes: dict[int, ImportChange] = {}

    def finding(self, finding: Finding) -> Finding:
        """Return a finding that was brought in, with what was before and which import is gone."""
        about = [found for found in self._worse if _is_about(finding, found)]
        more = [detail for found in about for detail in self._details(found)]
        lines = [line for found in about for line in places(self._change(found), self._old)]
        if not more and finding.key is not None and not self._was_registered(finding.key):
            more = [Detail("before", f"nothing was registered for it (at {self._old})")]
        known = set(finding.details)
        more = [detail for detail in dict.fromkeys(more) if detail not in known]
        related = tuple(dict.fromkeys((*finding.related, *lines)))
        return replace(finding, details=(*finding.details, *more), related=related)

    def is_worse(self, finding: Finding) -> bool:
        """Return whether a key about which something was found is worse off now."""
        return any(_is_about(finding, found) for found in self._worse)

    def information(self, told: Sequence[Finding]) -> list[Information]:
        """Return the keys that are worse off and about which nothing is found."""
        return [
            Information(
                found.before.key,
                *self._place(found),
                headline(found, self._old),
                tuple(self._details(found)),
            )
            for found in self._worse
            if not any(_is_about(finding, found) for finding in told)
        ]

    def _details(self, found: Worsened) -> list[Detail]:
        return list(details(found, self._change(found), self._old))

    def _change(self, found: Worsened) -> ImportChange:
        change = self._changes.get(id(found))
        if change is None:
            change = self._changes[id(found)] = import_change(
                self._was.analysis, self._now.analysis, found.before, found.after
            )
        return change

    def _was_registered(self, key: tuple[str, ...]) -> bool:
        return any(
            cell.registrations and key in (cell.key, cell.key[-1:])
            for cell in cells(self._was.audit.registries)
        )

    @staticmethod
    def _place(found: Worsened) -> tuple[str, int]:
        """Return where a key is registered, or was."""
        after = found.after
        cell = after if after is not None and after.registrations else found.before
        spot = cell.registrations[0].spot
        return spot.path, spot.line


def _is_about(finding: Finding, found: Worsened) -> bool:
    """Return whether a finding is about a key, or about its selector's value."""
    return finding.key in (found.before.key, found.before.key[-1:])


def _about_trees(was: _Side, now: _Side, old: Commit) -> list[str]:
    """Return what is to be said of the trees themselves."""
    before, after = was.analysis.program.tree, now.analysis.program.tree
    notes = []
    if before.import_root != after.import_root:
        places = [tree.import_root or "the top" for tree in (before, after)]
        notes.append(f"{after.package} has moved since {old}: from {places[0]} to {places[1]}")
    known = {problem.spot.path for problem in now.audit.problems}
    notes += [
        f"at {old} {problem.spot} was not read: {problem.message}"
        for problem in was.audit.problems
        if problem.spot.path not in known
    ]
    return [*notes, *(f"at {old} {why}" for why in was.audit.blocked)]


def _named(audit: Audit, request: Request, new: Commit | None) -> Audit:
    """Return an audit of a revision under the name that the user gave it."""
    if new is None or request.rev is None:
        return audit
    return replace(
        audit,
        source=f"{request.target}@{request.rev}",
        root=audit.root.removesuffix(new.hash) + request.rev,
    )
