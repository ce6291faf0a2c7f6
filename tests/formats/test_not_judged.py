"""What cannot be judged is in no report a success: a consumer that is not there, a call site that was not read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import pytest
import xmlschema
from command_line import ROOT, Done, copy_of, run
from in_form import HERE, RUNNER

GREEN = "fix-lazy-in-branch"
SITE = "sglang/srt/layers/quantization/mxfp4.py"
SARIF = jsonschema.Draft4Validator(
    json.loads((HERE / "sarif-schema-2.1.0.json").read_text(encoding="utf-8"))
)
AUDIT = json.loads((ROOT / "docs/schemas/audit.schema.json").read_text(encoding="utf-8"))
JUNIT = xmlschema.XMLSchema(str(HERE / "junit.xsd"))


def _sarif(done: Done) -> list[str]:
    document = done.json()
    SARIF.validate(document)
    ((invocation,),) = (run_["invocations"] for run_ in document["runs"])
    told = invocation["toolExecutionNotifications"]
    errors = [each["message"]["text"] for each in told if each["level"] == "error"]
    assert invocation["executionSuccessful"] == (not errors)
    return errors


def _junit(done: Done) -> list[str]:
    root = ET.fromstring(done.out)
    JUNIT.validate(root)
    errors = [error.get("message", "") for error in root.iter("error")]
    assert root.get("errors") == str(len(errors))
    return errors


def _github(done: Done) -> list[str]:
    head = "::error title=regreach%3A not judged::"
    return [line.removeprefix(head) for line in done.out.splitlines() if line.startswith(head)]


def _gitlab(done: Done) -> list[str]:
    issues = [issue for issue in done.json() if issue["severity"] == "blocker"]
    assert all((Path(issue["location"]["path"]).suffix, issue["fingerprint"]) for issue in issues)
    return [issue["description"] for issue in issues]


def _json(done: Done) -> list[str]:
    told: list[str] = done.json()["unsure"]
    return told


def _html(done: Done) -> list[str]:
    parts = done.out.split('<span class="badge bad">not judged</span> ')[1:]
    return [part.partition("</p>")[0] for part in parts]


READERS: dict[str, Callable[[Done], list[str]]] = {
    "sarif": _sarif,
    "junit": _junit,
    "github": _github,
    "gitlab": _gitlab,
    "json": _json,
    "html": _html,
}


def _missing(tree: Path) -> None:
    (tree / "sglang/srt/layers/moe/utils.py").unlink()


def _unread(tree: Path) -> None:
    (tree / RUNNER).write_text("def (\n")


def _doubtful(tree: Path) -> None:
    (tree / SITE).write_text(f"{(tree / SITE).read_text()}\ndef (\n")


@pytest.mark.parametrize("fault", [_missing, _unread, _doubtful])
@pytest.mark.parametrize("form", READERS)
def test_each_format_says_what_cannot_be_judged(
    tmp_path: Path, form: str, fault: Callable[[Path], None]
) -> None:
    tree = copy_of(GREEN, tmp_path)
    command = "audit" if form == "html" else "check"
    assert READERS[form](run(command, str(tree), "--format", form)) == []
    fault(tree)
    done = run(command, str(tree), "--format", form)
    last = done.err.splitlines()[-1].removeprefix("regreach: error: ")
    assert done.code == 3
    assert READERS[form](done) == [last.replace(">", "&gt;") if form == "html" else last]
    assert "no findings" not in (done.out + done.err).lower()


def test_a_report_with_errors_is_one_of_findings_though_a_call_site_was_not_read(
    tmp_path: Path,
) -> None:
    tree = copy_of("bug", tmp_path)
    _doubtful(tree)
    done = run("check", str(tree), "--format", "sarif")
    assert (done.code, _sarif(done)) == (1, [])
    assert len(_json(run("check", str(tree), "--format", "json"))) == 1
    done = run("check", str(tree), "--format", "sarif", "--exit-zero")
    assert (done.code, _sarif(done)) == (0, [])


@pytest.mark.parametrize("fault", [_missing, _unread, _doubtful])
def test_the_text_does_not_say_that_there_are_none(
    tmp_path: Path, fault: Callable[[Path], None]
) -> None:
    tree = copy_of(GREEN, tmp_path)
    fault(tree)
    for command in ("check", "audit"):
        done = run(command, str(tree), "--select", "RR101")
        assert done.code == 3
        assert "nothing found in what could be judged" in done.err
        assert "no findings" not in done.out + done.err
