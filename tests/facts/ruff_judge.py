"""ruff as a judge: what its F401 would delete of a text."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

# each name that is deleted: the line of its statement, and the dotted name
Deleted = set[tuple[int, str]]


def ruff(*arguments: str) -> str:
    command = [sys.executable, "-m", "ruff", *arguments]
    return subprocess.run(command, capture_output=True, check=False, text=True).stdout


def diagnoses(folder: Path) -> list[dict[str, object]]:
    out = ruff(
        "check",
        "--isolated",
        "--no-cache",
        "--select",
        "F401",
        "--output-format",
        "json",
        str(folder),
    )
    return list(json.loads(out))


def is_fixed(texts: Sequence[str], folder: Path) -> list[bool]:
    """Return for each text whether F401 has a safe fix in it."""
    for index, text in enumerate(texts):
        (folder / f"m{index}.py").write_text(text, encoding="utf-8", newline="")
    fixed = {
        Path(str(found["filename"])).stem
        for found in diagnoses(folder)
        if isinstance(found["fix"], dict) and found["fix"]["applicability"] == "safe"
    }
    return [f"m{index}" in fixed for index in range(len(texts))]


def left_by_ruff(texts: Sequence[str], folder: Path) -> list[str]:
    """Return what ``ruff check --fix`` makes of texts, as often as it finds something to mend."""
    for index, text in enumerate(texts):
        (folder / f"m{index}.py").write_text(text, encoding="utf-8", newline="")
    ruff("check", "--isolated", "--no-cache", "--select", "F401", "--fix", str(folder))
    return [(folder / f"m{index}.py").read_text(encoding="utf-8") for index in range(len(texts))]
