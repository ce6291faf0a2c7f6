"""How long the commit hook takes on a real release when nothing relevant has changed, beside a peer.

    python benchmarks/hook.py [RELEASE]      # default: sglang==0.5.23, which pip fetches

One run of each in turn, several rounds; medians of wall seconds, and ratios to the peer, which is
``ruff analyze graph`` on the same folder (an import graph of it, made in Rust, without a cache).
"""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

ROUNDS = 11


def main() -> None:
    """Fetch and unpack the release, and print the table."""
    release = sys.argv[1] if len(sys.argv) > 1 else "sglang==0.5.23"
    with tempfile.TemporaryDirectory() as folder:
        tree = _unpacked(release, Path(folder))
        other = tree / release.partition("=")[0] / "unrelated_to_registries.py"
        other.write_text("VALUE = 0\n")
        environment = {**os.environ, "REGREACH_CACHE_DIR": str(Path(folder, "cache"))}
        check = [sys.executable, "-m", "regreach", "check", str(tree), "--exit-zero"]
        ruff = [sys.executable, "-m", "ruff", "analyze", "graph", str(tree)]

        def run(command: list[str]) -> float:
            start = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True, env=environment)
            return time.perf_counter() - start

        def changed() -> float:
            other.write_text(f"VALUE = {time.time_ns()}\n")
            return run(check)

        first = run(check)
        time.sleep(3)  # files that have just been written are not known by their times
        rounds: dict[str, Callable[[], float]] = {
            "ruff analyze graph": lambda: run(ruff),
            "regreach check, nothing changed": lambda: run(check),
            "regreach check, a file changed that no verdict hangs on": changed,
        }
        seconds: dict[str, list[float]] = {name: [] for name in rounds}
        for _ in range(ROUNDS):
            for name, once in rounds.items():
                seconds[name].append(once())
    print(
        f"{release}, {platform.machine()}, {os.cpu_count()} processors, Python {sys.version.split()[0]}"
    )
    print(f"the first run, which analyses: {first:.1f} s; then, medians of {ROUNDS}:")
    peer = statistics.median(seconds["ruff analyze graph"])
    for name, found in seconds.items():
        median = statistics.median(found)
        print(
            f"{median:7.3f} s  {median / peer:5.2f} x  {min(found):.3f} to {max(found):.3f}  {name}"
        )


def _unpacked(release: str, folder: Path) -> Path:
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--dest",
        str(folder),
    ]
    subprocess.run([*command, release], check=True)
    (wheel,) = folder.glob("*.whl")
    tree = folder / "tree"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tree)
    return tree


if __name__ == "__main__":
    main()
