"""RR101 in simple registries: what nothing loads, and what only seems so."""

from __future__ import annotations

from pathlib import Path

import pytest
from shop_tree import CARD, HANDLERS, OPS, audited, executed, told, written

KEYS = "import shop.server, shop.registry\nprint(json.dumps(sorted(shop.registry.HANDLERS)))"

REACHED = {
    "process": {"server.py": "from shop.pay import card\n", "pay/card.py": CARD},
    "lookup": {
        "registry.py": "HANDLERS = {}\ndef handles(n):\n    def d(f):\n        HANDLERS[n] = f\n"
        "        return f\n    return d\ndef find(n): return HANDLERS[n]\nfrom shop.pay import card\n",
        "server.py": "def start():\n    import shop.registry\n",
        "pay/card.py": CARD,
    },
    "lazy": {"server.py": "def start():\n    import shop.pay.card\n", "pay/card.py": CARD},
    "lazy by a parent": {
        "server.py": "def start():\n    import shop.pay.cash\n",
        "pay/__init__.py": CARD,
        "pay/cash.py": "",
    },
}


@pytest.mark.parametrize("case", REACHED)
def test_reached(case: str, tmp_path: Path) -> None:
    audit, findings = audited(written(tmp_path, REACHED[case]))
    (entry,) = audit.simple_registries[0].entries
    assert entry.reach == case.partition(" ")[0]
    assert not findings
    loaded = executed(tmp_path, KEYS)
    assert loaded == ([] if entry.reach == "lazy" else ["card"])


def test_own_module(tmp_path: Path) -> None:
    pack = HANDLERS.replace("shop.registry", "shop.own")
    text = (
        "HANDLERS = {}\ndef handles(n):\n    return lambda f: HANDLERS.setdefault(n, f)\n"
        "def find(n): return HANDLERS[n]\n@handles('card')\ndef pay(): ...\n"
    )
    audit, findings = audited(written(tmp_path, {"server.py": "", "own.py": text}, pack))
    assert [(e.key, e.reach) for e in audit.simple_registries[0].entries] == [("card", "own")]
    assert not findings


NAMED = {
    "whole": {"server.py": "NAMES = ['shop.card']\n", "card.py": CARD},
    "with what is in it": {"server.py": "NAMES = {'card': 'shop.card:pay'}\n", "card.py": CARD},
    "last part": {
        "server.py": "import importlib\ndef load(n): importlib.import_module('shop.' + n)\n"
        "KINDS = ['card']\n",
        "card.py": CARD,
    },
    "by its package": {
        "server.py": "",
        "pay/__init__.py": "import importlib\ndef load(n): importlib.import_module(f'shop.pay.{n}')\n",
        "pay/card.py": CARD,
    },
}


@pytest.mark.parametrize("case", NAMED)
def test_what_is_named_by_a_text_may_be_loaded(case: str, tmp_path: Path) -> None:
    audit, findings = audited(written(tmp_path, NAMED[case]))
    assert [e.reach for e in audit.simple_registries[0].entries] == ["lazy"]
    assert not findings


ORPHANS = {
    "nobody": {"server.py": "", "card.py": CARD},
    "type checkers only": {
        "server.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import shop.card\n",
        "card.py": CARD,
    },
    "tests only": {"server.py": "", "card.py": CARD, "tests/test_card.py": "import shop.card\n"},
    "orphans only": {"server.py": "", "card.py": CARD, "more.py": "import shop.card\n"},
}


@pytest.mark.parametrize("case", ORPHANS)
def test_orphans(case: str, tmp_path: Path) -> None:
    audit, findings = audited(written(tmp_path, ORPHANS[case]))
    assert [e.reach for e in audit.simple_registries[0].entries] == ["orphan"]
    assert told(findings) == [("RR101", "card", "shop/card.py:2")]
    assert "find cannot reach it" in findings[0].message
    assert executed(tmp_path, KEYS) == []


def test_modules_that_a_loop_finds_are_loaded(tmp_path: Path) -> None:
    files = {
        "server.py": "import importlib, pkgutil, shop.pay\n"
        "for found in pkgutil.iter_modules(shop.pay.__path__, 'shop.pay.'):\n"
        "    importlib.import_module(found.name)\n",
        "pay/__init__.py": "",
        "pay/card.py": CARD,
    }
    _, findings = audited(written(tmp_path, files, f'{HANDLERS}discovers = ["shop.pay"]\n'))
    assert not findings
    assert executed(tmp_path, KEYS) == ["card"]


USE = "import device\ndef run(): return device.ops.shop.card(1)\n"


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"server.py": "import shop.use\n", "use.py": USE, "card.py": CARD}, True),
        (
            {
                "server.py": "import shop.use\ndef other():\n    import shop.card\n",
                "use.py": USE,
                "card.py": CARD,
            },
            True,
        ),
        ({"server.py": "import shop.use, shop.card\n", "use.py": USE, "card.py": CARD}, False),
        ({"server.py": "", "use.py": f"import shop.card\n{USE}", "card.py": CARD}, False),
        (
            {
                "server.py": "",
                "use.py": f"{USE}def load():\n    import shop.card\n",
                "card.py": CARD,
            },
            False,
        ),
        ({"server.py": "import shop.use\n", "use.py": USE + CARD}, False),
    ],
)
def test_uses_of_what_is_not_loaded(files: dict[str, str], found: bool, tmp_path: Path) -> None:
    """As in vLLM's pull request 19514: one path imports what defines an operator, another calls it."""
    _, findings = audited(written(tmp_path, files, OPS))
    expected = [("RR101", "card", "shop/use.py:2")] if found else []
    assert told(findings) == expected
