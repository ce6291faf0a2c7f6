"""What was not read is never green: files out of the tree, call sites that do not parse, missing modules."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Done, copy_of, run

GREEN = "fix-lazy-in-branch"
MOE = "sglang/srt/layers/moe"
RUNNER = f"{MOE}/moe_runner/runner.py"
KERNELS = f"{MOE}/moe_runner/flashinfer_cutlass.py"
UTILS = f"{MOE}/utils.py"
SITE = "sglang/srt/layers/quantization/mxfp4.py"
UNSURE = "that there is nothing to report is not sure: not read"


def green(where: Path) -> Path:
    tree = copy_of(GREEN, where / "tree")
    assert run("check", str(tree), "--no-cache").code == 0
    return tree


def away(tree: Path, path: str) -> Path:
    """Put a file or folder beside the tree, and a link in its place."""
    goal = tree.parent / "elsewhere" / path.rpartition("/")[2]
    goal.parent.mkdir()
    (tree / path).rename(goal)
    (tree / path).symlink_to(goal)
    return goal


def not_green(tree: Path, says: str) -> None:
    """Check that every command which could pass for "all is well" ends with 3, and writes nothing."""
    known = tree.parent / "known.toml"
    bug = copy_of("bug", tree.parent / "bug")
    assert run("baseline", str(bug), "--output", str(known)).code == 0
    before = known.read_bytes()
    for arguments in (
        ["check"],
        ["check"],  # remembered, where that is possible
        ["check", "--exit-zero"],
        ["audit", "--fail-on", "error"],
        ["baseline", "--output", str(known)],
    ):
        done = run(*arguments, str(tree))
        assert done.code == 3, (arguments, done)
        assert says in done.err.splitlines()[-1], done.err
    assert known.read_bytes() == before


@pytest.mark.parametrize("path", [RUNNER, UTILS, f"{MOE}/moe_runner/base.py", MOE])
def test_a_consumer_that_needs_a_file_out_of_the_tree(tmp_path: Path, path: str) -> None:
    tree = green(tmp_path)
    away(tree, path)
    not_green(tree, f"cannot be judged: a file that it needs was not read, {path}")
    assert run("fix", str(tree)).code == 3


def test_a_call_site_out_of_the_tree(tmp_path: Path) -> None:
    tree = green(tmp_path)
    away(tree, SITE)
    not_green(tree, f"{UNSURE}, though registrations or call sites may stand there: {SITE}")


def test_a_package_out_of_the_tree(tmp_path: Path) -> None:
    tree = green(tmp_path)
    (tmp_path / "more").mkdir()
    (tmp_path / "more/__init__.py").write_text("")
    (tree / MOE / "more").symlink_to(tmp_path / "more")
    not_green(tree, f"{UNSURE}, though registrations or call sites may stand there: {MOE}/more")


def test_what_is_out_of_the_tree_and_has_nothing_to_do_with_it(tmp_path: Path) -> None:
    """A file without the words, a folder of data: both are told, and neither matters."""
    tree = green(tmp_path)
    (tmp_path / "plain.py").write_text("VALUE = 1\n")
    (tmp_path / "data").mkdir()
    (tree / MOE / "plain.py").symlink_to(tmp_path / "plain.py")
    (tree / MOE / "data").symlink_to(tmp_path / "data")
    done = run("check", str(tree))
    assert done.code == 0
    assert done.err.count("not read: a link that leaves the tree, to ") == 2
    # it is looked at again when it changes, though it is no file of the tree
    (tmp_path / "plain.py").write_text("from x import MoeRunner\nMoeRunner(1, 2)\n")
    not_green(tree, f"{MOE}/plain.py")


@pytest.mark.parametrize("text", ["def (\n", "print 'x'\n", "\x00"])
def test_a_call_site_that_does_not_parse(tmp_path: Path, text: str) -> None:
    tree = green(tmp_path)
    (tree / SITE).write_text(f"{(tree / SITE).read_text()}\n{text}")
    not_green(tree, SITE)


def test_a_file_that_does_not_parse_and_is_no_call_site(tmp_path: Path) -> None:
    tree = green(tmp_path)
    (tree / MOE / "notes.py").write_text("def (\n")
    assert run("check", str(tree)).code == 0


def test_a_finding_stays_an_error_when_a_call_site_that_crashes_does_not_parse(
    tmp_path: Path,
) -> None:
    tree = copy_of("bug", tmp_path / "tree")
    (tree / SITE).write_text(f"{(tree / SITE).read_text()}\ndef (\n")
    assert run("check", str(tree)).code == 1


MISSING = "ModuleNotFoundError: No module named 'sglang.srt.layers.moe.utils'"


def test_a_module_that_is_missing(tmp_path: Path) -> None:
    tree = green(tmp_path)
    (tree / UTILS).unlink()
    base = RUNNER.replace("runner.py", "base.py")
    place = f"({base}:{_line(tree / base, 'moe.utils import')})"
    not_green(tree, f"MoeRunner cannot be judged: importing it fails: {MISSING} {place}")


def test_a_module_that_is_missing_when_it_is_constructed(tmp_path: Path) -> None:
    tree = green(tmp_path)
    text = (tree / RUNNER).read_text()
    head = "        self.runner_backend = runner_backend\n"
    assert head in text
    (tree / RUNNER).write_text(text.replace(head, "        import sglang.srt.gone\n" + head))
    line = _line(tree / RUNNER, "sglang.srt.gone")
    done = run("check", str(tree))
    assert done.code == 3
    assert done.err.splitlines()[-1].endswith(
        "MoeRunner cannot be judged: constructing it fails:"
        f" ModuleNotFoundError: No module named 'sglang.srt.gone' ({RUNNER}:{line})"
    )


def _line(file: Path, words: str) -> int:
    lines = file.read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if words in line)


def test_two_branches_that_lack_a_module_each(tmp_path: Path) -> None:
    """On every path of the import a module is missing, be it another one."""
    tree = green(tmp_path)
    text = (tree / RUNNER).read_text()
    fork = (
        "import random\nif random.random() > 0.5:\n    import sglang.srt.one\n"
        "else:\n    import sglang.srt.two\n"
    )
    (tree / RUNNER).write_text(f"{fork}{text}")
    done: Done = run("check", str(tree))
    assert done.code == 3, done
    assert "MoeRunner cannot be judged: importing it fails: ModuleNotFoundError" in done.err


def test_what_says_that_nothing_is_registered_names_the_file_that_was_not_read(
    tmp_path: Path,
) -> None:
    tree = copy_of("accepted-but-unregistered", tmp_path / "tree")
    assert "nothing is registered for it under any key, and" in run("check", str(tree)).out
    (tree / MOE / "broken.py").write_text("@register_fused_func('none', 'x')\ndef (\n")
    done = run("check", str(tree))
    assert f"under any key in what could be read (not {MOE}/broken.py), and" in done.out, done.out
