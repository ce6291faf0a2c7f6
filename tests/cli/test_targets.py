"""The same tree in all the forms in which it can be given: folder, archive, revision, below a folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import BUG, FIXTURES, copy_of, files_of, run
from tree_making import below, git, make_repository, make_tar, make_wheel, make_zip

FILES = files_of("bug")


def folder(where: Path) -> list[str]:
    return [str(copy_of("bug", where))]


def package_itself(where: Path) -> list[str]:
    return [str(copy_of("bug", where) / "sglang")]


def wheel(where: Path) -> list[str]:
    return [str(make_wheel(where, "py3-none-any", FILES, name="sglang", version="1.0"))]


def sdist(where: Path) -> list[str]:
    return [str(make_tar(where / "sglang-1.0.tar.gz", below("sglang-1.0", FILES)))]


def sdist_with_python(where: Path) -> list[str]:
    return [str(make_zip(where / "sglang-1.0.zip", below("sglang-1.0/python", FILES)))]


def revision(where: Path) -> list[str]:
    """A tagged revision of a repository that has mended the bug since."""
    make_repository(where, FILES)
    runner = where / "sglang/srt/layers/moe/moe_runner/runner.py"
    fixed = FIXTURES / "fix-lazy-in-branch/tree/sglang/srt/layers/moe/moe_runner/runner.py"
    runner.write_bytes(fixed.read_bytes())
    git(where, "commit", "--all", "--quiet", "--message=fix")
    return [str(where), "--rev", "v1"]


def below_python(where: Path) -> list[str]:
    copy_of("bug", where / "python")
    return [str(where)]


def below_src(where: Path) -> list[str]:
    copy_of("bug", where / "src")
    return [str(where)]


def revision_below_python(where: Path) -> list[str]:
    make_repository(where, below("python", FILES))
    return [str(where), "--rev", "HEAD"]


def judged(*arguments: str) -> Any:
    """All that an audit says but where it read that."""
    done = run("audit", *arguments, "--format", "json")
    assert done.code == 1, done.err
    document = done.json()
    del document["tree"]["source"], document["tree"]["root"]
    return document


@pytest.mark.parametrize(
    "form", [folder, package_itself, wheel, sdist, revision], ids=lambda form: form.__name__
)
def test_each_form_gives_the_same_audit(tmp_path: Path, form: Callable[[Path], list[str]]) -> None:
    assert judged(*form(tmp_path)) == judged(BUG)


@pytest.mark.parametrize(
    ("form", "prefix"),
    [
        (below_python, "python/"),
        (below_src, "src/"),
        (sdist_with_python, "python/"),
        (revision_below_python, "python/"),
    ],
    ids=lambda form: getattr(form, "__name__", ""),
)
def test_paths_begin_where_the_target_does(
    tmp_path: Path, form: Callable[[Path], list[str]], prefix: str
) -> None:
    found = {(f["rule"], f["path"], f["line"]) for f in judged(*form(tmp_path))["findings"]}
    known = {(f["rule"], prefix + f["path"], f["line"]) for f in judged(BUG)["findings"]}
    assert found == known


def test_the_files_on_disk_and_the_revision_are_two_trees(tmp_path: Path) -> None:
    target, *_ = revision(tmp_path)
    assert run("check", target).code == 0
    assert run("check", target, "--rev", "v1").code == 1
    assert run("check", target, "--rev", "HEAD").code == 0


def test_the_current_folder_is_the_target_when_none_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(copy_of("bug", tmp_path))
    assert run("check") == run("check", BUG)
    assert run("audit").out.startswith(".  sglang, 13 modules, platform cuda\n")
