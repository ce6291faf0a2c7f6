"""What runs cost, measured on programs whose cost is known, and what is made of many."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from benchmarks.timing import Competitor, NotDoneError, Run, Samples, alternated, run_of

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def python(code: str, tmp_path: Path, *, sample: bool = False) -> Run:
    return run_of([sys.executable, "-I", "-S", "-c", code], tmp_path, os.environ, sample=sample)


def run_with(
    wall: float, *, cpu: float = 0.0, largest: int = 1, together: int | None = None
) -> Run:
    return Run(wall, cpu, largest, together, 0, b"", b"")


def test_what_a_command_says_and_ends_with(tmp_path: Path) -> None:
    run = python("import sys; print('out'); sys.stderr.write('err'); sys.exit(3)", tmp_path)
    assert (run.code, run.said, run.complained) == (3, b"out\n", b"err")


def test_waiting_costs_wall_time_only(tmp_path: Path) -> None:
    run = python("import time; time.sleep(0.5)", tmp_path)
    assert run.wall >= 0.5
    assert run.cpu < 0.3


BURN = "import time\nwhile time.process_time() < 0.4: pass\n"


def test_processor_time_of_children_counts(tmp_path: Path) -> None:
    code = f"import os\npid = os.fork()\n{BURN}\nif pid: os.wait()"
    assert 0.8 <= python(code, tmp_path).cpu < 1.6


@linux
def test_processor_time_of_what_outlives_the_command_counts(tmp_path: Path) -> None:
    run = python(f"import os\nif os.fork(): os._exit(0)\n{BURN}", tmp_path)
    assert run.cpu >= 0.4


MEGABYTES_60 = "held = bytearray(60 << 20)\nfor i in range(0, len(held), 4096): held[i] = 1\n"


@linux
def test_memory_of_the_largest_and_of_all_together(tmp_path: Path) -> None:
    code = f"import os, time\npid = os.fork()\n{MEGABYTES_60}time.sleep(1.5)\nif pid: os.wait()"
    run = python(code, tmp_path, sample=True)
    assert 60 << 20 <= run.largest < 90 << 20
    assert run.together is not None
    assert 120 << 20 <= run.together < 160 << 20


@linux
def test_pages_that_two_share_count_once(tmp_path: Path) -> None:
    code = f"import os, time\n{MEGABYTES_60}pid = os.fork()\ntime.sleep(1.5)\nif pid: os.wait()"
    run = python(code, tmp_path, sample=True)
    assert run.together is not None
    assert 60 << 20 <= run.together < 90 << 20


def test_memory_is_not_that_of_who_measures(tmp_path: Path) -> None:
    held = bytearray(200 << 20)
    held[::4096] = b"1" * len(held[::4096])
    assert python("pass", tmp_path).largest < 60 << 20


def test_a_command_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(NotDoneError, match="no-such-command"):
        run_of(["no-such-command"], tmp_path, os.environ)


def test_medians_and_the_most_memory() -> None:
    samples = Samples(
        [run_with(5.0, cpu=1.0), run_with(1.0, cpu=9.0, largest=7), run_with(2.0, cpu=2.0)],
        run_with(100.0, cpu=100.0, largest=3, together=8),
    )
    assert (samples.wall, samples.cpu) == (2.0, 2.0)
    assert (samples.largest, samples.together) == (7, 8)


def test_memory_together_is_not_known_when_nobody_looked() -> None:
    assert Samples([run_with(1.0)], run_with(1.0)).together is None


def competitor(name: str, tmp_path: Path, *, once: bool = False) -> Competitor:
    def judge(run: Run) -> None:
        if run.code != 0:
            raise NotDoneError(f"ended with {run.code}")

    code = f"open('turns', 'a').write('{name}')"
    command = (sys.executable, "-I", "-S", "-c", code)
    return Competitor(name, command, tmp_path, os.environ, judge, once=once)


def test_all_take_turns(tmp_path: Path) -> None:
    both = [competitor("a", tmp_path), competitor("b", tmp_path)]
    samples = alternated(both, 2, lambda _: None)
    assert (tmp_path / "turns").read_text() == "ab" * (1 + 2 * 3)
    assert [len(found.runs) for found in samples.values()] == [6, 6]


def test_once_is_once(tmp_path: Path) -> None:
    samples = alternated([competitor("a", tmp_path, once=True)], 3, lambda _: None)
    assert (tmp_path / "turns").read_text() == "a"
    assert len(samples["a"].runs) == 1


def test_who_does_not_do_the_work_ends_it(tmp_path: Path) -> None:
    lazy = competitor("a')\nimport sys\nsys.stderr.write('too warm')\nsys.exit(4)#", tmp_path)
    with pytest.raises(NotDoneError, match=r"ended with 4 \(too warm\)"):
        alternated([lazy], 1, lambda _: None)
