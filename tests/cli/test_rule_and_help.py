"""`regreach rule`, `--version` and `--help`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click
import pytest
import regreach
from command_line import Done, run
from regreach.cli import cli
from regreach.policy import meta_rules
from regreach_rules import RULES

ALL = sorted((*RULES, *meta_rules.RULES), key=lambda rule: rule.code)
COMMANDS = sorted(cli.commands)


@pytest.fixture(autouse=True)
def _width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


def test_the_list_of_rules() -> None:
    done = run("rule")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        f"{rule.code}  {rule.severity:<7}  {rule.summary}" for rule in ALL
    ]


@pytest.mark.parametrize("rule", ALL, ids=lambda rule: rule.code)
def test_the_page_of_a_rule(rule: regreach.rule.Rule) -> None:
    assert run("rule", rule.code) == Done(0, rule.page, "")
    assert run("rule", rule.code.lower()) == Done(0, rule.page, "")
    title, empty, *_ = rule.page.splitlines()
    assert title.startswith(f"# {rule.code}")
    assert empty == ""
    assert rule.page.endswith("\n")


@pytest.mark.parametrize("rule", ALL, ids=lambda rule: rule.code)
def test_on_a_terminal_a_page_is_set_out(rule: regreach.rule.Rule) -> None:
    done = run("rule", rule.code, "--color", "always")
    assert (done.code, done.err) == (0, "")
    plain = re.sub(r"\x1b\[[\d;]*m", "", done.out)
    assert plain != done.out
    assert not re.search(r"^#|\*\*|```", plain, re.MULTILINE), "no Markdown is left"
    assert max(map(len, plain.splitlines())) <= 100
    shown = re.sub(r"\W+", "", plain)
    for line in re.sub(r"```\w*", "", rule.page).splitlines():
        assert re.sub(r"\W+", "", line) in shown, line


def test_rules_as_json() -> None:
    every = json.loads(run("rule", "--format", "json").out)
    assert every["schema_version"] == 1
    assert [rule["code"] for rule in every["rules"]] == [rule.code for rule in ALL]
    for rule, told in zip(ALL, every["rules"], strict=True):
        (alone,) = json.loads(run("rule", rule.code, "--format", "json").out)["rules"]
        assert alone == told
        assert told == {
            "code": rule.code,
            "name": rule.name,
            "severity": rule.severity,
            "summary": rule.summary,
            "mended": rule.mended,
            "page": rule.page,
        }


def test_a_page_in_a_file_is_markdown(tmp_path: Path) -> None:
    output = tmp_path / "page.md"
    assert run("rule", "RR101", "-o", str(output)) == Done(0, "", "")
    assert output.read_text(encoding="utf-8") == run("rule", "RR101").out


def test_help_and_no_arguments_list_the_commands() -> None:
    done = run("--help")
    assert (done.code, done.err) == (0, "")
    assert run("-h") == run() == done
    for command in COMMANDS:
        assert re.search(rf"^  {command} +[A-Z].*\.$", done.out, re.MULTILINE), command
    codes = "0 nothing to report, 1 findings, 2 wrong usage or configuration, 3 could not run."
    assert f"Exit codes: {codes}" in " ".join(done.out.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_each_command(command: str) -> None:
    done = run(command, "--help")
    assert (done.code, done.err) == (0, "")
    assert run(command, "-h") == done
    assert done.out.startswith(f"Usage: regreach {command} [OPTIONS]")
    assert max(map(len, done.out.splitlines())) <= 100
    for parameter in cli.commands[command].params:
        if isinstance(parameter, click.Option):
            assert parameter.help
            assert parameter.help.endswith(".")
            for name in parameter.opts:
                assert re.search(rf"{name}\b", done.out), name
