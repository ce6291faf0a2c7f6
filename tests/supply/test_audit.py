"""An audit is the same whatever helps it."""

from __future__ import annotations

from pathlib import Path

import pytest
import regreach_rules
from regreach.evaluate.session import with_deep_stack
from regreach.model import Audit
from regreach.pack import load_pack
from regreach.program import Program
from regreach.supply import facts_supply
from regreach.supply.cache import FactsCache
from regreach.tree import open_tree
from regreach.verdicts import Analysis

ROOT = Path(__file__).parent.parent.parent
PACK = Path(regreach_rules.__file__).parent / "packs"


def audit(fixture: str, cache: FactsCache | None = None, jobs: int = 1) -> Audit:
    file = PACK / "sglang.toml"
    pack = load_pack(file.read_text(encoding="utf-8"), file.name)
    with (
        open_tree(str(ROOT / "fixtures" / fixture / "tree"), pack.location) as tree,
        Program(tree, cache=cache, jobs=jobs) as program,
    ):
        analysis = Analysis(program, pack, pack.platform(None))
        return with_deep_stack(analysis.audit)


@pytest.mark.parametrize("fixture", ["bug", "import-cycle", "syntax-error"])
def test_audit(fixture: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts_supply, "FEW", 2)
    expected = audit(fixture)
    assert expected.registries
    cache = FactsCache(tmp_path / "facts")
    assert audit(fixture, jobs=2) == expected
    assert audit(fixture, cache) == expected
    assert audit(fixture, cache) == expected
    assert audit(fixture, cache, jobs=2) == expected
