"""What docs/ci.md tells users to write down is valid, and does what it says."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
import yaml
from command_line import ROOT, copy_of, run
from composite import ACTION

PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
EXAMPLES = {
    found.group(2): textwrap.dedent(found.group(1))
    for found in re.finditer(r"```yaml\n(\s*# (\S+)\n.*?)\s*```", PAGE, re.DOTALL)
}
SCHEMAS = {
    ".github/workflows/regreach.yml": ["--builtin-schema", "vendor.github-workflows"],
    ".github/workflows/regreach-by-hand.yml": ["--builtin-schema", "vendor.github-workflows"],
    ".gitlab-ci.yml": ["--builtin-schema", "vendor.gitlab-ci", "--data-transform", "gitlab-ci"],
}


def test_every_example_is_judged() -> None:
    assert set(EXAMPLES) == {".pre-commit-config.yaml", *SCHEMAS}
    assert PAGE.count("```yaml") == len(EXAMPLES)


@pytest.mark.parametrize("name", SCHEMAS)
def test_pipelines_are_valid(name: str, tmp_path: Path) -> None:
    file = tmp_path / Path(name).name
    file.write_text(EXAMPLES[name], encoding="utf-8")
    command = [sys.executable, "-m", "check_jsonschema", *SCHEMAS[name], str(file)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_hooks_configuration_is_valid(tmp_path: Path) -> None:
    file = tmp_path / ".pre-commit-config.yaml"
    file.write_text(EXAMPLES[file.name], encoding="utf-8")
    command = [sys.executable, "-m", "pre_commit", "validate-config", str(file)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    known = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    (repository,) = yaml.safe_load(file.read_text())["repos"]
    assert {hook["id"] for hook in repository["hooks"]} <= known
    assert known == {"regreach", "regreach-audit"}


def test_the_inputs_are_those_of_the_action() -> None:
    workflow = yaml.safe_load(EXAMPLES[".github/workflows/regreach.yml"])
    (step,) = [
        step
        for step in workflow["jobs"]["regreach"]["steps"]
        if step["uses"] == "OWNER/regreach@REV"
    ]
    assert set(step["with"]) <= set(ACTION["inputs"])
    table = PAGE.partition("| input | default | meaning |")[2].partition("\n\n")[0]
    rows = [[cell.strip(' `"') for cell in row.split("|")[1:3]] for row in table.splitlines()[2:]]
    told = dict(rows)
    defaults = {name: given["default"] for name, given in ACTION["inputs"].items()}
    assert told == {**defaults, "version": "the action's revision"}


@pytest.mark.parametrize(
    ("example", "files"),
    [
        (".gitlab-ci.yml", {"gl-code-quality-report.json", "regreach.xml"}),
        (".github/workflows/regreach-by-hand.yml", {"regreach.sarif"}),
    ],
)
def test_the_commands_write_what_is_handed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, example: str, files: set[str]
) -> None:
    monkeypatch.chdir(copy_of("bug", tmp_path))
    job: Any = yaml.safe_load(EXAMPLES[example])
    job = job["regreach"] if "regreach" in job else job["jobs"]["regreach"]
    steps = job.get("script") or [step["run"] for step in job["steps"] if "run" in step]
    (command,) = [line for line in steps if line.startswith("regreach ")]
    assert run(*shlex.split(command)[1:]).code == 1
    assert {path.name for path in tmp_path.iterdir()} == {"sglang", *files}
    assert all(name in EXAMPLES[example].partition(command)[2] for name in files)
