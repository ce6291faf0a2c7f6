"""A bounded, always equal part of what `make fuzz` does at length; and what it has caught."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from regreach.evaluate.session import with_deep_stack
from regreach.request import Request, Result
from regreach.run import analyse

from . import facts_judge, tree_judge
from .hunt import FactsHunt, Hunt, hunts

SOURCES = 3000
TREES = 60
SEED = 20

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the judge forks processes")


@pytest.fixture(scope="module")
def found() -> Iterator[dict[str, Hunt]]:
    with hunts() as each:
        yield each


@pytest.mark.parametrize(("name", "count"), [("facts", SOURCES), ("trees", TREES)])
def test_nothing_is_caught(found: dict[str, Hunt], name: str, count: int) -> None:
    def run() -> list[str]:
        catches = (found[name].find(f"{SEED} {number}") for number in range(count))
        return [catch.why for catch in catches if catch is not None]

    assert with_deep_stack(run) == []


def test_the_judge_of_sources_finds_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a scan that sees no imports."""
    monkeypatch.setattr(facts_judge, "imported_names", lambda *_: [])
    monkeypatch.setattr(facts_judge, "answer", lambda *_: False)
    hunt = FactsHunt()
    catch = next(c for c in (hunt.find(f"1 {n}") for n in range(100)) if c is not None)
    smaller = hunt.smaller(catch)
    assert "no scan sees" in smaller.why
    assert len(smaller.files["module.py"]) < 40


def test_the_judge_of_trees_finds_faults(
    found: dict[str, Hunt], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With an analysis that always sees the same tree."""
    hunt = found["trees"]
    first = next(n for n in range(50) if hunt.find(f"1 {n}") is None)
    kept = []

    def once(request: Request) -> Result:
        kept.append(analyse(request))
        return kept[0]

    monkeypatch.setattr(tree_judge, "analyse", once)
    assert hunt.find(f"1 {first}") is None
    assert hunt.find(f"1 {first + 1}") is not None
