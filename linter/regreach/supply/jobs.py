"""How many processes to use."""

from __future__ import annotations

import os

from regreach.errors import ConfigError

VARIABLE = "REGREACH_JOBS"

# So many parse a tree faster than one process, which nothing can share the work with, runs it.
_ENOUGH = 8


def job_count(chosen: int | None = None) -> int:
    """Return ``chosen``, $REGREACH_JOBS, or the number of processors that this process may use.

    1 means that no process is started. Raises ConfigError.
    """
    if chosen is not None:
        return max(1, chosen)
    named = os.environ.get(VARIABLE)
    if not named:
        return min(_processors(), _ENOUGH)
    if not named.isascii() or not named.isdecimal() or int(named) < 1:
        raise ConfigError(f"{VARIABLE} must be a number of processes, 1 or more, not {named!r}")
    return int(named)


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
