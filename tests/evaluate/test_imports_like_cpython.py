"""Imports of small packages: the abstract machine predicts what CPython does, and leaves nothing open.

Each module of a package is imported first in a fresh process. How that ends, which modules are
loaded in which order, and what each of them binds must be the same.
"""

from __future__ import annotations

import abstract
import pytest
from agreement import disagreements
from cpython import CPython
from hypothesis import HealthCheck, given, settings
from import_cases import CASES, Files
from packages import TOP, packages


def check(cpython: CPython, files: Files) -> None:
    orders = [[module] for module in abstract.modules_in(files, TOP)]
    theirs = cpython.import_in_orders(files, TOP, orders)
    ours = abstract.import_in_orders(files, TOP, orders)
    assert disagreements(orders, theirs, ours) == []


@pytest.mark.parametrize("case", CASES)
def test_case(cpython: CPython, case: str) -> None:
    check(cpython, CASES[case])


@settings(
    max_examples=100,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(files=packages())
def test_generated_packages(cpython: CPython, files: Files) -> None:
    check(cpython, files)
