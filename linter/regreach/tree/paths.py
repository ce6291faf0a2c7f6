"""Paths inside a store, and one-line renderings of what the outside world says."""

from __future__ import annotations


def is_plain(path: str) -> bool:
    """Say whether a name stays below its root: relative, with `/`, no `.` or `..` parts."""
    if not path or "\\" in path or "\0" in path or path[1:2] == ":":
        return False
    return all(part not in ("", ".", "..") for part in path.split("/"))


# What steers a terminal, or changes the order in which text is read.
_STEERING = (
    *range(9),
    *range(11, 32),
    *range(127, 160),
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
)
_HARMLESS = dict.fromkeys(_STEERING, "?")


def harmless(text: str) -> str:
    """Return text, which may quote a tree that is somebody else's, with a `?` for what is no text in it."""
    return text.translate(_HARMLESS)


def one_line(text: str, limit: int = 300) -> str:
    """Fold text into one printable line of at most `limit` characters."""
    line = " ".join(text.split())
    line = "".join(char if char.isprintable() else "?" for char in line)
    return line if len(line) <= limit else line[: limit - 1] + "…"


def why(error: BaseException) -> str:
    """Return an exception's own words on one line, without the path that an OSError carries."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return one_line(str(text))
