"""Single modules: whatever the abstract machine is sure of is so in CPython.

What a module binds, and how its body ends, is compared name by name. A module may ask `outside`, of
which the machine knows nothing, for values; CPython is given several, and each result must be one that
the machine allows.
"""

from __future__ import annotations

from dataclasses import dataclass

import abstract
import pytest
from admission import known, objections, outcome
from cpython import CPython
from hypothesis import HealthCheck, given, settings
from regreach.evaluate.values import cell_of
from text_cases import CASES, RAISING
from texts import HEAD, guessing_texts, texts

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
OUTSIDE = [{"U": u, "V": v, "Base": BASE} for u, v in GUESSES]
SETTINGS = settings(
    max_examples=60,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@dataclass
class Tally:
    """How much the machine says: of the names that texts bind, and of how the texts end."""

    bound: int = 0
    known: int = 0
    texts: int = 0
    foretold: int = 0


def check(cpython: CPython, text: str, tally: Tally, *, lenient: bool, head: str = "") -> None:
    """Compare one text; ``lenient``: it may raise what the machine cannot see coming."""
    ended, module = abstract.execute(text, head)
    outside = OUTSIDE if "outside" in text else OUTSIDE[:1]
    reals = cpython.execute(text, outside, head)
    for guess, real in zip(outside, reals, strict=True):
        found = objections(ended, module, real, lenient=lenient)
        assert found == [], f"U = {guess['U']}, V = {guess['V']}\n{text}"
    tally.texts += 1
    tally.foretold += outcome(ended) == reals[0]["ended"].partition(":")[0]
    if module is not None:
        names = [n for n, v in reals[0]["bound"].items() if v[0] not in ("other", "function")]
        tally.bound += len(names)
        tally.known += sum(known(cell_of(module, n)) for n in names)


@pytest.mark.parametrize("case", CASES)
def test_case(cpython: CPython, case: str) -> None:
    tally = Tally()
    check(cpython, CASES[case], tally, lenient="outside" in CASES[case])
    assert tally.known == tally.bound or "unknown" in case or "outside" in CASES[case]


def test_a_test_can_be_known_when_a_part_of_it_is_not() -> None:
    _, module = abstract.execute(CASES["a test is decided whatever the unknown part of it is"])
    assert module is not None
    assert all(known(cell_of(module, name)) for name in ("x", "y", "z", "found"))


@pytest.mark.parametrize("case", RAISING)
def test_exception(cpython: CPython, case: str) -> None:
    ended, _ = abstract.execute(RAISING[case])
    (real,) = cpython.execute(RAISING[case], [{}])
    assert outcome(ended) == real["ended"].partition(":")[0]


def test_generated_texts(cpython: CPython) -> None:
    tally = Tally()

    @SETTINGS
    @given(text=texts())
    def run(text: str) -> None:
        check(cpython, text, tally, lenient=True, head=HEAD)

    run()
    assert tally.known > 0.9 * tally.bound > 100
    assert tally.foretold > 0.9 * tally.texts


@SETTINGS
@given(text=guessing_texts())
def test_generated_texts_with_unknown_values(cpython: CPython, text: str) -> None:
    check(cpython, text, Tally(), lenient=True, head=HEAD)
