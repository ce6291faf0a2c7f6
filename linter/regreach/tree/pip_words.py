"""From pip's error output to one line that helps."""

from __future__ import annotations

import re

from regreach.errors import TargetError
from regreach.tree.paths import one_line

_NETWORK = re.compile(
    r"Retrying \(|Could not fetch URL|Connection (?:refused|reset|aborted|broken|timed out)"
    r"|NewConnectionError|ConnectionError|ConnectTimeout|ReadTimeout|Max retries exceeded"
    r"|name resolution|SSLError|ProxyError|Network is unreachable|HTTP error 5\d\d"
    r"|timed out"
)
_NOTHING = re.compile(r"No matching distribution found|Could not find a version that satisfies")


def found_nothing(stderr: str) -> bool:
    """Say whether pip reached its indexes and they have nothing that fits."""
    return _NOTHING.search(stderr) is not None and _NETWORK.search(stderr) is None


def pip_error(requirement: str, stderr: str) -> TargetError:
    """Return the error for a failed run of pip on `requirement`."""
    if "No module named pip" in stderr:
        return TargetError(
            f"fetching {requirement} needs pip, which this Python lacks: install it,"
            " or give a wheel or a folder"
        )
    if _NETWORK.search(stderr):
        return TargetError(
            f"{requirement} could not be fetched: the package index was not reached;"
            " check the network and pip's settings, or give a wheel or a folder"
        )
    lines = [line for line in stderr.splitlines() if line.startswith("ERROR: ")]
    last = (lines or stderr.strip().splitlines() or ["ERROR: no reason given"])[-1]
    return TargetError(
        f"pip could not fetch {requirement}: {one_line(last.removeprefix('ERROR: '))}"
    )
