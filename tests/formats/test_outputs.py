"""All formats go where the options say, and mean the same to the exit code."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import BUG, Done, fails, run, run_process
from in_form import tree

FORMS = ["text", "json", "sarif", "github", "gitlab", "junit"]
WARNS = tree("process")


@pytest.mark.parametrize("command", ["check", "audit"])
@pytest.mark.parametrize("form", FORMS)
def test_the_exit_code_does_not_depend_on_the_format(command: str, form: str) -> None:
    for arguments, code in (
        ([BUG], 1),
        ([BUG, "--exit-zero"], 0),
        ([WARNS], 0),
        ([WARNS, "--fail-on", "warning"], 1),
        ([tree("eager-at-top")], 0),
    ):
        done = run(command, *arguments, "--format", form)
        assert done.code == code
        assert done.out or form in ("text", "github")


@pytest.mark.parametrize("form", FORMS)
def test_a_file_holds_what_would_have_been_printed(tmp_path: Path, form: str) -> None:
    printed = run("check", BUG, "--format", form)
    file = tmp_path / "report"
    for options, out in (
        (["--format", form, "--output", str(file)], ""),
        (["--output", f"{form}:{file}"], run("check", BUG).out),
    ):
        file.write_text("old")
        assert run("check", BUG, *options) == Done(1, out, printed.err)
        assert file.read_text(encoding="utf-8") == printed.out
        assert list(tmp_path.iterdir()) == [file]


def test_several_files_of_one_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    outputs = [f"--output={form}:{form}.out" for form in FORMS]
    done = run("check", BUG, "--format", "github", *outputs)
    assert done == run("check", BUG, "--format", "github")
    for form in FORMS:
        assert Path(f"{form}.out").read_text("utf-8") == run("check", BUG, "--format", form).out
    done = run("check", BUG, "--output", "plain", "--output", "json:more")
    assert (done.code, done.out) == (1, "")
    assert Path("plain").read_text("utf-8") == run("check", BUG).out


@pytest.mark.parametrize("form", ["sarif", "gitlab", "junit"])
def test_documents_are_ascii_and_never_coloured(form: str) -> None:
    done = run("check", BUG, "--format", form, "--color", "always")
    assert done.out.isascii()
    assert "\x1b" not in done.out


@pytest.mark.parametrize("form", FORMS)
def test_two_processes_print_the_same_bytes(form: str) -> None:
    audit = ("audit", tree("syntax-error"), "--format", form)
    for seed in "12":
        assert run_process(*audit, env={"PYTHONHASHSEED": seed}) == run(*audit)


def test_a_name_with_a_colon_is_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run("check", BUG, "--output", "./what:ever")
    run("check", BUG, "--output", "./json:x")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["json:x", "what:ever"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["check", "--output", "a", "--output", "b"], "two files of one format: say FORMAT:FILE"),
        (["check", "--output", "json:a", "--output", "sarif:a"], "--output names one file twice"),
        (
            ["check", "--output", "srif:a"],
            "--output srif:a: 'srif' is no format; here are text, json, sarif",
        ),
        (["check", "-o", "nope:f"], "(for a file of that name say ./nope:f)"),
        (["check", "-o", "SARIF:f"], "--output SARIF:f: 'SARIF' is no format"),
        (["check", "-o", "json:-"], "--output json:-: say --format json, which prints it"),
        (["check", "--output", "json:"], "--output json:: the formats here are text, json, sarif"),
        (["probe", "--output", "sarif:a"], "--output sarif:a: the formats here are text, json"),
    ],
)
def test_outputs_that_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert says in fails(run(*arguments, BUG), 2)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("names", [["a.py"], ["a.py", "b.py", "c d.py"], ["one", "two"]])
def test_names_of_files_are_no_target(names: list[str]) -> None:
    for command in ("check", "audit"):
        message = fails(run(command, *names), 2)
        assert message.startswith(f"TARGET is one whole tree, not {' '.join(names[:2])}")
        assert "as a hook of pre-commit it needs `pass_filenames: false`" in message
