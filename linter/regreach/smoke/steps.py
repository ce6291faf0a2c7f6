"""The steps of a smoke, each in a fresh process of the interpreter that has the GPU's packages.

Forks would not do: a process that has used CUDA breaks those that it forks.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regreach.errors import TargetError
from regreach.isolated import start_code
from regreach.probe.servers import INSIDE as PROBE_INSIDE
from regreach.probe.servers import PACKAGE as PROBE_PACKAGE

_FOLDERS = {PROBE_PACKAGE: PROBE_INSIDE, "_regreach_smoke": Path(__file__).parent / "inside"}
_FD = "REGREACH_SMOKE_FD"
_PATIENCE = 5.0  # seconds; what holds a GPU takes a moment to let it go
_END_OF_OUTPUT = 2_000  # bytes of what a process printed that are kept when it dies

Result = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Interpreter:
    """What runs the steps, and the seconds that each may take."""

    python: str
    timeout: float


def run_step(
    interpreter: Interpreter, plan: Mapping[str, Any], on_progress: Callable[[str], None]
) -> Result:
    """Run one step and return its result; one that died has ``died`` and its last words in it.

    The process has this one's environment variables and an empty working folder of its own, and is gone
    with all that it started when this returns. Raises TargetError when it cannot be started.
    """
    python = interpreter.python
    if os.sep in python:
        python = str(Path(python).absolute())
    with (
        tempfile.TemporaryDirectory(prefix="regreach-smoke-", ignore_cleanup_errors=True) as home,
        tempfile.TemporaryFile() as printed,
    ):
        reading, writing = os.pipe()
        try:
            process = subprocess.Popen(
                [python, "-c", start_code("_regreach_smoke.main", _FOLDERS)],
                stdin=subprocess.PIPE,
                stdout=printed,
                stderr=printed,
                cwd=home,
                env={**os.environ, _FD: str(writing)},
                pass_fds=[writing],
                start_new_session=True,
            )
        except OSError as error:
            os.close(reading)
            raise TargetError(f"{interpreter.python}: cannot be run: {error.strerror}") from None
        finally:
            os.close(writing)
        found: Result | str = "late"
        try:
            assert process.stdin is not None
            with contextlib.suppress(BrokenPipeError), process.stdin:
                process.stdin.write(json.dumps(plan).encode() + b"\n")
            found = _listen(reading, time.monotonic() + interpreter.timeout, on_progress)
        finally:
            os.close(reading)
            _end(process, patience=0 if found == "late" else _PATIENCE)
        if isinstance(found, str):
            late = found == "late"
            why = (
                f"no end after {interpreter.timeout:g} s" if late else _last_words(process, printed)
            )
            return {"ok": False, "died": True, "exception": None, "message": why}
        return found


def _listen(stream: int, until: float, on_progress: Callable[[str], None]) -> Result | str:
    """Return the result that a process tells; ``late`` or ``gone`` when it tells none."""
    rest = b""
    while True:
        ready, _, _ = select.select([stream], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            return "late"
        part = os.read(stream, 1 << 16)
        if not part:
            return "gone"
        *lines, rest = (rest + part).split(b"\n")
        for line in lines:
            document = json.loads(line)
            if "result" in document:
                result: Result = document["result"]
                return result
            on_progress(document["progress"])


def _end(process: subprocess.Popen[bytes], patience: float) -> None:
    """Let a process end by itself for some seconds, then end it and all that it has started."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(patience)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _last_words(process: subprocess.Popen[bytes], printed: Any) -> str:
    size = printed.seek(0, os.SEEK_END)
    printed.seek(max(0, size - _END_OF_OUTPUT))
    lines = printed.read().decode("utf-8", "replace").strip().splitlines()
    code = process.returncode
    how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    return f"the process died ({how}): {lines[-1].strip() if lines else 'without a word'}"
