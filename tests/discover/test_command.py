"""`regreach discover`: what is printed, the pack that it writes, targets, and wrong usage."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent

import jsonschema
import pytest
import shop_example
from command_line import ROOT, fails, run
from regreach.pack import load_pack
from tree_making import git, make_wheel, write

SCHEMA = json.loads((ROOT / "docs/schemas/discover.schema.json").read_text(encoding="utf-8"))
SHOP = {
    "shop/__init__.py": "",
    "shop/registry.py": shop_example.SHOP["shop/registry.py"],
    "shop/checkout.py": """\
        from shop.registry import find


        class Checkout:
            def __init__(self, kind):
                if kind == "card":
                    import shop.card
                self.pay = find("eu", kind)
        """,
    "shop/cash.py": """\
        from shop.registry import handles


        @handles("eu", "cash")
        def pay_cash(order): ...
        """,
    "shop/card.py": """\
        from shop.registry import handles


        @handles("eu", "card")
        @handles("us", "card")
        def pay_card(order): ...
        """,
    "shop/money.py": """\
        from shop.checkout import Checkout

        NAMES = {}


        def name(cls):
            NAMES[cls.__name__] = cls
            return cls


        @name
        class Euro: ...


        def known(word):
            return word in NAMES
        """,
}
FILES = {path: dedent(text) for path, text in SHOP.items()}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return write(tmp_path / "tree", FILES)


def test_text(shop: Path) -> None:
    done = run("discover", str(shop))
    assert done.code == 0
    assert done.out == dedent("""\
        shop/registry.py:1: HANDLERS (dict): 3 registrations in 2 modules, 1 imported by nobody, 1 imported only in functions
            registrar     shop/registry.py:4  @handles(region, kind)
            keys          ("eu", "card"), ("eu", "cash"), ("us", "card")
            read by       shop/registry.py:13  find
            reached from  Checkout.__init__ (checkout.py:8)
            registers     shop/cash.py (1)  imported by nobody
            registers     shop/card.py (2)  imported only in functions, of checkout
        shop/money.py:3: NAMES (dict): 1 registration, all in the registry's own file
            registrar     shop/money.py:6  @name
            keys          "Euro"
            read by       shop/money.py:16  known
        """)  # noqa: E501
    assert done.err == "2 registries, 0 tables; parsed 5 of 6 modules\n"


def test_json_is_as_described_and_the_same_twice(shop: Path) -> None:
    first, second = (run("discover", str(shop), "--format", "json") for _ in range(2))
    assert first.out == second.out
    jsonschema.validate(first.json(), SCHEMA)
    handlers, names = first.json()["registries"]
    assert [handlers["own_file_only"], names["own_file_only"]] == [False, True]
    assert handlers["lookups"] == ["shop.registry:find"]
    assert [(m["module"], m["imported"]) for m in handlers["modules"]] == [
        ("shop.card", "lazy"),
        ("shop.cash", "nobody"),
    ]
    assert handlers["registrations"][0] == {
        "module": "shop.card",
        "path": "shop/card.py",
        "line": 4,
        "symbol": "pay_card",
        "key": ["eu", "card"],
        "when": "import",
        "guards": [],
    }


def test_the_pack_is_one_and_finds_what_is_not_loaded(shop: Path, tmp_path: Path) -> None:
    file = tmp_path / "pack.toml"
    done = run("discover", str(shop), "--write-pack", str(file), "-q")
    assert (done.code, done.err) == (0, "")
    pack = load_pack(file.read_text(encoding="utf-8"), file.name)
    registry = next(r for r in pack.simple_registries if r.id == "shop.handlers")
    assert registry.containers == ("shop.registry:HANDLERS",)
    assert registry.lookups == ("shop.registry:find",)
    assert registry.roots == ("shop.checkout",)
    (names,) = (r for r in pack.simple_registries if r.id == "shop.names")
    assert names.registrars[0].named
    found = run("check", str(shop), "--pack", str(file), "--select", "RR101")
    assert found.code == 1
    assert "shop/cash.py:4:1: RR101" in found.out


def test_a_pack_that_is_there_stays(shop: Path, tmp_path: Path) -> None:
    file = tmp_path / "pack.toml"
    file.write_text("mine", encoding="utf-8")
    message = fails(run("discover", str(shop), "--write-pack", str(file)), 2)
    assert message == f"{file} is there already: --force replaces it"
    assert file.read_text(encoding="utf-8") == "mine"
    assert run("discover", str(shop), "--write-pack", str(file), "--force").code == 0
    assert file.read_text(encoding="utf-8").startswith("# Written by `regreach discover`")


def test_force_alone_is_a_mistake(shop: Path) -> None:
    assert "--force is for --write-pack" in fails(run("discover", str(shop), "--force"), 2)


def test_a_wheel_a_revision_and_the_package_itself(shop: Path, tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path, "py3-none-any", FILES, name="shop", version="1.0")
    git(shop, "init", "-q")
    git(shop, "add", "-A")
    git(shop, "commit", "-q", "-m", "all")
    (shop / "shop/registry.py").write_text("", encoding="utf-8")
    ways = [(str(wheel),), (str(shop), "--rev", "HEAD")]
    for way in ways:
        registries = run("discover", *way, "--format", "json").json()["registries"]
        assert [r["container"] for r in registries] == [
            "shop.registry:HANDLERS",
            "shop.money:NAMES",
        ]
    inside = run("discover", str(shop / "shop"), "--format", "json").json()
    assert [r["container"] for r in inside["registries"]] == ["shop.money:NAMES"]


def test_the_largest_of_several_packages_and_another(tmp_path: Path) -> None:
    below = {f"src/{path}": text for path, text in FILES.items()}
    write(tmp_path, {**below, "small/__init__.py": "", "tests/__init__.py": ""})
    done = run("discover", str(tmp_path))
    assert "src/shop/registry.py:1: HANDLERS" in done.out
    assert "note: looked at shop; also here: small (--package NAME looks at another)\n" in done.err
    other = run("discover", str(tmp_path), "--package", "small")
    assert (other.out, other.err) == ("", "0 registries, 0 tables; parsed 0 of 1 modules\n")


def test_no_package(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("", encoding="utf-8")
    message = fails(run("discover", str(tmp_path)), 3)
    assert message.startswith(f"no import package in {tmp_path}: looked at the top, src/, python/")


def test_a_file_that_is_no_python(shop: Path) -> None:
    (shop / "shop/cash.py").write_text(FILES["shop/cash.py"] + "def (:\n", encoding="utf-8")
    done = run("discover", str(shop))
    assert done.code == 0
    assert "not read: shop/cash.py: " in done.err
    assert "HANDLERS (dict): 2 registrations" in done.out


def test_tables_are_named_and_told_of_with_all(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "shop/__init__.py": "",
            "shop/a.py": "class A: ...\n",
            "shop/b.py": "class B: ...\n",
            "shop/t.py": (
                "from shop.a import A\nfrom shop.b import B\n"
                "KINDS = {'a': A, 'b': B, 'both': A}\n"
                "PLACES = {'x': 'shop.a', 'y': 'shop.b:B', 'z': 'shop.b'}\n"
                "def find(word):\n    return KINDS[word], PLACES[word]\n"
            ),
        },
    )
    done = run("discover", str(tmp_path))
    assert "--all tells of them): shop.t:KINDS, shop.t:PLACES" in done.out
    told = run("discover", str(tmp_path), "--all").out
    assert "shop/t.py:3: KINDS (dict): 3 entries, written down here" in told
    assert '    keys          "x", "y", "z"' in told
