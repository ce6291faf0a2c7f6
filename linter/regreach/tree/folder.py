"""A checkout or an unpacked release: files in a folder on disk."""

# Strings here and no Path objects: names are compared and cut, thousands at a time.
# ruff: noqa: PTH110, PTH112, PTH113, PTH116, PTH118, PTH123
from __future__ import annotations

import os
import stat
from collections import Counter
from pathlib import Path

from regreach.errors import TargetError
from regreach.tree.modules import is_importable, module_stem
from regreach.tree.paths import is_plain, why
from regreach.tree.store import MAX_FILE_BYTES, UNREADABLE, Listing, TreeProblem

MAX_FILES = 200_000
"""Far above any real package; reached only when links multiply folders."""

MAX_WAYS = 100
"""So many ways may links lead to one folder; more of them only a tree made to be endless has."""


class FolderStore:
    """Files below one folder. Links are followed as CPython would, but never out of the folder."""

    extra_roots: tuple[str, ...] = ()

    def __init__(self, folder: str) -> None:
        self.root = os.path.realpath(folder)
        self.editable: Path | None = Path(self.root)
        self._inside = self.root if self.root.endswith(os.sep) else self.root + os.sep
        self._listed: set[str] = set()

    def files(self, folder: str) -> Listing:
        """Walk `folder`; loops, links out of the tree and what is unreadable become problems.

        Raises TargetError when links make the walk endless for all practical purposes.
        """
        listing = Listing()
        start = os.path.join(self.root, *folder.split("/"))
        if os.path.isdir(start):
            real = os.path.realpath(start)
            if self._contains(real):
                self._walk(start, folder, real, listing)
            else:
                listing.problems.append(TreeProblem(folder, _leaves(real)))
        self._listed.update(listing.paths)
        return listing

    def data(self, folder: str) -> list[str]:  # noqa: ARG002 - as the other stores have it
        """List nothing: what wants these files finds them on disk."""
        return []

    def read(self, path: str) -> bytes:
        """Return one file's bytes; see `FileStore.read`."""
        full = os.path.join(self.root, *path.split("/"))
        if path not in self._listed and not (
            is_plain(path) and self._contains(os.path.realpath(full))
        ):
            raise TargetError(f"cannot read {path!r}: it lies outside {self.root}")
        try:
            if not stat.S_ISREG(os.stat(full).st_mode):
                raise TargetError(f"cannot read {path} in {self.root}: not a regular file")
            with open(full, "rb") as file:
                data = file.read(MAX_FILE_BYTES + 1)
        except (OSError, ValueError) as error:
            raise TargetError(f"cannot read {path} in {self.root}: {why(error)}") from error
        if len(data) > MAX_FILE_BYTES:
            raise TargetError(f"cannot read {path} in {self.root}: larger than 64 MiB")
        return data

    def close(self) -> None:
        """Do nothing: no file is kept open."""

    def _contains(self, real: str) -> bool:
        return real == self.root or real.startswith(self._inside)

    def _walk(self, start: str, folder: str, real: str, listing: Listing) -> None:
        # Each entry: a folder as it is reached, its path in the tree, its real path, and those of
        # the folders above it, by which a loop is known.
        stack: list[tuple[str, str, str, tuple[str, ...]]] = [(start, folder, real, ())]
        ways: Counter[str] = Counter()
        while stack:
            full, path, real, above = stack.pop()
            if real in above:
                listing.problems.append(TreeProblem(path, f"a loop of links: it is {real} again"))
                continue
            ways[real] += 1
            if ways[real] > MAX_WAYS:
                raise TargetError(f"{self.root}: links lead to {real} in more than {MAX_WAYS} ways")
            if len(listing.paths) > MAX_FILES:
                raise TargetError(f"{self.root} has more than {MAX_FILES} modules below {folder}")
            try:
                with os.scandir(full) as entries:
                    for entry in entries:
                        inner = self._entry(entry, f"{path}/{entry.name}", real, listing)
                        if inner is not None:
                            stack.append(
                                (entry.path, f"{path}/{entry.name}", inner, (*above, real))
                            )
            except OSError as error:
                listing.problems.append(TreeProblem(path, f"{UNREADABLE} folder: {why(error)}"))

    def _entry(
        self, entry: os.DirEntry[str], path: str, parent: str, listing: Listing
    ) -> str | None:
        """Take in one entry; returns the real path of a folder that is to be walked."""
        name = entry.name
        is_module = module_stem(name) is not None
        if not is_module and not is_importable(name):
            return None
        if entry.is_symlink():
            real = os.path.realpath(entry.path)
            if not is_module and not os.path.isdir(real):
                return None
            if not self._contains(real):
                code = real if is_module else os.path.join(real, "__init__.py")
                listing.problems.append(TreeProblem(path, _leaves(real), code))
                return None
            if not is_module:
                return real
        elif not is_module:
            return os.path.join(parent, name) if entry.is_dir(follow_symlinks=False) else None
        reason = _unusable(entry)
        if reason is None:
            listing.paths.append(path)
        elif reason:
            listing.problems.append(TreeProblem(path, reason))
        return None


def _unusable(entry: os.DirEntry[str]) -> str | None:
    """Return why a module file cannot be taken in, None when it can, `""` for a folder `x.py/`."""
    if entry.is_file(follow_symlinks=False) or os.path.isfile(entry.path):
        return None if os.access(entry.path, os.R_OK) else f"{UNREADABLE} file: permission denied"
    if os.path.isdir(entry.path):
        return ""
    return "not a regular file" if os.path.exists(entry.path) else "a broken link"


def _leaves(real: str) -> str:
    return f"a link that leaves the tree, to {real}"
