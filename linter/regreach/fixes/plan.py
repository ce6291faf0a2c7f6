"""From findings to edits: each fix once, whoever needs it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from regreach.fixes.add_import import Added, add_import
from regreach.fixes.add_noqa import add_noqa
from regreach.fixes.begin_at_root import begin_at_root
from regreach.fixes.edits import Edit
from regreach.fixes.errors import CannotEditError
from regreach.fixes.judgement import Judged, why_not_mended
from regreach.model import Finding, Place
from regreach.rule import key_text

_LISTED = 3  # so many keys are named in a comment, the rest is counted


@dataclass(frozen=True, slots=True)
class ImportToAdd:
    """An import that belongs to a place in a file."""

    path: str
    statement: str
    place: Place
    line: int
    because: str

    def applied(self, data: bytes, findings: Sequence[Finding]) -> Added:
        """Return the file with it. Raises CannotEditError."""
        keys = list(dict.fromkeys(key_text(f.key) for f in findings if f.key is not None))
        more = len(keys) - _LISTED
        named = ", ".join(keys[:_LISTED]) + (f" and {more} more" if more > 0 else "")
        reason = f"Registers {named} before the look-up"
        reason += f"; {self.because}." if self.because else "."
        return add_import(data, self.statement, self.place, self.line, reason)

    def where(self, near: str) -> str:
        """Say where it stands: in which branch, or in front of what."""
        if self.place == "top":
            return "at the top of the module"
        return f"below  {near}" if self.place == "branch" else f"above  {near}"

    def why(self, finding: Finding) -> str:
        """Say why it stands there: as the finding does in detail, unless it was moved."""
        if finding.fix is None or change_of(finding.fix) != self:
            return self.because
        told = (d.text for d in finding.details if d.label in ("why lazy", "why there"))
        return next(told, self.because)

    def why_not(self, finding: Finding, _: Added, after: Judged) -> str | None:
        """Return why it does not mend a finding; None when it does."""
        return why_not_mended(finding, after)


@dataclass(frozen=True, slots=True)
class NoqaToAdd:
    """A comment for an import that begins on a line."""

    path: str
    line: int
    statement: str = "# noqa: F401"

    def applied(self, data: bytes, findings: Sequence[Finding]) -> Added:
        """Return the file with it. Raises CannotEditError."""
        return Added(add_noqa(data, self.line), self.line, self.statement, findings[0].spot.text)

    def where(self, near: str) -> str:
        """Say where it stands."""
        return f"at the end of  {near}"

    def why(self, _: Finding) -> str:
        """Say what it is for."""
        return "nothing uses the name: without the comment the import looks like dead code"

    def why_not(self, finding: Finding, added: Added, after: Judged) -> str | None:
        """Return why it does not mend a finding; None when it does.

        Told by the line: of two that are alike the second takes the first one's fingerprint.
        """
        mended = finding.rule, self.path, added.line
        if mended in {(each.rule, each.spot.path, each.spot.line) for each in after.findings}:
            return "with the comment a fixer would delete it all the same"
        return None


@dataclass(frozen=True, slots=True)
class NameToShorten:
    """A statement, by the line that it begins on, whose imports are to begin at the import root."""

    path: str
    line: int
    above: str
    package: str

    @property
    def statement(self) -> str:
        """Return what is taken away."""
        return f"{self.above}."

    def applied(self, data: bytes, findings: Sequence[Finding]) -> Added:
        """Return the file with it. Raises CannotEditError."""
        made, text = begin_at_root(data, self.line, self.above, self.package)
        return Added(made, self.line, text, findings[0].spot.text)

    def where(self, near: str) -> str:
        """Say where it stands."""
        return f"in place of  {near}"

    def why(self, _: Finding) -> str:
        """Say what it is for."""
        return "the name begins where the package is imported from, wherever the program is started"

    def why_not(self, finding: Finding, added: Added, after: Judged) -> str | None:
        """Return why it does not mend a finding; None when it does. Told by the line, as ``NoqaToAdd``."""
        mended = finding.rule, self.path, added.line
        if mended in {(each.rule, each.spot.path, each.spot.line) for each in after.findings}:
            return "it would still begin above the root"
        return None


Change = ImportToAdd | NoqaToAdd | NameToShorten
Plan = Mapping[Change, tuple[Finding, ...]]


def change_of(fix: Mapping[str, str | int]) -> Change | None:
    """Return what a finding's fix is about; this is the one place that knows the kinds of fixes."""
    if fix["kind"] == "add-import":
        return _import_to_add(fix)
    if fix["kind"] == "add-noqa":
        return NoqaToAdd(str(fix["path"]), int(fix["line"]))
    if fix["kind"] == "begin-at-root":
        names = (str(fix[name]) for name in ("above", "package"))
        return NameToShorten(str(fix["path"]), int(fix["line"]), *names)
    return None


def plan_of(findings: Sequence[Finding]) -> dict[Change, tuple[Finding, ...]]:
    """Return the changes for findings, each with those that it is for."""
    plan: dict[Change, tuple[Finding, ...]] = {}
    for finding in findings:
        change = change_of(finding.fix) if finding.fix is not None else None
        if change is not None:
            plan[change] = (*plan.get(change, ()), finding)
    return plan


def moved_down(plan: Plan) -> dict[Change, tuple[Finding, ...]]:
    """Return a plan in which imports at the top of modules stand where they are needed, if they can."""
    moved: dict[Change, tuple[Finding, ...]] = {}
    for change, group in plan.items():
        for finding in group:
            lazy = change
            if isinstance(change, ImportToAdd) and change.place == "top":
                lazy = _lazily(change, finding.fix or {})
            moved[lazy] = (*moved.get(lazy, ()), finding)
    return moved


def edits_of(
    plan: Plan, read: Callable[[str], bytes]
) -> tuple[list[Edit], dict[Change, Added], dict[Change, str]]:
    """Make the changes of a plan.

    Returns the edits by path, what was added at which line of the edited files, and for each change
    that cannot be made why not. ``read`` gives a file's bytes; what it raises is passed on.
    """
    edits: list[Edit] = []
    added: dict[Change, Added] = {}
    impossible: dict[Change, str] = {}
    for path in sorted({change.path for change in plan}):
        data = before = read(path)
        # from the end to the beginning: so the lines of those to come stay what they were
        own = sorted((c for c in plan if c.path == path), key=_order, reverse=True)
        for change in own:
            try:
                made = change.applied(data, plan[change])
            except CannotEditError as error:
                impossible[change] = str(error)
                continue
            more = _line_count(made.data) - _line_count(data)
            above = _lines_in_common(data, made.data)
            for other in (c for c in own if c in added and added[c].line > above):
                added[other] = replace(added[other], line=added[other].line + more)
            added[change], data = made, made.data
        if data != before:
            edits.append(Edit(path, before, data))
    return edits, added, impossible


def _order(change: Change) -> tuple[int, str]:
    return (change.line, change.statement)  # the line is 0 at the top


def _lines_in_common(before: bytes, after: bytes) -> int:
    """Return how many lines two files have in common at the beginning."""
    lines = before.splitlines()
    pairs = enumerate(zip(lines, after.splitlines(), strict=False))
    return next((i for i, (a, b) in pairs if a != b), len(lines))


def _line_count(data: bytes) -> int:
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")


def _import_to_add(fix: Mapping[str, str | int]) -> ImportToAdd:
    statement = str(fix["statement"]).partition("#")[0].strip()
    at_top = ImportToAdd(str(fix["path"]), statement, "top", 0, str(fix.get("because", "")))
    return at_top if fix.get("placement") == "top" else _below(at_top, fix, at_top.because)


def _lazily(change: ImportToAdd, fix: Mapping[str, str | int]) -> ImportToAdd:
    return _below(change, fix, "at the top of the module it would break another import")


def _below(change: ImportToAdd, fix: Mapping[str, str | int], because: str) -> ImportToAdd:
    """Return an import where a fix says that it works when the function is called, if it does."""
    places: tuple[tuple[str, Place], ...] = (("after_line", "branch"), ("before_line", "before"))
    for name, place in places:
        if name in fix:
            return replace(change, place=place, line=int(fix[name]), because=because)
    return change
