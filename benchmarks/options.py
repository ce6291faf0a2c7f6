"""The options of ``make bench ARGS=…``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import platformdirs

from benchmarks.synthetic import BLOCK

COMPARED = ["0.5.15", "0.5.23"]
GROWTH = ["0.5.5", "0.5.10", "0.5.15", "0.5.20", "0.5.23", "5000", "50000"]
SMALL = ["0.5.15"]


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the options; ends the program with exit code 2 where they are wrong."""
    parser = argparse.ArgumentParser(
        prog="make bench", description="Measure regreach beside other tools."
    )
    add = parser.add_argument
    add("--rounds", type=_count, metavar="N", help="rounds that count, after one that warms up (3)")
    add(
        "--only", action="append", metavar="NAME", help="only what has this in its name; repeatable"
    )
    add(
        "--releases",
        type=_names,
        metavar="A,B",
        help=f"releases of sglang to compare on ({','.join(COMPARED)})",
    )
    add(
        "--growth",
        type=_sizes,
        metavar="A,N",
        help=f"releases, and modules of trees made up ({','.join(GROWTH)})",
    )
    add("--quick", action="store_true", help=f"one round on {SMALL[0]}, libcst on every tenth file")
    add(
        "--parse-every",
        type=_count,
        metavar="N",
        help="let libcst parse every Nth file (of the largest release all)",
    )
    add("--cache", type=Path, metavar="FOLDER", help="where releases are kept")
    add("--write", action="store_true", help="write RESULTS.md and its picture")
    options = parser.parse_args(arguments)
    part = options.releases is not None or options.growth is not None
    if options.write and (part or options.quick or options.only):
        parser.error("--write is for a whole run: without --quick, --only, --releases and --growth")
    if not part:
        options.releases = SMALL if options.quick else COMPARED
        options.growth = [] if options.quick else GROWTH
    options.releases = options.releases or []
    options.growth = options.growth or []
    options.rounds = options.rounds or (1 if options.quick else 3)
    options.cache = options.cache or platformdirs.user_cache_path(
        "regreach-benchmarks", appauthor=False
    )
    options.cache = options.cache.absolute()
    return options


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1")
    return int(text)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _sizes(text: str) -> list[str]:
    names = _names(text)
    for name in names:
        if name.isdecimal() and (int(name) < BLOCK or int(name) % BLOCK):
            raise argparse.ArgumentTypeError(f"{name}: modules come in blocks of {BLOCK}")
    return names
