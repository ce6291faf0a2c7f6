"""What the tests of faults share: a tree, a cache, and the command in a process of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import regreach
import regreach_rules
from command_line import copy_of

PROGRAM = (sys.executable, "-m", "regreach")
TIMEOUT = 60.0
"""Seconds after which a command that should have ended hangs."""

RUNNER = "sglang/srt/layers/moe/moe_runner/runner.py"
_WIDE = "sglang/srt/wide"
_TABLE = "".join(f"    ('key {i}', {i}, [{i}, {i + 1}]),\n" for i in range(20))


@dataclass(frozen=True)
class Done:
    """How a command ended: its exit code, or minus the signal that ended it."""

    code: int
    out: bytes
    err: str


class Lab:
    """A copy of a fixture's tree, and a cache folder, home and working folder of its own."""

    def __init__(self, folder: Path, case: str = "bug") -> None:
        self.folder = folder
        self.tree = copy_of(case, folder / "tree")
        self.cache = folder / "cache"
        self.home = folder / "home"
        self.home.mkdir()

    def widen(self, count: int = 45) -> None:
        """Let the runner import so many more modules that other processes are asked to parse them."""
        (self.tree / _WIDE).mkdir()
        (self.tree / _WIDE / "__init__.py").write_text("")
        for i in range(count):
            text = f"NUMBER = {i}\nTABLE = [\n{_TABLE}]\n"
            (self.tree / _WIDE / f"m{i:02}.py").write_text(text)
        runner = self.tree / RUNNER
        names = ", ".join(f"m{i:02}" for i in range(count))
        runner.write_text(runner.read_text() + f"\nfrom sglang.srt.wide import {names}\n")

    def environment(self, **more: str | None) -> dict[str, str]:
        """Return the environment of a command; None takes a variable out of it."""
        roots = [Path(package.__file__ or "").parent.parent for package in _PACKAGES]
        wanted = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join(map(str, roots)),
            "PYTHONDONTWRITEBYTECODE": "1",
            "HOME": str(self.home),
            "REGREACH_CACHE_DIR": str(self.cache),
            "REGREACH_JOBS": "2",
            **more,
        }
        return {name: value for name, value in wanted.items() if value is not None}

    def start(
        self, *arguments: str, program: Sequence[str] = PROGRAM, **more: str | None
    ) -> subprocess.Popen[bytes]:
        """Start a command in a session of its own."""
        return subprocess.Popen(
            [*program, *arguments],
            cwd=self.folder,
            env=self.environment(**more),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def run(self, *arguments: str, program: Sequence[str] = PROGRAM, **more: str | None) -> Done:
        """Run a command to its end; what hangs fails."""
        return ended(self.start(*arguments, program=program, **more))

    def uncached(self, *arguments: str) -> Done:
        """Return what a command says that keeps and uses nothing."""
        return self.run(*arguments, "--no-cache")

    def files(self) -> dict[str, tuple[bytes, int]]:
        """Return the content and the mode of each file of the tree."""
        return {
            file.relative_to(self.tree).as_posix(): (file.read_bytes(), file.stat().st_mode)
            for file in sorted(self.tree.rglob("*"))
            if file.is_file()
        }

    def without_cache(self) -> None:
        """Take the cache away."""
        shutil.rmtree(self.cache, ignore_errors=True)


_PACKAGES = (regreach, regreach_rules)
CHECK = ("check", "tree", "--format", "json")
AUDIT = ("audit", "tree", "--format", "json")
FIX_IN_PLACE = ("fix", "tree", "--write", "--no-cache")


def ended(process: subprocess.Popen[bytes]) -> Done:
    """Wait for a command, and for all that it has started: they hold the ends of its pipes."""
    try:
        out, err = process.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return Done(process.returncode, out, err.decode())


def one_line(done: Done, code: int) -> str:
    """Check that a command failed as it should, in one line, and return that."""
    lines = done.err.strip("\n").split("\n")
    assert (done.code, len(lines)) == (code, 1), done
    assert lines[0].startswith("regreach: error: "), done
    assert "internal error" not in lines[0], done
    return lines[0].removeprefix("regreach: error: ")


def cache_files(lab: Lab) -> Iterator[Path]:
    """Yield the files of the cache."""
    return (file for file in sorted(lab.cache.rglob("*")) if file.is_file())


def open_to_all(folder: Path) -> None:
    """Let other users look into a folder that pytest has made."""
    for path in (folder, *folder.parents[:3]):
        if path.stat().st_uid == os.geteuid() and path.name:
            path.chmod(path.stat().st_mode | 0o055)


def as_user() -> Sequence[str] | None:
    """Return what to put before a command for the permissions of files to count, None if nothing does."""
    if os.geteuid() != 0:
        return ()
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        return None
    bare = (setpriv, "--bounding-set=-dac_override,-dac_read_search,-fowner")
    tried = subprocess.run([*bare, sys.executable, "-c", ""], check=False, capture_output=True)
    return bare if tried.returncode == 0 else None
