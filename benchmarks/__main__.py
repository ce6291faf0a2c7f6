"""``make bench``: how long regreach takes on real releases, beside tools that read the same trees."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks import competitors as c
from benchmarks import machine
from benchmarks.options import COMPARED, parsed
from benchmarks.results import OfTree, Results, page
from benchmarks.synthetic import PACK, PACKAGE, write_tree
from benchmarks.timing import Competitor, NotDoneError, alternated
from benchmarks.trees import Edits, Source, copied, gaps, release, without_gaps

HERE = Path(__file__).parent
PLOT = "results.svg"
RUNNER = "sglang/srt/layers/moe/moe_runner/runner.py"
BUGS = {"0.5.5": 0, "0.5.10": 0, "0.5.15": 1, "0.5.20": 0, "0.5.23": 0}
"""How many findings of RR101 there are; what executing the releases says of them is in tests/truth."""

OF_GROWTH = (c.CHECK_COLD, c.CHECK_WARM, c.GRIMP_COLD, c.GRIMP_CACHED, c.RUFF)
SAMPLED = 10  # every so-manieth file of trees for which there is no time to parse all


class Bench:
    """One run of the benchmark in a folder that is its own."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self._options = options
        self._folder = folder

    def compare(self, version: str) -> OfTree:
        """Measure everything on one release."""
        source = release(f"sglang=={version}", self._options.cache)
        expected = c.Expected(BUGS.get(version))
        check = c.Regreach("check", source, expected, self._folder)
        audit = c.Regreach("audit", source, expected, self._folder)
        edited = copied(source, self._folder / f"edited-{version}")
        edits = Edits(edited, RUNNER)
        every = self._options.parse_every or (1 if version == COMPARED[-1] else SAMPLED)
        return self._measured(
            source,
            [
                check.cold(c.CHECK_COLD),
                check.warm(c.CHECK_WARM),
                *c.checks_after_edits(c.Regreach("check", edited, expected, self._folder), edits),
                audit.cold(c.AUDIT_COLD),
                audit.warm(c.AUDIT_WARM),
                c.ruff(source),
                c.parse(source, every),
            ],
        )

    def grow(self, version: str) -> OfTree:
        """Measure on one release how its size tells."""
        source = release(f"sglang=={version}", self._options.cache)
        check = c.Regreach("check", source, c.Expected(BUGS.get(version)), self._folder)
        return self._measured(
            source, [check.cold(c.CHECK_COLD), check.warm(c.CHECK_WARM), c.ruff(source)]
        )

    def grow_synthetic(self, modules: int) -> OfTree:
        """Measure the same on a tree that is made for it."""
        root = self._folder / f"synthetic-{modules}"
        tell(f"writing {modules:,} modules")
        write_tree(root, modules)
        pack = self._folder / f"{PACKAGE}.toml"
        pack.write_text(PACK, encoding="utf-8")
        source = Source(f"synthetic {modules:,}", root, PACKAGE)
        expected = c.Expected(bugs=1)
        check = c.Regreach("check", source, expected, self._folder, ("--pack", str(pack)))
        return self._measured(
            source,
            [check.cold(c.CHECK_COLD), check.warm(c.CHECK_WARM), c.ruff(source)],
            synthetic=True,
        )

    def _measured(
        self, source: Source, competitors: list[Competitor], *, synthetic: bool = False
    ) -> OfTree:
        """Measure these and grimp."""
        filled = without_gaps(source, self._folder / f"filled-{source.root.name}")
        at = next(i for i, each in enumerate(competitors) if each.name == c.RUFF)
        competitors[at:at] = c.grimp(filled, self._folder)
        only = self._options.only
        chosen = [x for x in competitors if not only or any(word in x.name for word in only)]
        files = source.files
        size = sum(file.stat().st_size for file in files)
        tell(f"{source.title}: {len(files):,} files")
        samples = alternated(chosen, self._options.rounds, tell)
        return OfTree(source.title, len(files), size, samples, len(gaps(source)), synthetic)


def measured(options: argparse.Namespace) -> Results:
    """Measure what is asked for, in a temporary folder. Raises NotDoneError, CalledProcessError."""
    warning = machine.busy()
    if warning:
        tell(f"WARNING: {warning}")
    lines = machine.described(HERE.parent)
    with tempfile.TemporaryDirectory(prefix="regreach-bench-") as folder:
        bench = Bench(options, Path(folder))
        compared = {version: bench.compare(version) for version in options.releases}
        grown = [
            bench.grow_synthetic(int(name))
            if name.isdecimal()
            else of_growth(compared[name])
            if name in compared
            else bench.grow(name)
            for name in options.growth
        ]
    return Results(lines, warning, options.rounds, list(compared.values()), grown)


def of_growth(tree: OfTree) -> OfTree:
    """Return what of a comparison is shown with trees of other sizes, too."""
    kept = {name: found for name, found in tree.samples.items() if name in OF_GROWTH}
    return replace(tree, samples=kept)


def main(arguments: Sequence[str]) -> int:
    """Measure, print the page, and with ``--write`` keep it. Return the exit code."""
    options = parsed(arguments)
    # pip compiles what it installs: what runs from a checkout shall have its byte code, too
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    # like an interruption: processes and temporary folders go
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        results = measured(options)
    except KeyboardInterrupt:
        return 130
    except (NotDoneError, subprocess.CalledProcessError) as error:
        print(f"benchmarks: error: {error}", file=sys.stderr)
        return 1
    print(page(results), end="")
    if options.write:
        from benchmarks.plot import draw

        draw(results, HERE / PLOT)
        (HERE / "RESULTS.md").write_text(page(results, PLOT), encoding="utf-8")
        tell(f"wrote {HERE / 'RESULTS.md'} and {HERE / PLOT}")
    return 0


def tell(line: str) -> None:
    """Say how far it is."""
    print(f"{time.strftime('%H:%M:%S')}  {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
