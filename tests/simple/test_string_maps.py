"""RR112: names in string maps that lead nowhere, told as importing them tells it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from shop_tree import audited, executed, told, written

PACK = """
[[simple_registries]]
id = "shop.handlers"
containers = ["shop.maps:HANDLERS"]
lookups = ["shop.maps:find"]
target = "shop.handlers.{0}:{1}"
"""
TEXTS = PACK.replace("shop.handlers.{0}:{1}", "{}")
REGISTRAR = """
[[simple_registries]]
id = "shop.factories"
lookups = ["shop.maps:find"]
registrars = [{ function = "shop.maps:Factory.register", target = "{module_path}:{class_name}" }]
"""
FIND = """
import importlib
def find(name):
    module, attribute = HANDLERS[name]
    return getattr(importlib.import_module(f"shop.handlers.{module}"), attribute)
"""


def maps(*entries: str) -> dict[str, str]:
    """A map with these entries, and a package of handlers."""
    return {
        "server.py": "import shop.maps\n",
        "maps.py": "HANDLERS = {\n" + "".join(f"    {e},\n" for e in entries) + "}\n" + FIND,
        "handlers/__init__.py": "",
    }


CARD = "class Card: ...\n"

MODULES = {
    "a class": "class Card: ...\n",
    "a function": "async def Card(): ...\n",
    "an assignment": "Card = make = object\n",
    "a tuple": "(Card, other), third = (1, 2), 3\n",
    "an annotation": "Card: type = object\n",
    "an import": "from collections import OrderedDict as Card\n",
    "a star import": "from shop.more import *\n",
    "a guard": "import sys\nif sys.platform == 'nowhere':\n    other = 1\nelse:\n    class Card: ...\n",
    "a loop": "for Card in range(2): pass\n",
    "a with": "import contextlib\nwith contextlib.nullcontext(1) as Card: pass\n",
    "a walrus": "print(Card := 1)\n",
    "a hook": "def __getattr__(name):\n    if name == 'Card': return 1\n    raise AttributeError(name)\n",
    "globals()": "globals()['Card'] = 1\n",
    "a function that says global": "def fill():\n    global Card\n    Card = 1\nfill()\n",
    "another module": "import sys, shop.more\nsys.modules[__name__] = shop.more\n",
    "a module below": "from . import Card\n",
    "nothing": "class Cart: ...\n",
    "text in a string": "TEXT = 'class Card: ...'\n",
    "a method": "class Other:\n    def Card(self): ...\n",
    "a local name": "def f():\n    Card = 1\n    return Card\n",
    "a deleted other": "Cards = 1\n",
}


@pytest.mark.parametrize("case", MODULES)
def test_as_an_import_tells(case: str, tmp_path: Path) -> None:
    """A module that binds the name in this way, or does not."""
    files = maps('"card": ("pay", "Card")')
    files |= {"more.py": CARD, "handlers/pay.py": MODULES[case]}
    if case == "a module below":
        files["handlers/pay/__init__.py"] = files.pop("handlers/pay.py")
        files["handlers/pay/Card.py"] = ""
    folder = written(tmp_path, files, PACK)
    _, findings = audited(folder)
    code = """
        import contextlib, io
        from shop import maps
        with contextlib.redirect_stdout(io.StringIO()):
            try: found = maps.find("card") is not None
            except (AttributeError, ImportError): found = False
        print(json.dumps(found))
        """
    assert [f.rule for f in findings] == ([] if executed(folder, code) else ["RR112"])


def test_what_it_says(tmp_path: Path) -> None:
    files = maps(
        '"card": ("pay", "Card")',
        '"cash": ("pay", "Cahs")',
        '"gift": ("payy", "Gift")',
        '"far": ("deep.down", "Far")',
    )
    files |= {"handlers/pay.py": "class Card: ...\nclass Cash: ...\n"}
    audit, findings = audited(written(tmp_path, files, PACK))
    assert [(f.rule, str(f.spot), f.message) for f in findings] == [
        (
            "RR112",
            "shop/maps.py:3",
            '"cash" leads to shop.handlers.pay:Cahs, but shop.handlers.pay has no Cahs; did you mean Cash?',
        ),
        (
            "RR112",
            "shop/maps.py:4",
            '"gift" leads to shop.handlers.payy:Gift, but there is no module shop.handlers.payy;'
            " did you mean shop.handlers.pay?",
        ),
        (
            "RR112",
            "shop/maps.py:5",
            '"far" leads to shop.handlers.deep.down:Far, but there is no module shop.handlers.deep.down',
        ),
    ]
    entries = {e.key: e.target for r in audit.simple_registries for e in r.entries}
    assert entries["card"] == "shop.handlers.pay:Card"


def test_what_is_not_known_is_not_judged(tmp_path: Path) -> None:
    files = maps(
        '"computed": (__import__("os").environ.get("WHERE"), "Card")',
        '"alone": "pay"',
        '"none": None',
        '**{k: (k, "Card") for k in ("pay", "nowhere")}',
    )
    audit, findings = audited(written(tmp_path, files, PACK))
    assert findings == ()
    assert {e.target for r in audit.simple_registries for e in r.entries} == {""}


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("shop.handlers.pay:Card", []),
        ("shop.handlers.pay.Card", []),
        ("shop.handlers.pay", []),
        ("shop.handlers.pay.Cart", ["RR112"]),
        ("shop.handlers.nowhere", ["RR112"]),
        ("elsewhere.pay.Card", []),
        ("", []),
        ("what is this?", []),
    ],
)
def test_texts(text: str, rules: list[str], tmp_path: Path) -> None:
    files = maps(f'"card": {text!r}') | {"handlers/pay.py": CARD}
    _, findings = audited(written(tmp_path, files, TEXTS))
    assert [f.rule for f in findings] == rules


def test_members_of_an_enum(tmp_path: Path) -> None:
    files = {
        "maps.py": """\
            import enum
            class Handlers(enum.Enum):
                CARD = "shop.handlers.pay.Card"
                CASH = "shop.handlers.pay.Cash"
                OTHER = ""
                def of(self): ...
            def find(name): ...
            """,
        "handlers/__init__.py": "",
        "handlers/pay.py": CARD,
    }
    pack = TEXTS.replace(":HANDLERS", ":Handlers")
    _, findings = audited(written(tmp_path, files, pack))
    assert told(findings) == [("RR112", "CASH", "shop/maps.py:4")]


def test_a_registrar_that_is_given_names(tmp_path: Path) -> None:
    files = {
        "server.py": "import shop.maps\n",
        "maps.py": """\
            class Factory:
                made = {}
                @classmethod
                def register(cls, name, module_path, class_name): cls.made[name] = module_path, class_name
            def find(name): return Factory.made[name]
            Factory.register("card", "shop.handlers.pay", "Card")
            Factory.register("cash", module_path="shop.handlers.pay", class_name="Cash")
            Factory.register("gift", *("shop.nowhere", "Gift"))
            """,
        "handlers/__init__.py": "",
        "handlers/pay.py": CARD,
    }
    _, findings = audited(written(tmp_path, files, REGISTRAR))
    assert told(findings) == [("RR112", "cash", "shop/maps.py:7")]


def test_a_key_twice_in_one_map(tmp_path: Path) -> None:
    """Only where the two differ: the first is lost, without a word."""
    files = maps(
        '"card": ("pay", "Card")',
        '"cash": ("pay", "Card")',
        '"card": ("pay", "Card")',
        '"cash": ("pay", "Other")',
    )
    files["handlers/pay.py"] = "class Card: ...\nclass Other: ...\n"
    folder = written(tmp_path, files, PACK)
    _, findings = audited(folder)
    assert [(f.rule, str(f.spot), f.message) for f in findings] == [
        (
            "RR105",
            "shop/maps.py:5",
            '"cash" stands in this dict twice: what it leads to at shop/maps.py:3 is lost',
        )
    ]
    code = "from shop import maps\nprint(json.dumps(maps.HANDLERS['cash'][1]))"
    assert executed(folder, code) == "Other"


def test_what_a_map_names_can_be_loaded(tmp_path: Path) -> None:
    """What is named registers something too: it is no orphan, and what it does counts for clashes."""
    files = maps('"card": ("pay", "Card")') | {
        "server.py": "import shop.maps, shop.a\n",
        "a.py": 'from shop.registry import handles\n@handles("op")\ndef one(): return 1\n',
        "handlers/pay.py": (
            'from shop.registry import handles\n@handles("op")\ndef other(): return 2\nclass Card: ...\n'
        ),
    }
    more = """
[[simple_registries]]
id = "shop.ops"
lookups = ["shop.registry:find"]
registrars = [{ function = "shop.registry:handles" }]
"""
    for pack in (PACK + more, more + PACK):
        _, findings = audited(written(tmp_path, files, pack))
        assert told(findings) == [("RR105", "op", "shop/handlers/pay.py:2")]


def test_a_class_that_keeps_a_name(tmp_path: Path) -> None:
    """Its constructor says which argument is which."""
    pack = """
[[simple_registries]]
id = "shop.later"
registrars = [{ function = "shop.later:Later", key = "name", target = "{module}:{name}" }]
"""
    files = {
        "server.py": "import shop.cards\n",
        "later.py": (
            "class Later:\n"
            "    def __init__(self, module: str, name: str):\n"
            "        self.module, self.name = module, name\n"
        ),
        "cards.py": (
            "from shop.later import Later\n"
            'Card = Later("shop.pay", "Card")\n'
            'Cash = Later(name="Cahs", module="shop.pay")\n'
        ),
        "pay.py": "class Card: ...\nclass Cash: ...\n",
    }
    audit, findings = audited(written(tmp_path, files, pack))
    assert told(findings) == [("RR112", "Cahs", "shop/cards.py:3")]
    entries = {e.key: e.target for r in audit.simple_registries for e in r.entries}
    assert entries == {"Card": "shop.pay:Card", "Cahs": "shop.pay:Cahs"}


@pytest.mark.parametrize(
    ("target", "problem"),
    [
        ("shop.{name}:{1}", "has {name}, which is none of {}, {0}, {1}, … or {key}"),
        ("shop.{0", "cannot be read: expected '}' before end of string"),
        ("shop.handlers", "leads to the same for every entry; it needs {}, {0}, {1}, … or {key}"),
    ],
)
def test_a_target_that_cannot_be_filled_in(target: str, problem: str, tmp_path: Path) -> None:
    from command_line import run

    pack = PACK.replace("shop.handlers.{0}:{1}", target)
    folder = written(tmp_path, maps(), pack)
    done = run("check", str(folder / "tree"), "--pack", str(folder / "pack.toml"))
    assert done.code == 2
    assert f"simple_registries[0].target {problem}" in done.err


def test_as_data(tmp_path: Path) -> None:
    from command_line import run

    folder = written(tmp_path, maps('"cash": ("pay", "Cash")'), PACK)
    done = run(
        *("audit", str(folder / "tree"), "--pack", str(folder / "pack.toml")),
        *("--format", "json", "--exit-zero"),
    )
    (registry,) = json.loads(done.out)["simple_registries"]
    assert registry["entries"][0]["target"] == "shop.handlers.pay:Cash"
    assert registry["lost"][0]["missing"] == (
        "there is no module shop.handlers.pay; did you mean shop.handlers?"
    )


def test_whole_names(tmp_path: Path) -> None:
    """What begins with the text of ``whole`` is no name below the package of handlers."""
    files = maps(
        '"card": ("pay", "Card")',
        '"far": ("shop.far", "Card")',
        '"gone": ("shop.gone", "Card")',
        '"wrong": ("shop.far", "Cart")',
        '"near": ("shopping", "Card")',
    )
    files |= dict.fromkeys(("handlers/pay.py", "handlers/shopping.py", "far.py"), CARD)
    audit, findings = audited(written(tmp_path, files, f'{PACK}whole = "shop."\n'))
    assert told(findings) == [
        ("RR112", "gone", "shop/maps.py:4"),
        ("RR112", "wrong", "shop/maps.py:5"),
    ]
    assert {e.key: e.target for r in audit.simple_registries for e in r.entries} == {
        "card": "shop.handlers.pay:Card",
        "far": "shop.far:Card",
        "gone": "shop.gone:Card",
        "wrong": "shop.far:Cart",
        "near": "shop.handlers.shopping:Card",
    }
