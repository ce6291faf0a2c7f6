"""Finished modules: what their names stand for is what CPython has bound to them in the end."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from abstract import WORLD, MemorySources
from regreach.evaluate import expressions, statements  # noqa: F401  (they fill the tables)
from regreach.evaluate.finished import FinishedModules
from regreach.evaluate.values import MISSING, UNKNOWN, Class, Const, Function, Tuple, Value

CASES: dict[str, tuple[dict[str, str], list[str]]] = {
    "plain and conditional": (
        {
            "p/__init__.py": "",
            "p/a.py": "X = 1\nif X:\n    Y = 'yes'\nelse:\n    Y = 'no'\nZ = (X, Y)\n",
        },
        ["p.a:X", "p.a:Y", "p.a:Z", "p.a:W"],
    ),
    "bound again, and changed": (
        {
            "p/__init__.py": "",
            "p/a.py": "X = 1\nY = X\nX = 2\nN = 1\nN += 4\n",
        },
        ["p.a:Y", "p.a:X", "p.a:N"],
    ),
    "from others, in any order": (
        {
            "p/__init__.py": "from p.b import V\nfrom .c import *\n",
            "p/a.py": "from p import V as W, STAR\nfrom p import b\nT = b.V\n",
            "p/b.py": "from p import c\nV = c.STAR + 1\n",
            "p/c.py": "STAR = 5\n_HIDDEN = 6\n",
        },
        ["p.a:W", "p.a:STAR", "p.a:T", "p:STAR", "p:_HIDDEN", "p:V"],
    ),
    "what __all__ says": (
        {
            "p/__init__.py": "from .a import *\n",
            "p/a.py": "__all__ = ['_one', 'two']\n_one, two, three = 1, 2, 3\n",
        },
        ["p:_one", "p:two", "p:three"],
    ),
    "try": (
        {
            "p/__init__.py": "",
            "p/a.py": (
                "try:\n    import p.missing\n    HAVE = True\nexcept ImportError:\n    HAVE = False\n"
                "try:\n    N = int('x')\nexcept ValueError:\n    N = -1\n"
            ),
        },
        ["p.a:HAVE"],
    ),
    "called while it is loaded": (
        {
            "p/__init__.py": "",
            "p/a.py": (
                "from p.b import twice\nX = twice(4)\n"
                "def late():\n    return LATER\nLATER = 7\nY = late()\n"
            ),
            "p/b.py": "FACTOR = 2\ndef twice(n):\n    return n * FACTOR\n",
        },
        ["p.a:X", "p.a:Y", "p.a:LATER"],
    ),
    "a cycle": (
        {
            "p/__init__.py": "",
            "p/a.py": "A = 1\nfrom p import b\nC = b.B + 1\n",
            "p/b.py": "from p.a import A\nB = A + 1\n",
        },
        ["p.a:C", "p.b:B"],
    ),
    "getattr": (
        {
            "p/__init__.py": "def __getattr__(name):\n    return 'made ' + name\n",
            "p/a.py": "from p import thing\n",
        },
        ["p.a:thing"],
    ),
}

JUDGE = """
import importlib, json, sys
sys.path.insert(0, sys.argv[1])
for name in json.loads(sys.argv[2]):
    module, _, attribute = name.partition(":")
    importlib.import_module(module)
found = {}
for name in json.loads(sys.argv[2]):
    module, _, attribute = name.partition(":")
    found[name] = getattr(importlib.import_module(module), attribute, "<missing>")
print(json.dumps(found))
"""


def plain(value: Value) -> object:
    if value is MISSING:
        return "<missing>"
    if isinstance(value, Const):
        return value.value
    if isinstance(value, Tuple):
        return [plain(item) for item in value.items]
    raise AssertionError(value)


def modules_of(files: Mapping[str, str]) -> FinishedModules:
    return FinishedModules(MemorySources(files, "p"), WORLD, "p", ())


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_as_cpython_has_it_in_the_end(case: str, backwards: bool, tmp_path: Path) -> None:
    files, names = CASES[case]
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    done = subprocess.run(
        [sys.executable, "-c", JUDGE, str(tmp_path), json.dumps(names)],
        capture_output=True,
        check=True,
        text=True,
    )
    finished = modules_of(files)
    asked = names[::-1] if backwards else names
    found = {name: plain(finished.value(*name.split(":"))) for name in asked}
    assert found == json.loads(done.stdout)


def test_an_object_is_one_however_often_it_is_asked_for() -> None:
    finished = modules_of(
        {
            "p/__init__.py": "",
            "p/a.py": "class C:\n    pass\ndef f():\n    return C\n",
            "p/b.py": "from p.a import C as D\n",
        }
    )
    cls = finished.value("p.a", "C")
    assert isinstance(cls, Class)
    assert finished.value("p.b", "D") is cls
    assert isinstance(finished.value("p.a", "f"), Function)


def test_a_name_that_asks_for_itself_is_unknown() -> None:
    finished = modules_of(
        {"p/__init__.py": "", "p/a.py": "from p.b import X\n", "p/b.py": "from p.a import X\n"}
    )
    assert finished.value("p.a", "X") in (UNKNOWN, MISSING)


def test_only_what_a_name_needs_is_run() -> None:
    files = {
        "p/__init__.py": "",
        "p/a.py": "X = 1\nfrom p.broken import Y\n",
        "p/broken.py": "x = (\n",
    }
    assert modules_of(files).value("p.a", "X") == Const(1)
