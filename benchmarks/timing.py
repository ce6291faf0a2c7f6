"""What runs cost: one, and many that take turns."""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_MEASURED = Path(__file__).with_name("measured.py")

QUICK = 2.0
"""Seconds: what takes less runs several times a round."""
TIMES_A_ROUND = 3
SLOW = 5.0
"""Seconds: what takes more runs in the first rounds only."""
SLOW_ROUNDS = 2


@dataclass(frozen=True, slots=True)
class Run:
    """One run: seconds, bytes of memory (see ``measured.py``), and what came of it."""

    wall: float
    cpu: float
    largest: int
    together: int | None
    code: int
    said: bytes
    complained: bytes

    def scaled(self, wall: float, cpu: float) -> Run:
        """Return it as if it had cost so many seconds."""
        return Run(wall, cpu, self.largest, self.together, self.code, self.said, self.complained)


class NotDoneError(Exception):
    """A competitor did not do what it is measured for."""


def _nothing() -> None:
    pass


def _as_it_is(run: Run) -> Run:
    return run


@dataclass(frozen=True, slots=True)
class Competitor:
    """What is measured: a command, what is done before each run and is not counted, and a judge.

    The judge raises NotDoneError when the work was not done. ``counted`` returns the run that counts.
    ``once``: it takes so long that one run must do.
    """

    name: str
    command: tuple[str, ...]
    folder: Path
    environment: Mapping[str, str]
    judge: Callable[[Run], None]
    before: Callable[[], None] = _nothing
    counted: Callable[[Run], Run] = _as_it_is
    once: bool = False

    def run(self, *, sample: bool = False) -> Run:
        """Prepare, run, judge. Raises NotDoneError."""
        self.before()
        run = run_of(self.command, self.folder, self.environment, sample=sample)
        try:
            self.judge(run)
        except NotDoneError as error:
            last = run.complained.decode(errors="replace").strip().splitlines()[-1:]
            raise NotDoneError(f"{self.name}: {error}" + "".join(f" ({x})" for x in last)) from None
        return self.counted(run)


@dataclass(slots=True)
class Samples:
    """The runs of one competitor that count, and its memory, looked at in one that does not count."""

    runs: list[Run] = field(default_factory=list)
    first: Run | None = None

    @property
    def walls(self) -> list[float]:
        """Wall seconds of each run."""
        return [run.wall for run in self.runs]

    @property
    def wall(self) -> float:
        """The median of wall seconds."""
        return statistics.median(self.walls)

    @property
    def cpu(self) -> float:
        """The median of processor seconds, of all processes."""
        return statistics.median(run.cpu for run in self.runs)

    @property
    def largest(self) -> int:
        """Bytes: the most that any process of any run had."""
        return max(run.largest for run in self._all)

    @property
    def together(self) -> int | None:
        """Bytes: the most that all processes of a run had at a moment; None where it is not known."""
        return max((run.together for run in self._all if run.together is not None), default=None)

    @property
    def _all(self) -> list[Run]:
        return [*self.runs, *([self.first] if self.first is not None else [])]


def alternated(
    competitors: Sequence[Competitor], rounds: int, tell: Callable[[str], None]
) -> dict[str, Samples]:
    """Let competitors take turns and return what their runs cost, by name. Raises NotDoneError.

    The first turn of each warms up: memory is looked at then, and seconds do not count.
    """
    samples = {competitor.name: Samples() for competitor in competitors}
    for competitor in competitors:
        mine = samples[competitor.name]
        mine.first = competitor.run(sample=True)
        tell(f"warming up  {_seconds(mine.first)}  {competitor.name}")
        if competitor.once:
            mine.runs.append(mine.first)
    for number in range(1, rounds + 1):
        for turn in range(TIMES_A_ROUND):
            for competitor in competitors:
                mine = samples[competitor.name]
                seconds = mine.walls[0] if mine.walls else 0.0
                if competitor.once or (turn and seconds > QUICK):
                    continue
                if number > SLOW_ROUNDS and seconds > SLOW:
                    continue
                run = competitor.run()
                mine.runs.append(run)
                tell(f"round {number} of {rounds}  {_seconds(run)}  {competitor.name}")
    return samples


def run_of(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], *, sample: bool = False
) -> Run:
    """Run a command in a folder and return what it cost; with ``sample``, its memory as well.

    However this ends, no process of it is left. Raises NotDoneError when it cannot be started.
    """
    with tempfile.TemporaryDirectory(prefix="regreach-bench-") as outputs:
        out, err = Path(outputs, "out"), Path(outputs, "err")
        arguments = [str(out), str(err), str(int(sample)), *command]
        printed, complained = _printed(
            [sys.executable, "-I", "-S", str(_MEASURED), *arguments], folder, environment
        )
        try:
            cost = json.loads(printed)
        except ValueError:
            raise NotDoneError(complained.decode(errors="replace").strip()) from None
        return Run(said=out.read_bytes(), complained=err.read_bytes(), **cost)


def _printed(
    command: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> tuple[bytes, bytes]:
    """Return what a process prints; however this ends, none of its group is left."""
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            return process.communicate()
        finally:
            if process.returncode is None:  # interrupted
                os.killpg(process.pid, signal.SIGKILL)


def _seconds(run: Run) -> str:
    return f"{run.wall:8.3f} s"
