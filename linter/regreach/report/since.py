"""What ``check --since`` prints: the findings that came in, those that are gone, what got weaker."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rich.text import Text

from regreach.history.repository import Commit
from regreach.history.since import Information, Since
from regreach.model import Detail
from regreach.report.as_json import check_json, finding_json
from regreach.report.text import detail_lines, finding_lines
from regreach.rule import key_text


def since_lines(since: Since) -> Iterator[Text]:
    """Yield the findings that came in, what got weaker without one, and in a line each what is gone."""
    for finding in since.result.findings:
        yield from finding_lines(finding)
    for each in since.weaker:
        head = Text(f"{each.path}", "bold")
        head.append(f":{each.line}: ", "dim")
        head.append("weaker", "cyan")
        head.append(f" {each.message}")
        yield head
        yield from detail_lines(each.details)
    for word, style, findings in (("mended", "green", since.mended), ("gone", "dim", since.gone)):
        for finding in findings:
            line = Text(f"{finding.spot}: ", "bold")
            line.append(word, style)
            key = f" {key_text(finding.key)}" if finding.key is not None else ""
            line.append(f" {finding.rule}{key} (its line is that of {since.old})")
            yield line


def since_notes(since: Since) -> Iterator[Text]:
    """Yield what is to be said beside: notes, and how many findings are not shown."""
    for note in since.notes:
        yield Text(f"note: {note}", "yellow")
    old = since.not_shown
    gone = f", {len(since.gone)} gone" if since.gone else ""
    new = f"to {since.new}" if since.new is not None else "to the working tree"
    yield Text(
        f"from {since.old} {new}: {len(since.result.findings)} brought in, {len(since.mended)} mended{gone},"
        f" {old} not shown that {'was' if old == 1 else 'were'} there before"
    )


def since_json(since: Since) -> str:
    """Return what ``check --format json`` gives of the findings that came in, and ``since`` beside."""
    document: dict[str, Any] = json.loads(check_json(since.result.audit, since.result.findings))
    document["notes"] += since.notes
    document["since"] = {
        "old": commit_json(since.old),
        "new": commit_json(since.new) if since.new is not None else None,
        "mended": [finding_json(finding) for finding in since.mended],
        "gone": [finding_json(finding) for finding in since.gone],
        "weaker": [_information(each) for each in since.weaker],
        "not_shown": since.not_shown,
    }
    return json.dumps(document, indent=2) + "\n"


def commit_json(commit: Commit) -> dict[str, str]:
    """Return a commit as data."""
    return {
        "commit": commit.hash,
        "author": commit.author,
        "date": commit.date,
        "subject": commit.subject,
    }


def details_json(details: tuple[Detail, ...]) -> list[dict[str, str]]:
    """Return details as data."""
    return [{"label": detail.label, "text": detail.text} for detail in details]


def _information(each: Information) -> dict[str, Any]:
    return {
        "key": list(each.key),
        "path": each.path,
        "line": each.line,
        "message": each.message,
        "details": details_json(each.details),
    }
