"""Edits of a copy, gaps that are filled in, and what is judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.competitors import Expected
from benchmarks.timing import NotDoneError, Run
from benchmarks.trees import Source, commented, gaps, importing, without_gaps


def test_a_comment_changes_and_nothing_else() -> None:
    text = "import a  # not this\n\ndef f():\n    # this\n    # nor this\n"
    assert commented(text, 7) == text.replace("# this", "# this (edit 7)")


def test_an_import_is_added_to_the_first() -> None:
    text = "from __future__ import annotations\n\nimport a\nimport b\n"
    assert importing(text, 7) == text.replace(
        "import a\n", "import string as edit_7  # noqa: F401\nimport a\n"
    )


def test_nothing_to_edit() -> None:
    with pytest.raises(ValueError, match="no comment"):
        commented("a = 1\n", 1)
    with pytest.raises(ValueError, match="no import"):
        importing("a = 1\n", 1)


def test_gaps_are_filled_in_a_copy(tmp_path: Path) -> None:
    for path in ("top/__init__.py", "top/a/b/c.py", "top/data/x.json", "other/d.py"):
        file = tmp_path / "tree" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    source = Source("a tree", tmp_path / "tree", "top")
    assert gaps(source) == [source.root / "top/a/__init__.py", source.root / "top/a/b/__init__.py"]
    filled = without_gaps(source, tmp_path / "filled")
    assert gaps(filled) == []
    assert len(gaps(source)) == 2
    assert without_gaps(filled, tmp_path / "again") is filled


BUG = b"a.py:1:1: RR101 it is registered here\n    b.py:2:2 beside\n"
WARNING = b"a.py:1:1: RR102 it is registered here\n"


def said(text: bytes, code: int) -> Run:
    return Run(1.0, 1.0, 1, None, code, text, b"")


@pytest.mark.parametrize(
    ("bugs", "text", "code"),
    [(1, BUG + WARNING, 1), (0, WARNING, 0), (None, BUG, 1), (None, b"", 0)],
)
def test_what_is_as_it_should_be(bugs: int | None, text: bytes, code: int) -> None:
    Expected(bugs).judge(said(text, code))


@pytest.mark.parametrize(
    ("bugs", "text", "code"),
    [(1, WARNING, 0), (0, BUG, 1), (1, BUG + BUG, 1), (1, BUG, 0), (None, b"", 3), (0, b"", -9)],
)
def test_what_is_not(bugs: int | None, text: bytes, code: int) -> None:
    with pytest.raises(NotDoneError):
        Expected(bugs).judge(said(text, code))
