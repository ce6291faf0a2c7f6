"""A cache folder that is not to be had: the answer is that of a run without a cache, and nothing is said of it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from lab import CHECK, PROGRAM, Lab, as_user, one_line, open_to_all

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions are those of POSIX")

NOBODY = 65534


@pytest.fixture
def user() -> Sequence[str]:
    """Give what to put before a command for it to be refused what the permissions of files forbid."""
    found = as_user()
    if found is None:
        pytest.skip("root may do all, and there is no setpriv that takes that from it")
    return found


def read_only_home(lab: Lab) -> None:
    lab.home.chmod(0o555)


def read_only_cache(lab: Lab) -> None:
    lab.run(*CHECK, REGREACH_CACHE_DIR=None)
    for path in sorted((lab.home / ".cache").rglob("*"), reverse=True):
        path.chmod(0o555 if path.is_dir() else 0o444)


def unreadable_cache(lab: Lab) -> None:
    lab.run(*CHECK, REGREACH_CACHE_DIR=None)
    for path in sorted((lab.home / ".cache").rglob("*"), reverse=True):
        path.chmod(0)


def of_another(lab: Lab) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root may give folders away")
    lab.run(*CHECK, REGREACH_CACHE_DIR=None)
    for path in sorted((lab.home / ".cache").rglob("*"), reverse=True):
        path.chmod(0o700 if path.is_dir() else 0o600)
        os.chown(path, NOBODY, NOBODY)


@pytest.mark.parametrize("made", [read_only_home, read_only_cache, unreadable_cache, of_another])
def test_permissions(tmp_path: Path, user: Sequence[str], made: Callable[[Lab], None]) -> None:
    lab = Lab(tmp_path)
    expected = lab.uncached(*CHECK)
    made(lab)
    program = (*user, *PROGRAM)
    before = sorted(lab.home.rglob("*"))
    for _ in range(2):
        done = lab.run(*CHECK, program=program, REGREACH_CACHE_DIR=None)
        assert (done.code, done.out, done.err) == (expected.code, expected.out, expected.err)
    # a change is seen as well, whatever is remembered
    shutil.rmtree(lab.tree / "sglang/srt/layers/quantization")
    changed = lab.uncached(*CHECK)
    assert changed.out != expected.out
    assert lab.run(*CHECK, program=program, REGREACH_CACHE_DIR=None).out == changed.out
    assert sorted(lab.home.rglob("*")) == before
    for path in (lab.home, *lab.home.rglob("*")):  # or pytest cannot remove them
        path.chmod(0o755)


def test_a_file_where_the_folder_should_be(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    expected = lab.uncached(*CHECK)
    (tmp_path / "file").write_text("")
    for variables in (
        {"XDG_CACHE_HOME": str(tmp_path / "file"), "REGREACH_CACHE_DIR": None},
        {"REGREACH_CACHE_DIR": str(tmp_path / "file")},
        {"REGREACH_CACHE_DIR": "/dev/null"},
        {"REGREACH_CACHE_DIR": "/proc/regreach"},
    ):
        done = lab.run(*CHECK, **variables)
        assert (done.code, done.out, done.err) == (expected.code, expected.out, expected.err)
    assert (tmp_path / "file").read_text() == ""


def test_a_requirement_needs_the_folder(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    (tmp_path / "file").write_text("")
    done = lab.run("check", "sglang==0.5.15", REGREACH_CACHE_DIR=str(tmp_path / "file"))
    assert "REGREACH_CACHE_DIR" in one_line(done, 3)


def test_home_is_not_set(tmp_path: Path) -> None:
    """The system knows where this user's home is, or the cache is not used."""
    lab = Lab(tmp_path)
    expected = lab.uncached(*CHECK)
    done = lab.run(*CHECK, HOME=None, REGREACH_CACHE_DIR=None, XDG_CACHE_HOME=str(tmp_path / "x"))
    assert (done.code, done.out, done.err) == (expected.code, expected.out, expected.err)


def test_a_user_whom_the_system_does_not_know(tmp_path: Path) -> None:
    """As in many containers: no home at all."""
    setpriv = shutil.which("setpriv")
    if os.geteuid() != 0 or setpriv is None:
        pytest.skip("to become another user takes root and setpriv")
    # it may read everything, as the interpreter may lie where only root can read
    become = (setpriv, "--reuid=54321", "--regid=54321", "--clear-groups")
    read = ("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search")
    lab = Lab(tmp_path)
    if lab.run(program=(*become, *read, sys.executable, "-c", "")).code != 0:
        pytest.skip("setpriv may not do that here")
    program = (*become, *read, *PROGRAM)
    expected = lab.uncached(*CHECK)
    open_to_all(tmp_path)
    tmp_path.chmod(0o777)
    before = sorted(tmp_path.iterdir())
    done = lab.run(*CHECK, program=program, HOME=None, REGREACH_CACHE_DIR=None)
    assert (done.code, done.out, done.err) == (expected.code, expected.out, expected.err)
    done = lab.run("check", "sglang==1", program=program, HOME=None, REGREACH_CACHE_DIR=None)
    assert one_line(done, 3).endswith("set REGREACH_CACHE_DIR to a folder")
    assert sorted(tmp_path.iterdir()) == before
