"""Findings as test cases in JUnit's XML, which Jenkins, GitLab and most others show.

There is no standard; what is written is valid against the schema that Jenkins' xUnit plugin has
(``junit-10.xsd``), so no file and line beside a name: they stand in the text.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from regreach.model import Finding
from regreach.report.reported import Reported
from regreach.report.text import finding_lines
from regreach.rule import key_text

# XML 1.0 has no way to write these, not even escaped.
_IMPOSSIBLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(reported: Reported) -> str:
    """Return a suite for each rule with a test case for each finding, or one that passes.

    Findings below the severity to fail on are skipped cases, as are files that were not read: so that
    a service which goes by the report comes to the same end as one that goes by the exit code. What
    cannot be judged is an error.
    """
    root = ET.Element("testsuites", name="regreach")
    summaries = {rule.code: rule.summary for rule in reported.rules}
    for code in dict.fromkeys([*summaries, *(finding.rule for finding in reported.findings)]):
        suite = ET.SubElement(root, "testsuite", name=reported.title(code))
        for finding in reported.findings:
            if finding.rule == code:
                _failing(reported, suite, finding)
        if not len(suite):
            _case(suite, code, summaries[code])
    if reported.audit.problems:
        suite = ET.SubElement(root, "testsuite", name="files that were not read")
        for problem in reported.audit.problems:
            path = reported.path(problem.spot.path)
            place = f"{path}:{problem.spot.line}:{problem.column}"
            _mark(_case(suite, "not-read", path), "skipped", "not-read", problem.message, place)
    if reported.unsure:
        suite = ET.SubElement(root, "testsuite", name="not judged")
        for number, why in enumerate(reported.unsure, start=1):
            _mark(_case(suite, "not-judged", f"number {number}"), "error", "not-judged", why, why)
    _count(root)
    ET.indent(root)
    # in ASCII, so that no terminal's or pipe's encoding has a say
    data: bytes = ET.tostring(root, encoding="us-ascii", xml_declaration=True)
    return data.decode("ascii") + "\n"


def _failing(reported: Reported, suite: ET.Element, finding: Finding) -> None:
    """Add a case whose name says which finding it is, however lines move."""
    path = reported.path(finding.spot.path)
    about = f"{key_text(finding.key)} {path}" if finding.key is not None else path
    case = _case(suite, finding.rule, f"{about} [{finding.fingerprint}]")
    _, *details = finding_lines(finding)
    _mark(
        case,
        "failure" if reported.fails(finding) else "skipped",
        finding.severity,
        f"{path}:{finding.spot.line}:{finding.column}: {finding.message}",
        "\n".join(line.plain.strip() for line in details),
    )


def _case(suite: ET.Element, rule: str, name: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", classname=f"regreach.{rule}", name=_possible(name))


def _mark(case: ET.Element, kind: str, sort: str, message: str, text: str) -> None:
    ET.SubElement(case, kind, type=sort, message=_possible(message)).text = _possible(text)


def _count(root: ET.Element) -> None:
    for each in (*root, root):
        each.set("tests", str(len(list(each.iter("testcase")))))
        each.set("failures", str(len(list(each.iter("failure")))))
        each.set("errors", str(len(list(each.iter("error")))))
        if each is not root:
            each.set("skipped", str(len(list(each.iter("skipped")))))


def _possible(text: str) -> str:
    return _IMPOSSIBLE.sub("\N{REPLACEMENT CHARACTER}", text)
