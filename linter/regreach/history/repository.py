"""What a git repository says of its history; everything is asked of git itself."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from regreach.errors import TargetError
from regreach.tree.git_process import run_git
from regreach.tree.git_revision import commit_of
from regreach.tree.paths import one_line

_FIELDS = "%H%x00%h%x00%an%x00%as%x00%s"


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit as people name it: ``date`` is the author's, as YYYY-MM-DD."""

    hash: str
    short: str
    author: str
    date: str
    subject: str

    def __str__(self) -> str:
        return self.short


class Repository:
    """The repository that a folder lies in, or is."""

    def __init__(self, target: str, wanted_for: str) -> None:
        """Find the repository of a target; ``wanted_for`` is the option or command that needs one.

        Raises TargetError, in one line, where there is none.
        """
        self.folder = str(Path(target).absolute())
        if not Path(self.folder).is_dir():
            raise TargetError(
                f"{wanted_for} needs a git repository, and {one_line(target)} is not a folder:"
                " releases and archives have no history"
            )
        try:
            said = run_git(self.folder, "rev-parse", "--is-inside-work-tree")
        except TargetError as error:
            if "not a git repository" not in str(error):
                raise
            raise TargetError(
                f"{wanted_for} needs a git repository, and {one_line(target)} lies in none"
            ) from error
        self.has_work_tree = said.strip() == b"true"

    def commit(self, rev: str) -> Commit:
        """Return the commit that a name stands for. Raises TargetError."""
        said = self._text(
            "log", "-1", "--no-show-signature", f"--format={_FIELDS}", self._hash(rev)
        )
        hash_, short, author, date, subject = said.split("\0", 4)
        return Commit(hash_, short, one_line(author), date, one_line(subject))

    def merge_base(self, one: str, other: str) -> Commit | None:
        """Return the best common ancestor of two commits; None when they have none."""
        said = run_git(self.folder, "merge-base", one, other, may_say_no=True)
        return self.commit(said.decode("ascii").strip()) if said.strip() else None

    def parents(self, commit: Commit) -> list[str]:
        """Return the hashes of a commit's parents, the first one first."""
        return self._text("rev-list", "--parents", "-1", commit.hash).split()[1:]

    def newest_first(self, tip: str, hashes: Collection[str]) -> list[str]:
        """Return some commits that ``tip`` has in its history, children before their parents."""
        if not hashes:
            return []
        order = self._text("rev-list", "--topo-order", tip).split()
        return [each for each in order if each in hashes]

    @property
    def is_shallow(self) -> bool:
        """Whether the history ends where the clone was cut off."""
        return self._text("rev-parse", "--is-shallow-repository") == "true"

    def between(
        self, new: str, olds: Collection[str], paths: Sequence[str], *, first_parent: bool
    ) -> list[str]:
        """Return the commits that ``new`` has and ``olds`` lack, best to test first, as git has it.

        Only those that touch one of ``paths``, from the top of the repository, in a history that git
        has simplified to these.
        """
        limits = [f":(top,literal){path}" for path in paths]
        options = ["--first-parent"] if first_parent else []
        said = self._text(
            "rev-list", "--bisect-all", *options, new, *(f"^{old}" for old in olds), "--", *limits
        )
        return re.findall(r"(?m)^[0-9a-f]{40,64}", said)

    def contents(self, commit: str, paths: Sequence[str]) -> tuple[str, ...]:
        """Return what identifies the contents of folders in a revision, given from the top."""
        said = (
            run_git(
                self.folder,
                *("rev-parse", "--verify", "--quiet", f"{commit}:{path}"),
                may_say_no=True,
            )
            for path in paths
        )
        return tuple(each.decode("ascii").strip() for each in said)

    def _hash(self, rev: str) -> str:
        return commit_of(self.folder, rev)

    def _text(self, *arguments: str) -> str:
        return run_git(self.folder, *arguments).decode("utf-8", "replace").rstrip("\n")
