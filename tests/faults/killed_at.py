"""Runs the command and kills this process, really, at one of its steps: `killed_at.py STEP COUNTER ARGUMENT…`.

A step is whatever is about to change a file system (what Python tells its audit hooks of), and some hundred
instructions of SQLite. COUNTER is a file in which the number of steps taken stands; with STEP 0 nothing is killed.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

_CHANGES = {
    *("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.chown", "os.truncate"),
    *("os.link", "os.symlink", "fcntl.flock"),
}
_INSTRUCTIONS = 200


class Steps:
    """Counts, and ends everything at the given step."""

    def __init__(self, last: int, counter: str) -> None:
        self._last = last
        self._taken = 0
        self._counter = os.open(counter, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        self._pid = os.getpid()

    def take(self) -> None:
        """Take a step, perhaps the last."""
        if os.getpid() != self._pid:
            return  # a process that parses
        self._taken += 1
        os.pwrite(self._counter, str(self._taken).encode(), 0)
        if self._taken == self._last:
            os.kill(self._pid, signal.SIGKILL)

    def hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Take a step where Python tells of one."""
        if event == "open":
            flags = arguments[2]
            if isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                self.take()
        elif event in _CHANGES:
            self.take()
        elif event == "sqlite3.connect/handle":
            arguments[0].set_progress_handler(self.take, _INSTRUCTIONS)


def main() -> None:
    """Run the command."""
    last, counter, *arguments = sys.argv[1:]
    sys.path.pop(0)
    sys.argv = ["regreach", *arguments]
    from regreach.__main__ import script

    sys.addaudithook(Steps(int(last), counter).hook)
    script()


main()
