"""Mutants of fixtures: small enough for every test run. ``make mutants`` does the same with a release."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from .judge import judging

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
COUNT = 25

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the probe forks processes")


@pytest.mark.parametrize("case", ["bug", "partial", "permute-without-counterpart", "process"])
def test_what_is_said_of_mutants_is_what_they_do(case: str, tmp_path: Path) -> None:
    wrong = {}
    operators = set()
    with judging(str(FIXTURES / case / "tree"), sys.executable, "cuda", tmp_path) as judge:
        for mutant in judge.mutants(seed=len(case))[:COUNT]:
            differing = judge.judge(mutant)
            if differing is not None:
                operators.add(mutant.operator)
            if differing:
                wrong[str(mutant)] = differing
    assert wrong == {}
    assert len(operators) > COUNT * 3 // 4


def test_a_judge_that_errs_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The judge must be able to find a disagreement: here regreach is made to see the old text."""
    with judging(str(FIXTURES / "bug" / "tree"), sys.executable, "cuda", tmp_path) as judge:
        monkeypatch.setattr(judge, "_analysed", lambda: judge.baseline)
        mutants = judge.mutants(seed=1)
        removed = next(
            m for m in mutants if m.operator == "registration removed" and "cutlass" in m.path
        )
        assert judge.judge(removed)
