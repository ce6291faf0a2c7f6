"""What an archive holds: its members as tree paths, without ever unpacking them to disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from regreach.errors import TargetError
from regreach.tree.modules import SOURCE_SUFFIX, is_importable, module_stem
from regreach.tree.paths import is_plain, one_line
from regreach.tree.store import MAX_FILE_BYTES, MAX_TOTAL_BYTES, Listing, TreeProblem


class Kind(Enum):
    """What a member is, as far as reading goes."""

    FILE = "a regular file"
    FOLDER = "a folder"
    LINK = "a link in an archive, which is not followed"
    ENCRYPTED = "an encrypted member"
    OTHER = "not a regular file"


@dataclass(frozen=True, slots=True)
class Member:
    """One entry of an archive, under the name that the archive gives it."""

    name: str
    kind: Kind
    size: int


@dataclass(slots=True)
class Index:
    """An archive's possible modules: tree path -> member name, other files, and what was refused."""

    files: dict[str, str] = field(default_factory=dict)
    data: dict[str, str] = field(default_factory=dict)
    problems: list[TreeProblem] = field(default_factory=list)
    escaping: list[TreeProblem] = field(default_factory=list)


class ArchiveStore:
    """Files inside one wheel, zip or tar file."""

    editable: Path | None = None

    def __init__(
        self, root: str, index: Index, fetch: Callable[[str], bytes], close: Callable[[], None]
    ) -> None:
        self.root = root
        self.extra_roots = wheel_roots(index.files)
        self.close = close
        self._index = index
        self._fetch = fetch

    def files(self, folder: str) -> Listing:
        """List the members below `folder` (`""`: all); names that lead out are always reported."""
        prefix = f"{folder}/" if folder else ""
        return Listing(
            [path for path in self._index.files if path.startswith(prefix)],
            self._index.escaping
            + [p for p in self._index.problems if p.path == folder or p.path.startswith(prefix)],
        )

    def data(self, folder: str) -> list[str]:
        """List the other files below `folder`; those of a tar file cannot be read."""
        return [path for path in self._index.data if path.startswith(f"{folder}/")]

    def read(self, path: str) -> bytes:
        """Return one member's bytes; see `FileStore.read`."""
        member = self._index.files.get(path) or self._index.data.get(path)
        if member is None:
            raise TargetError(f"cannot read {path!r}: {self.root} holds no such module")
        return self._fetch(member)


def index_members(members: Iterable[Member], archive: str, package: str, *, strip: bool) -> Index:
    """Sort an archive's members into modules and problems.

    With `strip`, a single folder that holds everything (`name-1.0/` in an sdist) is no part of the
    paths, unless it is the package itself. Raises TargetError when the sources together are larger
    than any real package.
    """
    index = Index()
    taken: list[tuple[str, Member]] = []
    total = 0
    for member in members:
        path = member.name.removeprefix("./").rstrip("/")
        if path in ("", "."):
            continue
        if not is_plain(path):
            reason = "a name that leads out of the archive"
            index.escaping.append(TreeProblem(one_line(member.name), reason))
            continue
        taken.append((path, member))
        if member.kind is Kind.FILE and path.endswith(SOURCE_SUFFIX):
            total += min(member.size, MAX_FILE_BYTES)
    if total > MAX_TOTAL_BYTES:
        raise TargetError(f"{archive} holds more than 1 GiB of Python source: not read")
    top = _top_folder(taken, package) if strip else ""
    for full, member in taken:
        path = full[len(top) :]
        refusal = _refusal(path, member)
        if refusal is None:
            index.files[path] = member.name
        elif refusal:
            is_module = module_stem(path.rpartition("/")[2]) is not None
            behind = "" if is_module and member.kind is not Kind.OTHER else None
            index.problems.append(TreeProblem(path, refusal, behind))
        elif member.kind is Kind.FILE and member.size <= MAX_FILE_BYTES:
            index.data[path] = member.name
    return index


def wheel_roots(paths: Iterable[str]) -> tuple[str, ...]:
    """Return `NAME-1.0.data/purelib` and `platlib`, whose content a wheel also installs."""
    found = set()
    for path in paths:
        first, _, rest = path.partition("/")
        second, _, _ = rest.partition("/")
        if first.endswith(".data") and second in ("purelib", "platlib"):
            found.add(f"{first}/{second}")
    return tuple(sorted(found))


def _refusal(path: str, member: Member) -> str | None:
    """Return why a member is not taken in, None when it is, `""` when it is no module anyway."""
    name = path.rpartition("/")[2]
    is_module = module_stem(name) is not None
    if member.kind is Kind.LINK and (is_module or is_importable(name)):
        return str(member.kind.value)
    if member.kind is Kind.FOLDER or not is_module:
        return ""
    if member.kind is not Kind.FILE:
        return str(member.kind.value)
    if member.size > MAX_FILE_BYTES and name.endswith(SOURCE_SUFFIX):
        return "a source file of more than 64 MiB"
    return None


def _top_folder(taken: list[tuple[str, Member]], package: str) -> str:
    tops = {path.partition("/")[0] for path, _ in taken}
    if len(tops) != 1:
        return ""
    top = tops.pop()
    is_folder = all("/" in path or member.kind is Kind.FOLDER for path, member in taken)
    is_package = top == package and any(path == f"{top}/__init__.py" for path, _ in taken)
    return f"{top}/" if is_folder and not is_package else ""
