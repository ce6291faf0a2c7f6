"""SIGKILL at any point: files are whole, the next run says what a run without a cache says, nothing is left over."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest
from lab import AUDIT, CHECK, FIX_IN_PLACE, RUNNER, Done, Lab, ended

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no such signal")

KILLED_AT = str(Path(__file__).with_name("killed_at.py"))
SOME = 2
"""At so many steps before the last ones it is killed."""
TIMES = 4
"""At so many points of time it is killed."""

BASELINE = ("baseline", "tree", "-o", "known.toml", "--add", "--no-cache")
CARELESS = "sglang/srt/layers/quantization/modelopt_quant.py"


def step_run(lab: Lab, step: int, *arguments: str) -> tuple[Done, int]:
    """Run a command until a step; return how it ended and how many steps were taken."""
    counter = lab.folder / "steps"
    program = (sys.executable, KILLED_AT, str(step), str(counter))
    done = lab.run(*arguments, program=program)
    return done, int(counter.read_text() or "0")


def chosen(count: int) -> list[int]:
    """Return the steps at which a command that takes so many is killed: the last ones, and some before."""
    assert count > 3
    last = set(range(max(1, count - 3), count + 1))
    others = sorted(set(range(1, count + 1)) - last)
    return sorted({*last, *random.Random(1).sample(others, min(SOME, len(others)))})


@pytest.mark.parametrize("arguments", [CHECK, AUDIT], ids=lambda a: str(a[0]))
def test_at_each_step_of_keeping(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    lab = Lab(tmp_path)
    expected = lab.uncached(*arguments).out
    done, count = step_run(lab, 0, *arguments)
    assert (done.code, done.out) == (1, expected)
    left = 0
    for step in chosen(count):
        lab.without_cache()
        assert step_run(lab, step, *arguments)[0].code == -signal.SIGKILL
        left += any(temporary(lab))
        again = lab.run(*arguments)
        assert (again.code, again.out) == (1, expected), step
        assert not any(temporary(lab)), step
    assert left or arguments != CHECK


def temporary(lab: Lab) -> list[Path]:
    """Return what was left in the folder of results, where names that begin with a dot are temporary."""
    return list(lab.cache.glob("results/.*"))


def fixable(folder: Path) -> Lab:
    """Return a tree with findings in two files, of which one has its own mode and the other its own line ends."""
    folder.mkdir()
    lab = Lab(folder)
    careless = lab.tree / CARELESS
    careless.write_bytes(
        careless.read_bytes().replace(b"  # noqa: F401", b"").replace(b"\n", b"\r\n")
    )
    (lab.tree / RUNNER).chmod(0o640)
    return lab


def test_at_each_step_of_fixing(tmp_path: Path) -> None:
    """Each file is the old or the new one, with its mode; what is left of it is mended next time."""
    lab = fixable(tmp_path / "whole")
    before = lab.files()
    done, count = step_run(lab, 0, *FIX_IN_PLACE)
    assert done.code == 0, done.err
    after = lab.files()
    assert [path for path in after if after[path] != before[path]] == [RUNNER, CARELESS]
    assert after[RUNNER][1] & 0o777 == 0o640
    assert after[CARELESS][0].count(b"\r\n") == after[CARELESS][0].count(b"\n")
    seen = set()
    for step in chosen(count):
        lab = fixable(tmp_path / str(step))
        done, _ = step_run(lab, step, *FIX_IN_PLACE)
        assert done.code == -signal.SIGKILL
        found = lab.files()
        assert all(found[path] in (before[path], after[path]) for path in before), step
        assert all(Path(path).name.startswith(".") for path in found.keys() - before.keys()), step
        seen.add(tuple(found[path] == after[path] for path in (RUNNER, CARELESS)))
        assert lab.run(*FIX_IN_PLACE).code == 0
        assert lab.files() == after, step
    # it was killed before, between and after the files were replaced
    assert seen == {(False, False), (True, False), (True, True)}


def put(goal: Path, data: bytes | None) -> None:
    for file in goal.parent.glob("*known.toml*"):
        file.unlink()
    if data is not None:
        goal.write_bytes(data)
        goal.chmod(0o600)


def test_at_each_step_of_writing_a_baseline(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    goal = tmp_path / "known.toml"
    lab.run(*BASELINE)
    new = goal.read_bytes()
    old = b"".join(line for line in new.splitlines(True) if b"RR102" not in line)
    assert old != new
    states = set()
    for before in (None, old):
        put(goal, before)
        _, count = step_run(lab, 0, *BASELINE)
        for step in range(count - 2, count + 1):
            put(goal, before)
            assert step_run(lab, step, *BASELINE)[0].code == -signal.SIGKILL
            found = goal.read_bytes() if goal.exists() else None
            assert found in (before, new), step
            states.add((before is None, found == new))
        put(goal, before)
        step_run(lab, count - 1, *BASELINE)
        assert list(tmp_path.glob(".*"))
        assert lab.run(*BASELINE).code == 0
        assert goal.read_bytes() == new
        assert goal.stat().st_mode & 0o777 == (0o644 if before is None else 0o600)
        assert not list(tmp_path.glob(".*"))
    assert states == {(True, True), (True, False), (False, True), (False, False)}


@pytest.mark.parametrize("arguments", [CHECK, AUDIT, BASELINE], ids=lambda a: str(a[0]))
def test_at_any_time(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """With the processes that parse; they end as well, or the pipes would stay open."""
    lab = Lab(tmp_path)
    lab.widen()
    began = time.monotonic()
    expected = lab.run(*arguments)
    takes = time.monotonic() - began
    chance = random.Random(2)
    codes = []
    for _ in range(TIMES):
        lab.without_cache()
        process = lab.start(*arguments)
        time.sleep(chance.uniform(0.1, takes * 0.7))
        os.kill(process.pid, signal.SIGKILL)
        codes.append(ended(process).code)
        again = lab.run(*arguments)
        assert (again.code, again.out) == (expected.code, expected.out)
    assert -signal.SIGKILL in codes
