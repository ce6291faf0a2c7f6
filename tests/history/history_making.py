"""Real git repositories whose commits are versions of a fixture's tree."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from command_line import copy_of
from tree_making import git

MOE = "sglang/srt/layers/moe/moe_runner"
RUNNER = f"{MOE}/runner.py"
KERNELS = f"{MOE}/flashinfer_cutlass.py"
MODELOPT = "sglang/srt/layers/quantization/modelopt_quant.py"
MXFP4 = "sglang/srt/layers/quantization/mxfp4.py"
KEY = "none,flashinfer_mxfp4"
MODULE = "sglang.srt.layers.moe.moe_runner.flashinfer_cutlass"
PLAIN = f"            import {MODULE}\n\n"
KEPT = f"            import {MODULE}  # noqa: F401\n\n"


class History:
    """A repository of which each commit is made here; ``at`` are the commits by their messages."""

    def __init__(self, root: Path, case: str, below: str = "") -> None:
        self.root = root
        self.below = root / below
        copy_of(case, self.below)
        git(root, "init", "--quiet", "--initial-branch=main")
        self.at: dict[str, str] = {}
        self.commit("first")

    def commit(self, message: str) -> str:
        git(self.root, "add", "--all")
        git(
            self.root,
            *("commit", "--quiet", "--allow-empty", "--date=2026-02-03T04:05:06Z"),
            f"--message={message}",
        )
        self.at[message] = git(self.root, "rev-parse", "HEAD")
        return self.at[message]

    def write(self, path: str, text: str) -> None:
        file = self.below / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def read(self, path: str) -> str:
        return (self.below / path).read_text(encoding="utf-8")

    def replace(self, path: str, old: str, new: str) -> None:
        text = self.read(path)
        assert old in text
        self.write(path, text.replace(old, new))

    def unrelated(self, number: int) -> str:
        """Commit something that has nothing to do with any registration, inside the package."""
        self.write("sglang/srt/notes.py", f"NUMBER = {number}\n")
        return self.commit(f"unrelated {number}")

    def fixed_by_ruff(self) -> None:
        """Let ruff delete the imports of the package that are not used."""
        command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select=F401", "--fix"]
        subprocess.run([*command, "--quiet", "--no-cache", str(self.below / "sglang")], check=False)

    def named(self, text: str, names: Mapping[str, str] | None = None) -> str:
        """Return an output with each commit called by its message, in angle brackets."""
        for message, commit in (names or self.at).items():
            short = git(self.root, "rev-parse", "--short", commit)
            text = text.replace(commit, f"<{message}>").replace(short, f"<{message}>")
        return text.replace(str(self.root.resolve()), "REPO")
