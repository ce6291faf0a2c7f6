"""``python -m tests.mutation TARGET``: mutants of a release, executed, and what regreach says of them.

THIS RUNS THE CODE OF THE TREE. A release takes about 15 seconds a mutant and processor.
"""

from __future__ import annotations

import argparse
import gc
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from .judge import judging
from .operators import Mutant

Verdict = tuple[Mutant, list[str]]


def run_part(options: argparse.Namespace, part: int) -> list[Verdict]:
    """Judge every so-manieth mutant, and print each that is judged wrongly."""
    gc.disable()
    verdicts: list[Verdict] = []
    with (
        tempfile.TemporaryDirectory() as cache,
        judging(options.target, options.python, options.platform, Path(cache)) as judge,
    ):
        chosen = judge.mutants(options.seed)[options.skip : options.skip + options.count]
        for mutant in chosen[part :: options.jobs]:
            if options.only and options.only not in str(mutant):
                continue
            begun = time.monotonic()
            differing = judge.judge(mutant)
            gc.collect()  # once a mutant; while one is analysed, collecting takes longer than all else
            if differing is None:
                continue
            verdicts.append((mutant, differing))
            mark = "differs" if differing else "agrees"
            print(f"{mark} {time.monotonic() - begun:5.1f} s  {mutant}", flush=True)
            for line in differing[:4]:
                print(f"    {line}", flush=True)
            if len(differing) > 4:
                print(f"    and {len(differing) - 4} more", flush=True)
    return verdicts


def main(arguments: Sequence[str]) -> int:
    """Return 1 when a mutant is judged wrongly."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("target", help="a folder, a wheel or a requirement")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="only mutants with this in their name")
    parser.add_argument("--platform", default="cuda")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args(arguments)
    with ProcessPoolExecutor(options.jobs) as pool:
        parts = pool.map(run_part, [options] * options.jobs, range(options.jobs))
        verdicts = [verdict for part in parts for verdict in part]
    wrong = [mutant for mutant, differing in verdicts if differing]
    kinds = Counter(mutant.operator for mutant, _ in verdicts)
    print(f"{len(verdicts) - len(wrong)} of {len(verdicts)} mutants agree, {len(kinds)} operators")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
