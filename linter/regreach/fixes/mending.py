"""``mend``: from a target to the edits that mend its findings, judged before anything is written."""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path

from regreach.errors import ConfigError, TargetError
from regreach.evaluate.session import with_deep_stack
from regreach.fixes.add_import import Added
from regreach.fixes.edits import Edit, LeftFinding, MendedFinding
from regreach.fixes.judgement import Judged, damage
from regreach.fixes.plan import Change, Plan, edits_of, moved_down, plan_of
from regreach.model import Audit, Finding, Suppressed
from regreach.pack import Pack, Platform
from regreach.plugins import load_plugins
from regreach.program import Program
from regreach.request import Request
from regreach.rule import Rule, key_text
from regreach.run import judged, opened, settled_of
from regreach.verdicts import Analysis
from regreach.whole import whole_audit

_Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Mended:
    """What became of the findings of a tree.

    ``editable`` is the folder in which the files of the edits lie, None for an archive, a release or a
    revision. ``before`` is the audit of the tree, ``audit`` that of the edited one, where there are edits.
    ``unasked`` are findings of rules that are mended only if they are selected, ``suppressed`` those that
    were left alone, as they do not count.
    """

    before: Audit
    editable: Path | None
    edits: tuple[Edit, ...]
    mended: tuple[MendedFinding, ...]
    left: tuple[LeftFinding, ...]
    audit: Audit | None = None
    unasked: tuple[Finding, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()


def mend(
    request: Request,
    *,
    keys: Collection[tuple[str, ...]] | None = None,
    kinds: Collection[str] | None = None,
    to_write: bool = False,
    on_progress: _Say | None = None,
) -> Mended:
    """Analyse a target, and find the edits that mend its findings; nothing is written or executed.

    Args:
        request: what is analysed; its rules are those to mend (default: those that are mended unasked).
        keys: only findings about these keys.
        kinds: only those with a fix of these kinds.
        to_write: whether the edits are meant to be written, which not every target is for.
        on_progress: is told, in a line, what takes long.

    Raises:
        ConfigError: a rule that is not for mending, a target that is not to be edited.
        TargetError: a target that cannot be read.
    """
    rules = _rules(request)
    say = on_progress or (lambda _: None)
    asked = any(rule.mended == "on request" for rule in rules)
    with opened(replace(request, every_remedy=asked), on_progress) as analysis:
        tree = analysis.program.tree
        if to_write and tree.editable is None:
            raise ConfigError(
                f"{tree.source} is not a folder, and only folders are edited: use --diff"
            )
        bench = _Bench(analysis.program, analysis.pack, analysis.platform, say)
        before = bench.judge(analysis)
        if before.audit.blocked:
            raise TargetError(before.audit.blocked[0])
        settled = settled_of(request, before.findings, rules, analysis)
        unasked = _unasked(request, before.findings, analysis)
        # what this one has built up is as large as what the next one will
        del analysis
        codes = {rule.code for rule in rules}
        findings = [
            finding
            for finding in settled.findings
            if finding.rule in codes and (keys is None or finding.key in keys)
            if kinds is None or (finding.fix or {}).get("kind", "") in kinds
            # a warning that no edit can mend is for those who ask for it
            if request.select or finding.severity == "error" or finding.fix is not None
        ]
        mended = _Attempt(bench, before).run(findings)
        return replace(mended, unasked=unasked, suppressed=settled.suppressed)


def _unasked(
    request: Request, found: Collection[Finding], analysis: Analysis
) -> tuple[Finding, ...]:
    """Return what counts of the findings that are mended on request only, if nothing was requested."""
    if request.select:
        return ()
    rules = [r for r in load_plugins().selected((), request.ignore) if r.mended == "on request"]
    codes = {rule.code for rule in rules}
    settled = settled_of(request, found, rules, analysis)
    return tuple(finding for finding in settled.findings if finding.rule in codes)


def _rules(request: Request) -> list[Rule]:
    """Return the rules whose findings are to be mended. Raises ConfigError."""
    plugins = load_plugins()
    known = [rule.code for rule in plugins.rules.values() if rule.mended != "no"]
    for rule in plugins.selected(request.select, ()) if request.select else ():
        if rule.mended == "no":
            raise ConfigError(f"{rule.code} has no fix; those that have are: {', '.join(known)}")
    chosen = plugins.selected(request.select, request.ignore)
    wanted = ("yes", "on request") if request.select else ("yes",)
    return [rule for rule in chosen if rule.mended in wanted]


@dataclass(frozen=True, slots=True)
class _Bench:
    """Where edits of one tree are tried."""

    program: Program
    pack: Pack
    platform: Platform
    say: _Say

    def judge(self, analysis: Analysis) -> Judged:
        """Return what an analysis shows."""
        audit = with_deep_stack(lambda: whole_audit(analysis))
        return Judged(audit, judged(audit, load_plugins().rules.values()))

    def judge_edited(self, edits: Collection[Edit]) -> Judged:
        """Return what an analysis of the edited tree shows."""
        self.say(f"analysing the tree with {len(edits)} file{'s' * (len(edits) != 1)} edited")
        gc.collect()  # the last analysis; where that is left to Python this one would come beside it
        program = self.program.with_contents({edit.path: edit.after for edit in edits})
        return self.judge(Analysis(program, self.pack, self.platform))


class _Attempt:
    """The changes that are left, tried until they mend what they should and harm nothing."""

    def __init__(self, bench: _Bench, before: Judged) -> None:
        self._bench = bench
        self._before = before
        self._left: list[LeftFinding] = []
        self._plan: dict[Change, tuple[Finding, ...]] = {}
        self._edits: list[Edit] = []
        self._added: dict[Change, Added] = {}

    def run(self, findings: list[Finding]) -> Mended:
        """Return what becomes of the findings."""
        self._plan = plan_of(findings)
        planned = {id(finding) for group in self._plan.values() for finding in group}
        self._left = [
            LeftFinding(finding, finding.no_fix or "no edit is known that mends it")
            for finding in findings
            if id(finding) not in planned
        ]
        after: Judged | None = None
        while self._plan and after is None:
            after = self._tried()
        tree = self._bench.program.tree
        order = {id(finding): place for place, finding in enumerate(findings)}
        mended = [self._mended(c, f) for c, group in self._plan.items() for f in group]
        return Mended(
            self._before.audit,
            tree.editable,
            tuple(self._edits) if after is not None else (),
            tuple(sorted(mended, key=lambda m: order[id(m.finding)])),
            tuple(sorted(self._left, key=lambda each: order[id(each.finding)])),
            after.audit if after is not None else None,
        )

    def _tried(self) -> Judged | None:
        """Try the plan; None when it had to be changed and is to be tried again."""
        after = self._judge(self._plan)
        if after is None:
            return None
        failed = {c: why for c in self._plan if (why := self._why_not(c, after)) is not None}
        harm = damage(self._before, after)
        if not failed and not harm:
            return after
        if failed:
            self._give_up(failed)
        elif not self._moved():
            self._give_up(self._culprits(harm))
        return None

    def _judge(self, plan: Plan) -> Judged | None:
        edits, added, impossible = edits_of(plan, self._bench.program.contents)
        if impossible:
            self._give_up(impossible)
            return None
        self._edits, self._added = edits, added
        return self._bench.judge_edited(edits)

    def _why_not(self, change: Change, after: Judged) -> str | None:
        for finding in self._plan[change]:
            why = change.why_not(finding, self._added[change], after)
            if why is not None:
                key = (
                    f"{key_text(finding.key)}: "
                    if finding.key and len(self._plan[change]) > 1
                    else ""
                )
                return f"{key}{why}"
        return None

    def _moved(self) -> bool:
        """Move imports from the top of modules into branches where that may help."""
        moved = moved_down(self._plan)
        if list(moved) == list(self._plan):
            return False
        self._plan = moved
        return True

    def _culprits(self, harm: list[str]) -> dict[Change, str]:
        """Return the changes that do harm by themselves, and what; all of them if none does."""
        everything = dict.fromkeys(self._plan, harm[0])
        if len(everything) == 1:
            return everything
        found = {}
        for change, group in list(self._plan.items()):
            after = self._judge({change: group})
            own = damage(self._before, after) if after is not None else []
            if own:
                found[change] = own[0]
        return found or everything

    def _give_up(self, changes: dict[Change, str]) -> None:
        for change, why in changes.items():
            self._left += [LeftFinding(finding, why) for finding in self._plan.pop(change)]

    def _mended(self, change: Change, finding: Finding) -> MendedFinding:
        added = self._added[change]
        return MendedFinding(
            finding,
            change.path,
            added.line,
            added.statement,
            change.where(added.near),
            change.why(finding),
        )
