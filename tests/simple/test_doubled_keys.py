"""RR105: keys that two modules register, and what only looks like that."""

from __future__ import annotations

from pathlib import Path

import pytest
from shop_tree import HANDLERS, audited, executed, told, written

ONE = 'from shop.registry import handles\n@handles("card")\ndef pay(): return 1\n'
OTHER = 'from shop.registry import handles\n@handles("card")\ndef pay(): return 2\n'
BOTH = "import shop.a, shop.b\n"

HITS = {
    "at once": {"server.py": BOTH, "a.py": ONE, "b.py": OTHER},
    "one later": {
        "server.py": "import shop.a\ndef pay():\n    from shop import b\n",
        "a.py": ONE,
        "b.py": OTHER,
    },
    "in a function that is imported later": {
        "server.py": "import shop.a\ndef start():\n    import shop.more\n",
        "more.py": "import shop.b\n",
        "a.py": ONE,
        "b.py": OTHER,
    },
    "one imports the other": {
        "server.py": "def start():\n    import shop.b\n",
        "a.py": ONE,
        "b.py": f"import shop.a\n{OTHER}",
    },
    "behind a switch": {
        "server.py": "import os, shop.a\nif os.environ.get('NEW'):\n    import shop.b\n",
        "a.py": ONE,
        "b.py": OTHER,
    },
    "the same words about other things": {
        "server.py": BOTH,
        "a.py": f"def cost(): return 1\n{ONE.replace('return 1', 'return cost()')}",
        "b.py": f"def cost(): return 2\n{ONE.replace('return 1', 'return cost()')}",
    },
}


@pytest.mark.parametrize("case", HITS)
def test_found(case: str, tmp_path: Path) -> None:
    _, findings = audited(written(tmp_path, HITS[case]))
    line = 4 if case == "one imports the other" else 3 if "cost" in HITS[case]["b.py"] else 2
    expected = ("shop/a.py:2", f"shop/b.py:{line}")
    assert [(rule, key) for rule, key, _ in told(findings)] == [("RR105", "card")]
    places = {str(r.spot) for r in findings[0].related if r.role == "registered"}
    assert len(places) == 2
    assert places & {expected[1], f"shop/b.py:{line - 1}"}
    # in CPython one of the two is gone
    said = executed(
        tmp_path,
        "import shop.a, shop.b, shop.registry\nprint(json.dumps(len(shop.registry.HANDLERS)))",
    )
    assert said == 1


MISSES = {
    "only one is loaded": {"server.py": "import shop.a\n", "a.py": ONE, "tests/b.py": OTHER},
    "one for type checkers": {
        "server.py": "import shop.a\nfrom typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    import shop.b\n",
        "a.py": ONE,
        "b.py": f"{OTHER}\n",
        "unused.py": "",
    },
    "one or the other": {
        "server.py": "import os\nif os.environ.get('NEW'):\n    import shop.a\nelse:\n    import shop.b\n",
        "a.py": ONE,
        "b.py": OTHER,
    },
    "one on this platform": {
        "server.py": f"{BOTH}",
        "a.py": ONE,
        "b.py": "import device\nfrom shop.registry import handles\nif device.kind == 'web':\n"
        "    @handles('card')\n    def pay(): return 2\n",
    },
    "one is imported on this platform": {
        "kind.py": "import device\nIS_WEB = device.kind == 'web'\n",
        "server.py": "import shop.a\nfrom shop.kind import IS_WEB\nif IS_WEB:\n    import shop.b\n",
        "a.py": ONE,
        "b.py": OTHER,
    },
    "one function twice": {
        "server.py": BOTH,
        "pay.py": "def pay(): return 1\n",
        "a.py": "from shop.pay import pay\nfrom shop.registry import handles\nhandles('card')(pay)\n",
        "b.py": "from shop.pay import pay\nfrom shop.registry import handles\nhandles('card')(pay)\n",
    },
    "a copy": {
        "server.py": BOTH,
        "a.py": f"import math\nRATE = 2\n{ONE.replace('return 1', 'return math.pi * RATE')}",
        "b.py": f"import math\nRATE = 2\n{ONE.replace('return 1', 'return math.pi * RATE')}",
    },
    "in one module": {"server.py": f"import shop.a\n{ONE}{OTHER}", "a.py": ""},
}


@pytest.mark.parametrize("case", MISSES)
def test_not_found(case: str, tmp_path: Path) -> None:
    _, findings = audited(written(tmp_path, MISSES[case]))
    assert "RR105" not in [rule for rule, _, __ in told(findings)]


@pytest.mark.parametrize(
    ("doubled", "words"),
    [
        ("first", "the one that is loaded first is kept"),
        ("last", "the one that is loaded last replaces"),
        ("raises", "the one that is loaded last raises"),
        ("allowed", None),
    ],
)
def test_the_pack_says_what_becomes_of_a_second_entry(
    doubled: str, words: str | None, tmp_path: Path
) -> None:
    folder = written(tmp_path, HITS["at once"], f'{HANDLERS}doubled = "{doubled}"\n')
    _, findings = audited(folder)
    assert [words in finding.message for finding in findings if words] == ([True] if words else [])
