"""The trees that are measured: releases, unpacked once, and copies that are changed."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

_SETTLED = 3.0
"""Seconds after which a file's times tell whether it has changed (regreach trusts them after two)."""


@dataclass(frozen=True, slots=True)
class Source:
    """A tree: the folder in which a package lies, and when (time.monotonic) it was written at the latest."""

    title: str
    root: Path
    package: str
    written: float = field(default_factory=time.monotonic)

    @property
    def files(self) -> list[Path]:
        """All files of Python in it."""
        return sorted(self.root.rglob("*.py"))

    def settle(self) -> None:
        """Wait until the times of its files can be trusted."""
        time.sleep(max(0.0, self.written + _SETTLED - time.monotonic()))


def release(requirement: str, cache: Path) -> Source:
    """Return a release such as ``sglang==0.5.15``, fetched by pip and unpacked in the cache if need be.

    Raises CalledProcessError when pip cannot fetch it.
    """
    name, _, version = requirement.partition("==")
    root = cache / f"{name}-{version}"
    if not root.is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            pip = [sys.executable, "-m", "pip", "download", "-qq", "--no-deps"]
            only = ["--only-binary", ":all:", "--dest", folder]
            subprocess.run([*pip, *only, requirement], check=True, stdout=sys.stderr)
            (wheel,) = Path(folder).glob("*.whl")
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(Path(folder, "tree"))
            Path(folder, "tree").replace(root)
    return Source(f"{name} {version}", root, name)


def copied(source: Source, root: Path) -> Source:
    """Copy a tree to a folder that does not exist yet."""
    shutil.copytree(source.root, root)
    return Source(source.title, root, source.package)


def gaps(source: Source) -> list[Path]:
    """Return the ``__init__.py`` that are missing in folders with modules, for grimp to see these."""
    folders = {
        folder
        for file in source.files
        for folder in file.relative_to(source.root).parents
        if folder.parts[:1] == (source.package,)
    }
    files = (source.root / folder / "__init__.py" for folder in sorted(folders))
    return [file for file in files if not file.exists()]


def without_gaps(source: Source, root: Path) -> Source:
    """Return the tree, or if it has gaps a copy in which they are filled."""
    if not gaps(source):
        return source
    filled = copied(source, root)
    for file in gaps(filled):
        file.touch()
    return filled


class Edits:
    """Edits of a copy, each to what was never there before: what is known of contents does not help."""

    def __init__(self, source: Source, module: str) -> None:
        self._other = source.root / source.package / "unrelated_to_registries.py"
        self._file = source.root / module
        self._text = self._file.read_text(encoding="utf-8")
        self._numbers = iter(range(1, sys.maxsize))
        self.change_other()

    def change_other(self) -> None:
        """Change a file that no verdict hangs on."""
        self._other.write_text(f"VALUE = {next(self._numbers)}\n", encoding="utf-8")

    def change_comment(self) -> None:
        """Change the text of the module's first comment that has a line of its own."""
        self._write(commented(self._text, next(self._numbers)))

    def change_import(self) -> None:
        """Add an import to the module's first."""
        self._write(importing(self._text, next(self._numbers)))

    def _write(self, text: str) -> None:
        self._file.write_text(text, encoding="utf-8")


def commented(text: str, number: int) -> str:
    """Return the text with its first comment on a line of its own changed. Raises ValueError."""
    changed, count = re.subn(r"(?m)^( *#.*)$", rf"\1 (edit {number})", text, count=1)
    if not count:
        raise ValueError("has no comment to edit")
    return changed


def importing(text: str, number: int) -> str:
    """Return the text with an import in front of its first ``import`` statement. Raises ValueError."""
    line = f"import string as edit_{number}  # noqa: F401\n"
    changed, count = re.subn(r"(?m)^(?=import )", line, text, count=1)
    if not count:
        raise ValueError("has no import to add one to")
    return changed
