"""Entries that a loop over a package finds in its modules; the loop itself says which these are."""

from __future__ import annotations

from pathlib import Path

import pytest
from shop_tree import audited, executed, told, written

ENTRIES = """
[[simple_registries]]
id = "shop.handlers"
lookups = ["shop.loop:find"]
doubled = "raises"
discovered = [{ package = "shop.handlers", attribute = "Entry" }]
"""
BELOW = """
[[simple_registries]]
id = "shop.handlers"
lookups = ["shop.loop:find"]
discovered = [{ package = "shop.handlers", base = "shop.base:Handler", attribute = "kinds" }]
"""
LOOP = """
    import importlib, inspect, pkgutil
    from shop import handlers
    from shop.base import Handler

    def modules(deep=False):
        walk = pkgutil.walk_packages if deep else pkgutil.iter_modules
        for found in walk(handlers.__path__, "shop.handlers."):
            if not found.ispkg:
                yield importlib.import_module(found.name)

    def entries(deep=False, key="__name__"):
        for module in modules(deep):
            found = getattr(module, "Entry", [])
            for each in found if isinstance(found, (list, tuple)) else [found]:
                yield each if isinstance(each, str) else getattr(each, key)

    def kinds():
        for module in modules():
            for _, cls in inspect.getmembers(module, inspect.isclass):
                if cls.__module__ == module.__name__ and issubclass(cls, Handler):
                    for kind in cls.kinds:
                        yield kind if isinstance(kind, str) else kind.__name__

    def classes():
        for module in modules():
            for _, cls in inspect.getmembers(module, inspect.isclass):
                if cls.__module__ == module.__name__ and issubclass(cls, Handler):
                    yield cls.__name__

    def find(key): ...
    """
BASE = "class Handler:\n    kinds = []\n    code = None\n"


def tree(**modules: str) -> dict[str, str]:
    """A package of handlers, and the loop that finds what is in it; ``a__b`` is ``a/b.py``."""
    files = {"server.py": "import shop.loop\n", "loop.py": LOOP, "base.py": BASE}
    files["handlers/__init__.py"] = ""
    for name, text in modules.items():
        files[f"handlers/{name.replace('__', '/')}.py"] = text
        if "__" in name:
            files[f"handlers/{name.partition('__')[0]}/__init__.py"] = ""
    return files


BOUND = {
    "a class": {"card": "class Card: ...\nEntry = Card\n"},
    "a list": {"card": "class Card: ...\nclass Cash: ...\nEntry = [Card, Cash]\n"},
    "a tuple over lines": {
        "card": "class A: ...\nclass B: ...\nEntry = (\n    A,  # one\n    B,\n)\n"
    },
    "with a type": {"card": "class Card: ...\nEntry: list[type] = [Card]\n"},
    "texts": {"card": "Entry = ['card', 'cash']\n"},
    "imported": {"card": "from shop.base import Handler\nEntry = Handler\n"},
    "imported under another name": {
        "card": "from shop.base import Handler as Card\nEntry = Card\n"
    },
    "renamed": {"card": "class Card: ...\nOther = Card\nEntry = Other\n"},
    "added to": {"card": "class A: ...\nclass B: ...\nEntry = [A]\nEntry += [B]\n"},
    "appended": {"card": "class A: ...\nclass B: ...\nEntry = [A]\nEntry.append(B)\n"},
    "taken from another": {"base_card": "class Card: ...\nEntry = [Card]\n", "gift": "x = 1\n"},
    "nothing": {"card": "class Card: ...\n"},
    "in a function": {"card": "class Card: ...\ndef f():\n    Entry = Card\n    return Entry\n"},
    "in a class": {"card": "class Card:\n    Entry = 'card'\n"},
    "in a text": {"card": "TEXT = '''\nEntry = Card\n'''\n"},
    "a package": {"more__card": "class Card: ...\nEntry = Card\n"},
}


@pytest.mark.parametrize("case", BOUND)
def test_what_modules_bind(case: str, tmp_path: Path) -> None:
    audit, findings = audited(written(tmp_path, tree(**BOUND[case]), ENTRIES))
    said = sorted(e.key or "" for r in audit.simple_registries for e in r.entries)
    code = "from shop import loop\nprint(json.dumps(sorted(loop.entries())))"
    assert said == executed(tmp_path, code)
    assert findings == ()
    assert {e.reach for r in audit.simple_registries for e in r.entries} <= {"discovered"}


def test_packages_in_the_package(tmp_path: Path) -> None:
    files = tree(
        card="class Card: ...\nEntry = Card\n", more__cash="class Cash: ...\nEntry = [Cash]\n"
    )
    deep = ENTRIES.replace('"Entry" }', '"Entry", deep = true }')
    code = "from shop import loop\nprint(json.dumps(sorted(loop.entries({}))))"
    for folder, pack, is_deep in ((tmp_path / "a", ENTRIES, False), (tmp_path / "b", deep, True)):
        audit, _ = audited(written(folder, files, pack))
        said = sorted(e.key or "" for r in audit.simple_registries for e in r.entries)
        assert said == executed(folder, code.format(is_deep))


def test_keys_that_classes_have(tmp_path: Path) -> None:
    pack = ENTRIES.replace('"Entry" }', '"Entry", key = "code" }')
    card = "from shop.base import Handler\nclass Card(Handler):\n    code = 'c'\nEntry = Card\n"
    cash = (
        "from shop.handlers.card import Card\nPART = 'ca'\n"
        "class Cash(Card):\n    code = PART + 'sh'\nclass Gift(Card): ...\nEntry = [Cash]\n"
    )
    audit, findings = audited(written(tmp_path, tree(card=card, cash=cash), pack))
    said = sorted(e.key or "" for r in audit.simple_registries for e in r.entries)
    code = "from shop import loop\nprint(json.dumps(sorted(loop.entries(key='code'))))"
    assert said == executed(tmp_path, code) == ["c", "cash"]
    assert findings == ()


def test_a_key_of_two_modules(tmp_path: Path) -> None:
    one = "class Card: ...\nEntry = Card\n"
    files = tree(card=one, gift=one, cash="class Cash: ...\nEntry = Cash\n")
    _, findings = audited(written(tmp_path, files, ENTRIES))
    assert told(findings) == [("RR105", "Card", "shop/handlers/gift.py:2")]
    files["handlers/gift.py"] = "from shop.handlers.card import Card\nEntry = Card\n"
    _, findings = audited(written(tmp_path / "same", files, ENTRIES))
    assert [(f.rule, f.key) for f in findings] == [("RR105", ("Card",))]


HEAD = "from shop.base import Handler\n"
CLASSES = {
    "texts": HEAD + "class Card(Handler):\n    kinds = ['card', 'gift']\n",
    "classes": HEAD + "class Model: ...\nclass Card(Handler):\n    kinds = [Model]\n",
    "a class of another": HEAD + "class Card(Handler):\n    kinds = [Handler]\n",
    "below one that is": HEAD
    + "class A(Handler):\n    kinds = ['a']\nclass B(A):\n    kinds = ['b']\n",
    "what a base has": HEAD + "class A(Handler):\n    kinds = ['a']\nclass B(A): ...\n",
    "by the module": "from shop import base\nclass Card(base.Handler):\n    kinds = ['card']\n",
    "no handler": "class Card:\n    kinds = ['card']\n",
    "another of that name": "class Handler: ...\nclass Card(Handler):\n    kinds = ['card']\n",
    "none": HEAD + "class Card(Handler):\n    kinds = []\n",
}


@pytest.mark.parametrize("case", CLASSES)
def test_classes_below_a_base(case: str, tmp_path: Path) -> None:
    audit, findings = audited(written(tmp_path, tree(card=CLASSES[case]), BELOW))
    said = sorted(e.key or "" for r in audit.simple_registries for e in r.entries)
    code = "from shop import loop\nprint(json.dumps(sorted(loop.kinds())))"
    assert said == executed(tmp_path, code)
    assert findings == ()


@pytest.mark.parametrize("case", CLASSES)
def test_classes_under_their_own_names(case: str, tmp_path: Path) -> None:
    pack = BELOW.replace(', attribute = "kinds"', "")
    audit, _ = audited(written(tmp_path, tree(card=CLASSES[case]), pack))
    said = sorted(e.key or "" for r in audit.simple_registries for e in r.entries)
    code = "from shop import loop\nprint(json.dumps(sorted(loop.classes())))"
    assert said == executed(tmp_path, code)


def test_a_choice_that_no_module_has(tmp_path: Path) -> None:
    pack = ENTRIES + 'choices = ["shop.options:CHOICES"]\n'
    files = tree(card="class Card: ...\nEntry = Card\n")
    files["options.py"] = "CHOICES = ['Card', 'Cash']\n"
    _, findings = audited(written(tmp_path, files, pack))
    assert told(findings) == [("RR104", "Cash", "shop/options.py:1")]
