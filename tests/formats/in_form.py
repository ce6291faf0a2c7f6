"""What the tests of reports share: one as its reader has it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from command_line import FIXTURES, run

HERE = Path(__file__).parent
RUNNER = "sglang/srt/layers/moe/moe_runner/runner.py"
REGISTERING = "sglang/srt/layers/moe/moe_runner/flashinfer_cutlass.py"


def tree(case: str) -> str:
    return str(FIXTURES / case / "tree")


def sarif_of(*arguments: str) -> Any:
    """The one run of a SARIF log."""
    (run_,) = json.loads(run("check", *arguments, "--format", "sarif").out)["runs"]
    return run_


def gitlab_of(*arguments: str) -> Any:
    return json.loads(run("check", *arguments, "--format", "gitlab").out)


def junit_of(*arguments: str) -> ET.Element:
    return ET.fromstring(run("check", *arguments, "--format", "junit").out)


def github_of(*arguments: str) -> list[str]:
    return run("check", *arguments, "--format", "github").out.splitlines()
