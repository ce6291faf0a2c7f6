"""An edited copy of a tree, from which a process can import it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from regreach.errors import TargetError
from regreach.fixes.edits import Edit
from regreach.probe.files import copy_into
from regreach.tree import Tree

_LEFT_OUT = {".git", ".hg", ".svn", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache"}


def edited_copy(tree: Tree, edits: Sequence[Edit], folder: Path) -> Path:
    """Copy a tree's package into an empty folder, data files too, with the edits made.

    What else lies beside the package of a folder on disk can be imported as well: it is linked and not
    copied, and not to be written to. Returns the folder that belongs on ``sys.path``. Raises TargetError.
    """
    try:
        copy_into(tree, folder)
        if tree.editable is not None:
            _copy_data(tree.editable, tree, folder)
            _link_others(tree.editable / tree.import_root, folder / tree.import_root)
        for edit in edits:
            (folder / edit.path).write_bytes(edit.after)
    except OSError as error:
        reason = error.strerror or error
        raise TargetError(f"{tree.source} cannot be copied to {folder}: {reason}") from None
    return folder / tree.import_root


def _copy_data(root: Path, tree: Tree, folder: Path) -> None:
    """Copy the files of the package that are no modules; no link is followed out of the tree."""
    for path in _files(root / tree.import_root / tree.package):
        copied = folder / path.relative_to(root)
        if not copied.exists() and Path(os.path.realpath(path)).is_relative_to(root):
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copied)


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder, linked folders included, each of these once."""
    seen = set()
    for above, folders, files in os.walk(folder, followlinks=True):
        folders[:] = sorted(set(folders) - _LEFT_OUT)
        real = os.path.realpath(above)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        yield from (path for name in files if (path := Path(above, name)).is_file())


def _link_others(source: Path, goal: Path) -> None:
    for other in source.iterdir():
        link = goal / other.name
        if other.name not in _LEFT_OUT and not link.exists():
            link.symlink_to(other)
