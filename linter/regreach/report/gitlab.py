"""Findings as GitLab's Code Quality report, which merge requests show.

The fields are those of GitLab's documentation, "Code Quality report format" (as of 2026).
"""

from __future__ import annotations

import json
from typing import Any

from regreach.report.reported import Reported, changed
from regreach.rule import fingerprint

_SEVERITY = {"error": "major", "warning": "minor", "info": "info"}


def gitlab(reported: Reported) -> str:
    """Return the findings, what cannot be judged, and the files that were not read, as JSON text."""
    found = [
        _issue(
            reported,
            f.rule,
            _SEVERITY[f.severity],
            changed(f),
            f.fingerprint,
            f.spot.path,
            f.spot.line,
        )
        for f in reported.findings
    ]
    for why in reported.unsure:
        identity = fingerprint("not-judged", why)
        found.append(_issue(reported, "not-judged", "blocker", why, identity, reported.anchor, 1))
    for problem in reported.audit.problems:
        path, message = problem.spot.path, f"not read: {problem.message}"
        identity = fingerprint("not-read", path, problem.message)
        found.append(
            _issue(reported, "not-read", "info", message, identity, path, problem.spot.line)
        )
    return json.dumps(found, indent=2) + "\n"


def _issue(
    reported: Reported, name: str, severity: str, text: str, identity: str, path: str, line: int
) -> dict[str, Any]:
    return {
        "description": text,
        "check_name": name,
        "fingerprint": identity,
        "severity": severity,
        "location": {"path": reported.path(path), "lines": {"begin": line}},
    }
