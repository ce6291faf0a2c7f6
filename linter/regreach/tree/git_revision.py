"""A revision of a local git repository, read through git."""

# Strings here and no Path objects: names are compared and cut, thousands at a time.
# ruff: noqa: PTH112, PTH118
from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from regreach.errors import TargetError
from regreach.tree.git_process import BlobReader, run_git
from regreach.tree.modules import is_importable, module_stem
from regreach.tree.paths import one_line
from regreach.tree.store import MAX_FILE_BYTES, Listing, TreeProblem

_LINK, _SUBMODULE, _FOLDER = "120000", "160000", "040000"


@dataclass(frozen=True, slots=True)
class Revision:
    """A revision's entries: path from the top of the repository -> (mode, object)."""

    folder: str
    top: str
    prefix: str
    rev: str
    entries: Mapping[str, tuple[str, str]]
    blobs: BlobReader
    shares: bool = False  # whether the blobs' reader is for others as well, and theirs to close


class GitStore:
    """The files of one revision below `prefix`, a folder of the repository."""

    editable: Path | None = None
    extra_roots: tuple[str, ...] = ()

    def __init__(self, revision: Revision, prefix: str) -> None:
        self.root = os.path.join(revision.top, prefix).rstrip("/\\") + f"@{revision.rev}"
        self._revision = revision
        self._prefix = f"{prefix}/" if prefix else ""

    def files(self, folder: str) -> Listing:
        """List the blobs below `folder`; links and submodules become problems."""
        listing = Listing()
        own, inside = f"{self._prefix}{folder}", f"{self._prefix}{folder}/"
        for full, (mode, _) in self._revision.entries.items():
            if not full.startswith(inside) and full != own:
                continue
            path = full[len(self._prefix) :]
            name = path.rpartition("/")[2]
            is_module = module_stem(name) is not None
            if mode in (_LINK, _SUBMODULE):
                if is_module or is_importable(name):
                    kind = "a link" if mode == _LINK else "a submodule"
                    reason = f"{kind} in a git revision, which is not followed"
                    listing.problems.append(TreeProblem(path, reason))
            elif is_module and full != own:
                listing.paths.append(path)
        return listing

    def data(self, folder: str) -> list[str]:
        """List the blobs below `folder` that are no modules."""
        inside = f"{self._prefix}{folder}/"
        paths = [
            full[len(self._prefix) :]
            for full, (mode, _) in self._revision.entries.items()
            if full.startswith(inside) and mode not in (_LINK, _SUBMODULE, _FOLDER)
        ]
        return [path for path in paths if module_stem(path.rpartition("/")[2]) is None]

    def read(self, path: str) -> bytes:
        """Return one blob's bytes; see `FileStore.read`."""
        mode, oid = self._revision.entries.get(self._prefix + path, (_FOLDER, ""))
        if mode in (_LINK, _SUBMODULE, _FOLDER):
            raise TargetError(f"cannot read {path!r}: {self.root} holds no such file")
        try:
            return self._revision.blobs.read(oid, MAX_FILE_BYTES)
        except TargetError as error:
            raise TargetError(f"cannot read {path} in {self.root}: {error}") from error

    def close(self) -> None:
        """End the git process, unless others read from it as well."""
        if not self._revision.shares:
            self._revision.blobs.close()


def open_revision(folder: str, rev: str, blobs: BlobReader | None = None) -> Revision:
    """List a revision of the repository that `folder` lies in (or is, when bare).

    `blobs` is what several revisions of that repository are read with.

    Raises TargetError, in one line, for a folder that is in no repository, an unknown revision or a
    missing git.
    """
    if not os.path.isdir(folder):
        raise TargetError(
            f"{one_line(folder)} is not a folder, so it has no revision {one_line(rev)}"
        )
    where = run_git(folder, "rev-parse", "--is-bare-repository", "--git-dir", "--show-prefix")
    bare, git_dir, prefix = (os.fsdecode(line) for line in where.split(b"\n")[:3])
    prefix = prefix.rstrip("/")
    if bare == "true" or not _has_work_tree(folder):
        top = os.path.join(folder, git_dir)
    else:
        top = os.fsdecode(run_git(folder, "rev-parse", "--show-toplevel")[:-1])
    commit = commit_of(folder, rev)
    listed = run_git(folder, "ls-tree", "-r", "-z", "--full-tree", commit)
    entries = {}
    for line in listed.split(b"\0")[:-1]:
        meta, _, path = line.partition(b"\t")
        mode, _, oid = meta.decode("ascii").split(" ")
        entries[os.fsdecode(path)] = (mode, oid)
    reader = blobs if blobs is not None else BlobReader(folder)
    return Revision(folder, os.path.realpath(top), prefix, rev, entries, reader, blobs is not None)


def _has_work_tree(folder: str) -> bool:
    return run_git(folder, "rev-parse", "--is-inside-work-tree").strip() == b"true"


def commit_of(folder: str, rev: str) -> str:
    """Return the commit that a name stands for; one that begins with `-` is never an option.

    Raises TargetError, in one line.
    """
    if not rev.strip():
        raise TargetError("a revision is empty (a variable that is not set?): give one, as HEAD")
    try:
        if rev.startswith(("-", "^")):
            raise TargetError("an option or an exclusion, not a revision")
        out = run_git(folder, "rev-parse", "--verify", "--quiet", f"{rev}^{{commit}}")
    except TargetError as error:
        raise TargetError(
            f"the repository {folder} has no revision {one_line(rev)!r};"
            " a shallow clone may lack it: git fetch --tags"
        ) from error
    return out.decode("ascii").strip()
