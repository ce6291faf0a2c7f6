"""How many processes are used."""

from __future__ import annotations

import os

import pytest
from regreach.errors import ConfigError
from regreach.supply.jobs import job_count


def test_chosen_then_environment_then_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGREACH_JOBS", "3")
    assert job_count() == 3
    assert job_count(5) == 5
    assert job_count(0) == 1
    monkeypatch.setenv("REGREACH_JOBS", "")
    assert 1 <= job_count() <= (os.cpu_count() or 1)
    monkeypatch.delenv("REGREACH_JOBS")
    assert 1 <= job_count() <= (os.cpu_count() or 1)


@pytest.mark.parametrize("value", ["0", "-1", "many", "1.5", "²", " "])
def test_impossible_number(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGREACH_JOBS", value)
    with pytest.raises(ConfigError, match="REGREACH_JOBS"):
        job_count()
