"""Where a tree's bytes lie: the protocol that folders, archives and git revisions fulfil."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

MAX_FILE_BYTES = 64 * 1024 * 1024
"""No source file is larger; what claims to be is a bomb or a mistake and is not read."""

MAX_TOTAL_BYTES = 1024 * 1024 * 1024
"""All source files of one archive together."""


UNREADABLE = "unreadable"
"""How the reason of a problem begins that a permission stands behind."""


@dataclass(frozen=True, slots=True)
class TreeProblem:
    """A file or folder that is there but was not taken in.

    Attributes:
        path: relative to the tree's root, with `/` (in an archive: the member's name).
        reason: why, in a few words, without the path.
        behind: of what could be imported all the same, the file in which its code is, out of the tree;
            `""` where nobody can look at that. None for what CPython could not import either.
    """

    path: str
    reason: str
    behind: str | None = field(default=None, compare=False)

    def may_have(self, words: Collection[bytes]) -> bool:
        """Say whether a program may read code there that has one of these words.

        A file out of the tree is looked at for that and for nothing else: no report quotes it.
        """
        if self.reason.startswith(UNREADABLE) or self.behind == "":
            return True
        if self.behind is None:
            return False
        try:
            path = Path(self.behind)
            if not path.is_file() or not self.path.endswith(path.suffix):
                return path.is_file()  # of a package, all that lies in it could be read
            with path.open("rb") as file:
                data = file.read(MAX_FILE_BYTES)
        except OSError:
            return True
        return any(word in data for word in words)


@dataclass(slots=True)
class Listing:
    """The files below one folder that could be modules, and what could not be taken in."""

    paths: list[str] = field(default_factory=list)
    problems: list[TreeProblem] = field(default_factory=list)


class FileStore(Protocol):
    """Files addressed by their path relative to one root, with `/`."""

    @property
    def root(self) -> str:
        """The folder, archive or revision, for people to read."""

    @property
    def editable(self) -> Path | None:
        """The folder on disk whose files a fix may change, None for archives and revisions."""

    @property
    def extra_roots(self) -> Sequence[str]:
        """Folders that this kind of store installs from beside those that a pack names."""

    def files(self, folder: str) -> Listing:
        """List what could be a module below `folder`; nothing when there is no such folder."""

    def data(self, folder: str) -> list[str]:
        """List the regular files below `folder` that are no modules; of a folder on disk none."""

    def read(self, path: str) -> bytes:
        """Return one file's bytes; TargetError (one line) when that is impossible."""

    def close(self) -> None:
        """Release files and processes; harmless when repeated."""
