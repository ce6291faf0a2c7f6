"""The folder in which regreach keeps what can be fetched or computed again."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

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
    """Return the cache folder, which may not exist: `chosen`, $REGREACH_CACHE_DIR or the user's."""
    if chosen is not None:
        return chosen.absolute()
    named = os.environ.get(VARIABLE)
    return (
        Path(named).absolute()
        if named
        else platformdirs.user_cache_path("regreach", appauthor=False)
    )


def make_cache(root: Path, name: str) -> Path:
    """Create and return the folder `name` of the cache, which says of itself that it is one.

    Raises TargetError when it cannot be created.
    """
    folder = root / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for mark, text in _MARKS.items():
            if not (root / mark).exists():
                (root / mark).write_text(text, encoding="utf-8")
    except OSError as error:
        raise TargetError(
            f"the cache folder {one_line(str(root))} cannot be used ({why(error)}):"
            f" set {VARIABLE} to another"
        ) from error
    return folder
