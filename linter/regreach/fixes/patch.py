"""Edits as a patch that ``git apply`` takes."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from regreach.fixes.edits import Edit

_SPECIAL = re.compile(rb'["\\\x00-\x1f\x7f]')


def patch(edits: Sequence[Edit], prefix: str = "") -> bytes:
    """Return a unified diff of the edits; ``prefix`` is put in front of their paths."""
    return b"".join(
        _of_file(edit, f"{prefix}/{edit.path}" if prefix else edit.path) for edit in edits
    )


def really_named(edits: Sequence[Edit], folder: Path | None) -> list[Edit]:
    """Return edits by the paths that files have without links, where these lie in the folder, too."""
    if folder is None:
        return list(edits)
    root = folder.resolve()
    named = []
    for edit in edits:
        real = (root / edit.path).resolve()
        inside = real.is_relative_to(root)
        named.append(replace(edit, path=real.relative_to(root).as_posix()) if inside else edit)
    return named


def prefix_for(folder: Path | None, here: Path) -> str:
    """Return what to put in front of the paths of a tree so that ``git apply`` in ``here`` finds the files.

    Paths are relative to the tree, unless ``here`` is above it and in the same git repository.
    """
    if folder is None or folder == here or not folder.is_relative_to(here):
        return ""
    repository = next((p for p in (folder, *folder.parents) if (p / ".git").exists()), None)
    if repository is None or not here.is_relative_to(repository):
        return ""
    return folder.relative_to(here).as_posix()


def _of_file(edit: Edit, path: str) -> bytes:
    old, new = _lines(edit.before), _lines(edit.after)
    name = os.fsencode(path)
    hunks = difflib.diff_bytes(
        difflib.unified_diff, old, new, _name(b"a/" + name), _name(b"b/" + name), lineterm=b"\n"
    )
    return b"".join(_ended(line) for line in hunks)


def _lines(data: bytes) -> list[bytes]:
    """Return lines as git counts them: what ends with a line feed, and what is left."""
    return [line + b"\n" for line in data.split(b"\n")[:-1]] + [data.rpartition(b"\n")[2]] * (
        not data.endswith(b"\n") and bool(data)
    )


def _ended(line: bytes) -> bytes:
    return line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"


def _name(path: bytes) -> bytes:
    """Return a path as git writes it in a patch."""
    if _SPECIAL.search(path):
        return b'"' + _SPECIAL.sub(lambda found: b"\\%03o" % ord(found.group()), path) + b'"'
    return path + b"\t" if b" " in path else path
