"""Which import packages a target holds, for who has no pack that says so."""

# Strings here and no Path objects, as in the modules that open targets.
# ruff: noqa: PTH100, PTH112, PTH113, PTH118, PTH119, PTH208
from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from regreach.errors import TargetError
from regreach.tree.archive import wheel_roots
from regreach.tree.folder import FolderStore
from regreach.tree.git_revision import open_revision
from regreach.tree.modules import SOURCE_SUFFIX, is_importable
from regreach.tree.opening import open_store
from regreach.tree.paths import one_line

ROOTS = ("", "src", "python", "lib")
"""Where projects keep their packages."""

_ASIDE = {
    *("test", "tests", "testing", "doc", "docs", "example", "examples", "benchmark", "benchmarks"),
    *("script", "scripts", "tool", "tools", "build", "dist", "ci", "requirements", "docker"),
}


@dataclass(frozen=True, slots=True)
class FoundPackage:
    """An import package of a target: its name, the root that it lies in, and how many sources it has."""

    name: str
    root: str
    modules: int
    regular: bool


def packages_in(
    target: str,
    *,
    rev: str | None = None,
    cache_dir: Path | None = None,
    offline: bool = False,
    on_progress: Callable[[str], None] | None = None,
) -> list[FoundPackage]:
    """Return the packages of a target, the largest first; those of tests and the like only if alone.

    Takes what ``open_tree`` takes. Raises TargetError, in one line, also where there is none.
    """
    if rev is not None:
        revision = open_revision(os.path.abspath(target), rev)
        revision.blobs.close()
        prefix = f"{revision.prefix}/" if revision.prefix else ""
        inside = [p[len(prefix) :] for p in revision.entries if p.startswith(prefix)]
        found = _sorted_out(inside, ROOTS)
    elif os.path.isdir(target):
        path = os.path.abspath(target)
        if os.path.isfile(os.path.join(path, "__init__.py")):
            return [FoundPackage(os.path.basename(os.path.realpath(path)), "", 0, True)]
        found = _in_folder(path)
    else:
        store = open_store(target, "", cache_dir, offline, on_progress)
        try:
            paths = store.files("").paths
        finally:
            store.close()
        found = _sorted_out(paths, (*ROOTS, *wheel_roots(paths)))
    found = [p for p in found if p.name not in _ASIDE] or found
    regular = [p for p in found if p.regular]
    found = sorted(regular or found, key=lambda p: (-p.modules, p.name))
    if not found:
        looked = ", ".join(f"{root}/" if root else "the top" for root in ROOTS)
        raise TargetError(
            f"no import package in {one_line(target)}: looked at {looked};"
            " give the folder in which one lies"
        )
    return found


def _in_folder(path: str) -> list[FoundPackage]:
    store = FolderStore(path)
    found: dict[str, FoundPackage] = {}
    for root in ROOTS:
        folder = os.path.join(path, root) if root else path
        if not os.path.isdir(folder) or (
            root and os.path.isfile(os.path.join(folder, "__init__.py"))
        ):
            continue
        for name in sorted(os.listdir(folder)):
            if not is_importable(name) or (not root and name in ROOTS):
                continue
            if not os.path.isdir(os.path.join(folder, name)):
                continue
            inner = f"{root}/{name}" if root else name
            paths = [p for p in store.files(inner).paths if p.endswith(SOURCE_SUFFIX)]
            if paths:
                regular = f"{inner}/__init__.py" in paths
                found.setdefault(name, FoundPackage(name, root, len(paths), regular))
    return list(found.values())


def _sorted_out(paths: Iterable[str], roots: Iterable[str]) -> list[FoundPackage]:
    """Return the packages among the files of an archive or a revision."""
    sources = [p for p in paths if p.endswith(SOURCE_SUFFIX)]
    every = set(sources)
    found: dict[str, FoundPackage] = {}
    for root in roots:
        prefix = f"{root}/" if root else ""
        counts: dict[str, int] = {}
        for path in sources:
            name, slash, _ = path[len(prefix) :].partition("/")
            if path.startswith(prefix) and slash and is_importable(name):
                counts[name] = counts.get(name, 0) + 1
        for name, count in counts.items():
            if root or name not in ROOTS or f"{name}/__init__.py" in every:
                regular = f"{prefix}{name}/__init__.py" in every
                found.setdefault(name, FoundPackage(name, root, count, regular))
    return list(found.values())
