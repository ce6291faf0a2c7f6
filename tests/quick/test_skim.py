"""What the lines of a module tell is what a parse of it tells, or nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from regreach.facts import ir
from regreach.facts.parse import ModuleFacts
from regreach.facts.skeleton import Pruning
from regreach.facts.skim import skimmed
from regreach.facts.source import SourceError, decode

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
TOP = "pkg"
PACKAGES = frozenset({TOP, "absent"})


def told(body: ir.Body) -> list[object]:
    """Return the imports in order, with the names that are bound between them."""
    result: list[object] = [{}]
    for node in body:
        if isinstance(node, ir.Later):
            names = result[-1]
            assert isinstance(names, dict)
            for name in node.names:
                names[name] = names.get(name, False) or node.sure
        elif isinstance(node, ir.Import):
            result += [("import", node.line, node.names), {}]
        elif isinstance(node, ir.ImportFrom):
            result += [("from", node.line, node.module, node.level, node.names), {}]
        else:
            raise AssertionError(f"{type(node).__name__} is for the parser")
    return result


def skim_of(text: str, packages: frozenset[str] = PACKAGES) -> list[object] | None:
    found = skimmed(text.encode(), packages)
    return None if found is None else told(found.body)


def parse_of(text: str, top: str = TOP) -> list[object]:
    body = ModuleFacts(decode(text.encode())).body
    return told(Pruning(top, (), ("absent",)).skeleton(body))


TOLD = [
    "import a\nfrom b import c as d, e\nx = 1\n",
    "def f():\n    import pkg.lazy\n\nclass C(Base):\n    y = 1\n    def g(self): ...\n",
    '"""Usage:\n\nfrom pkg import nothing\n"""\nz: int = 3\nw: str\n',
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from pkg.x import T\nv = 1\n",
    "try:\n    import fast\n    have = True\nexcept ImportError:\n    have = False\n",
    "try:\n    import fast\nexcept ImportError:\n    fast = None\nelse:\n    extra = 1\nfinally:\n    last = 2\n",
    "if cond():\n    a = 1\nelif other:\n    a = 2\nelse:\n    a = 3\n    b = 4\n",
    "if cond():\n    def helper():\n        local = 1\n        return local\n",
    "logger = logging.getLogger(__name__)\nlogger.setLevel(3)\nregister('x')\ncount += 1\n",
    "@decorated(\n    1,\n)\nasync def f(\n    a,\n    b=2,\n):\n    return 1\n",
    "from . import sibling\nfrom .other import (\n    one,  # why\n    two,\n)\nfrom pkg.star import *\n",
    "assert 1\npass\nx = {\n    'k': 1,\n}\n",
    "s = 'from pkg import no; import nothing'\n# import pkg.comment; x\n",
]
LEFT_TO_THE_PARSER = [
    "if cond():\n    from pkg import guarded\n",
    "try:\n    import pkg.sub\nexcept ImportError:\n    pass\n",
    "if cond():\n    import absent\n",
    "if cond():\n    raise ImportError('no')\n",
    "a = b = 1\n",
    "a, b = 1, 2\n",
    "os.environ['A'] = '1'\n",
    "x = 1; import a\n",
    "if x: y = 1\n",
    "class C:\n    from pkg import inside\n",
    "globals()['a'] = 1\n",
    "importlib.import_module('pkg.x')\n",
    "def __getattr__(name):\n    raise AttributeError\n",
    "for i in range(3):\n    t = i\n",
    "del a\n",
    "(a := 1)\n",
    "sys.modules[__name__] = 1\n",
    "\\\nimport a\n",
]


@pytest.mark.parametrize("text", TOLD)
def test_the_lines_tell_what_a_parse_tells(text: str) -> None:
    assert skim_of(text) == parse_of(text)


@pytest.mark.parametrize("text", LEFT_TO_THE_PARSER)
def test_what_is_odd_or_has_an_effect_is_left_to_the_parser(text: str) -> None:
    assert skim_of(text) is None


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ("load()\n", {"load"}),
        ("x = pkg.load ()\n", {"load"}),
        ("@load\ndef f():\n    other()\n", {"load"}),
        ("@pkg.load\nclass C:\n    pass\n", {"load"}),
        ("@load(1)\nclass C:\n    y = call()\n    def g(self): ...\n", {"load", "call"}),
        ("def f(x=load()):\n    return other(x)\n", {"load"}),
        ("class C(load()):\n    def g(self):\n        other()\n", {"load"}),
        ("if cond():\n    load()\n", {"cond", "load"}),
        ("x: int = 3\ndef f():\n    load()\n", set()),
        ("y = a@load\n", set()),
    ],
)
def test_what_may_be_called_while_it_is_loaded(text: str, called: set[str]) -> None:
    found = skimmed(text.encode(), PACKAGES)
    assert found is not None
    assert set(found.called) == called


def test_a_file_that_is_no_python_is_told() -> None:
    with pytest.raises(SourceError, match=r"never closed|unexpected EOF"):
        skim_of("x = (\n")


def agrees(text: str, top: str) -> bool:
    """Compare, where the lines tell anything; return whether they do."""
    found = skim_of(text, frozenset({top, "absent"}))
    if found is None:
        return False
    wanted = parse_of(text, top)
    assert len(found) == len(wanted)
    for mine, other in zip(found, wanted, strict=True):
        if not isinstance(mine, dict):
            assert mine == other
            continue
        assert isinstance(other, dict)
        assert mine.keys() == other.keys()
        # it may be less sure, never more
        assert not [name for name, sure in mine.items() if sure and not other[name]]
    return True


@pytest.mark.parametrize("case", sorted(p.parent.name for p in FIXTURES.glob("*/tree")))
def test_files_of_fixtures(case: str) -> None:
    for path in (FIXTURES / case / "tree").rglob("*.py"):
        try:
            agrees(path.read_text(encoding="utf-8"), "sglang")
        except SourceError:
            assert case == "syntax-error"


def test_files_of_the_standard_library() -> None:
    """Real code in many styles: a third of its files at least is told by their lines, and told rightly."""
    files = sorted(Path(ast_folder()).glob("*.py"))[::3]
    told_by_lines = sum(agrees(path.read_text(encoding="utf-8"), path.stem) for path in files)
    assert len(files) > 40
    assert told_by_lines > len(files) // 4


def ast_folder() -> str:
    import ast

    return str(Path(ast.__file__).parent)
