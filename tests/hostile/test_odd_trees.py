# ruff: noqa: PTH102, PTH104, PTH118, PTH123
"""Files and folders that are no ordinary ones: told, and the verdicts stay those of the rest."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import run
from hostile_making import (
    ASKED,
    NO_CACHE,
    PACKAGE,
    REGISTERING,
    RUNNER,
    as_without,
    in_its_own_words,
    told,
    tree_with,
    watched,
)

MOE = f"{PACKAGE}/moe"
CARRIES_MODULES = b"from sglang.srt.layers.moe.moe_runner.runner import MoeRunner\n"


def test_whatever_can_be_called_like_a_module(tmp_path: Path) -> None:
    tree = tree_with(tmp_path)
    folder = tree / MOE / "odd"
    folder.mkdir()
    (folder / "loop.py").symlink_to("loop.py")
    (folder / "broken.py").symlink_to("nowhere.py")
    (folder / "away.py").symlink_to("/etc/passwd")
    (folder / "device.py").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe.py")
    with socket.socket(socket.AF_UNIX) as listening:
        here = Path.cwd()
        os.chdir(folder)  # the path of a socket must be short
        try:
            listening.bind("socket.py")
        finally:
            os.chdir(here)
    (folder / "folder.py").mkdir()
    (folder / "again").symlink_to("..")
    (folder / "there").symlink_to("/usr")
    done = watched("check", str(tree), *NO_CACHE, cwd=tree)
    as_without(done)
    names = ("loop", "broken", "away", "device", "pipe", "socket")
    odd = f"{MOE}/odd"
    found = told(done)
    assert found.keys() == {*(f"{odd}/{n}.py" for n in names), f"{odd}/again", f"{odd}/there"}
    assert found[f"{odd}/again"].startswith("a loop of links")
    assert found[f"{odd}/there"].startswith("a link that leaves the tree")


@pytest.mark.parametrize("path", [RUNNER, f"{MOE}/moe_runner", f"{MOE}/utils.py"])
@pytest.mark.parametrize("kind", ["pipe", "broken", "away"])
def test_a_consumer_that_hangs_on_one_is_not_judged(tmp_path: Path, path: str, kind: str) -> None:
    tree = tree_with(tmp_path)
    goal = tree / path
    goal.rename(tmp_path / "aside")
    if kind == "pipe" and path.endswith(".py"):
        os.mkfifo(goal)
    else:
        goal.symlink_to({"away": tmp_path / "aside"}.get(kind, Path("nowhere.py")))
    done = watched("check", str(tree), *NO_CACHE, cwd=tree)
    assert done.code in ((3,) if path.endswith(".py") or kind == "away" else (0,)), done
    if done.code == 3:
        assert done.err.splitlines()[-1].partition(" was not read, ")[2].startswith(path)
    else:  # there is no such folder at all: a tree without the consumer, which is said
        assert "this tree has no module sglang.srt.layers.moe.moe_runner.runner" in done.err


def test_names_that_cannot_be_named(tmp_path: Path) -> None:
    """In bytes that are no text, with line ends, with escapes for terminals: none of them is a module."""
    tree = tree_with(tmp_path)
    names = [
        b"caf\xe9",
        b"two\nlines",
        b"\x1b[31mred",
        b"a b",
        b"-x",
        b"class",
        b"\xff\xfe",
        b"x\r",
    ]
    for name in names:
        folder = os.fsencode(tree / MOE) + b"/" + name
        os.mkdir(folder)
        for path in (folder + b"/inside.py", folder + b".py"):
            with open(path, "wb") as file:
                file.write(b"x = = 1" + ASKED)
    done = watched("check", str(tree), *NO_CACHE, cwd=tree)
    as_without(done)
    assert told(done) == {}


def test_a_tree_whose_own_name_is_odd(tmp_path: Path) -> None:
    for name in (b"caf\xe9", b"two\nlines", b"\x1b[31mred", b"::error::x"):
        where = os.path.join(os.fsencode(tmp_path), name)
        os.mkdir(where)
        os.rename(tree_with(tmp_path), where + b"/tree")
        target = os.fsdecode(where + b"/tree")
        for form in ("text", "json", "sarif", "github", "html"):
            done = run("audit", target, "--format", form, *NO_CACHE)
            in_its_own_words(done)
            assert done.code == 1
            assert "\x1b" not in done.out + done.err
        assert watched("check", target, cwd=tmp_path).code == 1
        done = watched("check", os.fsdecode(where + b"/nothing"), cwd=tmp_path)
        assert (done.code, done.err.count("\n"), "\x1b" in done.err) == (3, 1, False)


def test_what_stands_in_the_files_cannot_steer_a_terminal(tmp_path: Path) -> None:
    """A line of the tree that is quoted has no control characters, nor a fault that repeats it."""
    tree = tree_with(tmp_path)
    runner = tree / RUNNER
    escape = b"  # \x1b]0;title\x07\x1b[2J\x9b\xc2\x9b31m"
    lines = runner.read_bytes().replace(b"\xc2", b"").splitlines()
    marked = [
        line + escape.replace(b"\x9b\xc2", b"\xc2") if b"if " in line else line for line in lines
    ]
    runner.write_bytes(b"\n".join(marked) + b"\n")
    (tree / MOE / "odd.py").write_bytes(b"x = '\x1b[31m' $ \x1b[2J\n" + ASKED)
    for form in ("text", "github", "gitlab", "junit"):
        done = watched("check", str(tree), "--format", form, *NO_CACHE, cwd=tree)
        assert done.code == 1
        assert not {"\x1b", "\x07", "\x9b"} & set(done.out + done.err), form


def test_names_that_differ_by_case_are_different(tmp_path: Path) -> None:
    tree = tree_with(tmp_path)
    (tree / MOE / "moe_runner/Flashinfer_Cutlass.py").write_bytes(b"x = 1\n")
    (tree / MOE / "moe_runner/RUNNER.py").write_bytes(b"x = = 1" + ASKED)
    done = watched("check", str(tree), *NO_CACHE, cwd=tree)
    as_without(done)
    assert list(told(done)) == [f"{MOE}/moe_runner/RUNNER.py"]


def test_a_package_hides_a_module_of_its_name(tmp_path: Path) -> None:
    """As CPython finds them: the registrations in the module are not those of the program."""
    tree = tree_with(tmp_path)
    package = (tree / REGISTERING).with_suffix("")
    package.mkdir()
    (package / "__init__.py").write_bytes(b"")
    done = run("audit", str(tree), "--format", "json", *NO_CACHE)
    fused = next(r for r in done.json()["registries"] if r["id"].endswith("fused_func"))
    cell = next(c for c in fused["cells"] if c["key"] == ["none", "flashinfer_mxfp4"])
    assert cell["registrations"] == []
    # and a folder without __init__ is hidden by the module
    (package / "__init__.py").unlink()
    (package / "inner.py").write_bytes(b"x = = 1" + ASKED)
    as_without(run("check", str(tree), *NO_CACHE))


def test_star_imports_in_a_circle(tmp_path: Path) -> None:
    tree = tree_with(tmp_path)
    for one, other in (("a", "b"), ("b", "c"), ("c", "a")):
        text = f"from sglang.srt.layers.moe.{other} import *\n{one} = 1\n"
        (tree / MOE / f"{one}.py").write_text(text)
    runner = tree / RUNNER
    text = "from sglang.srt.layers.moe.a import *\nassert (a, b, c) == (1, 1, 1)\n"
    runner.write_text(text + runner.read_text())
    done = watched("check", str(tree), *NO_CACHE, cwd=tree)
    assert (done.code, "note:" in done.err) == (1, False), done.err


def test_ten_thousand_files_and_folders_in_folders(tmp_path: Path) -> None:
    tree = tree_with(tmp_path)
    wide, deep = tree / MOE / "wide", tree / MOE / "deep"
    wide.mkdir()
    for number in range(10_000):
        (wide / f"m{number}.py").touch()
    below = deep
    while len(os.fspath(below)) < 3_900:
        below = below / ("d" * 200)
    below.mkdir(parents=True)
    (below / "m.py").write_bytes(CARRIES_MODULES)
    as_without(watched("check", str(tree), *NO_CACHE, cwd=tree))


def test_links_that_multiply_folders(tmp_path: Path) -> None:
    """Thirty folders that have two links each to the next: a thousand million ways to the last."""
    tree = tree_with(tmp_path)
    for level in range(30):
        folder = tree / MOE / f"many/x{level}"
        folder.mkdir(parents=True)
        (folder / "m.py").touch()
        for side in "ab":
            (folder / side).symlink_to(f"../x{level + 1}")
    done = watched("check", str(tree), *NO_CACHE, cwd=tree)
    assert done.code == 3
    assert "in more than 100 ways" in done.err


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda path: path.mkdir(), "no package 'sglang' or 'vllm' in "),
        (lambda path: path.write_text("x = 1\n"), "is neither a folder nor an archive"),
        (os.mkfifo, "is neither a folder nor an archive"),
        (lambda path: path.symlink_to(path), "is neither a folder nor an archive"),
        (lambda path: path.symlink_to("/dev/zero"), "is neither a folder nor an archive"),
        (lambda path: (path / "sglang").mkdir(parents=True), "no package 'sglang' or 'vllm' in "),
    ],
)
def test_targets_that_are_no_trees(
    tmp_path: Path, make: Callable[[Path], object], says: str
) -> None:
    for name in ("target", "target.py", "target.whl", "target.tar.gz"):
        make(tmp_path / name)
        done = watched("check", str(tmp_path / name), cwd=tmp_path)
        assert (done.out, done.err.count("\n")) == ("", 1)
        if name == "target.py" and done.code == 2:
            assert "TARGET is one whole tree" in done.err
        else:
            assert done.code == 3
            assert says in done.err or "not a readable" in done.err
