"""A full disk: a file system of 256 kilobytes, really mounted; where that is not permitted, a limit of file sizes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from lab import AUDIT, CHECK, PROGRAM, Lab, one_line

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="mount, prlimit and /dev/full are Linux's"
)


@pytest.fixture
def disk() -> Iterator[Path]:
    """Give a folder on a file system of its own that is small (tmpfs: needs root)."""
    folder = Path(tempfile.mkdtemp(prefix="regreach-disk-"))
    command = ["mount", "-t", "tmpfs", "-o", "size=256k,mode=777", "tmpfs", str(folder)]
    mounted = shutil.which("mount") and subprocess.run(command, check=False, capture_output=True)
    if not mounted or mounted.returncode:
        folder.rmdir()
        pytest.skip("this user may not mount a file system")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)
    folder.rmdir()


def limited(size: int) -> Sequence[str]:
    """Return what to put before a command for no file to become larger than so many bytes."""
    prlimit = shutil.which("prlimit")
    if prlimit is None:
        pytest.skip("there is no prlimit")
    return (prlimit, f"--fsize={size}", *PROGRAM)


def fill(disk: Path, leave: int) -> Path:
    """Fill a disk but for so many bytes; the file that does is returned."""
    space = os.statvfs(disk)
    block = Path(disk / "filler")
    block.write_bytes(bytes(max(0, space.f_bavail * space.f_frsize - leave)))
    return block


@pytest.mark.parametrize("leave", [0, 8192, 65_536])
def test_the_cache(tmp_path: Path, disk: Path, leave: int) -> None:
    """What cannot be kept is found out again; once there is room it is kept."""
    lab = Lab(tmp_path)
    lab.cache = disk / "cache"
    expected = lab.uncached(*CHECK)
    filler = fill(disk, leave)
    for arguments in (CHECK, CHECK):
        done = lab.run(*arguments)
        assert (done.code, done.out, done.err) == (expected.code, expected.out, expected.err)
    filler.unlink()
    for _ in range(2):
        assert lab.run(*CHECK).out == expected.out
    assert (lab.cache / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f")
    assert (lab.cache / ".gitignore").read_text().endswith("*\n")
    assert "remembered" in lab.run(*CHECK, "--stats").err


@pytest.mark.parametrize("old", [None, "what stood there\n"])
def test_an_output(tmp_path: Path, disk: Path, old: str | None) -> None:
    lab = Lab(tmp_path)
    goal = disk / "report.json"
    if old is not None:
        goal.write_text(old)
    fill(disk, 0)
    done = lab.run(*AUDIT, "--no-cache", "-o", str(goal))
    assert one_line(done, 2) == f"{goal}: cannot be written: No space left on device"
    assert (goal.read_text() if goal.exists() else None) == old
    assert sorted(file.name for file in disk.iterdir()) == sorted(
        ["filler"] + ["report.json"] * (old is not None)
    )


def test_a_fix(tmp_path: Path, disk: Path) -> None:
    lab = Lab(tmp_path)
    shutil.move(lab.tree, disk / "tree")
    lab.tree = disk / "tree"
    before = lab.files()
    fill(disk, 0)
    done = lab.run("fix", str(lab.tree), "--write", "--no-cache")
    message = one_line(done, 3)
    assert message.endswith("cannot be written: No space left on device: nothing was written")
    assert lab.files() == before


@pytest.mark.parametrize("arguments", [CHECK, ("audit", "tree"), ("rule", "RR101")])
def test_standard_output(tmp_path: Path, arguments: Sequence[str]) -> None:
    """The real device that is always full."""
    lab = Lab(tmp_path)
    shell = ("sh", "-c", 'exec "$@" > /dev/full', "sh", *PROGRAM)
    done = lab.run(*arguments, program=shell)
    lines = done.err.splitlines()
    assert done.code == 3
    assert lines == ["regreach: error: the system refuses to go on: No space left on device"]


@pytest.mark.parametrize("size", [0, 20_480])
def test_the_cache_where_files_are_limited(tmp_path: Path, size: int) -> None:
    """RLIMIT_FSIZE, as a quota."""
    lab = Lab(tmp_path)
    expected = lab.uncached(*CHECK)
    for _ in range(2):
        done = lab.run(*CHECK, program=limited(size))
        assert (done.code, done.out, done.err) == (expected.code, expected.out, expected.err)
    assert lab.run(*CHECK).out == expected.out


def test_an_output_where_files_are_limited(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    goal = tmp_path / "report.json"
    goal.write_text("old")
    done = lab.run(*AUDIT, "-o", str(goal), program=limited(1000))
    assert one_line(done, 2) == f"{goal}: cannot be written: File too large"
    assert goal.read_text() == "old"
    assert not list(tmp_path.glob(".*"))
