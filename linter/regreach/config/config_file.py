"""A file with configuration, on disk or in a git revision."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from regreach.errors import ConfigError
from regreach.tree.paths import why
from regreach.tree.store import MAX_FILE_BYTES

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

OWN_NAME, SHARED_NAME = "regreach.toml", "pyproject.toml"


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """One file.

    Attributes:
        name: what errors call it: its path from the working folder where it lies below that.
        where: the table in it that is regreach's, empty for the whole file.
        folder: the absolute folder that relative paths in it begin at (in a revision, where it would lie).
        table: what stands in it.
        rev: the revision that it is read from, None for one on disk.
        read: gives the bytes of a file by its path from ``folder``; raises ConfigError.
    """

    name: str
    where: str
    folder: str
    table: Any
    rev: str | None
    read: Callable[[str], bytes]

    def named(self, path: str) -> str:
        """Return what errors and reports call a file, by its path from the folder of this one."""
        if self.rev is not None:
            return f"{path}@{self.rev}"
        return shown(os.path.join(self.folder, path))  # noqa: PTH118 - os.path keeps `..`


def table_of(name: str, file_name: str, data: bytes) -> tuple[str, Any] | None:
    """Return where regreach's table is in a file, and the table; None when it has none.

    Raises ConfigError for a file that is no TOML, or whose tables are none.
    """
    if file_name == SHARED_NAME and b"regreach" not in data:
        return None  # whatever else may be wrong with it
    try:
        # a mark at the beginning is an editor's
        document = tomllib.loads(data.decode("utf-8-sig").replace("\r\n", "\n"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{name}: not valid TOML: {error}; --no-config leaves it out") from None
    if file_name != SHARED_NAME:
        return "", document
    tool = document.get("tool", {})
    if not isinstance(tool, dict) or "regreach" not in tool:
        return None
    return "tool.regreach", tool["regreach"]


def shown(path: str) -> str:
    """Return a path as a reader knows it: from the working folder where it lies below that."""
    full = os.path.abspath(path)  # noqa: PTH100 - links stay as they are
    here = os.getcwd().rstrip(os.sep) + os.sep  # noqa: PTH109
    return full.removeprefix(here)


def read_bytes(path: str) -> bytes:
    """Return a file's bytes. Raises ConfigError, also for what is no file or far too large for one.

    The path may be the word of a tree that is not the user's own.
    """
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116
        is_odd = not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))  # to open a folder says it best
        data = b"" if is_odd else _read(path)  # to open a pipe is to wait
    except (OSError, ValueError) as error:
        raise ConfigError(f"{shown(path)}: cannot be read: {why(error)}") from None
    if is_odd or len(data) > MAX_FILE_BYTES:
        reason = "not a regular file" if is_odd else "larger than 64 MiB"
        raise ConfigError(f"{shown(path)}: cannot be read: {reason}")
    return data


def _read(path: str) -> bytes:
    with open(path, "rb") as file:  # noqa: PTH123
        return file.read(MAX_FILE_BYTES + 1)
