"""GitHub's composite actions, as far as tests need them: expressions in ``env``, scripts, outputs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from command_line import ROOT

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}")
BASH = shutil.which("bash")


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str
    outputs: Mapping[str, str]


@dataclass(frozen=True)
class Runner:
    """A job's folders, and what steps before have given out."""

    workspace: Path
    temp: Path
    outputs: dict[str, Mapping[str, str]] = field(default_factory=dict)

    def run(self, step_id: str, **inputs: str) -> Ran:
        """Run the script of a step with these inputs, and all others at their default."""
        (step,) = [step for step in STEPS if step.get("id") == step_id]
        given = {name: told.get("default", "") for name, told in ACTION["inputs"].items()}
        given |= {name.replace("_", "-"): value for name, value in inputs.items()}
        script, output = self.temp / "script.sh", self.temp / "output"
        script.write_text(step["run"], encoding="utf-8")
        output.write_text("", encoding="utf-8")
        assert BASH is not None
        done = subprocess.run(
            [BASH, "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)],
            cwd=self.workspace,
            env={**self._environment(output), **self._env(step, given)},
            check=False,
            capture_output=True,
            text=True,
        )
        told = dict(line.split("=", 1) for line in output.read_text(encoding="utf-8").splitlines())
        self.outputs[step_id] = told
        return Ran(done.returncode, done.stdout, done.stderr, told)

    def _environment(self, output: Path) -> dict[str, str]:
        env = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        env |= {"RUNNER_TEMP": str(self.temp), "GITHUB_OUTPUT": str(output)}
        return env | {"GITHUB_ACTION_PATH": str(ROOT), "GITHUB_WORKSPACE": str(self.workspace)}

    def _env(self, step: Mapping[str, Any], inputs: Mapping[str, str]) -> dict[str, str]:
        def value(expression: re.Match[str]) -> str:
            kind, *path = expression.group(1).strip().split(".")
            if kind == "inputs":
                return inputs[path[0]]
            assert (kind, path[1]) == ("steps", "outputs")
            return self.outputs[path[0]][path[2]]

        return {name: EXPRESSION.sub(value, text) for name, text in step["env"].items()}
