"""What the tests of the command line share: running it, here or in a process of its own."""

from __future__ import annotations

import atexit
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from regreach.cli import main

ROOT = Path(__file__).parent.parent.parent
FIXTURES = ROOT / "fixtures"
CASES = sorted(path.parent.name for path in FIXTURES.glob("*/expect.toml"))
BUG = str(FIXTURES / "bug" / "tree")
MODULE = (sys.executable, "-m", "regreach")
WATCHED = (sys.executable, "-X", "dev", "-W", "error", "-m", "regreach")
SCRIPT = shutil.which("regreach", path=str(Path(sys.executable).parent))

# The user's cache is kept out of the tests, and the tests out of it.
CACHE = tempfile.mkdtemp(prefix="regreach-tests-")
atexit.register(shutil.rmtree, CACHE, ignore_errors=True)

# What is printed above the count where there is one error, of RR101.
HELP = "help: `regreach fix` mends 1 of 1; `regreach rule RR101` tells why it matters\n"


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)

    def replaced(self, old: str, new: str) -> Done:
        return Done(self.code, self.out.replace(old, new), self.err)


def with_cache(environment: Mapping[str, str]) -> dict[str, str]:
    """Add the tests' own cache folder to an environment, unless a test has named another."""
    named = os.environ.get("REGREACH_CACHE_DIR", CACHE)
    return {"REGREACH_CACHE_DIR": named, **environment}


def run(*arguments: str) -> Done:
    """Run the command in this process, from its arguments to its exit code."""
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    err = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    code: object = None
    with patch.dict(os.environ, with_cache({})), redirect_stdout(out), redirect_stderr(err):
        try:
            main(arguments)
        except SystemExit as end:
            code = end.code or 0
    assert isinstance(code, int)
    texts = [stream.buffer.getvalue().decode() for stream in (out, err)]
    return Done(code, *texts)


def run_process(
    *arguments: str,
    cwd: Path = ROOT,
    env: Mapping[str, str] | None = None,
    program: Sequence[str] = WATCHED,
    encoding: str = "utf-8",
) -> Done:
    """Run the command in a process of its own, where Python watches for every mistake."""
    done = subprocess.run(
        [*program, *arguments],
        cwd=cwd,
        env={**os.environ, **with_cache({"PYTHONIOENCODING": encoding, **(env or {})})},
        capture_output=True,
        check=False,
        text=True,
        encoding=encoding,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def fails(done: Done, code: int) -> str:
    """Check that a command failed as it should: an exit code and one line, which is returned."""
    assert "Traceback" not in done.err
    assert (done.code, done.out) == (code, ""), done
    assert done.err.startswith("regreach: error: "), done.err
    assert done.err.count("\n") == 1, done.err
    assert done.err.endswith("\n")
    return done.err.removeprefix("regreach: error: ").rstrip("\n")


def copy_of(case: str, where: Path) -> Path:
    """Copy the tree of a fixture into a folder, and return the folder."""
    shutil.copytree(FIXTURES / case / "tree", where, dirs_exist_ok=True)
    return where


def files_of(case: str) -> dict[str, str]:
    """Return the files of a fixture's tree by their path."""
    tree = FIXTURES / case / "tree"
    return {
        path.relative_to(tree).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(tree.rglob("*.py"))
    }


def everything_is_permitted() -> bool:
    """Say whether this user, as root mostly, may do whatever the permissions of a file say."""
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).chmod(0)
        return os.access(file.name, os.R_OK)
