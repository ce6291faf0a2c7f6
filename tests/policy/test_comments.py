"""What is read of comments: where they count, what they say, what is wrong with them."""

from __future__ import annotations

import pytest
from regreach.plugins import load_plugins
from regreach.policy.comments import Comment, comments_in

KNOWN = tuple(load_plugins().rules)


def comments(text: str) -> list[Comment]:
    return comments_in("m.py", text.encode(), KNOWN)


@pytest.mark.parametrize(
    ("comment", "codes", "reason"),
    [
        ("# regreach: ignore[RR101] a reason", ["RR101"], "a reason"),
        ("#regreach:ignore[RR101]a reason", ["RR101"], "a reason"),
        ("#  regreach :  ignore [ rr101 ,RR102,]  a reason ", ["RR101", "RR102"], "a reason"),
        ("# regreach: ignore[RR101]: a reason", ["RR101"], "a reason"),
        ("# regreach: ignore[RR101] - a reason", ["RR101"], "a reason"),
        ("# regreach: ignore[RR101] see #123", ["RR101"], "see #123"),
        ("# regreach: ignore[RR101] why  # noqa: F401", ["RR101"], "why"),
        ("# regreach: ignore[RR101] why #noqa: F401", ["RR101"], "why"),
        ("# noqa: F401 # regreach: ignore[RR101] why", ["RR101"], "why"),
        ("# see below # type: ignore # regreach: ignore[RR101] why", ["RR101"], "why"),
        ("# regreach: ignore[RR101] [sic] why", ["RR101"], "[sic] why"),
    ],
)
def test_what_suppresses(comment: str, codes: list[str], reason: str) -> None:
    (found,) = comments(f"x = 1  {comment}\n")
    assert (list(found.codes), found.reason, found.faults) == (codes, reason, ())
    assert (found.first, found.last, found.line) == (1, 1, 1)
    assert f"x = 1  {comment}"[found.column - 1 :].startswith("#")
    assert "regreach" in found.text
    assert "noqa" not in found.text


def test_two_in_one_comment() -> None:
    text = "x = 1  # regreach: ignore[RR101] this # regreach: ignore[RR102] that\n"
    assert [(c.codes, c.reason) for c in comments(text)] == [
        (("RR101",), "this"),
        (("RR102",), "that"),
    ]


@pytest.mark.parametrize(
    ("comment", "codes", "fault"),
    [
        ("# regreach: ignore[RR101]", ["RR101"], "it gives no reason"),
        ("# regreach: ignore[RR101]  # noqa: F401", ["RR101"], "it gives no reason"),
        ("# regreach: ignore", [], "it names no rule"),
        ("# regreach: ignore all of it", [], "it names no rule"),
        ("# regreach: ignore[] why", [], "it names no rule"),
        ("# regreach: ignore[ , ] why", [], "it names no rule"),
        ("# regreach: ignore[RR101 why", [], "the bracket is not closed"),
        ("# regreach: ignore[RR101, RR999] why", ["RR101"], "there is no rule RR999"),
        ("# regreach: ignore[RR101 RR102] why", [], "there is no rule RR101 RR102"),
        ("# regreach: ignore[RR902] why", [], "RR902 cannot be suppressed by a comment"),
        ("# regreach ignore[RR101] why", [], "the colon is missing"),
        ("# regreach ignore", [], "the colon is missing"),
        ("# regreach: noqa", [], "'noqa' is nothing that can be said"),
        ("# regreach: IGNORE[RR101] why", [], "'IGNORE[RR101]' is nothing that can be said"),
        ("# regreach:", [], "'' is nothing that can be said"),
    ],
)
def test_what_is_wrong(comment: str, codes: list[str], fault: str) -> None:
    (found,) = comments(f"x = 1  {comment}\n")
    assert list(found.codes) == codes
    assert len(found.faults) == 1
    assert found.faults[0].startswith(fault)


@pytest.mark.parametrize(
    "text",
    [
        'x = "# regreach: ignore[RR101] why"\n',
        '"""\n# regreach: ignore[RR101] why\n"""\n',
        "x = 1  # as regreach says, ignore this\n",
        "x = 1  # regreach ignores it\n",
        "x = 1  # unregreach: ignore[RR101] why\n",
        "x = 1  # https://example.org/regreach\n",
        "",
    ],
)
def test_what_is_no_comment_of_this_kind(text: str) -> None:
    assert comments(text) == []


IGNORE = "# regreach: ignore[RR101] why"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"x = (  {IGNORE}\n    1,\n)\n", (1, 3)),
        (f"x = (\n    1,  {IGNORE}\n)\n", (1, 3)),
        (f"x = (\n    1,\n    {IGNORE}\n)\n", (1, 4)),
        (f"x = (\n    1,\n)  {IGNORE}\n", (1, 3)),
        (f"\n\nx = 1 + \\\n    2  {IGNORE}\n", (3, 4)),
        (f'x = """\n"""  {IGNORE}\n', (1, 2)),
        (f"@f(\n    1\n)  {IGNORE}\ndef g():\n    pass\n", (1, 3)),
        (f"@f(\n    1\n)\ndef g():  {IGNORE}\n    pass\n", (4, 4)),
        (f"if x:  {IGNORE}\n    pass\n", (1, 1)),
        (f"if x:\n    y = 1  {IGNORE}\nz = 2\n", (2, 2)),
        (f"x = 1  {IGNORE}", (1, 1)),
        (f"{IGNORE}\nx = 1\n", (0, 0)),
        (f"if x:\n    {IGNORE}\n    y = 1\n", (0, 0)),
        (f"if x:\n    y = 1\n{IGNORE}\n", (0, 0)),
        (f"x = 1\x0c\ny = 2  {IGNORE}\n", (2, 2)),
    ],
)
def test_the_statement_that_a_comment_is_for(text: str, lines: tuple[int, int]) -> None:
    (found,) = comments(text)
    assert (found.first, found.last) == lines


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_and_marks(end: str) -> None:
    text = f"\ufeffé = 1{end}x = 2  {IGNORE} — é{end}"
    (found,) = comments(text)
    assert (found.line, found.column, found.reason) == (2, 8, "why — é")


@pytest.mark.parametrize(
    "data", [f"x = (  {IGNORE}\n".encode(), b"\xff# regreach: ignore[RR101]\n"]
)
def test_files_that_are_not_valid_have_none(data: bytes) -> None:
    assert comments_in("m.py", data, KNOWN) == []
