"""`regreach rule`, `--version` and `--help`."""

from __future__ import annotations

import re

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
