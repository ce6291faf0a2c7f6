"""Little memory and few file descriptors: the answer, or one line that says what is short."""

from __future__ import annotations

import shutil
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from lab import CHECK, PROGRAM, Lab, one_line

PRLIMIT = shutil.which("prlimit")
pytestmark = pytest.mark.skipif(PRLIMIT is None, reason="there is no prlimit")


def limited(limit: str) -> Sequence[str]:
    assert PRLIMIT is not None
    return (PRLIMIT, f"--{limit}", *PROGRAM)


@pytest.mark.parametrize("megabytes", [80, 110, 400, 580, 640, 700])
def test_memory(tmp_path: Path, megabytes: int) -> None:
    """RLIMIT_AS; the analysis needs a thread with half a gigabyte of stack, which is mostly not touched."""
    lab = Lab(tmp_path)
    expected = lab.uncached(*CHECK)
    done = lab.run(*CHECK, program=limited(f"as={megabytes * 1024 * 1024}"))
    if done.code == expected.code:
        assert (done.out, done.err) == (expected.out, expected.err)
    elif done.code == -signal.SIGABRT:
        # what libcst is written in ends the process when it gets no memory
        assert done.err.startswith("memory allocation of "), done
    else:
        message = one_line(done, 3)
        assert any(word in message for word in ("memory", "cannot be loaded", "thread")), message
    assert lab.run(*CHECK).out == expected.out


def test_descriptors(tmp_path: Path) -> None:
    """RLIMIT_NOFILE, from what the interpreter itself needs upwards; parsing processes take some more."""
    lab = Lab(tmp_path)
    lab.widen()
    expected = lab.uncached(*CHECK)
    codes = []
    for limit in (5, 7, 10, 16):
        lab.without_cache()
        done = lab.run(*CHECK, program=limited(f"nofile={limit}"))
        codes.append(done.code)
        if done.code == expected.code:
            assert (done.out, done.err) == (expected.out, expected.err)
        else:
            assert one_line(done, 3)
    assert codes[-1] == expected.code


def test_the_interpreter_itself_does_not_begin(tmp_path: Path) -> None:
    """What is below is not regreach's to tell of."""
    done = Lab(tmp_path).run("-c", "", program=(*limited("as=10000000")[:2], sys.executable))
    assert done.code not in (0, 1, 2, 3)
