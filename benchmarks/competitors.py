"""What is measured: regreach's commands on a tree, and other tools that read the same tree.

Each has a judge: a run that did not do its work ends the benchmark.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.timing import Competitor, NotDoneError, Run, run_of
from benchmarks.trees import Edits, Source

CHECK_COLD = "regreach check, cold"
CHECK_WARM = "regreach check, warm"
CHECK_OTHER = "regreach check, another file changed"
CHECK_COMMENT = "regreach check, a comment of the runner changed"
CHECK_IMPORT = "regreach check, an import of the runner changed"
AUDIT_COLD = "regreach audit, cold"
AUDIT_WARM = "regreach audit, warm"
GRIMP_COLD = "grimp, cold"
GRIMP_CACHED = "grimp, cached"
RUFF = "ruff analyze graph"
PARSE = "libcst, every file"

_PEERS = Path(__file__).parent / "peers"
_SEEN = 0.99  # of the files: one whose name can be no module's is none in a graph


@dataclass(frozen=True, slots=True)
class Expected:
    """What regreach must say of a tree: how many findings of RR101; None when that is not known."""

    bugs: int | None = None

    def judge(self, run: Run) -> None:
        """Raise NotDoneError when a run has said something else."""
        if run.code not in (0, 1):
            raise NotDoneError(f"ended with {run.code}")
        found = re.findall(rb"^\S+:\d+:\d+: (RR\d+) ", run.said, re.MULTILINE)
        if self.bugs is not None and found.count(b"RR101") != self.bugs:
            raise NotDoneError(f"{found.count(b'RR101')} findings of RR101, not {self.bugs}")
        if b"RR101" in found and run.code == 0:
            raise NotDoneError("ended with 0 in spite of errors")


class Regreach:
    """One command of regreach on one tree, with a cache of its own."""

    def __init__(
        self,
        command: str,
        source: Source,
        expected: Expected,
        folder: Path,
        options: tuple[str, ...] = (),
    ) -> None:
        """``folder`` is one for caches; ``options`` are those that the tree needs."""
        self._source = source
        self._expected = expected
        self._folder = folder
        self._cache = folder / f"cache-of-{command}-{source.root.name}"
        self._command = (*_regreach(), command, str(source.root), "--no-config", *options)
        kept = {k: v for k, v in os.environ.items() if not k.startswith("REGREACH_")}
        # where XDG_CACHE_HOME means nothing the other variable does
        self._environment = {
            **kept,
            "XDG_CACHE_HOME": str(self._cache),
            "REGREACH_CACHE_DIR": str(self._cache / "regreach"),
        }
        self._said: bytes | None = None

    def cold(self, name: str) -> Competitor:
        """Return it with an empty cache."""
        return self._competitor(name, self._empty, self._judge_same)

    def warm(self, name: str) -> Competitor:
        """Return it with what the same command has left in the cache, nothing having changed."""
        return self._competitor(name, self._fill, self._judge_same)

    def edited(self, name: str, edit: Callable[[], None]) -> Competitor:
        """Return it with such a cache and an edit since."""

        def before() -> None:
            self._fill()
            edit()

        return self._competitor(name, before, self._expected.judge)

    def _competitor(
        self, name: str, before: Callable[[], None], judge: Callable[[Run], None]
    ) -> Competitor:
        return Competitor(name, self._command, self._folder, self._environment, judge, before)

    def _empty(self) -> None:
        shutil.rmtree(self._cache, ignore_errors=True)
        self._cache.mkdir()
        self._source.settle()

    def _fill(self) -> None:
        if not self._cache.is_dir():
            self._empty()
            self._expected.judge(run_of(self._command, self._folder, self._environment))

    def _judge_same(self, run: Run) -> None:
        self._expected.judge(run)
        if self._said is None:
            self._said = run.said
        if run.said != self._said:
            raise NotDoneError("said something else than the first time")


def checks_after_edits(check: Regreach, edits: Edits) -> list[Competitor]:
    """Return ``check`` in a copy of a tree in which there are edits."""
    return [
        check.edited(CHECK_OTHER, edits.change_other),
        check.edited(CHECK_COMMENT, edits.change_comment),
        check.edited(CHECK_IMPORT, edits.change_import),
    ]


def grimp(source: Source, folder: Path) -> list[Competitor]:
    """Return grimp with an empty cache and with a full one, on a tree without gaps (``fill_in``)."""
    cache = folder / f"cache-of-grimp-{source.root.name}"
    script = str(_PEERS / "grimp_graph.py")
    command = (sys.executable, script, str(source.root), source.package, str(cache))
    files = len(source.files)

    def judge(run: Run) -> None:
        found = _json(run)
        if found["executed"]:
            raise NotDoneError("imported the package")
        _judge_size(found["modules"], found["imports"], files)

    def empty() -> None:
        shutil.rmtree(cache, ignore_errors=True)

    def fill() -> None:
        if not cache.is_dir():
            judge(run_of(command, folder, os.environ))

    return [
        Competitor(GRIMP_COLD, command, folder, os.environ, judge, empty),
        Competitor(GRIMP_CACHED, command, folder, os.environ, judge, fill),
    ]


def ruff(source: Source) -> Competitor:
    """Return ``ruff analyze graph`` of a tree."""
    command = (sys.executable, "-m", "ruff", "analyze", "graph", "--isolated", ".")
    files = len(source.files)

    def judge(run: Run) -> None:
        found = _json(run)
        _judge_size(len(found), sum(map(len, found.values())), files)

    return Competitor(RUFF, command, source.root, os.environ, judge)


def parse(source: Source, every: int) -> Competitor:
    """Return libcst's parser on every so-manieth file of a tree, once, scaled by bytes to all."""
    script = str(_PEERS / "libcst_parse.py")
    command = (sys.executable, script, str(source.root), str(every))
    files = len(source.files[::every])

    def judge(run: Run) -> None:
        found = _json(run)
        if found["files"] != files or found["failed"] > files * (1 - _SEEN):
            raise NotDoneError(f"{found['files']} files, {found['failed']} of which do not parse")

    def counted(run: Run) -> Run:
        found = _json(run)
        more = found["total"] / found["parsed"] - 1  # starting and importing are not scaled
        return run.scaled(run.wall + more * found["wall"], run.cpu + more * found["cpu"])

    name = PARSE if every == 1 else f"{PARSE} (every {every}th parsed, scaled by bytes)"
    return Competitor(name, command, source.root, os.environ, judge, counted=counted, once=True)


def _regreach() -> tuple[str, ...]:
    """Return the installed command."""
    script = Path(sys.executable).with_name("regreach")
    return (str(script),) if script.exists() else (sys.executable, "-m", "regreach")


def _json(run: Run) -> dict[str, Any]:
    if run.code != 0:
        raise NotDoneError(f"ended with {run.code}")
    found: dict[str, Any] = json.loads(run.said)
    return found


def _judge_size(modules: int, imports: int, files: int) -> None:
    if modules < _SEEN * files or imports < files:
        raise NotDoneError(f"{modules} modules and {imports} imports of {files} files")
