"""The action for GitHub's workflows: its form, and its scripts run as a runner runs them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import ROOT, copy_of, run
from composite import ACTION, BASH, EXPRESSION, STEPS, Runner
from hooked import why_unreachable

SCRIPTS = [step for step in STEPS if "run" in step]
TEXT = (ROOT / "action.yml").read_text(encoding="utf-8")


def test_it_is_an_action() -> None:
    """Judged by the schema that check-jsonschema brings."""
    command = (
        sys.executable,
        "-m",
        "check_jsonschema",
        "--builtin-schema",
        "vendor.github-actions",
    )
    done = subprocess.run(
        [*command, "action.yml"], cwd=ROOT, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_expression_stands_in_a_script() -> None:
    """What an input holds would be read as part of the script."""
    assert SCRIPTS
    for step in SCRIPTS:
        assert "${{" not in step["run"]
        assert step["shell"] == "bash"
        assert step["run"].startswith("set -euo pipefail\n")
        assert "eval" not in step["run"]


def test_python_never_imports_what_lies_in_the_checkout() -> None:
    calls = [
        line
        for step in SCRIPTS
        for line in step["run"].splitlines()
        if re.search(r'"\$(PYTHON|own)" -', line)
    ]
    assert len(calls) == 5
    for line in calls:
        assert re.search(r'"\$(PYTHON|own)" -I -[mc] ', line), line


def test_what_is_named_is_there() -> None:
    named = {
        name
        for found in EXPRESSION.findall(TEXT)
        for name in re.findall(r"inputs\.([\w-]+)", found)
    }
    named |= {
        name for step in STEPS for name in re.findall(r"inputs\.([\w-]+)", str(step.get("if", "")))
    }
    assert named == set(ACTION["inputs"])
    outputs = {step["id"]: set(re.findall(r'echo "([\w-]+)=', step["run"])) for step in SCRIPTS}
    outputs["python"] = {"python-path", "python-version"}  # as setup-python documents them
    for found in EXPRESSION.findall(TEXT):
        for step, name in re.findall(r"steps\.([\w-]+)\.outputs\.([\w-]+)", found):
            assert name in outputs[step]


def test_other_actions_are_pinned_to_a_version() -> None:
    used = [step["uses"] for step in STEPS if "uses" in step]
    assert [name.partition("@")[0] for name in used] == [
        "actions/setup-python",
        "actions/cache",
        "github/codeql-action/upload-sarif",
    ]
    assert all(re.fullmatch(r"[\w/-]+@v\d+", name) for name in used)
    (python,) = [step for step in STEPS if step.get("id") == "python"]
    assert python["with"]["update-environment"] is False  # the job keeps its own


def test_findings_are_uploaded_although_they_fail() -> None:
    *_, upload = STEPS
    assert upload["if"] == "${{ !cancelled() && steps.check.outputs.sarif-file != '' }}"


# -- the scripts ------------------------------------------------------------------------------

needs_bash = pytest.mark.skipif(BASH is None, reason="no bash here")


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The outputs of the step that installs this working tree from the package index."""
    runner = Runner(tmp_path_factory.mktemp("install"), tmp_path_factory.mktemp("temp"))
    runner.outputs["python"] = {"python-path": sys.executable}
    done = runner.run("install")
    if done.code != 0 and (why := why_unreachable(done.out + done.err)) is not None:
        pytest.skip(f"the package index was not reached: {why}")
    assert done.code == 0, done.err
    return dict(done.outputs)


@pytest.fixture
def runner(installed: dict[str, Any], tmp_path: Path) -> Runner:
    """A job whose checkout has the bug, and modules with the names of those that regreach imports."""
    workspace, temp = copy_of("bug", tmp_path / "checkout"), tmp_path / "temp"
    temp.mkdir()
    for name in ("shlex", "click", "regreach", "os"):
        (workspace / f"{name}.py").write_text("raise SystemExit('code of the tree runs')\n")
    return Runner(workspace, temp, {"install": installed})


@needs_bash
@pytest.mark.registry
class TestCheck:
    def test_annotations_a_failure_and_no_sarif(self, runner: Runner) -> None:
        done = runner.run("check")
        assert done.code == 1, done.err
        assert done.out.startswith(
            "::error file=sglang/srt/layers/moe/moe_runner/flashinfer_cutlass.py,"
        )
        assert done.outputs == {"exit-code": "1"}

    def test_the_version_is_that_of_the_action(self, installed: dict[str, Any]) -> None:
        first = f"regreach, version {installed['version']}\n"
        assert run("--version").out.startswith(first)

    def test_sarif_and_options(self, runner: Runner) -> None:
        args = "--select RR102  --fail-on\n'warning'"
        done = runner.run("check", sarif="true", args=args, format="text")
        assert done.code == 1
        assert " RR102 " in done.out
        assert "RR101" not in done.out
        file = Path(done.outputs["sarif-file"])
        (log,) = json.loads(file.read_text(encoding="utf-8"))["runs"]
        assert [result["ruleId"] for result in log["results"]] == ["RR102"]
        assert file.parent == runner.temp
        assert runner.run("check", args="--exit-zero").outputs == {"exit-code": "0"}

    def test_a_target_that_is_not_there(self, runner: Runner) -> None:
        done = runner.run("check", target="nope", sarif="true")
        assert (done.code, done.outputs) == (3, {"exit-code": "3"})

    @pytest.mark.parametrize("name", ["target", "args", "format", "sarif"])
    @pytest.mark.parametrize(
        "text",
        [
            "$(touch pwned)",
            "`touch pwned`",
            "x; touch pwned",
            'a" ; touch pwned ; "',
            "--output pwned",
            "*",
        ],
    )
    def test_inputs_are_never_commands(self, runner: Runner, name: str, text: str) -> None:
        before = sorted(runner.workspace.iterdir())
        done = runner.run("check", **{name: text})
        assert "code of the tree runs" not in done.out + done.err
        if (name, text) != ("args", "--output pwned"):  # which is an option
            assert sorted(runner.workspace.iterdir()) == before

    def test_quotes_that_do_not_end(self, runner: Runner) -> None:
        done = runner.run("check", args="--select 'RR101")
        assert done.code == 1
        assert "No closing quotation" in done.err
        assert done.outputs == {}
