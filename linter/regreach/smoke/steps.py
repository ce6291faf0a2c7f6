"""The steps of a smoke, each in a fresh process of the interpreter that has the GPU's packages.

Forks would not do: a process that has used CUDA breaks those that it forks.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import select
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from regreach.errors import TargetError
from regreach.isolated import start_code
from regreach.probe.servers import INSIDE as PROBE_INSIDE
from regreach.probe.servers import PACKAGE as PROBE_PACKAGE

_FOLDERS = {PROBE_PACKAGE: PROBE_INSIDE, "_regreach_smoke": Path(__file__).parent / "inside"}
_FD = "REGREACH_SMOKE_FD"
_PATIENCE = 5.0  # seconds; what holds a GPU takes a moment to let it go
_POLL = 1.0  # seconds; a process that it has started may keep the pipe open
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
    with its process group when this returns. Raises TargetError when it cannot be started.
    """
    python = interpreter.python
    if os.sep in python:
        python = str(Path(python).absolute())
    token = secrets.token_hex(16)  # the tree's code may write to any file that is open
    with (
        tempfile.TemporaryDirectory(prefix="regreach-smoke-", ignore_cleanup_errors=True) as home,
        _Pipe() as pipe,
    ):
        try:
            process = subprocess.Popen(
                # compiled files would be left in the tree
                [python, "-B", "-c", start_code("_regreach_smoke.main", _FOLDERS)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                cwd=home,
                env={**os.environ, _FD: str(pipe.writing)},
                pass_fds=[pipe.writing],
                start_new_session=True,
            )
        except OSError as error:
            raise TargetError(f"{interpreter.python}: cannot be run: {error.strerror}") from None
        pipe.close_writing()
        assert process.stdin is not None
        assert process.stdout is not None
        printed = _Tail(process.stdout)
        found: Result | None = None
        until = time.monotonic() + interpreter.timeout
        try:
            with contextlib.suppress(BrokenPipeError), process.stdin:
                process.stdin.write(json.dumps({**plan, "token": token}).encode() + b"\n")
            found = _listen(pipe.reading, process, until, token, on_progress)
        finally:
            late = time.monotonic() >= until
            _end(process, patience=0 if late else _PATIENCE)
        if found is None:
            why = f"no end after {interpreter.timeout:g} s" if late else _death(process, printed)
            return {"ok": False, "died": True, "exception": None, "message": why}
        return found


class _Pipe:
    """A pipe of which either end is closed once."""

    def __init__(self) -> None:
        self.reading, self.writing = os.pipe()
        self._open = {self.reading, self.writing}

    def close_writing(self) -> None:
        """Close the end that the process writes to, here."""
        self._close(self.writing)

    def __enter__(self) -> _Pipe:
        return self

    def __exit__(self, *_: object) -> None:
        self._close(self.reading)
        self._close(self.writing)

    def _close(self, end: int) -> None:
        if end in self._open:
            self._open.remove(end)
            os.close(end)


class _Tail:
    """The end of what a process prints, however much that is."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._kept = b""
        self._thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()

    def _read(self, stream: IO[bytes]) -> None:
        with stream:
            while part := stream.read1(1 << 16):  # type: ignore[attr-defined]
                self._kept = (self._kept + part)[-_END_OF_OUTPUT:]

    def last_line(self) -> str | None:
        """Return the last line; None when there is none."""
        self._thread.join(_PATIENCE)  # a process that has left the group may hold the stream
        lines = self._kept.decode("utf-8", "replace").strip().splitlines()
        return lines[-1].strip() if lines else None


def _listen(
    stream: int,
    process: subprocess.Popen[bytes],
    until: float,
    token: str,
    on_progress: Callable[[str], None],
) -> Result | None:
    """Return the result that a process tells; None when it ends or is late without one."""
    rest = b""
    while (left := until - time.monotonic()) > 0:
        ended = process.poll() is not None
        ready, _, _ = select.select([stream], [], [], 0 if ended else min(left, _POLL))
        part = os.read(stream, 1 << 16) if ready else b""
        if not part and (ready or ended):
            return None
        *lines, rest = (rest + part).split(b"\n")
        for line in lines:
            head, _, text = line.partition(b" ")
            if head != token.encode():
                continue
            document = json.loads(text)
            if "result" in document:
                result: Result = document["result"]
                return result
            on_progress(document["progress"])
    return None


def _end(process: subprocess.Popen[bytes], patience: float) -> None:
    """Let a process end by itself for some seconds, then end it and all that is left of its group."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(patience)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _death(process: subprocess.Popen[bytes], printed: _Tail) -> str:
    code = process.returncode
    how = f"exit code {code}" if code >= 0 else f"signal {-code}"
    with contextlib.suppress(ValueError):  # a real-time signal has no name
        how = signal.Signals(-code).name if code < 0 else how
    return f"the process died ({how}): {printed.last_line() or 'without a word'}"
