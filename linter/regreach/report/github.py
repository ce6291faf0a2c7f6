"""Findings as commands of a GitHub workflow, which annotate the lines of a change, and as text.

How commands are written and escaped is told in GitHub's "Workflow commands" and, for properties, done
by ``@actions/core`` (``command.ts``). A step shows ten annotations of each level; hence the text.
"""

from __future__ import annotations

import hashlib
from collections import Counter

from regreach.model import Finding
from regreach.report.reported import Reported, advised, place_of_change
from regreach.report.text import check_lines

SHOWN = 10  # annotations of one level in one step
_LEVEL = {"error": "error", "warning": "warning", "info": "notice"}


def github(reported: Reported) -> str:
    """Return an annotation for each finding, errors first, then all in full. The count is the command's."""
    lines = [_command("error", why, title="regreach: not judged") for why in reported.unsure]
    lines += [_annotation(reported, finding) for finding in reported.findings]
    for problem in reported.audit.problems:
        place = {"line": problem.spot.line, "col": problem.column}
        path = reported.path(problem.spot.path)
        lines.append(_command("warning", problem.message, file=path, **place, title="not read"))
    text = [line.plain for line in check_lines(reported.audit, reported.findings)]
    return "".join(f"{line}\n" for line in (*lines, *_verbatim(text), *_left_out(reported)))


def _annotation(reported: Reported, finding: Finding) -> str:
    """Return a finding on its line or, where a change deleted an import, in the place of that.

    GitHub shows beside a change what is said of its lines, and the registration's need not be one.
    """
    level, title = _LEVEL[finding.severity], reported.title(finding.rule)
    path, line, message = reported.path(finding.spot.path), finding.spot.line, advised(finding)
    change = place_of_change(finding)
    if change is None:
        return _command(level, message, file=path, line=line, col=finding.column, title=title)
    message = f"an import is deleted here. {path}:{line}: {message}"
    return _command(level, message, file=reported.path(change.path), line=change.line, title=title)


def _left_out(reported: Reported) -> list[str]:
    levels = Counter(f.severity for f in reported.findings)
    if max(levels.values(), default=0) <= SHOWN:
        return []
    return [f"GitHub shows {SHOWN} annotations of each level, and the log above all"]


def _verbatim(lines: list[str]) -> list[str]:
    """Return lines in which the runner looks for no commands: they quote code of the tree.

    What ends this cannot stand in them, as it is a digest of them.
    """
    if not lines:
        return []
    token = hashlib.sha256("\n".join(lines).encode("utf-8", "backslashreplace")).hexdigest()
    return [f"::stop-commands::{token}", *lines, f"::{token}::"]


def _command(name: str, message: str, **properties: str | int) -> str:
    told = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    return f"::{name} {told}::{_escaped(message)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
