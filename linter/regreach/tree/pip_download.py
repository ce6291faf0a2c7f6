"""Asking pip for a wheel, for whatever Python and platform, and running nothing of it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from packaging.specifiers import SpecifierSet
from packaging.utils import parse_wheel_filename
from packaging.version import Version

from regreach.errors import TargetError
from regreach.tree.paths import why
from regreach.tree.pip_words import found_nothing, pip_error
from regreach.tree.requirement import is_exact

# In the order in which they are asked: the same on every machine, so that the same release is read.
PYTHONS = ("3.11", "3.12", "3.13", "3.14", "3.10")

_LINUX = [f"manylinux_2_{minor}" for minor in range(45, 4, -1)]
_LINUX += [
    "manylinux2014",
    "manylinux2010",
    "manylinux1",
    "musllinux_1_2",
    "musllinux_1_1",
    "linux",
]
PLATFORMS = (
    *(f"{system}_x86_64" for system in _LINUX),
    *(f"{system}_aarch64" for system in _LINUX),
    *("macosx_26_0_arm64", "macosx_26_0_x86_64", "win_amd64", "win_arm64", "win32"),
)

# Settings of the user's that would turn a download into a build or into something else.
_UNWANTED = ("PIP_NO_BINARY", "PIP_REQUIREMENT", "PIP_EDITABLE", "PIP_REQUIRE_VIRTUALENV")


def download_wheel(name: str, specifier: SpecifierSet, scratch: Path) -> Path:
    """Fetch into `scratch` the newest wheel that satisfies the specifier, and return its path.

    A wheel for another Python or platform is as good as one for this machine, because it is only
    read. Source distributions are never fetched: to learn their version, pip would run their build.
    Raises TargetError, one line, when there is no wheel, no such release, no network or no pip.
    """
    best: tuple[Version, Path] | None = None
    for python in PYTHONS:
        wanted = specifier
        if best is not None:
            wanted &= SpecifierSet(f">={best[0].public},!={best[0].public}")
        found = _ask(f"{name}{wanted}", python, scratch)
        if found is not None:
            version = parse_wheel_filename(found.name)[1]
            if best is not None and version.is_prerelease and not specifier.prereleases:
                continue  # all that pip had left: it never replaces a release
            if best is None or version > best[0]:
                best = (version, found)
            if is_exact(specifier):
                break
    if best is None:
        raise _nothing_found(name, specifier, scratch)
    return best[1]


def _ask(requirement: str, python: str, scratch: Path) -> Path | None:
    """Ask for one Python version; None when the index has no wheel for it."""
    folder = scratch / python
    folder.mkdir()
    abi = "cp" + python.replace(".", "")
    options = ["--python-version", python, "--implementation", "cp", "--abi", abi]
    for platform in PLATFORMS:
        options += ["--platform", platform]
    options += [
        "--no-deps",
        "--only-binary=:all:",
        "--progress-bar=off",
        "--dest",
        str(folder),
        requirement,
    ]
    done = _pip(["download", *options], scratch)
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode == 0 and wheels:
        return wheels[0]
    if done.returncode != 0 and not found_nothing(done.stderr):
        raise pip_error(requirement, done.stderr)
    return None


def _nothing_found(name: str, specifier: SpecifierSet, scratch: Path) -> TargetError:
    """Tell an unknown project, an unknown version and a release without a wheel apart."""
    done = _pip(["index", "versions", name, "--pre", "--ignore-requires-python"], scratch)
    if done.returncode != 0 and not found_nothing(done.stderr):
        return pip_error(name, done.stderr)
    versions = sorted(_versions(done.stdout), reverse=True)
    if not versions:
        return TargetError(f"the package index knows no project {name!r} that could be read")
    if any(specifier.contains(version, prereleases=True) for version in versions):
        return TargetError(
            f"{name}{specifier} has no wheel, and building its source would run its code:"
            f" fetch the source distribution yourself and give the file"
        )
    return TargetError(f"{name} has no release {specifier}; the newest is {versions[0]}")


def _versions(output: str) -> Iterator[Version]:
    for line in output.splitlines():
        label, _, listed = line.partition(": ")
        if label == "Available versions":
            yield from (Version(word) for word in listed.split(", "))


def _pip(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    if not sys.executable:
        raise TargetError(
            "fetching a release needs pip, and this Python does not say where it lies"
        )
    env = {key: value for key, value in os.environ.items() if key not in _UNWANTED}
    env.update(PIP_DISABLE_PIP_VERSION_CHECK="1", PIP_NO_INPUT="1", PYTHONIOENCODING="utf-8")
    command = [sys.executable, "-m", "pip", *arguments, "--no-color"]
    try:
        return subprocess.run(
            command,
            cwd=folder,
            env=env,
            capture_output=True,
            check=False,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
    except OSError as error:
        raise TargetError(f"pip could not be run: {why(error)}") from error
