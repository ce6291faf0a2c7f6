"""Patterns of paths, as docs/configuration.md describes them."""

from __future__ import annotations

import pytest
from regreach.policy.path_ignores import matches

PATH = "python/pkg/moe/kernels/marlin.py"


@pytest.mark.parametrize(
    "pattern",
    [
        PATH,
        f"./{PATH}",
        "python/pkg/moe/kernels/*.py",
        "python/pkg",
        "python/pkg/",
        "python/*",
        "*/kernels/*",
        "**/kernels/**",
        "python/**/marlin.py",
        "python/pkg/moe/kernels/**/marlin.py",
        "**/marlin.py",
        "marlin.py",
        "mar*.py",
        "kernels",
        "[mn]arlin.py",
        "python",
        "**",
    ],
)
def test_matching(pattern: str) -> None:
    assert matches(pattern, PATH)


@pytest.mark.parametrize(
    "pattern",
    [
        "pkg/moe",
        "moe/kernels/marlin.py",
        "marlin",
        "Marlin.py",
        "python/pkg/mo",
        "kernel",
        "*.pyi",
        "",
    ],
)
def test_not_matching(pattern: str) -> None:
    assert not matches(pattern, PATH)
