"""`open_tree`: from what the user typed to a tree. Only what a folder takes is imported at once."""

# Strings here and no Path objects: names are compared and cut, thousands at a time.
# ruff: noqa: PTH100, PTH112, PTH113, PTH118, PTH119, PTH120
from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from regreach.errors import TargetError
from regreach.tree.folder import FolderStore
from regreach.tree.location import PackageLocation, locate, problems_at, roots_of
from regreach.tree.paths import one_line
from regreach.tree.store import FileStore
from regreach.tree.suffixes import ARCHIVES, ZIP_SUFFIXES
from regreach.tree.tree import Tree

if TYPE_CHECKING:
    from regreach.tree.git_process import BlobReader


class NoPackageError(TargetError):
    """A target can be read, and does not have the package that was looked for."""


def open_tree(
    target: str,
    location: PackageLocation,
    *,
    rev: str | None = None,
    blobs: BlobReader | None = None,
    cache_dir: Path | None = None,
    offline: bool = False,
    on_progress: Callable[[str], None] | None = None,
) -> Tree:
    """Open what `target` names and find the package in it.

    Args:
        target: a folder (a checkout, an unpacked release or the package's own folder), a wheel, zip
            or tar file, or a requirement when no such path exists (see `parse_requirement`).
        location: the package, and where in the target it may lie.
        rev: read this revision of the git repository at `target` and not the files on disk.
        blobs: what several revisions of that repository are read with; not closed with the tree.
        cache_dir: where releases are kept; the user's cache directory when None.
        offline: use only releases that are already kept.
        on_progress: is told, in a line, what takes long.

    Raises:
        NoPackageError: the target does not have the package.
        TargetError: one line that says what is wrong with the target and what to do.
    """
    if rev is not None:
        return _open_revision(target, rev, location, blobs)
    return _tree(
        target, open_store(target, location.name, cache_dir, offline, on_progress), location
    )


def open_store(
    target: str,
    package: str,
    cache_dir: Path | None,
    offline: bool,
    on_progress: Callable[[str], None] | None,
) -> FileStore:
    """Open a target that is no revision; its options are those of ``open_tree``. Raises TargetError."""
    if has_path(target):
        return _open_path(target, package)
    # What parses requirements takes as long to import as a whole tree takes to open.
    from regreach.tree.release import fetch_release
    from regreach.tree.requirement import is_bare, parse_requirement
    from regreach.tree.zip_archive import open_zip

    requirement = parse_requirement(target, package)
    try:
        release = fetch_release(requirement, cache_dir, offline, on_progress)
    except TargetError as error:
        if not is_bare(requirement):
            raise
        # the word may have meant a folder as well
        message = f"{requirement}: no such file or folder; as a requirement: {error}"
        raise TargetError(message) from error
    return open_zip(str(release), package)


def check_target(target: str, package: str, rev: str | None = None) -> None:
    """Check that a target names something, as far as that shows without reading or fetching it.

    Raises TargetError, with the words of ``open_tree``.
    """
    if rev is not None:
        from regreach.tree.git_revision import open_revision

        open_revision(os.path.abspath(target), rev).blobs.close()
    elif has_path(target):
        _check_kind(target)
    else:
        from regreach.tree.requirement import parse_requirement

        parse_requirement(target, package)


def package_folders(folder: str, location: PackageLocation) -> list[str]:
    """Return where the package may lie when the target is a folder."""
    above = _parent_of_package(os.path.abspath(folder), location.name)
    roots = [root.strip("/") for root in location.roots]
    return [os.path.join(above or folder, root, location.name) for root in roots]


def _tree(source: str, store: FileStore, location: PackageLocation) -> Tree:
    located = locate(store, location)
    if located is None:
        error = _not_found(store, location)
        store.close()
        raise error
    return Tree(source, location.name, located, store)


def _open_path(target: str, package: str) -> FileStore:
    _check_kind(target)
    path = os.path.abspath(target)
    if os.path.isdir(path):
        return FolderStore(_parent_of_package(path, package) or path)
    if path.lower().endswith(ZIP_SUFFIXES):
        from regreach.tree.zip_archive import open_zip

        return open_zip(path, package)
    from regreach.tree.tar_archive import open_tar

    return open_tar(path, package)


def _check_kind(path: str) -> None:
    is_archive = os.path.isfile(path) and path.lower().endswith(ARCHIVES)
    if not (os.path.isdir(path) or is_archive):
        raise TargetError(
            f"{one_line(path)} is neither a folder nor an archive ({', '.join(ARCHIVES)})"
        )


def _parent_of_package(path: str, package: str) -> str | None:
    """Return the folder above when `path` is the package itself."""
    real = os.path.realpath(path)
    is_package = os.path.basename(real) == package
    if is_package and os.path.isfile(os.path.join(real, "__init__.py")):
        return os.path.dirname(real)
    return None


def _open_revision(
    target: str, rev: str, location: PackageLocation, blobs: BlobReader | None
) -> Tree:
    """Read a revision: paths begin at the sub-folder that was given, as for its files on disk.

    When the package does not lie below it, the whole repository is searched.
    """
    from regreach.tree.git_revision import GitStore, open_revision

    revision = open_revision(os.path.abspath(target), rev, blobs)
    prefixes = [revision.prefix]
    above, _, name = revision.prefix.rpartition("/")
    if name == location.name and f"{revision.prefix}/__init__.py" in revision.entries:
        prefixes.insert(0, above)
    prefixes.append("")
    for prefix in dict.fromkeys(prefixes):
        store = GitStore(revision, prefix)
        located = locate(store, location)
        if located is not None:
            tree = Tree(f"{target}@{rev}", location.name, located, store)
            tree.inside, tree.linked = prefix, frozenset(store.linked)
            tree.repository = Path(revision.top)
            return tree
    raise _not_found(GitStore(revision, ""), location)


def has_path(target: str) -> bool:
    """Return whether a target is a path, and so no requirement."""
    try:
        return os.path.lexists(target)
    except ValueError:  # a NUL character
        return False


def _not_found(store: FileStore, location: PackageLocation) -> NoPackageError:
    looked = ", ".join(f"{root}/" if root else "the top" for root in roots_of(store, location))
    obstacles = problems_at(store, location)
    because = f" ({obstacles[0].path}: {obstacles[0].reason})" if obstacles else ""
    return NoPackageError(
        f"no package {location.name!r} in {one_line(store.root)}: looked at {looked}{because};"
        f" give the folder in which {location.name}/ lies, another release, or with --pack the pack of"
        " another framework (docs/packs.md)"
    )
