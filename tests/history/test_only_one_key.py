"""What an analysis for one key leaves out does not change what it says of that key."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import CACHE, CASES, FIXTURES
from regreach.evaluate.session import with_deep_stack
from regreach.model import Audit, Cell
from regreach.plugins import load_plugins
from regreach.request import Request
from regreach.run import analyse, judged, opened

RULES = [rule for rule in load_plugins().rules.values() if rule.by_key]


def cells(audit: Audit, key: tuple[str, ...]) -> list[Cell]:
    """The cells of a key, without what is only told and does not decide anything."""
    return [
        replace(cell, branch=None, remedy=None)
        for registry in audit.registries
        for cell in registry.cells
        if cell.key == key
    ]


def found(audit: Audit, key: tuple[str, ...]) -> list[tuple[str, str, str]]:
    return sorted(
        (finding.fingerprint, finding.severity, finding.message)
        for finding in judged(audit, RULES)
        if finding.key == key
    )


def sites(audit: Audit, key: tuple[str, ...]) -> list[tuple[object, ...]]:
    return [
        (site.spot, value) for site in audit.call_sites for value in site.values if value.key == key
    ]


@pytest.mark.parametrize("case", CASES)
def test_a_key_alone(case: str) -> None:
    text = (FIXTURES / case / "expect.toml").read_text(encoding="utf-8")
    (platform,) = re.findall(r'(?m)^platform = "(\w+)"', text)
    request = Request(
        str(FIXTURES / case / "tree"), platform=platform, cache_dir=Path(CACHE), jobs=1
    )
    whole = analyse(request).audit
    keys = {cell.key for registry in whole.registries[:1] for cell in registry.cells}
    for key in sorted(keys):
        with opened(replace(request, only=key)) as analysis:
            alone = with_deep_stack(analysis.audit)
        assert cells(alone, key)[0] == cells(whole, key)[0]
        assert found(alone, key) == found(whole, key)
        assert sites(alone, key) == sites(whole, key)
