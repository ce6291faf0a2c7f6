"""What the tests of `regreach.supply` share: files to parse, and facts as data that compares."""

from __future__ import annotations

import sysconfig
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path

from regreach.evaluate.session import with_deep_stack
from regreach.facts.parse import ModuleFacts
from regreach.facts.source import SourceError
from regreach.supply.facts_supply import FactsSupply

FUNCTIONS = "functions.py"
"""A file of ``files`` that has five functions."""

PECULIAR: Mapping[str, bytes] = {
    "empty": b"",
    "empty too": b"",
    "constants": b"A = (1j, ..., b'\\xff', 1.5, 10**30, None, True, '\xc3\xa9')\n",
    "huge number": b"A = 123456789012345678901234567890\n",
    "line ends": b"import a\r\ndef f():\r\n    return (1,\r\n        2)\r\n",
    "no final newline": b"class A:\n    def f(self):\n        return 1",
    "encoding": b"# coding: latin-1\nA = '\xe9'\n",
    "match": b"match a:\n    case [1, *_] | {'k': 2}:\n        import b\n",
    "one piece": b"def f(): return 1\nif f(): import a; import b\n",
    "nested": b"A = " + b" + ".join([b"'a'"] * 100) + b"\n",
    "wrong": b"def f(:\n    pass\n",
    "wrong within": b"import a\ndef f():\n    return return\n",
    "wrongly indented": b"import a\n  b = 1\n",
    "wrongly indented by tabs": b"if a:\n        b = 1\n\tc = 2\n",
    "null": b"import a\n\0\n",
    "not utf-8": b"import a\n# \xff\n",
}


def files(count: int = 60) -> dict[str, bytes]:
    """Return peculiar files and the smallest modules of the standard library, path -> content."""
    found = {f"peculiar/{name}.py": data for name, data in PECULIAR.items()}
    found[FUNCTIONS] = b"".join(b"def f%d(x):\n    return x + %d\n" % (i, i) for i in range(5))
    root = Path(sysconfig.get_paths()["stdlib"])
    smallest = sorted(root.glob("*.py"), key=lambda file: (file.stat().st_size, file.name))
    return found | {f.name: f.read_bytes() for f in smallest[: count - len(found)]}


def all_facts(supply: FactsSupply, wanted: Mapping[str, bytes]) -> dict[str, object]:
    """Return the facts of the files with every function body, or what is wrong with them."""
    return with_deep_stack(lambda: {p: _facts(supply, p, data) for p, data in wanted.items()})


def _facts(supply: FactsSupply, path: str, data: bytes) -> object:
    try:
        return plain(supply.facts(path, data))
    except SourceError as error:
        return vars(error)


def plain(facts: ModuleFacts) -> object:
    """Return facts as nested tuples."""
    bodies = [_plain(facts.function(i)) for i in range(len(facts.functions or ()))]
    return facts.text, facts.functions, _plain(facts.body), bodies


def _plain(node: object) -> object:
    if isinstance(node, tuple):
        return tuple(_plain(item) for item in node)
    if is_dataclass(node):
        return (type(node).__name__, *(_plain(getattr(node, f.name)) for f in fields(node)))
    return type(node).__name__, repr(node)
