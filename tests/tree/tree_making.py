"""What the tests of `regreach.tree` share: writing trees, archives and repositories."""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from regreach.tree import PackageLocation

LOCATION = PackageLocation("pkg", ("", "python", "src"))

Files = Mapping[str, str]

PACKAGE: Files = {
    "pkg/__init__.py": "",
    "pkg/a.py": "A = 1\n",
    "pkg/sub/__init__.py": "",
    "pkg/sub/b.py": "B = 2\n",
    "pkg/plain/c.py": "C = 3\n",
}
MODULES = ["pkg", "pkg.a", "pkg.plain", "pkg.plain.c", "pkg.sub", "pkg.sub.b"]


def write(root: Path, files: Files) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def below(folder: str, files: Files = PACKAGE) -> dict[str, str]:
    return {f"{folder}/{name}": text for name, text in files.items()}


def make_zip(path: Path, files: Files) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def make_tar(path: Path, files: Files, *extra: tarfile.TarInfo) -> Path:
    mode = {"gz": "w:gz", "tgz": "w:gz", "bz2": "w:bz2", "xz": "w:xz"}
    with tarfile.open(path, mode.get(path.name.rpartition(".")[2], "w:")) as archive:  # type: ignore[call-overload]
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
        for info in extra:
            archive.addfile(info)
    return path


def make_wheel(folder: Path, tag: str, files: Files, *, name: str = "pkg", version: str) -> Path:
    """Build a wheel that pip accepts."""
    info = f"{name}-{version}.dist-info"
    return make_zip(
        folder / f"{name}-{version}-{tag}.whl",
        {
            **files,
            f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
            f"{info}/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n",
            f"{info}/RECORD": "",
        },
    )


def git(folder: Path, *arguments: str) -> str:
    env = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    env.update(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1")
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", "-C", str(folder), *who, *arguments],
        env=env,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def make_repository(folder: Path, files: Files, tag: str = "v1") -> Path:
    """Make a repository with one commit, tagged."""
    write(folder, files)
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=first")
    git(folder, "tag", tag)
    return folder
