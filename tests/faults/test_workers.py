"""The processes that parse are killed, cannot be started, or are forbidden: the run ends by itself, and right."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab import CHECK, PROGRAM, Lab, ended, open_to_all

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")

TIMES = 3


def children(pid: int) -> Iterator[int]:
    """Yield the processes that a process has started."""
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(file.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue  # gone
        if parent == pid:
            yield int(file.parent.name)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Lab:
    lab = Lab(tmp_path_factory.mktemp("lab"))
    lab.widen()
    open_to_all(lab.folder)
    return lab


@pytest.mark.parametrize("all_of_them", [False, True])
def test_killed_while_they_parse(lab: Lab, all_of_them: bool) -> None:
    expected = lab.uncached(*CHECK)
    chance = random.Random(all_of_them)
    killed = 0
    for _ in range(TIMES):
        lab.without_cache()
        process = lab.start(*CHECK)
        while process.poll() is None and not (found := list(children(process.pid))):
            time.sleep(0.005)
        time.sleep(chance.uniform(0, 0.3))
        for child in found if all_of_them else found[:1]:
            if child in children(process.pid):
                os.kill(child, signal.SIGKILL)
                killed += 1
        done = ended(process)
        assert (done.code, done.out, done.err) == (expected.code, expected.out, expected.err)
        assert lab.run(*CHECK).out == expected.out
    assert killed


def test_they_end_with_the_command(lab: Lab) -> None:
    """The command's pipes are closed when the last process that has them ends: `ended` waits for that."""
    lab.without_cache()
    process = lab.start(*CHECK)
    seen: set[int] = set()
    while process.poll() is None:
        seen |= set(children(process.pid))
        time.sleep(0.005)
    ended(process)
    assert len(seen) >= 2
    assert not [pid for pid in seen if Path(f"/proc/{pid}").exists()]


def test_without_shared_memory(lab: Lab) -> None:
    """An empty, read-only /dev/shm, as some containers have it: Python's semaphores need it."""
    unshare = shutil.which("unshare")
    script = 'mount -t tmpfs -o ro,size=4k none /dev/shm && exec "$@"'
    program = (unshare or "", "--mount", "sh", "-c", script, "sh", *PROGRAM)
    if unshare is None or lab.run("--version", program=program).code != 0:
        pytest.skip("this user may not mount a file system")
    expected = lab.uncached(*CHECK)
    lab.without_cache()
    done = lab.run(*CHECK, program=program)
    assert (done.code, done.out, done.err) == (expected.code, expected.out, expected.err)


def test_no_process_may_be_started(lab: Lab) -> None:
    """RLIMIT_NPROC counts threads, too: with room for the one that the analysis takes, and for no process."""
    setpriv, prlimit = shutil.which("setpriv"), shutil.which("prlimit")
    if os.geteuid() != 0 or setpriv is None or prlimit is None:
        pytest.skip("the limit is that of a user, and becoming one who has nothing else takes root")
    user_id = 50_000 + os.getpid() % 10_000  # nobody else's, nor that of a test beside this one
    become = (setpriv, f"--reuid={user_id}", f"--regid={user_id}", "--clear-groups")
    read = ("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search")
    user = (*become, *read)
    if lab.run("--version", program=(*user, *PROGRAM)).code != 0:
        pytest.skip("setpriv may not do that here")
    expected = lab.uncached(*CHECK)
    for limit, code in ((3, 1), (2, 1), (1, 3)):
        program = (*user, prlimit, f"--nproc={limit}", *PROGRAM)
        done = lab.run(*CHECK, "--no-cache", program=program)
        assert done.code == code, done
        if code == 1:
            assert (done.out, done.err) == (expected.out, expected.err)
        else:
            assert done.err.count("\n") == 1
            assert done.err.startswith("regreach: error: the system gives no thread")
