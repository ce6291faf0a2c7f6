# ruff: noqa: RUF001
"""Python 2 and syntax from the future: named as such, whatever runs regreach."""

from __future__ import annotations

from pathlib import Path

import libcst
import pytest
from command_line import run
from hostile_making import ASKED, NO_CACHE, PACKAGE, as_without, imported_first, told, tree_with

PYTHON_2 = {
    "print_statement": "print 'x'\n",
    "print_in_function": "def f():\n    print 'x', 1\n",
    "print_to_file": "import sys\nprint >>sys.stderr, 'x' % 1, \n",
    "except_comma": "try:\n    x = 1\nexcept ValueError, e:\n    pass\n",
    "backticks": "x = `1`\n",
    "exec_statement": "exec 'x = 1'\n",
    "exec_in": "exec code in space\n",
    "raise_comma": "raise ValueError, 'x'\n",
    "octal": "x = 0777\n",
    "long": "x = 10L\n",
    "not_equal": "if 1 <> 2:\n    pass\n",
    "raw_unicode": "x = ur'a'\n",
    "parameters_of_tuples": "def f(a, (b, c)):\n    pass\n",
}
# What no Python that is named has; it is not to be taken for one of them.
NEITHER = ["x = = 1\n", "def f(:\n    pass\n", "import a.b as\n", "if x\n    pass\n", "f(a b)\n"]


def test_python_2_is_named(tmp_path: Path) -> None:
    files = {f"{PACKAGE}/old/{n}.py": text.encode() + ASKED for n, text in PYTHON_2.items()}
    tree = tree_with(tmp_path, files)
    done = run("check", str(tree), *NO_CACHE)
    as_without(done)
    # `print >>file, x` is an expression as well
    assert told(done).keys() == files.keys() - {f"{PACKAGE}/old/print_to_file.py"}
    for path, words in told(done).items():
        assert "this is Python 2" in words, (path, words)


def test_other_mistakes_are_not_python_2(tmp_path: Path) -> None:
    files = {f"{PACKAGE}/odd/m{i}.py": t.encode() + ASKED for i, t in enumerate(NEITHER)}
    done = run("check", str(tree_with(tmp_path, files)), *NO_CACHE)
    assert told(done).keys() == files.keys()
    assert "Python" not in "".join(told(done).values())


@pytest.mark.parametrize("name", ["print_statement", "except_comma"])
def test_a_consumer_in_python_2(tmp_path: Path, name: str) -> None:
    tree = tree_with(tmp_path)
    imported_first(tree, PYTHON_2[name].encode())
    done = run("check", str(tree), *NO_CACHE)
    assert (done.code, done.out) == (3, "")
    assert "this is Python 2" in done.err


@pytest.mark.parametrize("text", ["lazy import json\n", "x = 1\nlazy from json import loads\n"])
def test_lazy_imports_are_named_and_nothing_is_made_of_them(tmp_path: Path, text: str) -> None:
    tree = tree_with(tmp_path, {f"{PACKAGE}/new.py": text.encode() + ASKED})
    line = text.count("\n")
    done = run("check", str(tree), *NO_CACHE)
    assert done.err.startswith(f"{PACKAGE}/new.py:{line}:1: not read: ")
    as_without(done)
    words = told(done)[f"{PACKAGE}/new.py"]
    assert "`lazy import` (PEP 810) is of Python 3.15, a syntax newer than regreach" in words
    imported_first(tree, text.encode())
    done = run("check", str(tree), *NO_CACHE)
    assert done.code == 3
    assert "MoeRunner cannot be judged" in done.err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = t'{1}'\n", "a t-string (PEP 750) is of Python 3.14"),
        ("try:\n    x = 1\nexcept ValueError, TypeError:\n    pass\n", "`except A, B:` (PEP 758)"),
        ("type X = int\nY = X\n", "a `type` statement (PEP 695) is of Python 3.12"),
        ("class A[T = int]:\n    pass\n", ""),
    ],
)
@pytest.mark.parametrize("knows", [True, False])
def test_newer_syntax_is_read_where_libcst_knows_it_and_named_where_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, says: str, knows: bool
) -> None:
    tree = tree_with(tmp_path)
    imported_first(tree, text.encode())
    if not knows:
        if not says or _compiles(text):
            pytest.skip("this Python knows it by itself, or it is not named")

        parse = libcst.parse_module

        def refuse(source: str) -> libcst.Module:
            if text not in source:
                return parse(source)
            raise libcst.ParserSyntaxError("no", lines=[""], raw_line=1, raw_column=0)

        monkeypatch.setattr("regreach.facts.parse.cst.parse_module", refuse)
        done = run("check", str(tree), *NO_CACHE)
        assert done.code == 3
        assert says in told(done)[f"{PACKAGE}/moe/hostile.py"]
        assert "newer than regreach's parser reads (libcst " in done.err
        return
    done = run("check", str(tree), *NO_CACHE)
    assert (done.code, told(done)) == (1, {}), done.err


def _compiles(text: str) -> bool:
    try:
        compile(text, "<text>", "exec")
    except SyntaxError:
        return False
    return True


def test_what_stands_behind_except_is_looked_at_only_when_something_is_raised(
    tmp_path: Path,
) -> None:
    """As CPython has it, the name need not be bound before."""
    text = "try:\n    x = 1\nexcept (Undefined, Too):\n    pass\n"
    exec(compile(text, "<text>", "exec"), {})
    tree = tree_with(tmp_path)
    imported_first(tree, text.encode())
    assert run("check", str(tree), *NO_CACHE).code == 1


def test_names_are_those_that_cpython_makes_of_them(tmp_path: Path) -> None:
    """``ﬂashinfer_cutlass`` is ``flashinfer_cutlass`` (PEP 3131), as CPython imports it."""
    space: dict[str, object] = {}
    exec("import ﬁlecmp\nfound = ﬁlecmp.__name__", space)
    assert space["found"] == "filecmp"
    tree = tree_with(tmp_path)
    imported_first(
        tree,
        "from sglang.srt.layers.moe.moe_runner import ﬂashinfer_cutlass\n"
        "def ﬁ(): return 1\nfi()\nclass A: ｂ = 1\nA.b, A.ｂ\n".encode(),
    )
    done = run("audit", str(tree), "--format", "json", *NO_CACHE)
    eager = done.json()["modules"]["eager"]
    assert "sglang.srt.layers.moe.moe_runner.flashinfer_cutlass" in eager
    assert "note" not in done.err
