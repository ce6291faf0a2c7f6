"""GitLab's Code Quality report: the fields that its documentation asks for."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from command_line import BUG, CASES, run
from in_form import REGISTERING, gitlab_of, tree

# After GitLab's documentation, "Code Quality report format".
SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "additionalProperties": False,
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "minLength": 1},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "additionalProperties": False,
                "properties": {
                    "path": {"type": "string", "pattern": "^(?!\\./|/)"},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "additionalProperties": False,
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}


@pytest.mark.parametrize("case", CASES)
def test_the_report_of_each_fixture_is_valid(case: str) -> None:
    document: Any = gitlab_of(tree(case))
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    fingerprints = [issue["fingerprint"] for issue in document]
    assert len(set(fingerprints)) == len(fingerprints)


def test_an_issue_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(BUG)
    finding = run("check", "--format", "json").json()["findings"][0]
    assert gitlab_of(".")[0] == {
        "description": finding["message"],
        "check_name": "RR101",
        "fingerprint": finding["fingerprint"],
        "severity": "major",
        "location": {"path": REGISTERING, "lines": {"begin": 11}},
    }


def test_severities_and_files_that_were_not_read() -> None:
    assert [issue["severity"] for issue in gitlab_of(BUG)] == ["major", "minor"]
    *_, last = gitlab_of(tree("syntax-error"))
    assert (last["check_name"], last["severity"]) == ("not-read", "info")
    assert last["location"]["path"].endswith("/quantization/broken.py")


def test_nothing_is_a_report_too() -> None:
    assert gitlab_of(tree("eager-at-top")) == []
