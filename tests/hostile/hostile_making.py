"""What the tests with hostile input share: the smallest tree with a registry, and a run that is watched."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from command_line import BUG, Done, copy_of, run, with_cache

LIMIT = 60  # seconds; a run takes half a second where nothing else runs
PACKAGE = "sglang/srt/layers"
MOE = f"{PACKAGE}/moe"
RUNNER = f"{MOE}/moe_runner/runner.py"
REGISTERING = f"{MOE}/moe_runner/flashinfer_cutlass.py"
ASKED = b"\n# MoeRunner register_fused_func\n"  # words for which a file is parsed
NO_CACHE = ("--no-cache", "--jobs", "1")


def tree_with(where: Path, files: Mapping[str, bytes] = {}, case: str = "bug") -> Path:
    """Copy a fixture's tree and add files to it, by path."""
    tree = copy_of(case, where / "tree")
    for path, data in files.items():
        goal = tree / path
        goal.parent.mkdir(parents=True, exist_ok=True)
        goal.write_bytes(data)
    return tree


def imported_first(tree: Path, data: bytes) -> Path:
    """Let the consumer's module import a file with this content before all else; return the file."""
    file = tree / PACKAGE / "moe/hostile.py"
    file.write_bytes(data)
    runner = tree / RUNNER
    runner.write_bytes(b"import sglang.srt.layers.moe.hostile\n" + runner.read_bytes())
    return file


def watched(*arguments: str, cwd: Path, env: Mapping[str, str] | None = None) -> Done:
    """Run the command in a process of its own with a limit of time; it must end in its own words."""
    import os

    done = subprocess.run(
        [sys.executable, "-m", "regreach", *arguments],
        cwd=cwd,
        env={**os.environ, **with_cache({"PYTHONIOENCODING": "utf-8", **(env or {})})},
        capture_output=True,
        check=False,
        timeout=LIMIT,
    )
    result = Done(done.returncode, done.stdout.decode(), done.stderr.decode())
    in_its_own_words(result)
    return result


def in_its_own_words(done: Done) -> None:
    """Check that a command ended as documented: no traceback, no error that nobody foresaw."""
    assert done.code in (0, 1, 2, 3), done
    assert "Traceback" not in done.err, done.err
    assert "internal error" not in done.err, done.err
    assert "Warning" not in done.err, done.err


def as_without(done: Done) -> None:
    """Check that the verdicts are those of the tree without what is hostile in it."""
    in_its_own_words(done)
    assert (done.code, done.out) == (1, run("check", BUG).out), done.err


def told(done: Done) -> dict[str, str]:
    """Return what was said of the files that were not read: path -> words."""
    lines = (line.partition(": not read: ") for line in done.err.splitlines())
    return {place.rsplit(":", 2)[0]: words for place, found, words in lines if found}
