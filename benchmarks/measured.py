"""Run one command and print, as JSON, what it cost: ``python -I -S measured.py OUT ERR SAMPLE COMMAND…``.

OUT and ERR are the files that take the command's output; with SAMPLE 1, memory is looked at while it
runs. A program of its own, and a small one, because Linux counts to the largest memory of a process that
of the process which started it. Needs nothing but the standard library.

``largest``: of all its processes, what the largest had in memory at most (the kernel's ``ru_maxrss``).
``together``: what all of them had at the same moment, pages that several share counted once: the sum of
``Pss`` in ``smaps_rollup``, looked at every 10 to 200 ms, by how long looking takes, and ``largest``
at least, because a page that programs outside share counts in part only; null where it was not looked at,
or there is no ``/proc``. Both in bytes. ``wall`` ends with the process that was
started; ``cpu`` counts its descendants, too, also those that outlive it.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import sys
import threading
import time
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
PATIENCE = 10  # seconds for what outlives the command
UNIT = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss; see getrusage(2) of each


def main(out: str, err: str, sample: str, *command: str) -> None:
    """Run the command in this process's group, and print."""
    if sys.platform == "linux":
        # what a process leaves behind becomes a child of this one, and is counted
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    writable = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    files = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, out, writable, 0o600),
        (os.POSIX_SPAWN_OPEN, 2, err, writable, 0o600),
    ]
    memory = Memory()
    begun = time.perf_counter()
    pid = os.posix_spawnp(command[0], command, os.environ, file_actions=files)
    if sample == "1":
        memory.start()
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - begun
    memory.over.set()
    usages = [usage, *_left_behind()]
    largest = max(each.ru_maxrss for each in usages) * UNIT
    cost = {
        "wall": wall,
        "cpu": sum(each.ru_utime + each.ru_stime for each in usages),
        "largest": largest,
        "together": max(memory.most, largest) if memory.most else None,
        "code": os.waitstatus_to_exitcode(status),
    }
    print(json.dumps(cost))


def _left_behind() -> list[resource.struct_rusage]:
    """Wait for processes that the command left running, and return what they used."""
    found: list[resource.struct_rusage] = []
    end = time.monotonic() + PATIENCE
    while True:
        try:
            pid, _, usage = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return found
        if pid:
            found.append(usage)
        elif time.monotonic() > end:
            sys.stderr.write(f"processes are still running {PATIENCE} s after the command\n")
            sys.stderr.flush()
            os.killpg(0, signal.SIGKILL)
        else:
            time.sleep(0.005)


class Memory(threading.Thread):
    """Looks again and again at what the processes of this group, without this one, have in memory."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most = 0
        self.over = threading.Event()
        self._ours = {str(os.getpid()): False}  # by process

    def run(self) -> None:
        """Look until it is over, in a twentieth of the time or so."""
        took = 0.0
        while sys.platform == "linux" and not self.over.wait(min(0.2, max(0.01, 20 * took))):
            begun = time.perf_counter()
            self.most = max(self.most, sum(map(_pss, self._processes())))
            took = time.perf_counter() - begun

    def _processes(self) -> list[str]:
        running = [file.name for file in Path("/proc").iterdir() if file.name.isdecimal()]
        group = str(os.getpgrp())
        for pid in running:
            if pid not in self._ours:
                # after the name, which may hold anything: state, parent, group (proc_pid_stat(5))
                fields = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
                self._ours[pid] = fields[2:3] == [group]
        return [pid for pid in running if self._ours[pid]]


def _pss(pid: str) -> int:
    for line in _read(f"/proc/{pid}/smaps_rollup").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:  # it has ended
        return ""


if __name__ == "__main__":
    main(*sys.argv[1:])
