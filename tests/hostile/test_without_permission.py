"""What the user may not read: told, and never green where the consumer needs it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import Done, copy_of
from hostile_making import (
    LIMIT,
    MOE,
    NO_CACHE,
    REGISTERING,
    RUNNER,
    as_without,
    in_its_own_words,
    told,
)

# Root may read everything, unless it gives that up (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH) before it
# becomes the program: PR_CAPBSET_DROP of prctl(2).
WITHOUT_PRIVILEGES = """
import ctypes, os, sys
if os.geteuid() == 0:
    for capability in (1, 2):
        ctypes.CDLL(None, use_errno=True).prctl(24, capability, 0, 0, 0)
os.execv(sys.executable, [sys.executable, "-m", "regreach", *sys.argv[1:]])
"""


def check(tree: Path, *arguments: str) -> Done:
    """Run ``check`` as somebody who may read only what the permissions allow."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_PRIVILEGES, "check", str(tree), *NO_CACHE, *arguments],
        cwd=tree.parent,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    result = Done(done.returncode, done.stdout, done.stderr)
    in_its_own_words(result)
    return result


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Path]:
    if sys.platform != "linux":
        pytest.skip("privileges are given up in another way here")
    folder = copy_of("bug", tmp_path / "tree")
    yield folder
    for path in folder.rglob("*"):
        path.chmod(0o755)


def test_other_files_and_folders(tree: Path) -> None:
    (tree / MOE / "secret.py").write_text("x = 1\n")
    (tree / MOE / "secret").mkdir()
    (tree / MOE / "secret/inside.py").write_text("x = 1\n")
    before = check(tree)
    as_without(before)
    assert told(before) == {}
    (tree / MOE / "secret.py").chmod(0)
    (tree / MOE / "secret").chmod(0)
    done = check(tree)
    as_without(done)
    assert told(done).keys() == {f"{MOE}/secret.py", f"{MOE}/secret"}


@pytest.mark.parametrize("path", [RUNNER, f"{MOE}/moe_runner", f"{MOE}/utils.py", "sglang"])
def test_what_the_consumer_needs(tree: Path, path: str) -> None:
    (tree / path).chmod(0)
    done = check(tree)
    assert done.code == 3
    assert path in done.err.splitlines()[-1], done.err


def test_a_clean_tree_with_a_file_that_may_say_anything(tree: Path) -> None:
    fixed = copy_of("fix-lazy-in-branch", tree.parent / "fixed")
    for file in fixed.rglob("*.py"):
        goal = tree / file.relative_to(fixed)
        goal.parent.mkdir(parents=True, exist_ok=True)
        goal.write_bytes(file.read_bytes())
    assert check(tree).code == 0
    (tree / MOE / "secret.py").write_text("x = 1\n")
    (tree / MOE / "secret.py").chmod(0)
    done = check(tree)
    assert done.code == 3
    assert done.err.splitlines()[-1].endswith(f"may stand there: {MOE}/secret.py")


def test_a_registration_that_may_not_be_read_is_not_said_to_be_missing(tree: Path) -> None:
    (tree / REGISTERING).chmod(0)
    done = check(tree)
    assert done.code == 3
    assert "RR103" not in done.out
