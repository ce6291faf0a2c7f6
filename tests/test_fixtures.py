"""What regreach says of each fixture tree, against its ``expect.toml`` (which CPython has confirmed)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from regreach.model import Audit, Cell
from regreach.request import Request, Result
from regreach.run import analyse

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FIXTURES = Path(__file__).parent.parent / "fixtures"
CASES = sorted(p.parent.name for p in FIXTURES.glob("*/expect.toml"))
REGISTRY = "sglang.moe.fused_func"


def expected(case: str) -> dict[str, Any]:
    return tomllib.loads((FIXTURES / case / "expect.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def results() -> dict[str, Result]:
    return {}


def result_of(case: str, results: dict[str, Result]) -> Result:
    if case not in results:
        platform = expected(case)["platform"]
        results[case] = analyse(Request(str(FIXTURES / case / "tree"), platform=platform))
    return results[case]


def cells_of(audit: Audit) -> list[Cell]:
    return [c for r in audit.registries if r.id == REGISTRY for c in r.cells]


@pytest.mark.parametrize("case", CASES)
def test_cells(case: str, results: dict[str, Result]) -> None:
    found = {
        cell.key: {
            "after_import": cell.after_import,
            "at_lookup": cell.at_lookup,
            "outcome": cell.outcome,
            "exception": cell.exception,
            "raised_at": str(cell.raised_at) if cell.raised_at else None,
            "reach": cell.reach,
        }
        for cell in cells_of(result_of(case, results).audit)
    }
    wanted = {}
    for cell in expected(case).get("cell", []):
        key = tuple(cell["key"])
        wanted[key] = {
            "after_import": cell["after_import"],
            "at_lookup": cell["at_lookup"],
            "outcome": cell["outcome"],
            "exception": cell.get("exception"),
            "raised_at": cell.get("raised_at"),
            "reach": cell["reach"],
        }
        if cell["outcome"] == "maybe":  # what it may raise is told, and not part of the truth
            for field in ("exception", "raised_at"):
                wanted[key][field] = found[key][field]
    assert found == wanted


@pytest.mark.parametrize("case", CASES)
def test_findings(case: str, results: dict[str, Result]) -> None:
    found = [(f.rule, f.key, f.spot.path, f.spot.line) for f in result_of(case, results).findings]
    wanted = [
        (f["rule"], tuple(f["key"]) if "key" in f else None, f["path"], f["line"])
        for f in expected(case).get("finding", [])
    ]
    assert sorted(found, key=str) == sorted(wanted, key=str)


@pytest.mark.parametrize("case", CASES)
def test_modules_and_call_sites(case: str, results: dict[str, Result]) -> None:
    audit = result_of(case, results).audit
    truth = expected(case)
    assert list(audit.eager) == truth.get("modules", {}).get("eager", [])
    assert sorted((s.spot.path, s.spot.line, s.function) for s in audit.call_sites) == sorted(
        (s["path"], s["line"], s["function"]) for s in truth.get("call_site", [])
    )


@pytest.mark.parametrize("case", CASES)
def test_files_that_do_not_parse(case: str, results: dict[str, Result]) -> None:
    audit = result_of(case, results).audit
    found = [(p.spot.path, p.spot.line) for p in audit.problems]
    assert found == [(p["path"], p["line"]) for p in expected(case).get("unparsed", [])]
