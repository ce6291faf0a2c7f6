"""A revision of a local git repository, read through git."""

# Strings here and no Path objects: names are compared and cut, thousands at a time.
# ruff: noqa: PTH112, PTH118
from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from regreach.errors import TargetError
from regreach.tree.folder import MAX_FILES, MAX_WAYS
from regreach.tree.git_links import FOLDER, LINK, SUBMODULE, Entries, LinkError, Links
from regreach.tree.git_process import BlobReader, run_git
from regreach.tree.modules import is_importable, module_stem
from regreach.tree.paths import is_plain, one_line
from regreach.tree.store import MAX_FILE_BYTES, Listing, TreeProblem

_SUBMODULE_REASON = "a submodule in a git revision, which is not followed"


@dataclass(frozen=True, slots=True)
class Revision:
    """A revision's entries: path from the top of the repository -> (mode, object)."""

    folder: str
    top: str
    prefix: str
    rev: str
    entries: Entries
    blobs: BlobReader
    links: Links
    shares: bool = False  # whether the blobs' reader is for others as well, and theirs to close


class GitStore:
    """The files of one revision below `prefix`, a folder of the repository.

    Links are followed as in a checkout, but never out of that folder. `linked` are the files and folders
    that they lead to, from the top of the repository.
    """

    editable: Path | None = None
    extra_roots: tuple[str, ...] = ()

    def __init__(self, revision: Revision, prefix: str) -> None:
        self.root = os.path.join(revision.top, prefix).rstrip("/\\") + f"@{revision.rev}"
        self.linked: set[str] = set()
        self._revision = revision
        self._links = revision.links
        self._prefix = f"{prefix}/" if prefix else ""

    def files(self, folder: str) -> Listing:
        """List the blobs below `folder`; submodules, and links that lead nowhere, become problems."""
        if self._links.matter_to(self._prefix + folder):
            listing = self._walked(folder)
            listing.paths = [path for path in listing.paths if _is_module(path)]
            return listing
        listing = Listing()
        own, inside = f"{self._prefix}{folder}", f"{self._prefix}{folder}/"
        for full, (mode, _) in self._revision.entries.items():
            if not full.startswith(inside) and full != own:
                continue
            path = full[len(self._prefix) :]
            if mode == SUBMODULE:
                _refuse(listing, path, _SUBMODULE_REASON)
            elif _is_module(path) and full != own:
                listing.paths.append(path)
        return listing

    def data(self, folder: str) -> list[str]:
        """List the blobs below `folder` that are no modules."""
        if self._links.matter_to(self._prefix + folder):
            return [path for path in self._walked(folder).paths if not _is_module(path)]
        inside = f"{self._prefix}{folder}/"
        paths = [
            full[len(self._prefix) :]
            for full, (mode, _) in self._revision.entries.items()
            if full.startswith(inside) and mode not in (SUBMODULE, FOLDER)
        ]
        return [path for path in paths if not _is_module(path)]

    def _walked(self, folder: str) -> Listing:
        """List all files below `folder` by following links, as `FolderStore` does on disk."""
        listing, links = Listing(), self._links
        start = self._entered(folder, listing)
        stack = [] if start is None else [(folder, start, tuple[str, ...]())]
        ways: Counter[str] = Counter()
        while stack:
            path, real, above = stack.pop()
            if real in above:
                listing.problems.append(TreeProblem(path, f"a loop of links: it is {real} again"))
                continue
            ways[real] += 1
            if ways[real] > MAX_WAYS or len(listing.paths) > MAX_FILES:
                raise TargetError(
                    f"{self.root}: links lead to {real or 'the top'} in too many ways"
                )
            for name, mode in links.inside(real):
                inner, goal = f"{path}/{name}", f"{real}/{name}" if real else name
                if mode == SUBMODULE:
                    _refuse(listing, inner, _SUBMODULE_REASON)
                elif mode == LINK:
                    found = self._entered(inner, listing, goal)
                    if found is not None and links.is_folder(found):
                        stack.append((inner, found, (*above, real)))
                    elif found is not None:
                        listing.paths.append(inner)
                elif mode == FOLDER:
                    stack.append((inner, goal, (*above, real)))
                else:
                    listing.paths.append(inner)
        return listing

    def _entered(self, path: str, listing: Listing, full: str | None = None) -> str | None:
        """Return to which file or folder a path leads; None, and a problem, where to none of this tree."""
        try:
            real = self._real(self._prefix + path if full is None else full)
        except LinkError as error:
            if error.may_exist or _is_module(path):
                _refuse(listing, path, str(error), "" if error.may_exist else None)
            return None
        if self._links.is_folder(real) or (full is not None and self._links.is_file(real)):
            self.linked.add(real)
            return real
        if self._revision.entries.get(real, ("", ""))[0] == SUBMODULE:
            _refuse(listing, path, _SUBMODULE_REASON)
        elif full is not None and _is_module(path):
            _refuse(listing, path, "a broken link")
        return None

    def _real(self, full: str) -> str:
        real = self._links.real(full)
        if not f"{real}/".startswith(self._prefix):
            raise LinkError(
                f"a link that leaves the tree, to {real or 'the top of the repository'}"
            )
        return real

    def read(self, path: str) -> bytes:
        """Return one blob's bytes; see `FileStore.read`."""
        nothing = TargetError(f"cannot read {path!r}: {self.root} holds no such file")
        try:
            real = self._real(self._prefix + path) if is_plain(path) else ""
        except LinkError:
            raise nothing from None
        if not self._links.is_file(real):
            raise nothing
        try:
            return self._revision.blobs.read(self._revision.entries[real][1], MAX_FILE_BYTES)
        except TargetError as error:
            raise TargetError(f"cannot read {path} in {self.root}: {error}") from error

    def close(self) -> None:
        """End the git process, unless others read from it as well."""
        if not self._revision.shares:
            self._revision.blobs.close()


def _is_module(path: str) -> bool:
    return module_stem(path.rpartition("/")[2]) is not None


def _refuse(listing: Listing, path: str, reason: str, behind: str | None = None) -> None:
    """Note what cannot be taken in, if it could be a module; ``behind`` is for one that is a file."""
    is_module = _is_module(path)
    if is_module or is_importable(path.rpartition("/")[2]):
        listing.problems.append(TreeProblem(path, reason, behind if is_module else None))


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
    links = Links(entries, reader.read)
    shares = blobs is not None
    return Revision(folder, os.path.realpath(top), prefix, rev, entries, reader, links, shares)


def _has_work_tree(folder: str) -> bool:
    return run_git(folder, "rev-parse", "--is-inside-work-tree").strip() == b"true"


def _if_shallow(folder: str) -> str:
    """Return what to do about a revision that is not there, if the history was cut off."""
    try:
        said = run_git(folder, "rev-parse", "--is-shallow-repository").strip()
    except TargetError:
        return ""
    hint = "; the clone is shallow: git fetch --unshallow, or fetch-depth: 0 in CI"
    return hint if said == b"true" else ""


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
            f"the repository {folder} has no revision {one_line(rev)!r}{_if_shallow(folder)}"
        ) from error
    return out.decode("ascii").strip()
