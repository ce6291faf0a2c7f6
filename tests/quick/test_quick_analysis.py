"""The quick analysis says of each fixture what the full one says; only what is loaded beside is not asked."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
import regreach.run
from regreach.model import Audit, Finding, Severity
from regreach.request import Request
from regreach.rule import Rule
from regreach.run import analyse, check

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
CASES = sorted(p.parent.name for p in FIXTURES.glob("*/tree"))


def request_for(case: str, platform: str = "cuda") -> Request:
    return Request(str(FIXTURES / case / "tree"), platform=platform, keep=False, jobs=1)


def verdicts(audit: Audit) -> object:
    # remedies are sought in full only, and so are importers of what only hangs on some
    cells = [replace(cell, remedy=None) for registry in audit.registries for cell in registry.cells]
    cells = [
        replace(cell, importers=()) if cell.reach in ("process", "caller") else cell
        for cell in cells
    ]
    return cells, audit.call_sites, audit.imported_first, audit.notes, audit.blocked


@pytest.mark.parametrize("platform", ["cuda", "npu"])
@pytest.mark.parametrize("case", CASES)
def test_same_verdicts(case: str, platform: str) -> None:
    request = request_for(case, platform)
    full, quick = analyse(request), analyse(replace(request, quick=True))
    assert verdicts(quick.audit) == verdicts(full.audit)
    assert [(f.rule, f.spot, f.message) for f in quick.findings] == [
        (f.rule, f.spot, f.message) for f in full.findings
    ]


@pytest.mark.parametrize("case", CASES)
def test_check_returns_what_the_full_analysis_returns(case: str) -> None:
    request = request_for(case)
    assert check(request).findings == analyse(request).findings


def test_an_error_is_looked_at_in_full() -> None:
    found = check(request_for("bug"))
    assert [f.rule for f in found.findings if f.severity == "error"] == ["RR101"]
    assert not found.analysis.quick


@pytest.mark.parametrize(("severity", "quick"), [("warning", True), ("error", False)])
def test_what_counts_is_what_a_rule_says_of_a_finding(
    severity: Severity, quick: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RR110 is a rule of errors, and warns where a cycle kills nobody yet."""

    def judged(audit: Audit, rules: Iterable[Rule]) -> tuple[Finding, ...]:
        return tuple(replace(each, rule="RR110", severity=severity) for each in real(audit, rules))

    real = regreach.run.judged
    monkeypatch.setattr(regreach.run, "judged", judged)
    assert check(request_for("fix-lazy-in-branch")).analysis.quick is quick


def test_where_all_is_well_nothing_is_looked_at_twice() -> None:
    assert check(request_for("fix-lazy-in-branch")).analysis.quick


def test_a_module_that_only_passes_by_is_not_parsed(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(FIXTURES / "fix-lazy-in-branch" / "tree", tree)
    passing = tree / "sglang" / "srt" / "passing.py"
    passing.write_text("import os\n\nLIMIT = 3\n\n\ndef unused():\n    return os\n")
    runner = tree / "sglang" / "srt" / "layers" / "moe" / "moe_runner" / "runner.py"
    runner.write_text(
        f"from sglang.srt.passing import LIMIT\n{runner.read_text()}\nBOUND = LIMIT\n"
    )
    request = Request(str(tree), platform="cuda", keep=False, jobs=1)
    quick, full = analyse(replace(request, quick=True)), analyse(request)
    assert "sglang.srt.passing" in quick.audit.eager
    assert "sglang.srt.passing" not in quick.analysis.program.parsed()
    assert "sglang.srt.passing" in full.analysis.program.parsed()
    assert verdicts(quick.audit) == verdicts(full.audit)


@pytest.mark.parametrize(
    "call", ["load_all()", "if LIMIT:\n    load_all()", "class Here:\n    loaded = load_all()"]
)
def test_a_call_that_imports_what_registers_is_made(call: str, tmp_path: Path) -> None:
    """Wherever it is made while a module is loaded that has nothing else to do with the registry."""
    tree = tmp_path / "tree"
    shutil.copytree(FIXTURES / "module-level-call" / "tree", tree)
    folder = tree / "sglang" / "srt" / "layers" / "moe" / "moe_runner"
    (folder / "loading.py").write_text(
        (folder / "loading.py").read_text().replace("def load_flashinfer", "def load_all")
    )
    (folder / "passing.py").write_text(
        f"from sglang.srt.layers.moe.moe_runner.loading import load_all\n\nLIMIT = 1\n{call}\n"
    )
    runner = (folder / "runner.py").read_text()
    runner = runner.replace("loading import load_flashinfer", "passing import LIMIT")
    (folder / "runner.py").write_text(runner.replace("load_flashinfer()\n", ""))
    request = Request(str(tree), platform="cuda", keep=False, jobs=1)
    quick, full = analyse(replace(request, quick=True)), analyse(request)
    assert verdicts(quick.audit) == verdicts(full.audit)
    reaches = {c.key: c.reach for r in full.audit.registries for c in r.cells}
    assert reaches["none", "flashinfer_mxfp4"] == "runner"


def test_one_that_is_no_python_is_seen_all_the_same(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(FIXTURES / "fix-lazy-in-branch" / "tree", tree)
    (tree / "sglang" / "srt" / "passing.py").write_text("import os\nLIMIT = (\n")
    runner = tree / "sglang" / "srt" / "layers" / "moe" / "moe_runner" / "runner.py"
    runner.write_text(f"import sglang.srt.passing\n{runner.read_text()}")
    found = check(Request(str(tree), platform="cuda", keep=False, jobs=1))
    assert [problem.spot.path for problem in found.audit.problems] == ["sglang/srt/passing.py"]
    assert found.audit.blocked


def test_a_registrar_under_another_name_and_in_a_helper(tmp_path: Path) -> None:
    """What registers is run, however the registrar is called."""
    tree = tmp_path / "tree"
    shutil.copytree(FIXTURES / "bug" / "tree", tree)
    folder = tree / "sglang" / "srt" / "layers" / "moe" / "moe_runner"
    (folder / "helper.py").write_text(
        "from functools import partial\n"
        "from sglang.srt.layers.moe.moe_runner.base import register_fused_func as reg\n"
        "def register_for(backend):\n"
        '    return reg("none", backend)\n'
        'of_none = partial(reg, "none")\n'
    )
    (folder / "more.py").write_text(
        "from sglang.srt.layers.moe.moe_runner import helper\n"
        '@helper.register_for("deep_gemm")\n'
        "def one(): ...\n"
        '@helper.of_none("marlin")\n'
        "def two(): ...\n"
    )
    runner = folder / "runner.py"
    runner.write_text(f"import sglang.srt.layers.moe.moe_runner.more\n{runner.read_text()}")
    request = Request(str(tree), platform="cuda", keep=False, jobs=1)
    quick, full = analyse(replace(request, quick=True)), analyse(request)
    assert verdicts(quick.audit) == verdicts(full.audit)
