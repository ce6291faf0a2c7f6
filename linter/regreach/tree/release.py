"""Releases by requirement: wheels from the cache, or fetched into it and never installed."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from regreach.errors import TargetError
from regreach.tree.paths import why
from regreach.tree.pip_download import download_wheel
from regreach.tree.requirement import is_exact
from regreach.tree.user_cache import cache_root, make_cache


def fetch_release(
    requirement: Requirement,
    cache_dir: Path | None,
    offline: bool,
    on_progress: Callable[[str], None] | None,
) -> Path:
    """Return the path of a wheel that satisfies the requirement.

    Extras and markers have no say: nothing is installed. An exact requirement (`==`) that is in the
    cache needs no network; for any other the newest release is asked for, unless `offline`.
    Raises TargetError when there is no such wheel or it cannot be fetched.
    """
    root = cache_root(cache_dir)
    name, wanted = canonicalize_name(requirement.name), requirement.specifier
    if offline or is_exact(wanted):
        kept = newest_kept(root / "releases" / name, wanted)
        if kept is not None:
            return kept
    text = f"{name}{wanted}"
    if offline:
        raise TargetError(f"{text} is not in the cache {root}: run once without --offline")
    if on_progress is not None:
        on_progress(f"fetching {text} with pip")
    releases = make_cache(root, "releases")
    try:
        with tempfile.TemporaryDirectory(prefix=".fetch-", dir=releases) as scratch:
            return _keep(download_wheel(name, wanted, Path(scratch)), releases / name)
    except OSError as error:
        raise TargetError(f"{text} cannot be kept in {releases}: {why(error)}") from error


def newest_kept(folder: Path, specifier: SpecifierSet) -> Path | None:
    """Return the newest readable wheel in a folder of the cache that satisfies the specifier."""
    kept = [(v, path) for v, path in _wheels(folder) if specifier.contains(v, prereleases=True)]
    if not specifier.prereleases:
        kept = [(v, path) for v, path in kept if not v.is_prerelease] or kept
    for _, path in sorted(kept, reverse=True):
        if zipfile.is_zipfile(path):
            return path
    return None


def _wheels(folder: Path) -> Iterator[tuple[Version, Path]]:
    try:
        kept = sorted(path for path in folder.iterdir() if path.suffix == ".whl")
    except OSError:  # nothing is kept yet; a folder that cannot be used is told of when it is made
        return
    for path in kept:
        with suppress(InvalidWheelFilename, InvalidVersion):
            yield parse_wheel_filename(path.name)[1], path


def _keep(wheel: Path, folder: Path) -> Path:
    """Move a fetched wheel into the cache in one step: no other run ever sees half of it."""
    if not zipfile.is_zipfile(wheel):
        raise TargetError(f"{wheel.name} came from the package index damaged: try again")
    folder.mkdir(exist_ok=True)
    kept = folder / wheel.name
    try:
        wheel.replace(kept)
    except PermissionError:
        # Where open files cannot be replaced, another run reads the same release right now.
        if not zipfile.is_zipfile(kept):
            shutil.copyfile(wheel, kept)
    return kept
