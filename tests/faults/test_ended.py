"""SIGINT and SIGTERM at any time: the exit code that shells give, one line, and no process that is left."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest
from lab import CHECK, FIX_IN_PLACE, Lab, ended

TIMES = 4
MESSAGES = {signal.SIGINT: "interrupted", signal.SIGTERM: "ended by SIGTERM"}

pytestmark = pytest.mark.skipif(not hasattr(os, "killpg"), reason="there are no process groups")


@pytest.mark.parametrize("to_all", [True, False], ids=["as by a terminal", "as by kill"])
@pytest.mark.parametrize("number", MESSAGES, ids=lambda number: signal.Signals(number).name)
def test_at_any_time(tmp_path: Path, number: signal.Signals, to_all: bool) -> None:
    lab = Lab(tmp_path)
    lab.widen()
    began = time.monotonic()
    expected = lab.run(*CHECK)
    takes = time.monotonic() - began
    chance = random.Random(number)
    codes = []
    for _ in range(TIMES):
        lab.without_cache()
        process = lab.start(*CHECK)
        time.sleep(chance.uniform(0.02, takes * 0.7))
        if to_all:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        done = ended(process)  # with all that it has started
        codes.append(done.code)
        if done.code == 128 + number:
            assert done.out == b""
            assert done.err.strip() == f"regreach: error: {MESSAGES[number]}"
        elif done.code == -number:
            assert (done.out, done.err) == (b"", "")  # it had hardly begun
        else:
            assert (done.code, done.out) == (expected.code, expected.out)
    assert 128 + number in codes
    again = lab.run(*CHECK)
    assert (again.code, again.out) == (expected.code, expected.out)


@pytest.mark.parametrize("number", MESSAGES, ids=lambda number: signal.Signals(number).name)
def test_while_files_are_written(tmp_path: Path, number: signal.Signals) -> None:
    """All of `fix --write`, or nothing, and no file that was not there."""
    lab = Lab(tmp_path)
    before = lab.files()
    began = time.monotonic()
    assert lab.run(*FIX_IN_PLACE).code == 0
    takes = time.monotonic() - began
    after = lab.files()
    chance = random.Random(number)
    for _ in range(TIMES):
        for path, (data, _) in before.items():
            (lab.tree / path).write_bytes(data)
        process = lab.start(*FIX_IN_PLACE)
        time.sleep(chance.uniform(takes / 2, takes * 1.1))
        process.send_signal(number)
        done = ended(process)
        assert done.code in (0, 128 + number), done
        assert lab.files() in (before, after)
        if done.code == 0:
            assert lab.files() == after
