"""What the process roots load is told right from a few modules, and from all where that is not enough."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from regreach.evaluate.machine import Machine
from regreach.evaluate.session import Session
from regreach.evaluate.values import FALSE, TRUE
from regreach.evaluate.world import World
from regreach.graph import ImportGraph
from regreach.process import ProcessRoots
from regreach.program import Program
from regreach.tree import PackageLocation, open_tree

WORLD = World(
    values={"typing.TYPE_CHECKING": FALSE, "gpu.there": TRUE, "npu.there": FALSE},
    installed=frozenset({"*"}),
    environment_closed=True,
)
# What is on no way to the goal.
ASIDE = {"aside.py": "import p.deep\nx = 1\n", "deep.py": "y = 1\n"}


def loaded(tmp_path: Path, files: Mapping[str, str]) -> tuple[bool, list[str]]:
    """Return whether ``p.goal`` is loaded by the root ``p.main``, and which modules were parsed."""
    for name, text in {"__init__.py": "", "goal.py": "", **ASIDE, **files}.items():
        path = tmp_path / "p" / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_bytes(text.encode())
    with open_tree(str(tmp_path), PackageLocation("p", ("",))) as tree:
        program = Program(tree)
        roots = ProcessRoots(
            program, Machine(program, WORLD, "p"), ImportGraph(program), ["p.main", "p.none"]
        )
        session = roots.session(["p.goal"])
        names = session.loaded()
        whole = Session(Machine(program, WORLD, "p"))
        parsed = [m for m in tree.modules if program.is_known(m)]
        whole.import_module("p.main")
        assert names.get("p.goal") == whole.loaded().get("p.goal")
        return names.get("p.goal", False), parsed


SHORT = {
    "by the root": {"main.py": "from p import aside\nimport p.goal\n"},
    "by another module": {"main.py": "from . import aside, a\n", "a.py": "from p import goal\n"},
    "by a parent package": {
        "main.py": "import p.q.a\n",
        "q/__init__.py": "import p.goal\n",
        "q/a.py": "",
    },
    "under a guard that holds": {"main.py": "import gpu\nif gpu.there:\n    import p.goal\n"},
    "in a class": {"main.py": "class A:\n    import p.goal\n"},
    "behind a semicolon": {"main.py": "x = 1; import p.goal\n"},
    "on one line with its guard": {"main.py": "import gpu\nif gpu.there: import p.goal\n"},
    "on a continued line": {"main.py": "if \\\n  1: \\\n  import p.goal\n"},
    "the shorter way is closed": {
        "main.py": "import npu\nif npu.there:\n    import p.goal\nimport p.a\n",
        "a.py": "import p.b\n",
        "b.py": "import p.goal\n",
    },
    "dynamically": {"main.py": "import importlib\nimportlib.import_module('p.goal')\n"},
}


# Ways to import `p.between`, which imports the goal, that no scan for import lines sees.
UNSEEN = {
    "dynamically in a loop": "import importlib\nfor n in ['p.between']:\n    importlib.import_module(n)\n",
    "dynamically in a try": "try:\n    __import__('p.between')\nfinally:\n    pass\n",
    "dynamically over lines": "import importlib as i\nx = [\n  i.import_module(n) for n in ['p.between']]\n",
    "in a block behind a function": "if 1:\n    def f():\n        pass\n    if f:\n        import p.between\n",
    "in a class behind a method": "class A:\n    def f(self): pass\n    if f:\n        import p.between\n",
    "before a semicolon": "import p.between;x = 1\n",
    "on a second line": "import p.aside, \\\n  p.between\n",
    "behind a comment with a parenthesis": "from p import (aside,  # :-)\n  between)\n",
    "behind dots alone": "from.import between\n",
    "behind dots apart": "from . import aside\nfrom . between import goal\n",
    "unless only checked": "from typing import TYPE_CHECKING\nif TYPE_CHECKING or 1:\n    import p.between\n",
    "in a match": "match 1:\n    case 1:\n        import p.between\n",
    "behind a string in a block": "if 1:\n    x = '''\nabc\n'''\n    import p.between\n",
    "below a condition of two lines": "if (1 and\n1):\n    import p.between\n",
    "behind a bracket in a block": "if 1:\n    x = [\n1\n]\n    import p.between\n",
    "with a condition that has a string": "if 'a' == \"a\": import p.between\n",
    "with old line ends": "x = 1\rimport p.between\r",
    "with a mark of the byte order": "\ufeffimport p.between\n",
    "behind a form feed": "x = 1\n\fimport p.between\n",
    "by a name with other letters": "import p.größe\n",
}


@pytest.mark.parametrize("case", UNSEEN)
def test_loaded_by_what_is_imported_unseen(tmp_path: Path, case: str) -> None:
    files = {"main.py": UNSEEN[case], "between.py": "import p.goal\n"}
    found, parsed = loaded(tmp_path, {**files, "größe.py": "import p.between\n"})
    assert found
    assert "p.deep" not in parsed


@pytest.mark.parametrize("case", SHORT)
def test_loaded(tmp_path: Path, case: str) -> None:
    found, parsed = loaded(tmp_path, SHORT[case])
    assert found
    assert "p.deep" not in parsed


@pytest.mark.parametrize(
    "files",
    [
        {"main.py": "def f():\n    import p.goal\n"},
        {"main.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import p.goal\n"},
        {"main.py": "import npu\nif npu.there:\n    import p.goal\n"},
        {"main.py": "'''\nimport p.goal\n'''\n"},
    ],
)
def test_not_loaded(tmp_path: Path, files: dict[str, str]) -> None:
    found, parsed = loaded(tmp_path, files)
    assert not found
    assert "p.deep" not in parsed


@pytest.mark.parametrize(
    "files",
    [
        {
            "main.py": "import p.aside\nimport p.a\np.a.f()\n",
            "a.py": "def f():\n    import p.goal\n",
        },
        {
            "main.py": "from p.a import f\n@f\ndef g(): pass\n",
            "a.py": "def f(x):\n    import p.goal\n",
        },
        {
            "main.py": "from p.a import A\nx = A()\n",
            "a.py": "class A:\n    def __init__(self):\n        import p.goal\n",
        },
        {"main.py": "from p.a import x\nif x:\n    import p.goal\n", "a.py": "x = 1\n"},
    ],
)
def test_what_a_few_modules_do_not_tell_is_told_by_all(
    tmp_path: Path, files: dict[str, str]
) -> None:
    assert loaded(tmp_path, files)[0]
