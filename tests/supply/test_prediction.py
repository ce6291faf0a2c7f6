"""The guess at what a module imports."""

from __future__ import annotations

import ast
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest
from regreach.facts.import_lines import imported_names
from regreach.program import Program
from regreach.supply.prediction import imports_of
from regreach.tree import PackageLocation, open_tree


def names(text: str, package: str = "p.q") -> list[str]:
    return list(imported_names(text.encode(), package))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import a", ["a"]),
        ("import a.b as c, d  # , e\n", ["a.b", "d"]),
        ("from a.b import c as d, e\n", ["a.b", "a.b.c", "a.b.e"]),
        ("from a import (  # x\n    b,  # y\n    c as d,\n)\n", ["a", "a.b", "a.c"]),
        ("from . import a\nfrom .b import c\n", ["p.q", "p.q.a", "p.q.b", "p.q.b.c"]),
        ("from .. import a\nfrom ..b import *\n", ["p", "p.a", "p.b"]),
        ("from a import b\r\nimport c\r\n", ["a", "a.b", "c"]),
        ("def f():\n    import a\nimport b\n", ["b"]),
        ("class A:\n    def f(self):\n        import a\n", []),
        ("try:\n    import a\nexcept ImportError:\n    import b\n", ["a", "b"]),
        ("if x:\n    if y:\n\n        # z\n        import a\nelse:\n    import b\n", ["a", "b"]),
        ("if x:\n    def f():\n        import a\n    import b\n", ["b"]),
        ("if TYPE_CHECKING:\n    import a\nelse:\n    import b\n", ["b"]),
        ("if typing.TYPE_CHECKING:\n    import a\nimport b\n", ["b"]),
        ("important = 1\nfrom_ = 2\nx = 'import a'\n", []),
    ],
)
def test_imported_names(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_nearly_all_imports_of_the_standard_library_are_seen() -> None:
    seen = missed = 0
    for file in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py")):
        data = file.read_bytes()
        found = set(imported_names(data, "p"))
        for name in at_module_level(ast.parse(data).body):
            seen += 1
            missed += name not in found
    assert seen > 500
    assert missed < seen / 50


def at_module_level(body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module or ""
        elif isinstance(node, (ast.If, ast.Try)) and "TYPE_CHECKING" not in ast.dump(node):
            yield from at_module_level(node.body)


def test_closure(tmp_path: Path) -> None:
    for path, text in {
        "p/__init__.py": "from . import z\n",
        "p/z.py": "import p.a.b\n",
        "p/a/__init__.py": "import os, p.none\n",
        "p/a/b.py": "from ..c import name\ndef f():\n    import p.lazy\n",
        "p/c.py": "from p.a import b\n",
        "p/lazy.py": "",
        "p/other.py": "from p import a, name\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    with open_tree(str(tmp_path), PackageLocation("p", ("",))) as tree:
        order = imports_of(Program(tree), ["p.other", "p.none", "p.c"])
    assert order == ["p", "p.z", "p.a", "p.a.b", "p.c", "p.other"]
