"""RR104: choices, members of enums and uses by name that nothing registered serves."""

from __future__ import annotations

from pathlib import Path

import pytest
from shop_tree import CARD, HANDLERS, OPS, audited, told, written

SERVER = 'CHOICES = [\n    "card",\n    "cash",  # or coins\n]\nfrom shop import entries\n'
CHOSEN = f'{HANDLERS}choices = ["shop.gone:CHOICES", "shop.server:CHOICES"]\n'

SERVED = {
    "registered": (f'{CARD}@handles("cash")\ndef cash(): ...\n', ""),
    "elsewhere": (f"{CARD}import shop.registry as r\nr.HANDLERS['cash'] = pay\n", ""),
    "on another platform": (
        f"{CARD}import device\nif device.kind == 'web':\n    @handles('cash')\n    def c(): ...\n",
        "",
    ),
    "alias": (CARD, 'aliases = { cash = "card" }\n'),
    "table of aliases": (
        f'{CARD}OLD = {{"cash": "card"}}\n',
        'alias_tables = ["shop.entries:OLD"]\n',
    ),
    "beside": (CARD, 'beside = ["cash"]\n'),
    "open": (CARD, "open = true\n"),
}


@pytest.mark.parametrize("case", SERVED)
def test_choices_that_are_served(case: str, tmp_path: Path) -> None:
    text, more = SERVED[case]
    _, findings = audited(
        written(tmp_path, {"server.py": SERVER, "entries.py": text}, CHOSEN + more)
    )
    assert not findings


@pytest.mark.parametrize(
    ("text", "more"),
    [
        (CARD, ""),
        (f'{CARD}"""\n@handles("cash")\ndef cash(): ...\n"""\n', ""),
        (CARD, 'aliases = { cash = "gone" }\n'),
    ],
)
def test_choices_that_are_not(text: str, more: str, tmp_path: Path) -> None:
    folder = written(tmp_path, {"server.py": SERVER, "entries.py": text}, CHOSEN + more)
    _, findings = audited(folder)
    assert told(findings) == [("RR104", "cash", "shop/server.py:3")]
    assert findings[0].column == 5
    assert "nothing is registered for it in shop.handlers" in findings[0].message


def test_keys_that_are_no_member(tmp_path: Path) -> None:
    files = {
        "server.py": f'{CARD}@handles("csh")\ndef cash(): ...\n',
        "kinds.py": 'import enum\nclass Kind(enum.Enum):\n    CARD = "card"\n    CASH = "cash"\n',
    }
    _, findings = audited(written(tmp_path, files, f'{HANDLERS}enum = "shop.kinds:Kind"\n'))
    assert told(findings) == [("RR104", "csh", "shop/server.py:4")]
    assert findings[0].message.endswith('but Kind has no such member; did you mean "cash"?')


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("import device\ndef f(): return device.ops.shop.card(1)\n", []),
        ("import device\ndef f(): return device.ops.shop.crad(1)\n", ["shop/use.py:2"]),
        ("from device import ops\nx = ops.shop.crad.default\n", ["shop/use.py:2"]),
        ('"""Calls device.ops.shop.crad."""\n# device.ops.shop.crad\n', []),
        ("import other\ndef f(): return other.ops.shop.crad(1)\n", []),
        ("import device\ndef f(n): return getattr(device.ops.shop, n)\n", []),
    ],
)
def test_uses_by_name(text: str, places: list[str], tmp_path: Path) -> None:
    files = {"server.py": f"import shop.use\n{CARD}", "use.py": text}
    _, findings = audited(written(tmp_path, files, OPS))
    assert told(findings) == [("RR104", "crad", place) for place in places]


@pytest.mark.parametrize(
    ("choices", "findings"),
    [
        ('Literal["card", "cash"]', ["cash"]),
        ('typing.Literal["cash"]', ["cash"]),
        ('list(get_args(Literal["card", "cash"]))', ["cash"]),
        ('frozenset({"card", "cash"})', ["cash"]),
        ('frozenset({"card"})', []),
        ('Literal["card"]', []),
        # not texts alone, or not known
        ('Literal["cash", 1]', []),
        ('frozenset({"cash"}) | NAMES', []),
        ("frozenset(NAMES)", []),
        ('dict[str, "cash"]', []),
    ],
)
def test_choices_in_a_literal(choices: str, findings: list[str], tmp_path: Path) -> None:
    server = (
        "import typing\nfrom typing import Literal, get_args\nfrom shop import entries\n"
        "import os\nNAMES = os.listdir()\n"
    )
    files = {"server.py": f"{server}CHOICES = {choices}\n", "entries.py": CARD}
    _, found = audited(written(tmp_path, files, CHOSEN))
    assert told(found) == [("RR104", key, "shop/server.py:6") for key in findings]


def test_choices_that_are_bound_twice_are_not_known(tmp_path: Path) -> None:
    text = "from typing import Literal\nfrom shop import entries\n"
    text += 'CHOICES = Literal["cash"]\nCHOICES = Literal["card"]\n'
    _, findings = audited(written(tmp_path, {"server.py": text, "entries.py": CARD}, CHOSEN))
    assert findings == ()
