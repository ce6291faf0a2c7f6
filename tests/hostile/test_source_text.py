"""Bytes that are no text, odd encodings and line ends: CPython says which of them are Python."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from command_line import run
from hostile_making import (
    ASKED,
    NO_CACHE,
    PACKAGE,
    as_without,
    imported_first,
    told,
    tree_with,
    watched,
)

BOM = b"\xef\xbb\xbf"
TEXTS = {
    "null_byte": b"x = 1\ny = '\0'\n",
    "null_byte_in_comment": b"x = 1  # \0\n",
    "utf16": "x = 1\n".encode("utf-16"),
    "utf16_without_mark": "x = 1\n".encode("utf-16-le"),
    "utf32": "x = 1\n".encode("utf-32"),
    "not_utf8": b"x = '\xe9'\n",
    "surrogate_in_utf8": b"x = '\xed\xa0\x80'\n",
    "overlong_utf8": b"x = '\xc0\x80'\n",
    "two_marks": BOM + BOM + b"x = 1\n",
    "mark": BOM + b"x = 1\n",
    "mark_and_cookie_of_another": BOM + b"# coding: latin-1\nx = 1\n",
    "mark_of_utf16_in_utf8": "\ufeff".encode("utf-16-le") + b"x = 1\n",
    "cookie_latin": b"# coding: latin-1\nx = '\xe9'\n",
    "cookie_unknown": b"# coding: no-such-thing\nx = 1\n",
    "cookie_path": b"# coding: ../../etc/passwd\nx = 1\n",
    "cookie_long": b"# coding: " + b"a" * 100_000 + b"\nx = 1\n",
    "cookie_of_bytes": b"# coding: zlib\nx = 1\n",
    "cookie_of_text": b"# coding: rot13\nk = 1\n",
    "cookie_that_refuses": b"# coding: undefined\nx = 1\n",
    "cookie_punycode": b"# coding: punycode\nx = 1\n",
    "cookie_escapes": b"# coding: unicode_escape\nx = '\\u00e9'\n",
    "cookie_escaped_null": b"# coding: unicode_escape\nx = '\\x00'\n",
    "cookie_escaped_surrogate": b"# coding: unicode_escape\nx = '\\ud800'\n",
    "form_feeds": b"\x0cx = 1\n\x0c\x0cif x:\n    \x0cy = 2\n",
    "vertical_tab": b"x = 1\x0by = 2\n",
    "control_z": b"x = 1\n\x1a",
    "carriage_returns": b"x = 1\rif x:\r    y = 2\r",
    "crlf": b"x = 1\r\nif x:\r\n    y = 2\r\n",
    "all_line_ends": b"x = 1\r\ny = 2\rz = 3\n",
    "next_line": "x = 1\u0085y = 2\n".encode(),
    "line_separator": "x = '\u2028'\n".encode(),
    "no_break_space": "x\u00a0= 1\n".encode(),
    "conflict": b"<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> other\n",
    "half_a_string": b"x = '''abc\n",
    "wrong_bracket": b"x = (1]\n",
    "backslash_at_the_end": b"x = 1\\",
    "tab_after_spaces": b"if 1:\n        x = 1\n\ty = 2\n",
    "no_python": b"\x7fELF\x02\x01\x01" + bytes(range(256)),
    "integer_with_too_many_digits": b"x = " + b"9" * 100_000 + b"\n",
    "huge_hexadecimal": b"x = 0x" + b"f" * 100_000 + b"\n",
    "huge_string": b"x = '" + b"a" * 2_000_000 + b"'\n",
    "long_name": b"x" * 200_000 + b" = 1\n",
}


def refused(data: bytes) -> bool:
    """Whether CPython refuses to compile the bytes of a file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(data, "<file>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return True
    return False


@pytest.fixture(scope="module")
def all_at_once(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What is said of a tree with all these files, of which the verdicts need none."""
    files = {f"{PACKAGE}/hostile/{name}.py": data + ASKED for name, data in TEXTS.items()}
    tree = tree_with(tmp_path_factory.mktemp("texts"), files)
    done = watched("check", str(tree), *NO_CACHE, cwd=tree)
    as_without(done)
    return {path.rpartition("/")[2][:-3]: words for path, words in told(done).items()}


@pytest.mark.parametrize("name", TEXTS)
def test_what_cpython_refuses_is_told_and_nothing_else(
    all_at_once: dict[str, str], name: str
) -> None:
    assert (name in all_at_once) == refused(TEXTS[name] + ASKED)
    assert len(all_at_once.get(name, "")) < 300


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_a_consumer_that_imports_it_is_judged_or_not_but_never_green(
    tmp_path: Path, name: str
) -> None:
    tree = tree_with(tmp_path)
    imported_first(tree, TEXTS[name])
    done = run("check", str(tree), *NO_CACHE)
    if not refused(TEXTS[name]):
        assert (done.code, told(done)) == (1, {})
        return
    assert done.code == 3
    assert list(told(done)) == [f"{PACKAGE}/moe/hostile.py"]
    assert done.err.splitlines()[-1].startswith("regreach: error: ")
    assert "MoeRunner cannot be judged: a file that it needs was not read" in done.err


def test_the_lines_are_those_of_the_file(tmp_path: Path) -> None:
    """Also where carriage returns end them."""
    files = {
        f"{PACKAGE}/hostile/cr.py": b"x = 1\ry = = 2\r" + ASKED,
        f"{PACKAGE}/hostile/crlf.py": b"x = 1\r\n\x0c\r\ny = = 2\r\n" + ASKED,
        f"{PACKAGE}/hostile/null.py": b"x = 1\n\n\n\0" + ASKED,
    }
    tree = tree_with(tmp_path, files)
    lines = run("check", str(tree), *NO_CACHE).err.splitlines()
    assert [line.rpartition("/")[2].partition(": ")[0] for line in lines[:3]] == [
        "cr.py:2:5",
        "crlf.py:3:5",
        "null.py:4:1",
    ]
