"""What each ``fixtures/<case>/expect.toml`` says is what CPython does with the case's tree."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from runtime_truth import Truth, ask_cpython

tomllib: Any = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")

FIXTURES = Path(__file__).parent.parent / "fixtures"
CASES = sorted(path.parent.name for path in FIXTURES.glob("*/expect.toml"))
NOT_REACHED = {"none", "partial", "orphan"}
BY_LUCK = {"caller", "process"}

pytestmark = pytest.mark.parametrize("case", CASES)


@cache
def expected(case: str) -> dict[str, Any]:
    text = (FIXTURES / case / "expect.toml").read_text(encoding="utf-8")
    tables = ("cell", "finding", "finding_later", "call_site", "unparsed")
    told: dict[str, Any] = {key: [] for key in tables} | tomllib.loads(text)
    return told


@cache
def truth(case: str) -> Truth:
    sites = {(site["path"], site["function"]) for site in expected(case)["call_site"]}
    return ask_cpython(FIXTURES / case / "tree", sorted(sites))


def source_line(case: str, path: str, line: int) -> str:
    lines = (FIXTURES / case / "tree" / path).read_text(encoding="utf-8").splitlines()
    return lines[line - 1]


def constructions(case: str) -> Iterator[tuple[str, int, str]]:
    """Every ``MoeRunner(...)`` in the package, with the method that it stands in."""
    tree = FIXTURES / case / "tree"
    broken = {unparsed["path"] for unparsed in expected(case)["unparsed"]}
    for file in sorted((tree / "sglang").rglob("*.py")):
        path = file.relative_to(tree).as_posix()
        if path in broken:
            continue
        module = ast.parse(file.read_text(encoding="utf-8"))
        for owner in (node for node in module.body if isinstance(node, ast.ClassDef)):
            for method in (node for node in owner.body if isinstance(node, ast.FunctionDef)):
                for node in ast.walk(method):
                    if isinstance(node, ast.Call) and ast.unparse(node.func) == "MoeRunner":
                        yield path, node.lineno, f"{owner.name}.{method.name}"


def executed_reach(case: str, key: list[str], at_lookup: str) -> str:
    answers = truth(case)
    loaded = {arrival["loaded"] for arrival in answers["arrivals"] if arrival["key"] == key}
    if key not in answers["registered"]:
        return "unregistered"
    if at_lookup == "yes":
        return "runner"
    if key in answers["process"]:
        return "process"
    if loaded == {True}:
        return "caller"
    return "partial" if True in loaded else "none"


def test_importing_the_runner_executes_these_modules_in_this_order(case: str) -> None:
    assert expected(case)["modules"]["eager"] == truth(case)["eager"]


def test_every_pair_does_what_its_cell_says(case: str) -> None:
    cells = expected(case)["cell"]
    executed = truth(case)["cells"]
    assert [cell["key"] for cell in cells] == [cell["key"] for cell in executed]
    for cell, real in zip(cells, executed, strict=True):
        if cell["outcome"] == "maybe":
            assert cell["condition"]
            continue
        fields = ("key", "after_import", "at_lookup", "outcome", "exception", "raised_at")
        assert {name: cell.get(name) for name in fields} == dict(real)


def test_reach_is_what_executing_the_call_sites_shows(case: str) -> None:
    for cell in expected(case)["cell"]:
        if cell["outcome"] == "maybe":
            continue
        # That nothing at all imports an orphan cannot be seen by executing the call sites.
        said = "none" if cell["reach"] == "orphan" else cell["reach"]
        executed = executed_reach(case, cell["key"], cell["at_lookup"])
        assert (cell["key"], said) == (cell["key"], executed)


def test_call_sites_are_all_there_and_each_is_reached(case: str) -> None:
    sites = [(site["path"], site["line"], site["function"]) for site in expected(case)["call_site"]]
    assert sorted(sites) == sorted(constructions(case))
    reached = {(arrival["path"], arrival["line"]) for arrival in truth(case)["arrivals"]}
    assert {site[:2] for site in sites} == reached


def findings(case: str, rule: str) -> list[list[str]]:
    return sorted(found["key"] for found in expected(case)["finding"] if found["rule"] == rule)


def accepted_and_missed(case: str) -> list[dict[str, Any]]:
    """The cells in which a branch takes the selector and the look-up then fails it."""
    cells = expected(case)["cell"]
    refusals = {cell["raised_at"] for cell in cells if cell["key"][1] == "auto"}
    return [cell for cell in cells if cell.get("raised_at") not in refusals | {None}]


def test_rr101_names_each_key_that_is_needed_and_not_reached(case: str) -> None:
    told = expected(case)
    # What is missing for another reason than a missing import belongs to a rule of its own.
    others = [found["key"] for found in told["finding_later"]]
    keys = [cell["key"] for cell in accepted_and_missed(case) if cell["reach"] in NOT_REACHED]
    assert findings(case, "RR101") == sorted(key for key in keys if key not in others)


def test_rr102_names_each_key_that_others_load(case: str) -> None:
    keys = [cell["key"] for cell in expected(case)["cell"] if cell["reach"] in BY_LUCK]
    assert findings(case, "RR102") == sorted(keys)


def test_rr103_names_each_accepted_selector_without_any_registration(case: str) -> None:
    cells = expected(case)["cell"]
    missed = {cell["key"][1] for cell in accepted_and_missed(case)}
    served = {cell["key"][1] for cell in cells if cell["reach"] != "unregistered"}
    assert findings(case, "RR103") == sorted([backend] for backend in missed - served)


def test_findings_stand_on_the_lines_that_they_are_about(case: str) -> None:
    for finding in expected(case)["finding"]:
        text = source_line(case, finding["path"], finding["line"])
        about = "get_fused_func(" if finding["rule"] == "RR103" else "regist"
        assert about in text


def test_only_the_named_files_do_not_parse(case: str) -> None:
    tree = FIXTURES / case / "tree"
    found = []
    for file in sorted(tree.rglob("*.py")):
        try:
            ast.parse(file.read_text(encoding="utf-8"))
        except SyntaxError as error:
            found.append({"path": file.relative_to(tree).as_posix(), "line": error.lineno})
    assert found == expected(case)["unparsed"]
