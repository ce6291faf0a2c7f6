"""Exit codes: 0 nothing to report, 1 findings, 2 wrong usage or configuration, 3 could not run."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from command_line import (
    BUG,
    FIXTURES,
    HELP,
    copy_of,
    everything_is_permitted,
    fails,
    run,
    run_process,
)
from tree_making import git, make_tar, make_zip

WARNS = str(FIXTURES / "process" / "tree")
CLEAN = str(FIXTURES / "eager-at-top" / "tree")


@pytest.mark.parametrize("command", ["check", "audit"])
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([BUG], 1),
        ([BUG, "--exit-zero"], 0),
        ([BUG, "--ignore", "RR101"], 0),
        ([BUG, "--ignore", "rr101, RR102"], 0),
        ([BUG, "--select", "RR101"], 1),
        ([BUG, "--select", "RR103", "--fail-on", "info"], 0),
        ([WARNS], 0),
        ([WARNS, "--fail-on", "error"], 0),
        ([WARNS, "--fail-on", "warning"], 1),
        ([WARNS, "--fail-on", "info"], 1),
        ([WARNS, "--fail-on", "info", "--exit-zero"], 0),
        ([CLEAN], 0),
        ([CLEAN, "--fail-on", "info"], 0),
    ],
)
def test_findings_decide(command: str, arguments: list[str], code: int) -> None:
    assert run(command, *arguments).code == code


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["check", "--nope"], "No such option"),
        (["check", ".", "more"], "TARGET is one whole tree, not . more: what"),
        (["nope"], "No such command 'nope'"),
        (["check", BUG, "--format", "xml"], "'xml' is not one of"),
        (["check", BUG, "--fail-on", "never"], "'never' is not one of"),
        (["check", BUG, "--color", "maybe"], "'maybe' is not one of"),
        (["check", BUG, "--env", "NAME"], "--env takes NAME=VALUE, not 'NAME'"),
        (["check", BUG, "--env", "=1"], "--env takes NAME=VALUE, not '=1'"),
        (["check", BUG, "--select", "RR101,RR999"], "unknown rule 'RR999'; known are: RR101, "),
        (["audit", BUG, "--ignore", "X"], "unknown rule 'X'"),
        (["check", BUG, "--platform", "abacus"], "unknown platform 'abacus'; the pack 'sglang' knows: cuda"),
        (["check", BUG, "--pack", "nope"], "unknown pack 'nope'; installed are: alembic, celery, django, sglang"),
        (["check", BUG, "--pack", "nope.toml"], "nope.toml: the pack cannot be read: No such file"),
        (["check", BUG, "--pack", "./"], "./: the pack cannot be read: Is a directory"),
        (["rule", "RR999"], "unknown rule 'RR999'"),
        (["check", BUG, "--output"], "requires an argument"),
    ],
)  # fmt: skip
def test_wrong_usage(arguments: list[str], says: str) -> None:
    assert says in fails(run(*arguments), 2)


def test_wrong_usage_names_the_help() -> None:
    assert fails(run("audit", "--nope"), 2).endswith("(see regreach audit --help)")


def test_targets_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.txt").write_text("no archive")
    (tmp_path / "broken.whl").write_bytes(b"PK\x03\x04 half of a wheel")
    (tmp_path / "broken.tar.gz").write_bytes(b"\x1f\x8b\x08\x00 half")
    make_zip(tmp_path / "other.whl", {"other/__init__.py": ""})
    make_tar(tmp_path / "other.tar.gz", {"other-1/other/__init__.py": ""})
    for name, says in {
        "nope": "no such file or folder",
        "empty": "no package 'sglang'",
        "text.txt": "is neither a folder nor an archive",
        "broken.whl": "broken.whl",
        "broken.tar.gz": "broken.tar.gz",
        "other.whl": "no package 'sglang'",
        "other.tar.gz": "no package 'sglang'",
    }.items():
        assert says in fails(run("check", str(tmp_path / name)), 3)


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("sglang==", "neither an existing path nor a requirement"),
        ("sglang == 1 or so", "neither an existing path nor a requirement"),
        ("https://example.org/sglang.whl", "names an address, which is not fetched"),
        ("nope-1.0.tar.gz", "no such file or folder"),
        ("nope.whl", "no such file or folder"),
        ("nope/", "no such file or folder"),
        (".nope", "no such file or folder"),
        (
            "nope",
            "nope: no such file or folder; the package index was not asked: a requirement names",
        ),
        ("", "neither an existing path nor a requirement"),
        ("two\nlines", "neither an existing path nor a requirement"),
    ],
)
def test_requirements_that_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str, says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PIP_INDEX_URL", "no index may be asked")
    for command in (["check"], ["audit"], ["explain", "none,triton"]):
        assert says in fails(run(*command, target), 3)


def test_a_release_that_is_not_kept_while_offline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REGREACH_CACHE_DIR", str(tmp_path))
    assert "run once without --offline" in fails(run("check", "sglang==0.5.15", "--offline"), 3)


def test_revisions_that_cannot_be_read(tmp_path: Path) -> None:
    assert "git" in fails(run("check", str(tmp_path), "--rev", "main"), 3)
    git(tmp_path, "init", "--quiet")
    assert "'nope'" in fails(run("check", str(tmp_path), "--rev", "nope"), 3)
    assert "not a folder" in fails(run("check", str(tmp_path / "gone"), "--rev", "main"), 3)


def test_a_file_that_cannot_be_read_is_told_and_the_rest_judged(tmp_path: Path) -> None:
    tree = copy_of("bug", tmp_path)
    (tree / "sglang/broken_link.py").symlink_to("nowhere.py")
    (tree / "sglang/srt/more.py").write_bytes(b"# register_fused_func\n\xff\n")
    done = run("check", str(tree))
    assert done.code == 1
    assert done.out == run("check", BUG).out
    assert done.err.splitlines() == [
        "sglang/srt/more.py:2:1: not read: not valid utf-8: invalid start byte",
        "sglang/broken_link.py:1:1: not read: a broken link",
        HELP.strip(),
        "1 error, 1 warning",
    ]


@pytest.mark.skipif(everything_is_permitted(), reason="this user may read everything")
def test_a_file_without_the_permission_to_read_it(tmp_path: Path) -> None:
    tree = copy_of("bug", tmp_path)
    (tree / "sglang/srt/layers/quantization/mxfp4.py").chmod(0)
    done = run("check", str(tree))
    assert "mxfp4.py:1:1: not read: unreadable file: permission denied" in done.err
    assert done.code == 1


def test_failures_in_a_process_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "broken.whl").write_bytes(b"PK\x03\x04 half of a wheel")
    assert "broken.whl" in fails(run_process("audit", "broken.whl", cwd=tmp_path), 3)
    assert "No such option" in fails(run_process("check", "--nope"), 2)


def test_an_error_that_nobody_foresaw_is_one_line_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("two\nlines")

    monkeypatch.setattr("regreach.run.check", fail)
    message = fails(run("check", BUG, "--no-cache"), 3)
    assert message.startswith("internal error, please report it: ZeroDivisionError: two lines (")
    monkeypatch.setenv("REGREACH_TRACEBACK", "1")
    assert "Traceback" in run("check", BUG, "--no-cache").err


def test_an_interrupt_that_comes_as_another_exception(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("Error calling __set_name__") from KeyboardInterrupt()

    monkeypatch.setattr("regreach.run.check", fail)
    assert fails(run("check", BUG, "--no-cache"), 130) == "interrupted"


@pytest.mark.parametrize("command", [["check"], ["audit"], ["check", "--exit-zero"]])
def test_a_consumer_that_does_not_parse_is_not_clean(tmp_path: Path, command: list[str]) -> None:
    """Nothing is found where nothing could be looked into: that must not pass for green."""
    tree = _unparsable(tmp_path)
    for _ in range(2):  # the second time it is remembered
        done = run(*command, str(tree))
        assert done.code == 3
        assert "MoeRunner cannot be judged: a file that it needs was not read, " in done.err
        assert done.err.splitlines()[-1].endswith("moe_runner/runner.py: invalid syntax")


def test_what_writes_does_not_without_a_consumer(tmp_path: Path) -> None:
    tree = _unparsable(tmp_path)
    known = tmp_path / "known.toml"
    before = run("baseline", str(FIXTURES / "bug" / "tree"), "--output", str(known))
    assert before.code == 0
    text = known.read_text()
    for arguments in (["baseline", str(tree), "--output", str(known)], ["fix", str(tree)]):
        done = run(*arguments)
        assert (done.code, "cannot be judged" in done.err) == (3, True)
    assert known.read_text() == text


def _unparsable(folder: Path) -> Path:
    tree = folder / "tree"
    shutil.copytree(FIXTURES / "bug" / "tree", tree)
    with (tree / "sglang/srt/layers/moe/moe_runner/runner.py").open("a") as file:
        file.write("def (\n")
    return tree


def test_a_working_folder_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    message = fails(run("check", BUG), 3)
    assert message.startswith("the working folder cannot be used (")
