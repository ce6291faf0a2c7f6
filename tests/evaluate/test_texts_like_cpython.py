"""Single modules: whatever the abstract machine is sure of is so in CPython.

What a module binds, and how its body ends, is compared name by name. A module may ask `outside`, of
which the machine knows nothing, for values; CPython is given several, and each result must be one that
the machine allows.
"""

from __future__ import annotations

import abstract
import pytest
from admission import known, objections
from cpython import CPython
from text_cases import CASES, RAISING

# What `outside.U` and `outside.V` are in turn.
GUESSES = [
    ("None", "1"),
    ("0", "'a'"),
    ("1", "None"),
    ("'a'", "0"),
    ("(1, 2)", "[]"),
    ("[]", "(0,)"),
    ("True", "'b'"),
]
# A class that takes any arguments, and does nothing with them.
BASE = "type('Base', (), {'__init__': lambda self, *args: None})"


def check(cpython: CPython, text: str) -> tuple[int, int]:
    """Compare one text; return how many names it binds, and how many of them are known."""
    guessed = "outside" in text
    guesses = GUESSES if guessed else GUESSES[:1]
    ended, module = abstract.execute(text)
    for u, v in guesses:
        (real,) = cpython.execute([(text, {"U": u, "V": v, "Base": BASE})])
        found = objections(ended, module, real, guessed=guessed)
        assert found == [], f"U = {u}, V = {v}\n{text}"
    if guessed or module is None:
        return 0, 0
    names = [n for n, value in real["bound"].items() if value != ["other"]]
    return len(names), sum(known(module.cells[n]) for n in names)


@pytest.mark.parametrize("case", CASES)
def test_case(cpython: CPython, case: str) -> None:
    text = CASES[case]
    names, certain = check(cpython, text)
    assert names == certain or "unknown" in case


@pytest.mark.parametrize("case", RAISING)
def test_exception(cpython: CPython, case: str) -> None:
    ended, _ = abstract.execute(RAISING[case])
    (real,) = cpython.execute([(RAISING[case], {})])
    assert (ended.raised.name if ended.raised else "ok") == real["ended"].partition(":")[0]
