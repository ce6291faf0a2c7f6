"""Annotations for GitHub, read as the runner reads them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import BUG, Done, copy_of, run
from in_form import REGISTERING, github_of, tree
from regreach.report.github import github
from regreach.report.reported import reported
from regreach.request import Request
from regreach.run import analyse
from tree_making import write

COMMAND = re.compile(r"::([\w-]+)(?: ([^:]*))?::(.*)")


def unescaped(text: str) -> str:
    for code, character in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        text = text.replace(code, character)
    return text


def taken(lines: list[str]) -> list[tuple[str, dict[str, str], str]]:
    """Return what a runner takes from a log: the level, the properties and the message."""
    found = []
    stopped = ""
    for line in lines:
        # the runner looks for commands of the older kind anywhere in a line
        parsed = COMMAND.fullmatch(line.strip())
        if parsed is None:
            assert stopped or "##[" not in line
            continue
        name, told, message = parsed.groups()
        if stopped:
            stopped = "" if name == stopped else stopped
        elif name == "stop-commands":
            stopped = message
        else:
            properties = dict(each.split("=", 1) for each in told.split(","))
            values = {key: unescaped(value) for key, value in properties.items()}
            found.append((name, values, unescaped(message)))
    assert not stopped
    return found


def test_errors_come_first_and_are_where_the_registration_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(BUG)
    first, second = taken(github_of("."))
    assert first[:2] == (
        "error",
        {"file": REGISTERING, "line": "11", "col": "1", "title": "RR101 unreached-registration"},
    )
    message, add, where = first[2].split("\n")
    assert message.startswith('("none", "flashinfer_mxfp4") is registered here, but')
    assert add.startswith("add: from sglang.srt.layers.moe.moe_runner import flashinfer_cutlass")
    assert where == "where: below sglang/srt/layers/moe/moe_runner/runner.py:18, before the look-up"
    assert second[0] == "warning"
    assert second[1]["title"] == "RR102 reached-by-others"


def test_all_is_there_as_text_and_counted_once() -> None:
    done, plain = run("check", BUG, "--format", "github"), run("check", BUG)
    lines, text = done.out.splitlines(), plain.out.splitlines()
    start = lines.index(text[0])
    assert lines[start : start + len(text)] == text
    assert "1 error, 1 warning" not in done.out
    assert done.err == plain.err
    assert done.err.endswith("\n1 error, 1 warning\n")
    assert run("check", tree("eager-at-top"), "--format", "github") == Done(0, "", "no findings\n")


def test_more_than_github_shows_is_said() -> None:
    told = reported(analyse(Request(BUG)), "error")
    error, warning = told.findings
    says = "GitHub shows 10 annotations of each level, and the log above all"
    for count, said in ((10, False), (11, True)):
        lines = github(replace(told, findings=(error, *[warning] * count))).splitlines()
        assert (lines[-1] == says) is said
        assert [level for level, _, _ in taken(lines)] == ["error", *["warning"] * count]


def test_files_that_were_not_read_are_warnings() -> None:
    told = [a for a in taken(github_of(tree("syntax-error"))) if a[1]["title"] == "not read"]
    ((level, properties, message),) = told
    assert level == "warning"
    assert properties["file"].endswith("sglang/srt/layers/quantization/broken.py")
    assert properties["line"] == "6"
    assert message


def test_it_is_not_used_unless_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = run("check", BUG)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert run("check", BUG) == plain
    assert "::" not in plain.out


def test_what_is_special_is_escaped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "a,b:c=d%25\r\n::error::x"
    copy_of("bug", folder)
    monkeypatch.chdir(tmp_path)
    found = taken(github_of(folder.name))
    assert [level for level, _, _ in found] == ["error", "warning"]
    assert {properties["file"] for _, properties, _ in found} == {f"{folder.name}/{REGISTERING}"}


def test_code_of_the_tree_gives_no_commands(tmp_path: Path) -> None:
    """A line of code is quoted in the report: what it says must not be taken for a command."""
    folder = copy_of("bug", tmp_path)
    runner = folder / "sglang/srt/layers/moe/moe_runner/runner.py"
    text = runner.read_text(encoding="utf-8")
    quoted = "is_flashinfer_mxfp4():  # ##[error]x"
    assert "is_flashinfer_mxfp4():" in text
    write(
        folder,
        {
            "sglang/srt/layers/moe/moe_runner/runner.py": text.replace(
                "is_flashinfer_mxfp4():", quoted
            )
        },
    )
    lines = github_of(str(folder))
    assert any("##[error]x" in line for line in lines)
    assert [level for level, _, _ in taken(lines)] == ["error", "warning"]
