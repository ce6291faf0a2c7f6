"""The comment that keeps an import: it is where ruff looks, and nothing else changes."""

from __future__ import annotations

import ast
import codecs
import json
import re
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from regreach.fixes.add_noqa import add_noqa
from regreach.fixes.errors import CannotEditError

LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)")


def unused(data: bytes) -> set[int]:
    """Return the lines on which ruff has an unused import to complain about."""
    command = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--isolated",
        "--no-cache",
        "--select",
        "F401",
    ]
    done = subprocess.run(
        [*command, "--output-format", "json", "-"], input=data, capture_output=True, check=False
    )
    return {found["location"]["row"] for found in json.loads(done.stdout)}


@pytest.mark.parametrize(
    ("before", "line", "after"),
    [
        ("import a\n", 1, "import a  # noqa: F401\n"),
        ("import a", 1, "import a  # noqa: F401"),
        ("import a  \n", 1, "import a  # noqa: F401\n"),
        ("import a\r\nx\r", 1, "import a  # noqa: F401\r\nx\r"),
        ("x\rimport a\rx\n", 2, "x\rimport a  # noqa: F401\rx\n"),
        ("import a  # noqa: E402\n", 1, "import a  # noqa: E402, F401\n"),
        ("import a  # noqa:E402 why\n", 1, "import a  # noqa:E402, F401 why\n"),
        ("import a  # NOQA : E402,E501\n", 1, "import a  # NOQA : E402,E501, F401\n"),
        ("import a  # noqa\n", 1, "import a  # noqa\n"),
        ("import a  # noqa: F401\n", 1, "import a  # noqa: F401\n"),
        ("import a  # registers\n", 1, "import a  # registers  # noqa: F401\n"),
        ("import a  # type: ignore\n", 1, "import a  # type: ignore  # noqa: F401\n"),
        ("import a  # noqa: f401\n", 1, "import a  # noqa: F401  # noqa: f401\n"),
        ("import a  # é # noqa: E402\n", 1, "import a  # é # noqa: E402, F401\n"),
        ("from p import (\n    a,\n)\n", 1, "from p import (  # noqa: F401\n    a,\n)\n"),
        ("from p \\\n  import a\n", 1, "from p \\\n  import a  # noqa: F401\n"),
        ("import a, \\\r\n  b\r\n", 1, "import a, \\\r\n  b  # noqa: F401\r\n"),
        ("from p \\\n import (\n a)\n", 1, "from p \\\n import (  # noqa: F401\n a)\n"),
        ("import a; x = '''\n'''\n", 1, "import a; x = '''\n'''  # noqa: F401\n"),
        ("x = (\n1); import a\n", 2, "x = (\n1); import a  # noqa: F401\n"),
        ("if x: import a\n", 1, "if x: import a  # noqa: F401\n"),
        ("\fimport a\f\n", 1, "\fimport a  # noqa: F401\n"),
        (
            "'''\n\f'''\n# x\nimport a # \\\nx\n",
            4,
            "'''\n\f'''\n# x\nimport a # \\  # noqa: F401\nx\n",
        ),
        ("y = '#'; import a\n", 1, "y = '#'; import a  # noqa: F401\n"),
    ],
)
def test_where_it_stands(before: str, line: int, after: str) -> None:
    assert add_noqa(before.encode(), line).decode() == after
    assert not unused(after.encode())


def test_another_code() -> None:
    assert add_noqa(b"import a  # noqa: F401\n", 1, "E402") == b"import a  # noqa: F401, E402\n"


def test_encodings() -> None:
    marked = codecs.BOM_UTF8 + "import a  # é\n".encode()
    assert add_noqa(marked, 1) == codecs.BOM_UTF8 + "import a  # é  # noqa: F401\n".encode()
    for encoding in ("latin-1", "cp1252", "euc_jp", "shift_jis"):
        text = f"# coding: {encoding}\nimport a  # {{}} # noqa: E402\nx = '{{}}'\n"
        word = "表" if "j" in encoding else "é"
        data = text.format(word, word).encode(encoding)
        wanted = text.replace("E402", "E402, F401").format(word, word).encode(encoding)
        assert add_noqa(data, 2) == wanted


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b"x = 1\nimport a\n", 1, "no import begins on line 1"),
        (b"import a\n", 2, "no import begins on line 2"),
        (b"import a\n", 0, "no import begins on line 0"),
        (b"from p import (\n    a,\n)\n", 2, "no import begins on line 2"),
        (b"import a\nx = (\n", 1, "not valid Python"),
        (b"import a\n\xff\n", 1, "line 2"),
        (b"# coding: none\nimport a\n", 2, "unknown encoding"),
        (b"", 1, "no import begins on line 1"),
    ],
)
def test_what_is_refused(data: bytes, line: int, message: str) -> None:
    with pytest.raises(CannotEditError, match=message):
        add_noqa(data, line)


ENDS = st.sampled_from(["\n", "\r\n", "\r"])
COMMENT = st.sampled_from(
    [
        "",
        "",
        "  ",
        " # x",
        "  # noqa: E402",
        "# noqa:E402,E501",
        "  # noqa: f401",
        " # é # noqa: E501",
        "  # type: ignore",
        "\f",
        " # noqa-x",
        "  # noqa: E402 # x",
        "  # \\",
    ]
)
STATEMENT = st.sampled_from(
    [
        "import a{}",
        "import a.b as c, d{}",
        "from p import a{}",
        "from p import ({}|    a,{}|    b,|){}",
        "from p import (a,{}| b){}",
        "from p \\|  import a{}",
        "import a, \\|    b{}",
        "if x: import a{}",
        "import a; x = '''|'''{}",
        "x = '#'; import a{}",
        "def f():{}|    import a{}",
        "try:{}|\timport a{}|finally:|\tpass",
    ]
)
OTHER = st.sampled_from(
    ["", "x = 1", "# é", "x = '''|\\|# noqa'''", "\f", "y = (|1)", "'''noqa'''"]
)


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """A file with one import statement of a shape that is hard to edit, among other lines."""
    statement = draw(STATEMENT)
    filled = statement.format(*(draw(COMMENT) for _ in range(statement.count("{}"))))
    parts = [*draw(st.lists(OTHER, max_size=2)), filled, *draw(st.lists(OTHER, max_size=2))]
    lines = "|".join(parts).split("|")
    ends = [draw(ENDS) for _ in lines]
    if draw(st.booleans()):
        ends = [ends[0]] * len(lines)
    if draw(st.booleans()):
        ends[-1] = ""
    text = "".join(map(str.__add__, lines, ends))
    return (codecs.BOM_UTF8 if draw(st.booleans()) else b"") + text.encode()


@settings(max_examples=60, deadline=None)
@given(files())
def test_ruff_is_content_and_one_line_has_changed(data: bytes) -> None:
    tree = ast.parse(data)
    (line,) = (n.lineno for n in ast.walk(tree) if isinstance(n, (ast.Import, ast.ImportFrom)))
    edited = add_noqa(data, line)
    assert not unused(edited)
    before, after = LINE.findall(data), LINE.findall(edited)
    assert len(before) == len(after)
    assert [b == a for b, a in zip(before, after, strict=True)].count(False) == 1
    assert ast.dump(ast.parse(edited)) == ast.dump(tree)
    assert add_noqa(edited, line) == edited
