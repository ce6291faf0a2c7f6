"""Rules with their pages as data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import regreach
from regreach.rule import Rule


def rules_json(rules: Iterable[Rule]) -> dict[str, Any]:
    """Return what ``rule --format json`` prints."""
    return {
        "schema_version": 1,
        "tool": {"name": "regreach", "version": regreach.__version__},
        "rules": [rule_json(rule) for rule in rules],
    }


def rule_json(rule: Rule) -> dict[str, Any]:
    """Return one rule; ``page`` is its documentation in Markdown."""
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity,
        "summary": rule.summary,
        "mended": rule.mended,
        "page": rule.page,
    }
