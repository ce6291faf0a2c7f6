"""From findings to edits: several in one file, and at which lines they are in the end."""

from __future__ import annotations

from regreach.fixes.plan import edits_of, plan_of
from regreach.model import Finding, Spot

FILE = b"""\
import made.first
import made.second
import os

def choose(value):
    if value == 1:
        return 1
    elif value == 2:
        return 2
"""


def finding(key: str, **fix: str | int) -> Finding:
    return Finding("RR101", "error", Spot("a.py", 1), 1, "", (key,), key, {"path": "f.py", **fix})


def test_several_edits_of_one_file() -> None:
    add = {"kind": "add-import", "because": ""}
    findings = [
        finding("top", **add, statement="from made import top", placement="top"),
        finding("one", **add, statement="from made import up", placement="branch", after_line=6),
        finding("more", **add, statement="from made import up", placement="branch", after_line=6),
        finding("two", **add, statement="from made import it", placement="branch", after_line=8),
        finding("both", **add, statement="from made import both", placement="branch", after_line=8),
        finding("noqa", kind="add-noqa", line=1),
        finding("unknown", kind="unheard-of"),
    ]
    plan = plan_of(findings)
    assert [[f.fingerprint for f in group] for group in plan.values()] == [
        *(["top"], ["one", "more"], ["two"], ["both"], ["noqa"])
    ]
    edits, added, impossible = edits_of(plan, lambda _: FILE)
    assert impossible == {}
    (edit,) = edits
    assert (edit.path, edit.before) == ("f.py", FILE)
    lines = edit.after.decode().splitlines()
    for change, made in added.items():
        assert made.statement.split("#")[0].strip() in lines[made.line - 1], change
    assert lines[0] == "import made.first  # noqa: F401"
    assert (
        edit.after.decode()
        == """\
import made.first  # noqa: F401
import made.second

# Registers ("top",) before the look-up.
from made import top  # noqa: F401
import os

def choose(value):
    if value == 1:
        # Registers ("one",), ("more",) before the look-up.
        from made import up  # noqa: F401

        return 1
    elif value == 2:
        # Registers ("both",) before the look-up.
        from made import both  # noqa: F401

        # Registers ("two",) before the look-up.
        from made import it  # noqa: F401

        return 2
"""
    )


def test_what_cannot_be_made_is_told_and_the_rest_is_made() -> None:
    add = {"kind": "add-import", "statement": "from made import up", "placement": "branch"}
    plan = plan_of([finding("one", **add, after_line=6), finding("two", **add, after_line=7)])
    edits, added, impossible = edits_of(plan, lambda _: FILE)
    assert [change.line for change in added] == [6]
    assert list(impossible.values()) == ["no block begins on line 7"]
    assert b"import up" in edits[0].after
