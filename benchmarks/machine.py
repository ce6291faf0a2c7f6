"""The machine and the tools that a measurement is of."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import date
from importlib.metadata import version
from pathlib import Path

BUSY = 0.5
"""Waiting processes per processor, above which times are not to be trusted."""


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def load() -> float:
    """Return how many processes wanted to run in the last minute, on average."""
    return os.getloadavg()[0]


def busy() -> str | None:
    """Return a warning when others are using the machine."""
    if load() <= BUSY * processors():
        return None
    return (
        f"the machine is busy (load {load():.2f} on {processors()} processors when this began):"
        " times and ratios are not to be trusted"
    )


def described(repository: Path) -> list[str]:
    """Return lines on the machine, the date, and the versions of all that is measured."""
    names = ("regreach", "libcst", "networkx", "grimp", "ruff")
    return [
        f"{date.today().isoformat()}; {_processor()}, {processors()} processors,"
        f" {_memory()}load {load():.2f} when this began",
        f"{platform.system()} {platform.release()} {platform.machine()},"
        f" {platform.python_implementation()} {platform.python_version()}",
        ", ".join(f"{name} {version(name)}" for name in names)
        + f"; regreach as of {_revision(repository)}",
    ]


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or "processor of an unknown model")


def _memory() -> str:
    try:
        return f"{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') / 2**30:.0f} GiB, "
    except (OSError, ValueError):
        return ""


def _revision(repository: Path) -> str:
    """Return the commit that is checked out, and whether files differ from it."""
    git = ["git", "-C", str(repository), "describe", "--always", "--dirty=, with changes"]
    done = subprocess.run(git, capture_output=True, text=True, check=False)
    return f"commit {done.stdout.strip()}" if done.returncode == 0 else "no commit"
