"""Where the links of a git revision lead, as in its checkout: to files and folders of the repository."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from regreach.errors import TargetError

LINK, SUBMODULE, FOLDER = "120000", "160000", "040000"
_MAX_HOPS = 40  # Linux gives up then, too
_MAX_TARGET = 4096  # bytes

Entries = Mapping[str, tuple[str, str]]


class LinkError(Exception):
    """A link that leads to nothing in the repository; its text says why.

    ``may_exist`` says whether a checkout may have something there all the same.
    """

    def __init__(self, reason: str, *, may_exist: bool = True) -> None:
        super().__init__(reason)
        self.may_exist = may_exist


class Links:
    """The paths of one revision, all from the top of the repository, without a `/` at the end."""

    def __init__(self, entries: Entries, read: Callable[[str, int], bytes]) -> None:
        """Take a revision's entries, and what gives the bytes of an object, of which there may be so many."""
        self._entries = entries
        self._read = read
        self._all = [path for path, (mode, _) in entries.items() if mode == LINK]

    def matter_to(self, folder: str) -> bool:
        """Return whether a folder, one above it, or anything below it is a link."""
        inside = f"{folder}/" if folder else ""
        return any(
            f"{path}/".startswith(inside) or inside.startswith(f"{path}/") for path in self._all
        )

    def real(self, path: str) -> str:
        """Return where a path leads when all links are followed. Raises LinkError.

        It may be no file or folder of the repository; see ``is_file`` and ``is_folder``.
        """
        if path.startswith("/"):
            raise LinkError("a path that leads out of the repository")
        left, done, hops = path.split("/")[::-1], list[str](), 0
        while left:
            part = left.pop()
            if part in ("", "."):
                continue
            if part == "..":
                if not done:
                    raise LinkError("a link that leads out of the repository")
                done.pop()
                continue
            done.append(part)
            mode, oid = self._entries.get("/".join(done), ("", ""))
            if mode != LINK:
                continue
            hops += 1
            if hops > _MAX_HOPS:
                raise LinkError("a loop of links", may_exist=False)
            goal = self._goal(oid)
            if goal.startswith("/"):
                raise LinkError(f"a link that leads out of the repository, to {goal}")
            done.pop()
            left += goal.split("/")[::-1]
        return "/".join(done)

    def is_file(self, real: str) -> bool:
        """Return whether there is a file of this path, which has no links in it."""
        mode, _ = self._entries.get(real, (SUBMODULE, ""))
        return mode not in (LINK, SUBMODULE, FOLDER)

    def is_folder(self, real: str) -> bool:
        """Return whether there is a folder of this path, which has no links in it."""
        return real in self._folders

    def inside(self, real: str) -> Iterator[tuple[str, str]]:
        """Yield what lies directly in a folder: names, and modes (``FOLDER`` for a folder)."""
        for name in sorted(self._folders[real]):
            full = f"{real}/{name}" if real else name
            yield name, self._entries.get(full, (FOLDER, ""))[0]

    @cached_property
    def _folders(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {"": set()}
        for path in self._entries:
            while path:
                above, _, name = path.rpartition("/")
                names = found.setdefault(above, set())
                if name in names:
                    break
                names.add(name)
                path = above  # noqa: PLW2901 - upwards
        return found

    def _goal(self, oid: str) -> str:
        try:
            return os.fsdecode(self._read(oid, _MAX_TARGET))
        except TargetError as error:
            raise LinkError(f"a link that cannot be read: {error}") from None
