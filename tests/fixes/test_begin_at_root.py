"""Imports that begin above the import root: found, rewritten, and what CPython makes of both."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from command_line import FIXTURES, run
from regreach.fixes.begin_at_root import begin_at_root
from regreach.fixes.errors import CannotEditError
from tree_making import git, write

TEST = "sglang/test/test_pool.py"
IS_THE_SAME = """
import sglang.test.test_pool as test
import sglang.srt.layers.moe.moe_runner.base as base
print(test.FusedOpPool is base.FusedOpPool)
"""


def repository(tmp_path: Path) -> Path:
    """A checkout with the fixture's package under ``python/``."""
    tree = FIXTURES / "above-import-root" / "tree"
    for file in sorted(tree.rglob("*.py")):
        write(tmp_path, {f"python/{file.relative_to(tree).as_posix()}": file.read_text()})
    return tmp_path


def executed(*path: Path) -> str:
    """What the test gets of the registry, with these folders on the path."""
    text = f"import sys; sys.path[:0] = {[str(p) for p in path]!r}\n{IS_THE_SAME}"
    done = subprocess.run(
        [sys.executable, "-I", "-B", "-c", text], capture_output=True, check=False, text=True
    )
    return done.stdout.strip() or done.stderr.splitlines()[-1]


def test_it_makes_a_second_registry_and_the_rewritten_one_does_not(tmp_path: Path) -> None:
    root = repository(tmp_path)
    assert executed(root, root / "python") == "False"
    assert executed(root / "python") == "ModuleNotFoundError: No module named 'python'"
    found = run("check", str(root), "--select", "RR111")
    assert found.code == 1
    assert found.out.startswith(f"python/{TEST}:3:1: RR111 ")
    done = run("fix", str(root), "--select", "RR111", "--write")
    assert done.code == 0, done
    assert executed(root / "python") == executed(root, root / "python") == "True"
    assert run("check", str(root), "--select", "RR111").code == 0


def test_it_is_mended_only_if_it_is_selected(tmp_path: Path) -> None:
    root = repository(tmp_path)
    done = run("fix", str(root), "--write")
    assert (done.code, "1 finding of RR111 only if selected" in done.err) == (0, True)
    assert "`regreach fix --select RR111` mends 1 of 1" in run("check", str(root)).err


def test_what_a_branch_brings_in_is_told_by_since(tmp_path: Path) -> None:
    root = repository(tmp_path)
    file = root / "python" / TEST
    text = file.read_text()
    file.write_text(text.replace("from python.", "from "))
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "at the root")
    file.write_text(text)
    git(root, "commit", "-q", "-a", "-m", "above the root")
    found = run("check", str(root), "--since", "HEAD~1")
    assert (found.code, found.out.count("RR111")) == (1, 1)
    assert run("check", str(root), "--since", "HEAD").code == 0


@pytest.mark.parametrize(
    ("line", "made"),
    [
        ("from python.shop.a import b", "from shop.a import b"),
        ("from python.shop import b", "from shop import b"),
        ("import python.shop.a as a, os", "import shop.a as a, os"),
        ("from python . shop.a import b  # é", "from shop.a import b  # é"),
        ("if True: import python.shop as s", "if True: import shop as s"),
        ("from python.shop.a import (\n    b,\n)", "from shop.a import (\n    b,\n)"),
        ("x = __import__('python.shop.a')", "x = __import__('shop.a')"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_statements(line: str, made: str, end: str) -> None:
    before = f"import os\n{line}\nimport python.shop.z\n".replace("\n", end)
    after, _ = begin_at_root(before.encode(), 2, "python", "shop")
    assert after.decode() == f"import os\n{made}\nimport python.shop.z\n".replace("\n", end)


@pytest.mark.parametrize(
    "text", ["from a.python.shop import b\n", "import pythons.shop\n", "\n", "from python.shop (\n"]
)
def test_what_is_none_is_left(text: str) -> None:
    with pytest.raises(CannotEditError):
        begin_at_root(text.encode(), 1, "python", "shop")
