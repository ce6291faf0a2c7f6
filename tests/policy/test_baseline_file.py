"""The file of a baseline: what is written is read again, and what is wrong is named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from regreach.errors import ConfigError
from regreach.policy.baseline import Entry, baseline_text, read_baseline
from regreach.policy.baseline_update import in_order

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
NAMES = TEXTS.filter(bool)
ENTRIES = st.builds(
    Entry, st.sampled_from(["RR101", "RR102"]), st.lists(TEXTS, max_size=3).map(tuple), NAMES, TEXTS
)


@given(st.dictionaries(st.tuples(NAMES, NAMES), st.lists(ENTRIES, max_size=4), max_size=4))
def test_what_is_written_is_read_again(runs: dict[tuple[str, str], list[Entry]]) -> None:
    ordered = {run: in_order(entries) for run, entries in runs.items()}
    text = baseline_text(ordered)
    assert read_baseline(text.encode(), "b").runs == ordered
    assert baseline_text(ordered) == text


def test_each_entry_is_a_line_and_knows_it() -> None:
    entries = in_order(
        Entry("RR101", ("a", f"{i}"), "same" if i < 2 else f"f{i}") for i in range(4)
    )
    text = baseline_text({("p", "x"): entries, ("p", "y"): entries[:1]})
    read = read_baseline(text.encode(), "b").runs
    lines = text.splitlines()
    for found in (*read["p", "x"], *read["p", "y"]):
        assert f'"{found.fingerprint}"' in lines[found.line - 1]
    numbers = [found.line for group in read.values() for found in group]
    assert len(set(numbers)) == len(numbers) == 5


GOOD = '{ rule = "RR101", fingerprint = "f" }'


@pytest.mark.parametrize(
    ("text", "errors"),
    [
        ("nonsense", ["b: not a baseline, and not valid TOML: "]),
        ("\xff", ["b: not a baseline, and not valid TOML: "]),
        ("", ["b: format is missing; it must be an integer"]),
        ("format = 2", ["b: format is 2; this regreach reads format 1"]),
        ('format = "1"', ["b: format must be an integer, not '1'"]),
        ("format = 1\nfinding = 1", ["b: finding is not a known key (did you mean 'findings'?); known"]),
        ("format = 1\nfindings = []", ["b: findings must be a table, not []"]),
        ("format = 1\nfindings.p = 1", ["b: findings.p must be a table, not 1"]),
        ("format = 1\nfindings.p.x = 1", ["b: findings.p.x must be an array of tables, not 1"]),
        ("format = 1\nfindings.p.x = [1]", ["b: findings.p.x[0] must be a table, not 1"]),
        (
            f"format = 1\nfindings.p.x = [{GOOD}, {{}}, {{ rule = 1, fingerprint = 'f' }}]\n"
            "findings.p.y = [{ rule = 'RR101', fingerprint = 'f', why = 'x', of = ['a', 1] }]",
            [
                "b: findings.p.x[1].fingerprint is missing; it must be a string",
                "b: findings.p.x[2].rule must be a string, not 1",
                "b: findings.p.y[0].of must be a list of strings",
            ],
        ),
        (
            "format = 1\nfindings.p.y = [{ rule = 'RR101', fingerprint = 'f', reasn = 'x' }]",
            ["b: findings.p.y[0].reasn is not a known key (did you mean 'reason'?); known here: fingerprint, of"],
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_place(text: str, errors: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        read_baseline(text.encode("latin-1"), "b")
    assert len(caught.value.args) == len(errors)
    for told, expected in zip(caught.value.args, errors, strict=True):
        assert told.startswith(expected)


def test_line_ends_of_other_systems() -> None:
    text = baseline_text({("p", "x"): (Entry("RR101", ("a",), "f"),)})
    read = read_baseline(text.replace("\n", "\r\n").encode(), "b").runs
    assert [entry.line for entry in read["p", "x"]] == [7]
