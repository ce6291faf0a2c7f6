"""Rules that do not count in some files, told by patterns of their paths."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from regreach.tree import Tree


@dataclass(frozen=True, slots=True)
class PathIgnores:
    """Patterns, each with the codes of rules; ``folder`` is the absolute folder that they begin at.

    A pattern is one of ``fnmatch`` (case counts, ``*`` matches ``/`` too), and is compared with a file's
    path and with those of the folders above it. ``**/`` also matches no folder at all; a pattern without
    ``/`` is compared with the names of the file and of these folders, too.
    """

    patterns: Sequence[tuple[str, frozenset[str]]] = ()
    folder: str = ""
    rev: str | None = None  # the revision that the folder is one of

    def codes(self, tree: Tree, path: str) -> frozenset[str]:
        """Return the rules that do not count in a file, by its path from the tree's root.

        Patterns are about paths from ``folder`` where the file lies in it, else from the tree's root.
        """
        if not self.patterns:
            return frozenset()
        path = self._from_folder(tree, path)
        return frozenset().union(
            *(codes for pattern, codes in self.patterns if matches(pattern, path))
        )

    def _from_folder(self, tree: Tree, path: str) -> str:
        if tree.editable is None and self.rev is None:
            return path  # an archive's path is no folder's
        root = tree.root.removesuffix(f"@{self.rev}").replace("\\", "/").rstrip("/")
        begin = self.folder.replace("\\", "/").rstrip("/") + "/"
        full = f"{root}/{path}"
        return full.removeprefix(begin) if full.startswith(begin) else path


def matches(pattern: str, path: str) -> bool:
    """Return whether a pattern is about a file; see ``PathIgnores``."""
    pattern = pattern.removeprefix("./").rstrip("/")
    parts = path.split("/")
    candidates = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
    if "/" not in pattern:
        candidates += parts
    return any(
        fnmatch.fnmatchcase(candidate, form)
        for candidate in candidates
        for form in (pattern, pattern.replace("**/", ""))
    )
