"""Statements, their lines and their functions are those that CPython's own parser finds."""

from __future__ import annotations

import ast
import hashlib
import sys
import sysconfig
import warnings
from pathlib import Path

import pytest
from facts_beside_ast import differences, parsed, plain, uncut, with_bodies
from nasty_texts import INVALID, NASTY, NASTY_BYTES
from regreach.facts.parse import ModuleFacts
from regreach.facts.source import SourceError, decode

# The files of the standard library are taken in a fixed, shuffled order until so much was read.
BYTES_OF_STDLIB = 500_000

VALID = {name: text for name, text in NASTY.items() if name != "try" or sys.version_info >= (3, 11)}


def compiled(source: str | bytes) -> SyntaxError | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(source, "<text>", "exec", dont_inherit=True)
        except SyntaxError as error:
            return error
    return None


def check(text: str) -> None:
    assert list(differences(text)) == []
    facts = ModuleFacts(text)
    assert with_bodies(facts) == plain(uncut(text))


@pytest.mark.parametrize("name", VALID)
def test_nasty_text(name: str) -> None:
    check(VALID[name])


@pytest.mark.parametrize("name", VALID)
def test_nasty_text_is_cut(name: str) -> None:
    """The slow parse in one piece, which is right by itself, is not what makes the others right."""
    facts = ModuleFacts(VALID[name])
    blocks = [n for n in VALID[name].split("\n") if n.lstrip().startswith(("def ", "async def "))]
    assert facts._outline is not None
    assert bool(facts._outline.functions) <= bool(blocks)


@pytest.mark.parametrize("end", ["\r\n", "\r"])
@pytest.mark.parametrize("name", VALID)
def test_nasty_text_with_other_line_ends(name: str, end: str) -> None:
    data = VALID[name].replace("\n", end).encode()
    assert compiled(data) is None
    check(decode(data))


@pytest.mark.parametrize("name", NASTY_BYTES)
def test_nasty_bytes(name: str) -> None:
    data = NASTY_BYTES[name]
    assert compiled(data) is None
    text = decode(data)
    assert ast.dump(parsed(text)) == ast.dump(ast.parse(data))
    check(text)


def sample_of_stdlib() -> list[Path]:
    root = Path(sysconfig.get_paths()["stdlib"])
    files = [f for f in root.rglob("*.py") if "site-packages" not in f.parts]
    files.sort(key=lambda f: hashlib.sha256(f.relative_to(root).as_posix().encode()).digest())
    sample: list[Path] = []
    left = BYTES_OF_STDLIB
    for file in files:
        size = file.stat().st_size
        if 0 < size <= left:
            sample.append(file)
            left -= size
        if left < 2_000:
            break
    return sample


def test_sample_of_the_standard_library() -> None:
    seen = 0
    for file in sample_of_stdlib():
        data = file.read_bytes()
        error = compiled(data)
        if error is not None:
            with pytest.raises(SourceError) as caught:
                ModuleFacts.read(data)
            if error.lineno:
                assert (file, caught.value.line) == (file, error.lineno)
            continue
        text = decode(data)
        assert (file, list(differences(text))) == (file, [])
        assert with_bodies(ModuleFacts(text)) == plain(uncut(text)), file
        seen += 1
    assert seen > 20


@pytest.mark.parametrize("text", INVALID)
def test_invalid_text(text: str) -> None:
    error = compiled(text)
    assert error is not None
    with pytest.raises(SourceError) as caught:
        ModuleFacts.read(text.encode())
    position = (error.lineno or 1, max(1, error.offset or 1))
    assert (caught.value.line, caught.value.column) == position
    assert caught.value.message == error.msg


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"x = '\xff'\n", 1),
        (b"x = 1\ny = '\xe9'\n", 2),
        (b"x = 1\n\n\ny = '\xe9\xff'\nz = 1\n", 4),
        (b"# coding: no-such-encoding\nx = 1\n", 1),
        (b"\xef\xbb\xbf# coding: latin-1\nx = 1\n", 1),
        (b"# coding: hex\nx = 1\n", 1),
        (b"x = 1\ny = '\0'\n", 2),
    ],
)
def test_bytes_that_are_no_text(data: bytes, line: int) -> None:
    with pytest.raises((SyntaxError, ValueError)) as theirs:
        compile(data, "<bytes>", "exec", dont_inherit=True)
    with pytest.raises(SourceError) as caught:
        ModuleFacts.read(data)
    assert caught.value.line == line
    if isinstance(theirs.value, SyntaxError) and theirs.value.lineno:
        assert theirs.value.lineno == line


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this interpreter knows the syntax itself")
@pytest.mark.parametrize(
    "text",
    ["type X = int\n", "def f[T](x: T): pass\n", "class A[T]:\n    x = 1\n", "x = f'{a['b']}'\n"],
)
def test_newer_syntax_than_the_interpreters(text: str) -> None:
    assert compiled(text) is not None
    assert len(ModuleFacts(text).body) == 1
