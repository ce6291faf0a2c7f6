"""What reports for services are made of, and the paths by which these find files."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from regreach.model import Audit, Finding, Severity, Spot, Suppressed, fails
from regreach.request import Result
from regreach.rule import Rule
from regreach.tree import Tree

if TYPE_CHECKING:  # what edits takes as long to import as all else, and one format wants them
    from regreach.fixes.edits import Edit

# The root of the checkout, as GitHub's runner and GitLab's name it to the processes of a job.
_ROOTS = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")

_ADVICE = ("add", "where")
_CHANGE = ("before", "deleted", "side effect", "put back", "last import")  # of `check --since`


@dataclass(frozen=True, slots=True)
class Reported:
    """A result, and how it is to be told.

    ``base`` is the folder that paths are relative to, None when the tree is no folder on disk; ``prefix``
    leads from there to the tree's root. ``edit_of`` gives the edit that a finding's fix is.
    ``unsure`` says in a line each why the run has no result, be there findings or not; ``anchor`` is a file
    of the tree for services that want one for it.
    """

    audit: Audit
    findings: tuple[Finding, ...]
    suppressed: tuple[Suppressed, ...]
    rules: tuple[Rule, ...]
    fail_on: Severity
    base: Path | None
    prefix: str
    edit_of: Callable[[Finding], Edit | None]
    unsure: tuple[str, ...] = ()
    anchor: str = ""

    def path(self, path: str) -> str:
        """Return a path of the tree relative to the base, with ``/``."""
        return f"{self.prefix}/{path}" if self.prefix else path

    def title(self, code: str) -> str:
        """Return a rule's code and name."""
        return next((f"{code} {rule.name}" for rule in self.rules if rule.code == code), code)

    def fails(self, finding: Finding) -> bool:
        """Return whether a finding is one to fail on."""
        return fails(finding.severity, self.fail_on)


def advised(finding: Finding) -> str:
    """Return a finding's message, and below it what to add and where, and what a change did, if known."""
    told = _told(finding, (*_ADVICE, *_CHANGE))
    return "\n".join([finding.message, *told])


def changed(finding: Finding) -> str:
    """Return a finding's message and what a change did, if known, on one line."""
    return "; ".join([finding.message, *_told(finding, _CHANGE)])


def place_of_change(finding: Finding) -> Spot | None:
    """Return the line in whose place an import stood that a change deleted, None where there is none."""
    return next((each.spot for each in finding.related if each.role == "deleted"), None)


def _told(finding: Finding, labels: Sequence[str]) -> list[str]:
    return [f"{d.label}: {d.text}" for d in finding.details if d.label in labels]


def reported(result: Result, fail_on: Severity, unsure: tuple[str, ...] = ()) -> Reported:
    """Return a result as it is to be told in the folder in which the process runs."""
    program = result.analysis.program
    folder = program.tree.editable
    base, prefix = _base_of(folder) if folder is not None else _base_in_revision(program.tree)

    def edit_of(finding: Finding) -> Edit | None:
        from regreach.fixes.plan import edits_of, plan_of

        if folder is None:
            return None
        # what was analysed and is kept, not what the file may have become since
        edits, _, _ = edits_of(plan_of([finding]), program.contents)
        return edits[0] if edits else None

    return Reported(
        result.audit,
        result.findings,
        result.suppressed,
        result.rules,
        fail_on,
        base,
        prefix,
        edit_of,
        unsure,
        _anchor(result),
    )


def _anchor(result: Result) -> str:
    """Return the path of a file that could not be read, or of the first of the tree."""
    audit, modules = result.audit, result.analysis.program.tree.modules.values()
    not_read = (*(doubt.path for doubt in audit.doubtful), *(p.spot.path for p in audit.problems))
    return next((path for path in (*not_read, *(m.path for m in modules)) if path), audit.package)


def _base_in_revision(tree: Tree) -> tuple[Path | None, str]:
    """Return where the paths of a revision begin: at the top of its repository, or of the service's checkout.

    The repository may lie in a folder of that. Other trees that are no folders begin at their root.
    """
    above = ""
    if tree.repository is not None:
        for root in filter(None, map(os.environ.get, _ROOTS)):
            base = Path(os.path.realpath(root))
            if tree.repository.is_relative_to(base):
                above = tree.repository.relative_to(base).as_posix()
                break
    return None, "/".join(part for part in (above, tree.inside) if part not in ("", "."))


def _base_of(folder: Path) -> tuple[Path, str]:
    """Return the root of the checkout as the service has it, or the working directory, or the tree."""
    for root in (*filter(None, map(os.environ.get, _ROOTS)), "."):
        base = Path(os.path.realpath(root))
        if folder.is_relative_to(base):
            prefix = folder.relative_to(base).as_posix()
            return base, "" if prefix == "." else prefix
    return folder, ""
