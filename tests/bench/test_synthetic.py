"""The tree that is made up: the same everywhere, importable, and with exactly one fault."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest
from regreach.request import Request
from regreach.run import analyse

from benchmarks.synthetic import BROKEN, BROKEN_FILE, PACK, write_tree

MODULES = 150
EVERY_MODULE = """
import pkgutil, importlib, bulk
for found in pkgutil.walk_packages(bulk.__path__, "bulk."):
    importlib.import_module(found.name)
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("synthetic")
    write_tree(root, MODULES)
    return root


def run(tree: Path, code: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-B", "-c", code]
    return subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)


def test_same_bytes_on_every_machine(tree: Path) -> None:
    digest = hashlib.sha256()
    for file in sorted(tree.rglob("*.py")):
        digest.update(file.relative_to(tree).as_posix().encode() + b"\n" + file.read_bytes())
    assert digest.hexdigest() == "610bbae014242c3a65df2f81441ddb74e9629272aa01307c9f255b80fbe4e1a9"


def test_as_many_files_as_it_says(tree: Path, tmp_path: Path) -> None:
    assert write_tree(tmp_path, MODULES) == len(list(tree.rglob("*.py"))) > MODULES


def test_modules_of_about_a_hundred_lines(tree: Path) -> None:
    lines = [
        file.read_text(encoding="utf-8").count("\n")
        for file in tree.glob("bulk/area_*/*/module_*.py")
    ]
    assert len(lines) == MODULES
    assert 90 < sum(lines) / len(lines) < 130


def test_all_modules_can_be_imported(tree: Path) -> None:
    done = run(tree, EVERY_MODULE)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("kind", "desk", "ending"),
    [
        ("packed", "desk_00", "NotImplementedError: nothing handles Kind.PACKED"),
        ("packed, by one that helps itself", "desk_01", ""),
        ("plain", "desk_02", ""),
        ("fused", "desk_03", ""),
    ],
)
def test_one_desk_crashes(tree: Path, kind: str, desk: str, ending: str) -> None:
    done = run(tree, f"from bulk.desks import {desk}; {desk}.open_desk()")
    assert done.stderr.strip().splitlines()[-1:] == ([ending] if ending else [])


def test_regreach_finds_the_fault_and_nothing_else(tree: Path, tmp_path: Path) -> None:
    pack = tmp_path / "bulk.toml"
    pack.write_text(PACK, encoding="utf-8")
    found = analyse(Request(str(tree), pack=str(pack), jobs=1)).findings
    assert [(f.rule, f.key, f.spot.path) for f in found] == [("RR101", BROKEN, BROKEN_FILE)]


@pytest.mark.parametrize("modules", [0, 49, 51])
def test_only_whole_blocks(tmp_path: Path, modules: int) -> None:
    with pytest.raises(ValueError, match="blocks of 50"):
        write_tree(tmp_path, modules)
