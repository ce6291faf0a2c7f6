"""Run something in a fork of this process, with a time limit."""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

Result = dict[str, Any]


def forked(action: Callable[[], list[Result]], timeout: float, count: int) -> list[Result]:
    """Run something in a fork; kill it when that takes too long."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if not child:
        code = 1
        try:
            os.close(reading)
            with os.fdopen(writing, "w", encoding="utf-8") as stream:
                json.dump(action(), stream)
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    text, late = _read(reading, time.monotonic() + timeout)
    os.close(reading)
    if late:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    try:
        results: list[Result] = json.loads(text)
    except ValueError:
        what = f"no end after {timeout:g} s" if late else _death(status)
        results = [{"ok": False, "exception": None, "message": what, "died": True}] * count
    return results


def _read(stream: int, until: float) -> tuple[bytes, bool]:
    """Read all that a process writes before a moment; say whether it was late."""
    parts: list[bytes] = []
    while True:
        left = until - time.monotonic()
        ready, _, _ = select.select([stream], [], [], max(0, left))
        if not ready:
            return b"".join(parts), True
        part = os.read(stream, 1 << 16)
        if not part:
            return b"".join(parts), False
        parts.append(part)


def _death(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"the process was ended by {signal.Signals(os.WTERMSIG(status)).name}"
    return f"the process ended with {os.WEXITSTATUS(status)}"
