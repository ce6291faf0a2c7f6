"""``python -m tests.fuzz``: hunt for some time, and write what fails, as small as may be, to a folder.

THIS RUNS GENERATED CODE, which imports and defines things, in processes of its own.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

from regreach.evaluate.session import with_deep_stack

from .hunt import Hunt, hunts


def main(arguments: Sequence[str]) -> int:
    """Return 1 when something was caught."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    parser.add_argument("--only", choices=["facts", "trees"])
    parser.add_argument("--number", type=int, help="only this input of each hunt")
    parser.add_argument("--out", type=Path, default=Path("fuzz-failures"))
    options = parser.parse_args(arguments)
    print(f"seed {options.seed}", flush=True)
    caught = 0
    with hunts() as each:
        chosen = {n: hunt for n, hunt in each.items() if options.only in (None, n)}
        for name, hunt in chosen.items():
            end = time.monotonic() + options.seconds / len(chosen)
            number = options.number or 0
            while number == options.number or (options.number is None and time.monotonic() < end):
                caught += _tried(hunt, name, f"{options.seed} {number}", options.out)
                number += 1
            print(f"{name}: {number} inputs", flush=True)
    print(f"{caught} failures" + (f", in {options.out}" if caught else ""))
    return int(caught > 0)


def _tried(hunt: Hunt, name: str, seed: str, out: Path) -> bool:
    catch = hunt.find(seed)
    if catch is None:
        return False
    smaller = hunt.smaller(catch)
    folder = out / f"{name}-{seed.replace(' ', '-')}"
    smaller.put(folder / "smallest")
    catch.put(folder / "whole")
    print(f"{name}, seed {seed}: {smaller.why}", flush=True)
    for path, data in smaller.files.items():
        if name == "facts":
            print(f"  {path}: {data!r}", flush=True)
    print(f"  written to {folder}", flush=True)
    return True


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(with_deep_stack(lambda: main(sys.argv[1:])))
