"""SARIF, judged by the schema that OASIS publishes, and read as its readers do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

import jsonschema
import pytest
from command_line import BUG, CASES, copy_of, files_of, run
from in_form import HERE, REGISTERING, RUNNER, sarif_of, tree
from regreach.fixes.edits import Edit
from regreach.report.sarif import _replacement
from tree_making import make_wheel

SCHEMA = json.loads((HERE / "sarif-schema-2.1.0.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft4Validator(SCHEMA, format_checker=jsonschema.FormatChecker())


@pytest.fixture(autouse=True)
def _no_service(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_WORKSPACE", "CI_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("case", CASES)
def test_the_log_of_each_fixture_is_valid(case: str) -> None:
    document = run("audit", tree(case), "--format", "sarif").json()
    VALIDATOR.validate(document)
    (only,) = document["runs"]
    for result in only["results"]:
        assert only["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]


def test_the_schema_tells_what_is_wrong() -> None:
    document = run("check", BUG, "--format", "sarif").json()
    document["runs"][0]["results"][0]["locations"][0]["line"] = 1
    assert not VALIDATOR.is_valid(document)


def test_what_it_says_is_what_the_json_says() -> None:
    findings = run("check", BUG, "--format", "json").json()["findings"]
    results = sarif_of(BUG)["results"]
    assert [
        (
            result["ruleId"],
            result["level"],
            result["message"]["text"].partition("\n")[0],
            result["partialFingerprints"]["regreach/v1"],
            result["properties"]["key"],
        )
        for result in results
    ] == [(f["rule"], f["severity"], f["message"], f["fingerprint"], f["key"]) for f in findings]


def spots(result: Any) -> list[tuple[str, str, int]]:
    return [
        (
            related["message"]["text"].partition(":")[0],
            related["physicalLocation"]["artifactLocation"]["uri"].rpartition("/")[2],
            related["physicalLocation"]["region"]["startLine"],
        )
        for related in result["relatedLocations"]
    ]


def test_the_registration_comes_first_and_the_story_is_related(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(BUG)
    unreached, by_callers = sarif_of(".")["results"]
    (place,) = unreached["locations"]
    assert place["physicalLocation"] == {
        "artifactLocation": {"uri": REGISTERING, "uriBaseId": "SRCROOT"},
        "region": {"startLine": 11, "startColumn": 1},
    }
    assert spots(unreached) == [
        ("branch", "runner.py", 18),
        ("looked up", "runner.py", 25),
        ("raises", "runner.py", 27),
        ("crashes", "modelopt_quant.py", 12),
        ("saves itself", "mxfp4.py", 14),
    ]
    assert [each["id"] for each in unreached["relatedLocations"]] == [1, 2, 3, 4, 5]
    assert spots(by_callers) == [
        ("looked up", "runner.py", 25),
        ("relies on", "modelopt_quant.py", 10),
    ]
    _, add, _, see = unreached["message"]["text"].splitlines()
    assert add.startswith("add: from sglang.srt.layers.moe.moe_runner import")
    assert see == (
        "see: branch [runner.py:18](1); looked up [runner.py:25](2); raises [runner.py:27](3);"
        " crashes [modelopt_quant.py:12](4); saves itself [mxfp4.py:14](5)"
    )


@pytest.mark.parametrize(
    ("case", "rule", "role"),
    [
        ("process", "RR102", "hangs on"),
        ("import-after-lookup", "RR110", "too late"),
        ("type-checking-only", "RR110", "not executed"),
        ("import-cycle", "RR110", "meanwhile at"),
        ("accepted-but-unregistered", "RR103", "crashes"),
        ("unused-import-deletable", "RR106", "registered"),
    ],
)
def test_each_rule_tells_the_lines_that_it_knows(case: str, rule: str, role: str) -> None:
    found = [r for r in sarif_of(tree(case))["results"] if r["ruleId"] == rule]
    assert found
    for result in found:
        assert role in [spot[0] for spot in spots(result)]


def test_rules_bring_their_pages() -> None:
    rules = sarif_of(BUG)["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == sorted(rule["id"] for rule in rules)
    for rule in rules:
        assert rule["help"]["markdown"] == run("rule", rule["id"]).out
        assert rule["fullDescription"]["text"] in " ".join(rule["help"]["text"].split()) or (
            rule["fullDescription"] == rule["shortDescription"]
        )
        assert "helpUri" not in rule
    assert [r["id"] for r in sarif_of(BUG, "--select", "RR102")["tool"]["driver"]["rules"]] == [
        "RR102"
    ]


def test_files_that_were_not_read_are_notifications() -> None:
    (invocation,) = sarif_of(tree("syntax-error"))["invocations"]
    assert invocation["executionSuccessful"] is True
    (told,) = invocation["toolExecutionNotifications"]
    assert told["descriptor"] == {"id": "not-read"}
    assert told["level"] == "warning"
    assert told["message"]["text"].startswith("not read: ")
    (place,) = told["locations"]
    assert place["physicalLocation"]["artifactLocation"]["uri"].endswith("/quantization/broken.py")
    assert place["physicalLocation"]["region"]["startLine"] == 6


# -- where files are --------------------------------------------------------------------------


def files(log: Any) -> set[str]:
    """The files of all locations, as a reader finds them on disk."""
    base = log["originalUriBaseIds"]["SRCROOT"]["uri"]
    uris = {
        place["physicalLocation"]["artifactLocation"]["uri"]
        for result in log["results"]
        for place in (*result["locations"], *result["relatedLocations"])
    }
    return {unquote(urlsplit(urljoin(base, uri)).path) for uri in uris}


@pytest.mark.parametrize("here", [".", "checkout", "checkout/python", "elsewhere"])
def test_locations_lead_to_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: str
) -> None:
    """With names that must be escaped in an URI, seen from above the tree, from in it and from beside it."""
    above = tmp_path / "50% of: it?#ü"
    checkout = above / "checkout"
    copy_of("bug", checkout / "python")
    (above / "elsewhere").mkdir()
    monkeypatch.chdir(above / here)
    found = files(sarif_of(str(checkout)))
    assert str(checkout / "python" / RUNNER) in found
    assert all(Path(path).is_file() for path in found)


def test_locations_from_the_root_of_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    log = sarif_of(BUG)
    assert log["originalUriBaseIds"]["SRCROOT"]["uri"] == "file:///"
    assert all(Path(path).is_file() for path in files(log))


def test_a_release_has_no_place_on_disk(tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path, "py3-none-any", files_of("bug"), name="sglang", version="1.0")
    log = sarif_of(str(wheel))
    VALIDATOR.validate({"version": "2.1.0", "runs": [log]})
    assert log["originalUriBaseIds"] == {
        "SRCROOT": {"description": {"text": f"the root of {wheel}"}}
    }
    for result in log["results"]:
        (place,) = result["locations"]
        assert place["physicalLocation"]["artifactLocation"]["uri"] == REGISTERING
    assert not any("fixes" in result for result in log["results"])


# -- fixes ------------------------------------------------------------------------------------


def replaced(text: str, replacement: Any) -> str:
    """Do what a reader of SARIF does: replace a region, lines and columns counted from 1."""
    lines = text.splitlines(keepends=True)
    region = replacement["deletedRegion"]

    def offset(line: int, column: int) -> int:
        return sum(map(len, lines[: line - 1])) + column - 1

    start = offset(region["startLine"], region["startColumn"])
    end = offset(region["endLine"], region["endColumn"])
    return f"{text[:start]}{replacement['insertedContent']['text']}{text[end:]}"


def ends_without_newline(file: Path) -> None:
    file.write_bytes(file.read_bytes().rstrip(b"\n"))


def with_carriage_returns(file: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))


def as_it_is(_: Path) -> None:
    pass


@pytest.mark.parametrize("change", [as_it_is, ends_without_newline, with_carriage_returns])
@pytest.mark.parametrize(("case", "rule"), [("bug", "RR101"), ("unused-import-deletable", "RR106")])
def test_a_fix_does_what_the_command_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str, rule: str, change: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("tree", "mended"):
        for file in copy_of(case, tmp_path / name).rglob("*.py"):
            change(file)
    results = sarif_of("tree", "--select", rule)["results"]
    ((fix,),) = [result["fixes"] for result in results]
    (changed,) = fix["artifactChanges"]
    (replacement,) = changed["replacements"]
    run("fix", "mended", "--write", "--select", rule)
    file = Path(changed["artifactLocation"]["uri"])
    before, after = file.read_bytes(), ("mended" / file.relative_to("tree")).read_bytes()
    assert replaced(before.decode(), replacement).encode() == after != before


def test_an_import_at_the_end_of_a_file_that_does_not_end() -> None:
    for before, after in (
        ("a\nb", "a\nb  # noqa"),
        ("a\nb", "a\nb\nc"),
        ("", "a\n"),
        ("a", "x\na"),
        ("a\r\nb\r\n", "a\r\nx\r\nb\r\n"),
    ):
        made = _replacement(Edit("f.py", before.encode(), after.encode()))
        assert replaced(before, made) == after
