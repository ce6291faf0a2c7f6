"""JUnit's XML, judged by a schema."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import xmlschema
from command_line import BUG, CASES, copy_of, run
from in_form import HERE, REGISTERING, junit_of, tree

SCHEMA = xmlschema.XMLSchema(str(HERE / "junit.xsd"))


@pytest.mark.parametrize("case", CASES)
def test_the_report_of_each_fixture_is_valid(case: str) -> None:
    SCHEMA.validate(junit_of(tree(case)))


def test_the_schema_tells_what_is_wrong() -> None:
    root = junit_of(BUG)
    root[0].attrib.pop("tests")
    assert not SCHEMA.is_valid(root)


def cases(root: ET.Element) -> list[tuple[str, str]]:
    """Return each test case, by its class, and how it ended."""
    return [
        (case.get("classname", ""), case[0].tag if len(case) else "passed")
        for case in root.iter("testcase")
    ]


def test_a_case_for_each_finding_and_for_each_rule_without() -> None:
    root = junit_of(BUG)
    assert cases(root) == [
        ("regreach.RR101", "failure"),
        ("regreach.RR102", "skipped"),
        ("regreach.RR103", "passed"),
        ("regreach.RR104", "passed"),
        ("regreach.RR105", "passed"),
        ("regreach.RR106", "passed"),
        ("regreach.RR107", "passed"),
        ("regreach.RR108", "passed"),
        ("regreach.RR109", "passed"),
        ("regreach.RR110", "passed"),
        ("regreach.RR111", "passed"),
        ("regreach.RR112", "passed"),
        ("regreach.RR901", "passed"),
        ("regreach.RR902", "passed"),
        ("regreach.RR903", "passed"),
    ]
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("15", "1", "0")


@pytest.mark.parametrize(
    ("fail_on", "ends"), [("error", "skipped"), ("warning", "failure"), ("info", "failure")]
)
def test_what_fails_is_what_the_exit_code_says(fail_on: str, ends: str) -> None:
    assert dict(cases(junit_of(BUG, "--fail-on", fail_on)))["regreach.RR102"] == ends


def test_a_finding_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(BUG)
    finding = run("check", "--format", "json").json()["findings"][0]
    case = next(junit_of(".").iter("testcase"))
    assert (
        case.get("name") == f'("none", "flashinfer_mxfp4") {REGISTERING} [{finding["fingerprint"]}]'
    )
    (failure,) = case
    assert failure.attrib == {
        "type": "error",
        "message": f"{REGISTERING}:11:1: {finding['message']}",
    }
    lines = (failure.text or "").splitlines()
    assert lines == [
        line.strip() for line in run("check", "--select", "RR101").out.splitlines()[1:]
    ]


def test_files_that_were_not_read_fail_nothing() -> None:
    *_, last = junit_of(tree("syntax-error"))
    assert last.get("name") == "files that were not read"
    assert cases(last) == [("regreach.not-read", "skipped")]


def test_characters_that_xml_cannot_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "a\x1b[1m<b>&\"'\u0085\ufffe"
    copy_of("bug", folder)
    monkeypatch.chdir(tmp_path)
    root = junit_of(folder.name)
    SCHEMA.validate(root)
    name = next(root.iter("testcase")).get("name", "")
    assert "a\ufffd[1m<b>&\"'\u0085\ufffd/sglang/" in name
