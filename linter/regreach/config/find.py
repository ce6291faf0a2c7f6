"""Which file the configuration of a target stands in.

A folder's is looked for in the folder and those above it, up to the first that has one; it ends at the
top of a git repository. That of a revision is looked for in the revision: what is said of it is what
would be said of its checkout. An archive or a release brings none: it is somebody else's, and where the
command runs need have nothing to do with it.
"""

# Strings here and no Path objects, as in regreach.tree: `..` and links are told apart by hand.
# ruff: noqa: PTH100, PTH112, PTH113, PTH118, PTH120, PTH110
from __future__ import annotations

import os
from collections.abc import Iterator

from regreach.config.config_file import (
    OWN_NAME,
    SHARED_NAME,
    ConfigFile,
    read_bytes,
    shown,
    table_of,
)
from regreach.errors import ConfigError, TargetError


def given_config(path: str) -> ConfigFile:
    """Return the file that a user names. Raises ConfigError, also when regreach's table is missing."""
    full = os.path.abspath(path)
    found = _on_disk(full)
    if found is None:
        raise ConfigError(f"{shown(full)}: has no table [tool.regreach]")
    return found


def find_config(target: str, rev: str | None) -> ConfigFile | None:
    """Return the file that applies to a target; None when there is none. Raises ConfigError.

    A target that does not exist has none: whoever opens it says so.
    """
    if rev is not None:
        return _in_revision(target, rev)
    try:
        if not os.path.isdir(target):
            return None
    except ValueError:  # a NUL character
        return None
    for folder in _upwards(os.path.realpath(target)):
        for name in (OWN_NAME, SHARED_NAME):
            path = os.path.join(folder, name)
            # one of our own name that is a folder or leads nowhere was meant, and is told
            there = os.path.isfile(path) or (name == OWN_NAME and os.path.lexists(path))
            found = _on_disk(path) if there else None
            if found is not None:
                return found
    return None


def _upwards(folder: str) -> Iterator[str]:
    """Yield a folder and those above it, up to the top of a repository or of the file system."""
    while True:
        yield folder
        above = os.path.dirname(folder)
        if above == folder or os.path.exists(os.path.join(folder, ".git")):
            return
        folder = above


def _on_disk(path: str) -> ConfigFile | None:
    folder, file_name = os.path.split(path)
    name = shown(path)
    found = table_of(name, file_name, read_bytes(path))
    if found is None:
        return None

    def read(other: str) -> bytes:
        return read_bytes(os.path.join(folder, other))

    return ConfigFile(name, found[0], folder, found[1], None, read)


def _in_revision(target: str, rev: str) -> ConfigFile | None:
    from regreach.tree.git_links import LINK, LinkError
    from regreach.tree.git_process import run_git
    from regreach.tree.git_revision import open_revision

    try:
        revision = open_revision(os.path.abspath(target), rev)
    except TargetError:
        return None  # opening the tree fails of the same, and says so
    parts = revision.prefix.split("/") if revision.prefix else []
    for count in range(len(parts), -1, -1):
        folder = "/".join(parts[:count])

        def read(path: str, folder: str = folder) -> bytes:
            full = os.path.normpath(os.path.join(folder, path)).replace("\\", "/")
            try:
                real = revision.links.real(full)
                return run_git(revision.folder, "cat-file", "blob", f"{rev}:{real}")
            except (TargetError, LinkError) as error:
                raise ConfigError(f"{full}@{rev}: {error}") from None
            finally:
                revision.blobs.close()

        for file_name in (OWN_NAME, SHARED_NAME):
            path = f"{folder}/{file_name}" if folder else file_name
            mode, _ = revision.entries.get(path, ("", ""))
            if not mode.startswith("100") and mode != LINK:
                continue
            found = table_of(f"{path}@{rev}", file_name, read(file_name))
            if found is not None:
                top = os.path.join(revision.top, folder).rstrip("/\\")
                return ConfigFile(f"{path}@{rev}", found[0], top, found[1], rev, read)
    return None
