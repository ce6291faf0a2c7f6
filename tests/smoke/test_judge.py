"""Whose fault a failure is, and what does not pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from regreach.smoke.declared import Smoke
from regreach.smoke.inside.clock import Clock
from regreach.smoke.inside.comparison import compare
from regreach.smoke.judge import is_environments_fault, missing_package, objections

SMOKE = Smoke("r", ("a", "b"), "s.py", "cuda", {}, 0.02, 0.05, ({"name": "one"},))
GOOD = {"shape": None, "finite": True, "error": 0.004, "worst": 0.01, "poisoned": True, "seed": 0}


def forward(*runs: dict[str, Any], faults: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    return {"ok": True, "shapes": [{"name": "one", "runs": list(runs)}], "faults": list(faults)}


def failed(exception: str, message: str) -> dict[str, Any]:
    return {"ok": False, "exception": exception, "message": message}


def test_what_is_good_passes() -> None:
    assert not list(objections(SMOKE, forward(GOOD, {**GOOD, "poisoned": False}), {"ok": True}))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"error": 0.021, "worst": 0.03}, "one (seed 0): relative error 0.021, more than 0.02"),
        ({"worst": 0.06}, "one (seed 0): relative error 0.06 in one row, more than 0.05"),
        (
            {"finite": False, "error": None, "worst": None},
            "one (seed 0): NaN or infinity in the output, or a part that nothing has written",
        ),
        ({"shape": "(1,) instead of (2,)"}, "one (seed 0): the output has the shape (1,) instead"),
        ({"poisoned": False}, "one: it was not looked for output that nothing has written"),
    ],
)
def test_what_is_wrong_does_not(wrong: dict[str, Any], says: str) -> None:
    (found,) = objections(SMOKE, forward({**GOOD, **wrong}), None)
    assert found.startswith(says)


def test_neither_does_a_fault_that_passes_nor_a_shape_that_was_not_run() -> None:
    (blind,) = objections(SMOKE, forward(GOOD, faults=({"name": "swapped", **GOOD},)), None)
    assert blind == "the check is blind: swapped passes with an error of 0.004"
    (few,) = objections(SMOKE, {"ok": True, "shapes": [], "faults": []}, None)
    assert few == "only 0 of 1 shapes were run"


@pytest.mark.parametrize(
    ("exception", "message", "environment", "missing"),
    [
        ("ModuleNotFoundError", "No module named 'kernels.fast'", True, "kernels"),
        ("ModuleNotFoundError", "No module named 'tree.gone'", False, None),
        ("ImportError", "libcudart.so.13: cannot open shared object file", True, None),
        ("ImportError", "cannot import name 'x' from 'kernels' (/a/b.py)", True, None),
        ("ImportError", "cannot import name 'x' from 'tree.a' (/a/b.py)", False, None),
        (
            "ImportError",
            "cannot import name 'x' from partially initialized module 'tree.a' (most likely …",
            False,
            None,
        ),
        ("NotImplementedError", "No module named 'kernels'", False, None),
        ("WrongEnvironmentError", "another tree", True, None),
    ],
)
def test_an_import_error_is_the_environments_unless_the_tree_is_named(
    exception: str, message: str, environment: bool, missing: str | None
) -> None:
    result = failed(exception, message)
    assert is_environments_fault(result, "tree") is environment
    assert missing_package(result, "tree") == missing


def test_errors_are_relative() -> None:
    reference = np.array([[3.0, 4.0], [0.0, 1.0]], dtype=np.float32)
    output = reference + np.array([[0.0, 0.0], [0.0, 0.5]], dtype=np.float32)
    found = compare(output, reference)
    assert found["error"] == pytest.approx(0.5 / np.sqrt(26))
    assert found["worst"] == pytest.approx(0.5)
    assert compare(output[:1], reference)["shape"] == "(1, 2) instead of (2, 2)"
    assert not compare(np.full_like(reference, np.inf), reference)["finite"]
    assert compare(reference, reference)["error"] == 0.0


def test_a_clock_tells_the_median_of_what_counts() -> None:
    calls: list[int] = []
    assert Clock().median(lambda: calls.append(1), 4) >= 0
    assert len(calls) == 5 + 4
    assert Clock().bandwidth() > 1e6
