"""Findings as SARIF 2.1.0, which GitHub's code scanning and editors read.

The names are those of the OASIS standard "Static Analysis Results Interchange Format (SARIF) Version
2.1.0" (errata 01), the tags and ``problem.severity`` those of GitHub's "SARIF support for code scanning".
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import regreach
from regreach.facts.source import decode_as_it_is
from regreach.fixes.edits import Edit
from regreach.model import Audit, Finding, Problem, Related, Spot, Suppressed
from regreach.report.reported import Reported, advised
from regreach.rule import Rule

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_LEVEL = {"error": "error", "warning": "warning", "info": "note"}
_GITHUB_SEVERITY = {"error": "error", "warning": "warning", "info": "recommendation"}
_BASE = "SRCROOT"
_NOT_READ, _NOT_JUDGED = "not-read", "not-judged"
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")  # as Python counts them


def sarif(reported: Reported) -> str:
    """Return a log with one run as JSON text: rules, results, and what was not read.

    Paths are relative to the working directory (or the root of the checkout) if the tree lies in it.
    """
    run = {
        "tool": {"driver": _driver(reported.rules)},
        # what follows the last slash is this run's own name: code scanning takes the rest as category
        "automationDetails": {"id": f"regreach/{reported.audit.platform}/"},
        "invocations": [_invocation(reported)],
        "originalUriBaseIds": {_BASE: _base(reported)},
        "columnKind": "unicodeCodePoints",
        "newlineSequences": ["\r\n", "\n", "\r"],
        "results": [
            *(_result(reported, finding) for finding in reported.findings),
            *(_suppressed(reported, each) for each in reported.suppressed),
        ],
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, indent=2) + "\n"


def _driver(rules: tuple[Rule, ...]) -> dict[str, Any]:
    return {
        "name": "regreach",
        "semanticVersion": regreach.__version__,
        "rules": [_rule(rule) for rule in rules],
        "notifications": [
            {"id": _NOT_READ, "shortDescription": {"text": "a file that could not be read"}},
            {"id": _NOT_JUDGED, "shortDescription": {"text": "something that cannot be judged"}},
        ],
    }


def _rule(rule: Rule) -> dict[str, Any]:
    """Return a rule's metadata, its page included; it has no address, as regreach has none."""
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": _first_paragraph(rule.page) or rule.summary},
        "help": {"text": rule.page, "markdown": rule.page},
        "defaultConfiguration": {"level": _LEVEL[rule.severity]},
        "properties": {
            "tags": ["correctness"],
            "problem.severity": _GITHUB_SEVERITY[rule.severity],
        },
    }


def _first_paragraph(page: str) -> str:
    """Return the whole sentences of a page's first paragraph that is prose, if any, on one line."""
    paragraphs = (" ".join(part.split()) for part in page.split("\n\n"))
    text = next((text for text in paragraphs if text[:1].isalnum()), "")
    return text[: text.rfind(".") + 1]


def _base(reported: Reported) -> dict[str, Any]:
    if reported.base is None:
        return {"description": {"text": f"the root of {reported.audit.source}"}}
    uri = reported.base.as_uri()
    return {"uri": uri if uri.endswith("/") else f"{uri}/"}


def _invocation(reported: Reported) -> dict[str, Any]:
    audit: Audit = reported.audit
    notes = [{"level": "note", "message": {"text": note}} for note in audit.notes]
    unsure = [
        {"descriptor": {"id": _NOT_JUDGED}, "level": "error", "message": {"text": why}}
        for why in reported.unsure
    ]
    not_read = [_not_read(reported, problem) for problem in audit.problems]
    return {
        "executionSuccessful": not unsure,
        "toolExecutionNotifications": [*unsure, *not_read, *notes],
    }


def _not_read(reported: Reported, problem: Problem) -> dict[str, Any]:
    return {
        "descriptor": {"id": _NOT_READ},
        "level": "warning",
        "message": {"text": f"not read: {problem.message}"},
        "locations": [_location(reported, problem.spot, problem.column)],
    }


def _result(reported: Reported, finding: Finding) -> dict[str, Any]:
    codes = [rule.code for rule in reported.rules]
    related = [r for r in dict.fromkeys(finding.related) if r.spot != finding.spot]
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "level": _LEVEL[finding.severity],
        "message": {"text": f"{advised(finding)}{_links(related)}"},
        "locations": [_location(reported, finding.spot, finding.column)],
        "relatedLocations": [
            {"id": number, **_location(reported, r.spot), "message": {"text": _told(r)}}
            for number, r in enumerate(related, start=1)
        ],
        "partialFingerprints": {"regreach/v1": finding.fingerprint},
    }
    if finding.rule in codes:
        result["ruleIndex"] = codes.index(finding.rule)
    if finding.key is not None:
        result["properties"] = {"key": list(finding.key)}
    edit = reported.edit_of(finding)
    if edit is not None:
        result["fixes"] = [_fix(reported, edit)]
    return result


def _suppressed(reported: Reported, suppressed: Suppressed) -> dict[str, Any]:
    kind = "inSource" if suppressed.by == "comment" else "external"
    suppression: dict[str, Any] = {"kind": kind}
    if suppressed.reason:
        suppression["justification"] = suppressed.reason
    return {**_result(reported, suppressed.finding), "suppressions": [suppression]}


def _links(related: Sequence[Related]) -> str:
    """Return a line with links to the related locations: code scanning shows those that are linked."""
    by_role: dict[str, list[str]] = {}
    for number, each in enumerate(related, start=1):
        name = each.spot.path.rpartition("/")[2]
        by_role.setdefault(each.role, []).append(f"[{name}:{each.spot.line}]({number})")
    told = "; ".join(f"{role} {', '.join(links)}" for role, links in by_role.items())
    return f"\nsee: {told}" if told else ""


def _told(related: Related) -> str:
    return f"{related.role}: {related.text}" if related.text else related.role


def _location(reported: Reported, spot: Spot, column: int | None = None) -> dict[str, Any]:
    region = {"startLine": spot.line}
    if column is not None:
        region["startColumn"] = column
    if spot.last is not None and spot.last > spot.line:
        region["endLine"] = spot.last
    artifact = _artifact(reported, spot.path)
    return {"physicalLocation": {"artifactLocation": artifact, "region": region}}


def _artifact(reported: Reported, path: str) -> dict[str, Any]:
    return {"uri": quote(os.fsencode(reported.path(path))), "uriBaseId": _BASE}


def _fix(reported: Reported, edit: Edit) -> dict[str, Any]:
    return {
        "description": {
            "text": "what `regreach fix` adds, after it has analysed the edited tree (this has not)"
        },
        "artifactChanges": [
            {
                "artifactLocation": _artifact(reported, edit.path),
                "replacements": [_replacement(edit)],
            }
        ],
    }


def _replacement(edit: Edit) -> dict[str, Any]:
    """Return the lines in which an edit differs, as a region and what comes in its place."""
    old, new = (_LINE.findall(decode_as_it_is(data)[0]) for data in (edit.before, edit.after))
    first = _common(old, new)
    last = _common(old[first:][::-1], new[first:][::-1])
    end = len(old) - last
    region = {"startLine": first + 1, "startColumn": 1, "endLine": end + 1, "endColumn": 1}
    if end > first and not old[end - 1].endswith(("\n", "\r")):
        # the last line of the file, which does not end
        region |= {"endLine": end, "endColumn": len(old[end - 1]) + 1}
    return {
        "deletedRegion": region,
        "insertedContent": {"text": "".join(new[first : len(new) - last])},
    }


def _common(one: list[str], other: list[str]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))
