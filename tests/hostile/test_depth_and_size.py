"""Nesting and size: what CPython takes is judged, what it refuses is told, and nothing takes for ever."""

from __future__ import annotations

import subprocess
import sys
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

DEEP = {
    "parentheses": "(" * 1_000 + "1" + ")" * 1_000,
    "parentheses_without_end": "(" * 100_000,
    "many_parentheses": "(" * 100_000 + "1" + ")" * 100_000,
    "lists": "[" * 1_000 + "]" * 1_000,
    "dicts": "{1:" * 1_000 + "1" + "}" * 1_000,
    "calls_in_calls": "f(" * 1_000 + ")" * 1_000,
    "attributes": "a" + ".b" * 30_000,
    "calls_of_calls": "a" + "()" * 30_000,
    "sums": "1" + " + 1" * 30_000,
    "signs": "-" * 100_000 + "1",
    "lambdas": "lambda: " * 30_000 + "1",
    "conditions": "1 if a else " * 30_000 + "1",
}
FLAT = {
    "parentheses": "(" * 60 + "1" + ")" * 60,
    "lists": "[" * 60 + "]" * 60,
    "attributes": "print" + ".__class__" * 900,
    "sums": "1" + " + 1" * 1_000,
    "comparisons": "1" + " < 1" * 5_000,
    "conjunctions": "1" + " and 1" * 5_000,
    "signs": "-" * 900 + "1",
    "string": "'" + "a" * 3_000_000 + "'",
    "list": "[" + "1, " * 5_000 + "]",
}
BLOCKS = {
    "ifs": "".join(f"{' ' * n}if 1:\n" for n in range(1_000)) + " " * 1_000 + "y = 1\n",
    "functions": "".join(f"{' ' * n}def f():\n" for n in range(1_000)) + " " * 1_000 + "y = 1\n",
    "loops": "".join(f"{' ' * n}for i in x:\n" for n in range(50)) + " " * 50 + "y = 1\n",
    "spaces": " " * 500_000 + "x\n",
    "after_python_2": "print 'x'\nx = " + "(" * 100_000 + "\ny = " + "-" * 100_000 + "1\n",
}
REFUSED = {**{name: f"x = {text}\n" for name, text in DEEP.items()}, **BLOCKS}


def test_what_nests_too_deeply_is_told(tmp_path: Path) -> None:
    files = {f"{PACKAGE}/deep/{n}.py": text.encode() + ASKED for n, text in REFUSED.items()}
    tree = tree_with(tmp_path, files)
    done = watched("check", str(tree), *NO_CACHE, cwd=tree)
    as_without(done)
    assert told(done).keys() == files.keys()


def test_and_by_other_processes(tmp_path: Path) -> None:
    """None of them dies of it, and what they tell is the same."""
    files = {f"{PACKAGE}/deep/{n}.py": text.encode() + ASKED for n, text in REFUSED.items()}
    files |= {f"{PACKAGE}/more/m{n}.py": f"X = {n}".encode() + ASKED for n in range(60)}
    tree = tree_with(tmp_path, files)
    done = watched("check", str(tree), "--no-cache", "--jobs", "2", cwd=tree)
    as_without(done)
    assert len(told(done)) == len(REFUSED)


@pytest.mark.parametrize("name", ["parentheses", "sums", "attributes", "signs"])
def test_a_consumer_that_imports_it_is_not_green(tmp_path: Path, name: str) -> None:
    tree = tree_with(tmp_path)
    file = imported_first(tree, REFUSED[name].encode())
    python = subprocess.run([sys.executable, str(file)], check=False, capture_output=True)
    assert sys.version_info >= (3, 12) or b"Error" in python.stderr
    done = run("check", str(tree), *NO_CACHE)
    assert done.code == 3
    assert "cannot be judged: a file that it needs was not read" in done.err


def test_what_python_takes_is_judged(tmp_path: Path) -> None:
    tree = tree_with(tmp_path)
    file = imported_first(tree, "".join(f"x = {text}\n" for text in FLAT.values()).encode())
    subprocess.run([sys.executable, str(file)], check=True)
    done = run("check", str(tree), *NO_CACHE)
    assert (done.code, told(done)) == (1, {}), done.err
    assert "note:" not in done.err


def test_a_hundred_thousand_lines(tmp_path: Path) -> None:
    body = "".join(f"    x = {n}\n" for n in range(98))
    text = "".join(f"def f{n}(x):\n{body}    return x\n" for n in range(1_000))
    assert text.count("\n") == 100_000
    tree = tree_with(tmp_path)
    imported_first(tree, text.encode())
    done = watched("check", str(tree), *NO_CACHE, cwd=tree)
    assert (done.code, told(done)) == (1, {})


COSTLY = {
    "powers": "x = 10 ** 10 ** 10\n",
    "shifts": "x = 1 << 10**12\n",
    "squares": "x = 3\nfor i in range(64):\n    x = x * x\n",
    "doubled_text": "x = 'a'\nfor i in range(64):\n    x = x + x\n",
    "doubled_list": "x = ['a']\nfor i in range(64):\n    x = x + x\n",
    "lists_of_lists": "x = []\nfor i in range(64):\n    x = [x, x]\nprint(x)\n",
    "repeated": "x = 'a' * 10**12\ny = [0] * 10**12\n",
    "ranges": "x = list(range(10**12))\ny = [i for i in range(10**12)]\n",
    "widths": "x = 'a'.rjust(10**12)\ny = f'{1:1000000000000}'\nz = '%1000000000d' % 1\n",
    "formats": "x = '{:1000000000}'.format(1)\n",
    "endless_loop": "while True:\n    x = 1\n    if x == 2:\n        break\n",
    "endless_calls": "def f(n):\n    return f(n + 1) + f(n + 2)\ntry:\n    f(0)\nexcept RecursionError:\n    pass\n",
    "branches": "import os\n"
    + "".join(f"if os.getpid() > {n}:\n    x{n} = 1\n" for n in range(500)),
}


def test_code_that_would_take_for_ever_is_not_run_for_ever(tmp_path: Path) -> None:
    """All that the consumer imports is run, abstractly: within bounds."""
    tree = tree_with(tmp_path)
    imported_first(tree, "".join(f"import sglang.srt.layers.moe.{n}\n" for n in COSTLY).encode())
    for name, text in COSTLY.items():
        (tree / PACKAGE / f"moe/{name}.py").write_text(text)
    done = watched("check", str(tree), *NO_CACHE, cwd=tree)
    assert (done.code, told(done)) == (1, {}), done.err
