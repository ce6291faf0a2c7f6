"""The results in words: one page of Markdown, for the terminal and for ``RESULTS.md``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks import competitors as names
from benchmarks.targets import MIB, measured
from benchmarks.timing import QUICK, SLOW, SLOW_ROUNDS, TIMES_A_ROUND, Samples

TARGETS_ARE_FOR = "sglang 0.5.23"


@dataclass(frozen=True, slots=True)
class OfTree:
    """What was measured of one tree; ``size`` in bytes, ``filled`` files were added for grimp."""

    title: str
    files: int
    size: int
    samples: Mapping[str, Samples]
    filled: int = 0
    synthetic: bool = False

    @property
    def heading(self) -> str:
        """Name and size."""
        return f"{self.title}: {self.files:,} files, {self.size / 1e6:.0f} MB"


@dataclass(frozen=True, slots=True)
class Results:
    """All that was measured: trees on which tools are compared, and trees of growing size."""

    machine: Sequence[str]
    warning: str | None
    rounds: int
    compared: Sequence[OfTree]
    grown: Sequence[OfTree]


def page(results: Results, plot: str | None = None) -> str:
    """Return the page; ``plot`` is the file name of a picture to show on it."""
    return "\n".join(_lines(results, plot)) + "\n"


def _lines(results: Results, plot: str | None) -> Iterator[str]:
    yield from (
        "# How long regreach takes, beside others",
        "",
        "Made by `make bench`; see README.md here.",
        "",
    )
    yield from (f"- {line}" for line in results.machine)
    yield (
        f"- medians; all take turns in rounds ({results.rounds}), after one to warm up: {TIMES_A_ROUND} turns"
        f" a round for what takes less than {QUICK:g} s; for more than {SLOW:g} s at most {SLOW_ROUNDS} rounds"
    )
    if results.warning:
        yield from ("", f"**Warning:** {results.warning}.")
    if plot:
        yield from ("", f"![Seconds by the size of the tree, and beside other tools]({plot})")
    for tree in results.compared:
        yield from ("", f"## {tree.heading}", "")
        yield from _comparison(tree)
        yield from _targets(tree)
    if results.grown:
        yield from ("", "## Growth with the tree", "")
        yield from _growth(results.grown)


def _comparison(tree: OfTree) -> Iterator[str]:
    peer = tree.samples.get(names.GRIMP_COLD)
    rows = [
        [
            name,
            f"{found.wall:.2f}",
            f"{min(found.walls):.2f} to {max(found.walls):.2f}" if len(found.runs) > 1 else "once",
            f"{found.cpu:.2f}",
            f"{found.wall / peer.wall:.2f}" if peer else "",
            _mib(found.largest),
            _mib(found.together),
        ]
        for name, found in tree.samples.items()
    ]
    yield from table(
        (
            "",
            "wall s",
            "range",
            "CPU s",
            "x grimp, cold",
            "largest process MiB",
            "all together MiB",
        ),
        rows,
    )
    if peer:
        yield from (
            "",
            f"grimp reads a copy into which {tree.filled} missing `__init__.py` were written.",
        )


def _targets(tree: OfTree) -> Iterator[str]:
    rows = [
        [
            target.text,
            target.shown,
            f"{target.bound:g} {target.unit}",
            _met(target.met),
        ]
        for target in measured(tree.samples)
    ]
    if rows:
        yield ""
        yield from table(("target", "measured", "at most", ""), rows)
        if tree.title != TARGETS_ARE_FOR:
            yield from ("", f"The targets are meant for {TARGETS_ARE_FOR}.")


def _growth(trees: Sequence[OfTree]) -> Iterator[str]:
    yield from ("Wall seconds, and processor seconds in brackets.", "")
    columns = list(dict.fromkeys(name for tree in trees for name in tree.samples))
    rows = []
    for tree in trees:
        row = [tree.title, f"{tree.files:,}", f"{tree.size / 1e6:.1f}"]
        for name in columns:
            found = tree.samples.get(name)
            row.append(f"{found.wall:.2f} ({found.cpu:.2f})" if found else "")
        cold = tree.samples.get(names.CHECK_COLD)
        rows.append([*row, _mib(cold.together or cold.largest) if cold else ""])
    head = (
        "",
        "files",
        "MB",
        *columns,
        "memory of cold check MiB",
    )
    yield from table(head, rows)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table; the first column is text, the others are numbers."""
    yield "| " + " | ".join(head) + " |"
    yield "| --- |" + " ---: |" * (len(head) - 1)
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def _mib(size: int | None) -> str:
    return "" if size is None else f"{size / MIB:.0f}"


def _met(met: bool) -> str:
    return "met" if met else "**not met**"
