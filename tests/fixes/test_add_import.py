"""``add_import``: what is added, where, and that all else stays byte for byte."""

from __future__ import annotations

import builtins
import codecs
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from regreach.fixes.add_import import add_import
from regreach.fixes.errors import CannotEditError
from regreach.model import Place

STATEMENT = "from made.up import kernels"
LINE = f"{STATEMENT}  # noqa: F401"
FILLERS = [
    "x = 1",
    "x = 1; y = 2  # two",
    "# what é means",
    "",
    "\f",
    "if x: y = 2",
    "for i in (1, 2): y = i",
    'x = """a\n  b"""',
    "x = (1,\n2)",
    "x = [\n    1,  # one\n]",
    "x = 1 + \\\n 2",
    "try: x = 3\n#\nexcept ValueError: pass",
    "while False:\n\tpass",
]
ENDS = ["\n", "\r\n", "\r"]


@st.composite
def files(draw: st.DrawFn) -> tuple[bytes, int]:
    """A file with a function that takes one branch of three, and the line of the second's header."""
    unit = draw(st.sampled_from(["    ", "  ", " ", "\t", "        "]))
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "latin-1", "cp1252"]))
    fillers = st.lists(st.sampled_from(FILLERS), max_size=2)
    lines: list[str] = []
    if encoding not in ("utf-8", "utf-8-sig"):
        lines.append(f"# -*- coding: {encoding} -*-")

    def add(level: int, texts: list[str]) -> None:
        for text in texts:
            # the lines of a statement that goes on are as they are, those of others are indented
            if text.startswith(("try", "while")):
                lines.extend(unit * level + part for part in text.split("\n"))
            else:
                first, *rest = text.split("\n")
                lines.append(unit * level + first if first.strip(" ") else first)
                lines.extend(rest)

    def suite(level: int, header: str, number: int) -> None:
        if draw(st.booleans()):
            lines.append(
                f"{unit * level}{header}{draw(st.sampled_from(['', ' ', '  ']))}x = {number}"
            )
            return
        lines.append(unit * level + header + draw(st.sampled_from(["", "  # why"])))
        add(level + 1, [*draw(fillers), f"x = {number}", *draw(fillers)])

    add(0, ["x = 0", *draw(fillers)])
    nested = draw(st.integers(0, 2))
    for level in range(nested):
        lines.append(f"{unit * level}if True:")
    add(nested, ["def choose(value):"])
    add(nested + 1, ["x = 0", *draw(fillers)])
    suite(nested + 1, "if value == 0:", 10)
    header = len(lines)
    suite(nested + 1, "elif value == 1:", 11)
    if draw(st.booleans()):
        suite(nested + 1, "else:", 12)
    add(nested + 1, [*draw(fillers), "return x"])
    add(0, draw(fillers))
    number = sum(line.count("\n") for line in lines[:header]) + header + 1
    own = draw(st.sampled_from([*ENDS, "mixed"]))
    text = ""
    for line in lines:
        for part in line.split("\n"):
            text += part + (draw(st.sampled_from(ENDS[:2])) if own == "mixed" else own)
    if draw(st.booleans()):
        text = text.rstrip("\r\n")
    return text.encode(encoding), number


def imports_of(data: bytes, value: int) -> tuple[list[str], object]:
    """Execute a file, call its function, and return what that imports and gives."""
    seen: list[str] = []
    real = builtins.__import__

    def note(name: str, *rest: Any) -> Any:
        if name == "made.up":
            seen.append(name)
            return type("module", (), {"kernels": None})
        return real(name, *rest)

    scope: dict[str, Any] = {"__builtins__": {**vars(builtins), "__import__": note}}
    exec(compile(data, "<file>", "exec"), scope)
    return seen, scope["choose"](value)


@settings(max_examples=300, deadline=None)
@given(files(), st.sampled_from(["Because.", "Registers a key before it is looked up, " * 5]))
def test_nothing_else_changes_and_only_that_branch_imports(
    made: tuple[bytes, int], reason: str
) -> None:
    before, line = made
    added = add_import(before, STATEMENT, "branch", line, reason)
    assert is_more(before, added.data)
    assert added.data.count(b"import kernels") == 1
    assert added.data.startswith(codecs.BOM_UTF8) == before.startswith(codecs.BOM_UTF8)
    for value in range(3):
        seen, result = imports_of(added.data, value)
        assert seen == (["made.up"] if value == 1 else [])
        assert result == imports_of(before, value)[1]
    text = added.data.decode("latin-1").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert text[added.line - 1].strip() == LINE
    # every line that was added ends as the header of the branch does
    assert added.data.count(b"\r\n") - before.count(b"\r\n") in (
        0,
        newlines(added.data) - newlines(before),
    )


@settings(max_examples=150, deadline=None)
@given(files())
def test_nothing_else_changes_with_an_import_at_the_top(made: tuple[bytes, int]) -> None:
    before, _ = made
    added = add_import(before, STATEMENT, "top", 0, "Because.")
    assert is_more(before, added.data)
    seen, result = imports_of(added.data, 1)
    assert seen == ["made.up"]
    assert result == imports_of(before, 1)[1]


def newlines(data: bytes) -> int:
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")


def is_more(before: bytes, after: bytes) -> bool:
    """Say whether bytes were only put in, in one place; blanks behind a colon may have gone there."""
    for at in range(len(before) + 1):
        if before[:at] != after[:at]:
            return False
        rest = before[at:]
        if after.endswith(rest) or (
            before[:at].endswith(b":") and after.endswith(rest.lstrip(b" "))
        ):
            return True
    return False


@pytest.mark.parametrize(
    ("before", "place", "line", "after"),
    [
        # a block, a suite on one line, the end of a file without a line end
        ("if a:\n    b\n", "branch", 1, "if a:\n    # Why.\n    LINE\n\n    b\n"),
        ("if a: b", "branch", 1, "if a:\n    # Why.\n    LINE\n\n    b"),
        ("if a:\n\tif b: c; d  # e\n", "branch", 2, "if a:\n\tif b:\n\t\t# Why.\n\t\tLINE\n\n\t\tc; d  # e\n"),
        ("if a:\n  b\nelse:\n  # c\n  d\n", "branch", 3, "if a:\n  b\nelse:\n  # Why.\n  LINE\n\n  # c\n  d\n"),
        ("try:\n  a\nexcept B:\n  c\n", "branch", 3, "try:\n  a\nexcept B:\n  # Why.\n  LINE\n\n  c\n"),
        ("match a:\n case 1:\n  b\n", "branch", 2, "match a:\n case 1:\n  # Why.\n  LINE\n\n  b\n"),
        ("if (\n  a\n  or b\n):\n  c\n", "branch", 1, "if (\n  a\n  or b\n):\n  # Why.\n  LINE\n\n  c\n"),
        # in front of a statement: outside of the chain that it is a part of, above its own comment
        ("def f():\n  a\n\n  # b\n  c = (\n d)\n", "before", 5,
         "def f():\n  a\n\n  # Why.\n  LINE\n\n  # b\n  c = (\n d)\n"),
        ("def f():\n  if a:\n    b\n  elif c():\n    d\n", "before", 4,
         "def f():\n  # Why.\n  LINE\n\n  if a:\n    b\n  elif c():\n    d\n"),
        ("def f():\n  if a: b\n  else: c\n", "before", 3, "def f():\n  # Why.\n  LINE\n\n  if a: b\n  else: c\n"),
        ("def f():\n  import a\n  b()\n", "before", 3, "def f():\n  import a\n\n  # Why.\n  LINE\n\n  b()\n"),
        ("if a:\n  # b\n  import c\n", "branch", 1, "if a:\n  # Why.\n  LINE\n\n  # b\n  import c\n"),
        # at the top: after the last import of its kind, after any, after the docstring, first
        ("import made.a\nimport os\n\nx = 1\n", "top", 0, "import made.a\n\n# Why.\nLINE\nimport os\n\nx = 1\n"),
        ("from . import a\nimport os\n", "top", 0, "from . import a\n\n# Why.\nLINE\nimport os\n"),
        ("from __future__ import annotations\nx = 1\n", "top", 0,
         "from __future__ import annotations\n\n# Why.\nLINE\n\nx = 1\n"),
        ('"""Doc."""\n\nx = 1\n', "top", 0, '"""Doc."""\n\n# Why.\nLINE\n\nx = 1\n'),
        ("#!/bin/sh\n# coding: utf-8\n\nx = 1\n", "top", 0, "#!/bin/sh\n# coding: utf-8\n\n# Why.\nLINE\n\nx = 1\n"),
        ("import os", "top", 0, "import os\n\n# Why.\nLINE"),
        ("if a:\n    import os\n", "top", 0, "# Why.\nLINE\n\nif a:\n    import os\n"),
    ],
)  # fmt: skip
def test_where_it_goes(before: str, place: Place, line: int, after: str) -> None:
    for end in ENDS if "\n" in before else ENDS[:1]:
        data = add_import(before.replace("\n", end).encode(), STATEMENT, place, line, "Why.").data
        assert data.decode() == after.replace("LINE", LINE).replace("\n", end)


def test_a_line_that_would_be_too_long_is_laid_out_as_black_does() -> None:
    indent = " " * 20
    before = f"{indent[:4]}".join(["def f():\n", f"if a:\n{indent}b\n"])
    statement = "from package.with_a.rather_longer.name import something"
    after = add_import(before.encode(), statement, "branch", 2, "Why " * 25).data.decode()
    assert after.splitlines()[2:] == [
        f"{indent}# {'Why ' * 16}".rstrip(),
        f"{indent}# {'Why ' * 9}".rstrip(),
        f"{indent}from package.with_a.rather_longer.name import (  # noqa: F401",
        f"{indent}    something,",
        f"{indent})",
        "",
        f"{indent}b",
    ]


@pytest.mark.parametrize(
    ("before", "statement", "added"),
    [
        # a name that means something else in the function is not taken away from it
        ("def f(kernels):\n  if a:\n    b\n", STATEMENT, f"{STATEMENT} as _kernels"),
        ("def f():\n  if a:\n    b(kernels)\n", STATEMENT, f"{STATEMENT} as _kernels"),
        ("def f():\n  if a:\n    kernels = _kernels\n", STATEMENT, f"{STATEMENT} as __kernels"),
        ("def f():\n  if a:\n    from x import kernels\n", STATEMENT, f"{STATEMENT} as _kernels"),
        ("def f():\n  if a:\n    made.b\n", "import made.up", "import made.up as _up"),
        # what is the same, is an attribute or stands elsewhere is no hindrance
        ("def f():\n  if a:\n    b\n  from made.up import kernels\n", STATEMENT, STATEMENT),
        ("def f():\n  if a:\n    x.kernels\n", STATEMENT, STATEMENT),
        ("def f():\n  if a:\n    import x.kernels\n", STATEMENT, STATEMENT),
        ("def f():\n  if a:\n    b\nkernels = 1\n", STATEMENT, STATEMENT),
        ("def f():\n  if a:\n    import made.other\n", "import made.up", "import made.up"),
    ],
)
def test_the_name_that_is_bound(before: str, statement: str, added: str) -> None:
    made = add_import(before.encode(), statement, "branch", 2, "Why.")
    assert made.statement == f"{added}  # noqa: F401"
    assert made.near == "if a:"
    assert f"    {made.statement}\n".encode() in made.data


@pytest.mark.parametrize(
    ("data", "place", "line", "says"),
    [
        (b"if a:\n  b\n", "branch", 2, "no block begins on line 2"),
        (b"a\n", "before", 1, "no statement of a function begins on line 1"),
        (b"if a\n", "branch", 1, "the file cannot be parsed"),
        (b"\xff", "top", 0, "the file cannot be parsed: not valid utf-8"),
        (b"# coding: ascii\nif a:\n  b\n", "branch", 2, "the comment cannot be written in ascii"),
    ],
)
def test_what_is_refused(data: bytes, place: Place, line: int, says: str) -> None:
    with pytest.raises(CannotEditError, match=says):
        add_import(data, STATEMENT, place, line, "Because of é.")
