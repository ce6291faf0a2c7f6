"""The two hunts: what each makes of a number, whether something is wrong with it, and its smallest form."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Protocol

from . import minimize, sources, trees
from .facts_judge import objection
from .tree_judge import TreeJudge, judging, smallest


@dataclass(frozen=True)
class Catch:
    """Something that fails: what is wrong, and the files to show it with, by path."""

    why: str
    files: dict[str, bytes]

    def put(self, folder: Path) -> None:
        """Write the files below a folder."""
        for path, data in self.files.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)


class Hunt(Protocol):
    """A way to find failures. The same seed makes the same input."""

    def find(self, seed: str) -> Catch | None:
        """Make an input, and return it if something is wrong with it."""

    def smaller(self, catch: Catch) -> Catch:
        """Return less of an input with which as much is wrong."""


class FactsHunt:
    """Sources of single modules."""

    def __init__(self) -> None:
        self._seeds = sources.seeds()

    def find(self, seed: str) -> Catch | None:
        """Write or mutate a source."""
        rng = Random(seed)
        written = rng.random() < 0.6
        data = sources.generated(rng) if written else sources.mutated(rng, rng.choice(self._seeds))
        why = objection(data)
        return Catch(why, {"module.py": data}) if why is not None else None

    def smaller(self, catch: Catch) -> Catch:
        """Leave out lines, then words."""
        begin = _begin(catch.why)
        data = minimize.smallest(
            catch.files["module.py"], lambda d: _begin(objection(d) or "") == begin
        )
        return Catch(objection(data) or catch.why, {"module.py": data})


def _begin(why: str) -> str:
    """Return what is wrong without places and names."""
    return why[:24]


class TreeHunt:
    """Whole trees, executed."""

    def __init__(self, judge: TreeJudge) -> None:
        self._judge = judge

    def find(self, seed: str) -> Catch | None:
        """Write a tree."""
        files = trees.generated(Random(seed))
        return self._catch(files, self._judge.objections(files))

    def smaller(self, catch: Catch) -> Catch:
        """Leave out lines of its files."""
        files = {path: data.decode() for path, data in catch.files.items()}
        files = smallest(self._judge, files)
        return self._catch(files, self._judge.objections(files)) or catch

    def _catch(self, files: dict[str, str], why: list[str]) -> Catch | None:
        data = {path: text.encode() for path, text in files.items()}
        return Catch("\n  ".join(why[:4]), data) if why else None


@contextmanager
def hunts() -> Iterator[dict[str, Hunt]]:
    """Give the hunts by name."""
    with judging() as judge:
        yield {"facts": FactsHunt(), "trees": TreeHunt(judge)}
