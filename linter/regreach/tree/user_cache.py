"""The folder in which regreach keeps what can be fetched or computed again."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

from regreach.beside import beside
from regreach.errors import TargetError
from regreach.tree.paths import one_line, why

VARIABLE = "REGREACH_CACHE_DIR"

_MARKS = {
    "CACHEDIR.TAG": (
        "Signature: 8a477f597d28d172789f06886806bc55\n"
        "# This folder is a cache of regreach: it may be deleted at any time.\n"
        "# What the first line means: https://bford.info/cachedir/\n"
    ),
    ".gitignore": "# Made by regreach.\n*\n",
}


def cache_root(chosen: Path | None = None) -> Path:
    """Return the cache folder, which may not exist: `chosen`, $REGREACH_CACHE_DIR or the user's.

    Raises TargetError when none is named and the user has no home.
    """
    if chosen is not None:
        return chosen.absolute()
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).absolute()
    try:
        root = platformdirs.user_cache_path("regreach", appauthor=False)
        if root.is_absolute():
            return root
    except RuntimeError:
        pass
    # HOME is not set, and the system does not know the user: versions of platformdirs raise, or give "~"
    raise TargetError(f"there is no home folder for the cache: set {VARIABLE} to a folder")


def make_cache(root: Path, name: str) -> Path:
    """Create and return the folder `name` of the cache, which says of itself that it is one.

    Raises TargetError when it cannot be created.
    """
    folder = root / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for mark, text in _MARKS.items():
            if not (root / mark).exists():
                with beside(root / mark, text.encode()) as new:  # or a full disk leaves half of it
                    new.replace(root / mark)
    except OSError as error:
        raise TargetError(
            f"the cache folder {one_line(str(root))} cannot be used ({why(error)}):"
            f" set {VARIABLE} to another"
        ) from error
    return folder
