"""The CPython beside which the tests of `regreach.evaluate` run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from cpython import CPython


@pytest.fixture(scope="session")
def cpython() -> Iterator[CPython]:
    process = CPython()
    yield process
    process.close()
