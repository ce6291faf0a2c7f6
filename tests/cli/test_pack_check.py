"""`regreach pack`: what is wrong in a pack, what of it a tree lacks, and the schema for editors."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import BUG, ROOT, Done, fails, run
from jsonschema import Draft202012Validator
from regreach.errors import ConfigError
from regreach.pack import is_for_any_package, load_pack
from regreach_rules import PACKS
from shop_example import PACK, SHOP
from test_pack_errors import WRONG
from tree_making import Files, write

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SCHEMA = json.loads((ROOT / "docs/schemas/pack.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
BASKETS = {
    "shop/baskets.py": (
        "from dataclasses import dataclass\n\n\n@dataclass\nclass Basket:\n    owner: str\n    size: int = 0\n"
    ),
    "shop/checkout.py": SHOP["shop/checkout.py"]
    + "\n    def pay(self, order):\n        return order\n",
    "shop/kinds.py": SHOP["shop/kinds.py"] + "\n\nclass Currency(enum.Enum):\n    EUR = 'eur'\n",
}
# What only the reader can know: it is about two entries, or about Python.
BEYOND_A_SCHEMA = re.compile(
    r"names no |a second time|which \[platforms\] does not have|make a key of|made of the parts"
    r"|must be \['|exactly one parameter|must have the parts|a name each"
)


def checked(tmp_path: Path, pack: str, files: Files | None = None, *options: str) -> Done:
    """What `pack check` says of a pack and of the shop; the file is called shop.toml."""
    tree = write(tmp_path / "tree", {**SHOP, **BASKETS, **(files or {})})
    file = tmp_path / "shop.toml"
    file.write_text(pack, encoding="utf-8")
    done = run("pack", "check", str(file), str(tree), *options)
    return Done(
        done.code,
        done.out.replace(str(file), "shop.toml"),
        done.err.replace(str(file), "shop.toml"),
    )


def test_a_pack_that_is_right(tmp_path: Path) -> None:
    assert run("pack", "check", "sglang") == Done(
        0,
        "",
        f"pack sglang: format 1, {_registries('sglang')} registries, 1 consumer, 5 platforms;"
        " nothing is wrong in it\n",
    )
    done = checked(tmp_path, PACK.replace('["cash"]', '["c*"]'))
    assert (done.code, done.out.splitlines()) == (
        0,
        ["shop.toml: info: platforms: no file of the tree names payments, terminal"],
    )
    assert done.err.endswith("shop.toml: format 1, 1 registry, 1 consumer, 2 platforms; 1 info\n")


def _registries(name: str) -> int:
    loaded = load_pack(PACKS[name], name)
    return len(loaded.registries) + len(loaded.simple_registries)


def test_everything_wrong_is_told_at_once(tmp_path: Path) -> None:
    file = tmp_path / "shop.toml"
    pack = PACK.replace('package = "shop"', "package = 3").replace("shop.kinds:Kind", "shop.kinds")
    pack = pack.replace('ambient = ["region"]', 'ambient = ["place"]').replace(
        "size = 3", "size = {}"
    )
    pack = pack.replace('"shop.registry:find"', '"find", "seek"').replace('"live"', "1")
    pack = pack.replace("[platforms.till]", "[platforms.till]\nnotive = []")
    file.write_text(pack, encoding="utf-8")
    for command in (("pack", "check", str(file)), ("check", BUG, "--pack", str(file))):
        done = run(*command)
        assert (done.code, done.out) == (2, "")
        says = done.err.replace(f"regreach: error: {file}: ", "").splitlines()
        assert [line.partition("; known here")[0] for line in says] == [
            "package must be a string, not 3",
            "selectors.kind.enum must be 'module:name', not 'shop.kinds'",
            "consumers.checkout.arguments.basket.fields.size must be a string, number, boolean or list,"
            " not {}",
            "consumers.checkout.ambient names no selector: 'place'",
            "registries[0].lookups must be 'module:name', not 'find'",
            "registries[0].lookups must be 'module:name', not 'seek'",
            "common.environment.SHOP_MODE must be a string, not 1",
            "platforms.till.notive is not a known key (did you mean 'native'?)",
        ]


def test_a_configuration_that_names_a_wrong_pack_says_so_in_lines(tmp_path: Path) -> None:
    pack = PACK.replace('package = "shop"', "package = 3").replace('"live"', "1")
    write(tmp_path, {"shop.toml": pack, "regreach.toml": 'pack = "shop.toml"\n'})
    done = run("check", str(tmp_path))
    assert done.code == 2
    assert [line.partition("shop.toml: ")[2] for line in done.err.splitlines()] == [
        "package must be a string, not 3",
        "common.environment.SHOP_MODE must be a string, not 1",
    ]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('["shop.checkout"]', '["shop.checkouts"]',
         "warning: process_roots: this tree has no module 'shop.checkouts' (did you mean 'shop.checkout'?)"),
        ('"shop.kinds:Kind"', '"shop.kinds:Kinds"',
         "error: selectors.kind.enum: shop.kinds has no 'Kinds' (did you mean 'Kind'?)"),
        ('"shop.kinds:Kind"', '"shop.registry:Kind"',
         "error: selectors.kind.enum: shop.registry has no 'Kind' (it is defined in shop.kinds)"),
        ('"shop.kinds:region_of_process"', '"shop.kinds:the_region"',
         "error: selectors.region.sources: shop.kinds has no 'the_region' (did you mean 'Region'?)"),
        ('"shop.kinds:region_of_process"', '"shop.kinds:region_of_process", "shop.kinds:none"',
         "warning: selectors.region.sources: shop.kinds has no 'none'"),
        ('module = "shop.checkout"', 'module = "shop.cashier"',
         "error: consumers.checkout.module: this tree has no module 'shop.cashier' (did you mean 'shop.cards'?)"),
        ('callable = "Checkout"', 'callable = "CheckOut"',
         "error: consumers.checkout.callable: shop.checkout has no 'CheckOut' (did you mean 'Checkout'?)"),
        ("[consumers.checkout.arguments.kind]", "[consumers.checkout.arguments.kinds]",
         "error: consumers.checkout.arguments.kinds: shop.checkout:Checkout takes no 'kinds' (did you mean 'kind'?)"),
        ("shop.baskets:Basket", "shop.baskets:Bag",
         "warning: consumers.checkout.arguments.basket.new: shop.baskets has no 'Bag'"),
        ("size = 3", "sizes = 3",
         "warning: consumers.checkout.arguments.basket.fields.sizes: shop.baskets:Basket takes no 'sizes'"
         " (did you mean 'size'?)"),
        ('given = ["owner"]', 'given = ["buyer"]',
         "warning: consumers.checkout.arguments.basket.given: shop.baskets:Basket takes no 'buyer'"),
        ('method = "pay"', 'method = "paid"',
         "error: consumers.checkout.use.method: shop.checkout has no 'Checkout.paid' (did you mean 'Checkout.pay'?)"),
        ('parameter = "order"', 'parameter = "orders"',
         "error: consumers.checkout.use.parameter: shop.checkout:Checkout.pay takes no 'orders'"
         " (did you mean 'order'?)"),
        ('"shop.kinds:Currency"', '"shop.kinds:Money"',
         "error: consumers.checkout.use.enum: shop.kinds has no 'Money'"),
        ("registry:HANDLERS", "registry:HANDLER",
         "error: registries[0].container: shop.registry has no 'HANDLER' (did you mean 'HANDLERS'?)"),
        ("registry:HANDLERS", "registry:find.HANDLERS",
         "error: registries[0].container: shop.registry has no 'find.HANDLERS' (did you mean 'HANDLERS'?)"),
        ("registry:handles", "registry:handle",
         "error: registries[0].registrars: shop.registry has no 'handle' (did you mean 'handles'?)"),
        ("registry:find", "registry:look", "error: registries[0].lookups: shop.registry has no 'look'"),
        ('kind = ["cash"]', 'kind = ["cart"]',
         "warning: platforms.web.unavailable.kind: 'cart' is no value of shop.kinds:Kind (did you mean 'card'?)"),
        ("[common]", '[[simple_registries]]\nid = "x"\ncontainers = ["shop.registry:X"]\n[common]',
         "error: simple_registries[0].containers: shop.registry has no 'X'"),
        ("[common]", '[[simple_registries]]\nid = "x"\ncontainers = ["shop.registry:find.X"]\n[common]',
         "error: simple_registries[0].containers: shop.registry has no 'find.X' (did you mean 'find'?)"),
    ],
)  # fmt: skip
def test_names_that_are_not_there(tmp_path: Path, old: str, new: str, says: str) -> None:
    right = PACK.replace('kind = ["cash"]', 'kind = ["c*"]') if "cash" not in old else PACK
    assert old in right
    done = checked(tmp_path, right.replace(old, new))
    lines = [line for line in done.out.splitlines() if ": info: " not in line]
    assert lines == [f"shop.toml: {says}"], done
    assert done.code == int(says.startswith("error"))
    # no traceback and one verdict when it is used all the same
    assert (
        "Traceback"
        not in run("check", str(tmp_path / "tree"), "--pack", str(tmp_path / "shop.toml")).err
    )


def test_a_variable_of_a_function(tmp_path: Path) -> None:
    """It can be a simple registry's container, and no other's."""
    text = SHOP["shop/registry.py"] + "\n\ndef made():\n    TABLE = {}\n    return TABLE\n"
    simple = '[[simple_registries]]\nid = "x"\ncontainers = ["shop.registry:made.TABLE"]\n[common]'
    right = PACK.replace('kind = ["cash"]', 'kind = ["c*"]')
    done = checked(tmp_path, right.replace("[common]", simple), {"shop/registry.py": text})
    assert [line for line in done.out.splitlines() if ": info: " not in line] == []
    other = right.replace("registry:HANDLERS", "registry:made.TABLE")
    done = checked(tmp_path / "other", other, {"shop/registry.py": text})
    assert "error: registries[0].container: shop.registry has no 'made.TABLE'" in done.out


def test_a_registrar_that_takes_fewer_arguments_than_a_key_has_parts(tmp_path: Path) -> None:
    files: Files = {
        "shop/registry.py": SHOP["shop/registry.py"].replace(
            "handles(region, kind)", "handles(kind)"
        )
    }
    done = checked(tmp_path, PACK, files)
    assert (
        "error: registries[0].key: has 2 parts, and shop.registry:handles takes only 'kind'"
        in done.out
    )


@pytest.mark.parametrize(
    "registry",
    [
        "from shop.container import *\n",
        "from shop.container import HANDLERS, find, handles\n",
        "def __getattr__(name):\n    return name\n",
        "try:\n    from fast import HANDLERS, find, handles\nexcept ImportError:\n    HANDLERS = find = handles = 0\n",
    ],
)
def test_what_may_be_there_is_not_missed(tmp_path: Path, registry: str) -> None:
    done = checked(tmp_path, PACK, {"shop/registry.py": registry})
    assert "registries[0]" not in done.out


def test_as_json_and_what_fails(tmp_path: Path) -> None:
    pack = PACK.replace('["shop.checkout"]', '["shop.checkouts"]')
    done = checked(tmp_path, pack, {}, "--format", "json", "--fail-on", "warning", "-q")
    assert (done.code, done.err) == (1, "")
    document = done.json()
    assert document["pack"] == {
        "name": "shop",
        "source": "shop.toml",
        "format": 1,
        "package": "shop",
    }
    assert [(m["severity"], m["entry"]) for m in document["missing"]] == [
        ("warning", "process_roots"),
        ("warning", "platforms.web.unavailable.kind"),
        ("info", "platforms"),
    ]
    output = tmp_path / "out.json"
    assert checked(tmp_path, pack, {}, "--format", "json", "-o", str(output), "-q") == Done(
        0, "", ""
    )
    assert json.loads(output.read_text(encoding="utf-8"))["missing"] == document["missing"]
    assert checked(tmp_path, pack, {}, "--fail-on", "info").code == 1


def test_what_cannot_be_checked(tmp_path: Path) -> None:
    assert (
        fails(run("pack", "check", "nope"), 2)
        == f"unknown pack 'nope'; installed are: {', '.join(PACKS)}"
    )
    assert "nope.toml: the pack cannot be read" in fails(run("pack", "check", "nope.toml"), 2)
    assert "--rev is the revision of a TARGET" in fails(
        run("pack", "check", "sglang", "--rev", "x"), 2
    )
    assert fails(run("pack", "check", "sglang", str(tmp_path / "none")), 3)
    assert run("pack", "show", "nope").code == 2


def test_packs_are_listed_and_shown(tmp_path: Path) -> None:
    (line,) = [each for each in run("pack", "list").out.splitlines() if each.startswith("sglang ")]
    assert re.fullmatch(r"sglang +format 1 +sglang +cuda, hip, npu, cpu, xpu +regreach \S+", line)
    told = run("pack", "list", "--format", "json").json()["packs"]
    assert {each["name"] for each in told} == set(PACKS)
    assert run("pack", "show", "sglang") == Done(0, PACKS["sglang"], "")
    output = tmp_path / "own.toml"
    assert run("pack", "show", "sglang", "-o", str(output)) == Done(0, "", "")
    assert run("pack", "check", str(output)).code == 0


def agree(text: str) -> tuple[bool, list[str]]:
    """Whether the schema takes a pack, and what the reader says of it that a schema could say."""
    try:
        load_pack(text, "pack", "shop" if is_for_any_package(text) else None)
        wrong: list[str] = []
    except ConfigError as error:
        wrong = [line for line in map(str, error.args) if not BEYOND_A_SCHEMA.search(line)]
    data: dict[str, Any] = tomllib.loads(text)
    return VALIDATOR.is_valid(json.loads(json.dumps(data, default=lambda _: None))), wrong


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", [*PACKS, "shop"])
def test_the_schema_takes_what_the_reader_takes(name: str) -> None:
    assert agree(PACKS.get(name, PACK)) == (True, [])


@pytest.mark.parametrize(
    ("old", "new"),
    [(old, new) for old, new, says in WRONG if not says.startswith("not valid TOML")],
)
def test_the_schema_refuses_what_the_reader_refuses(old: str, new: str) -> None:
    valid, wrong = agree(PACK.replace(old, new, 1))
    assert valid == (not wrong), wrong


SIMPLE = """
[[simple_registries]]
id = "shop.words"
containers = ["shop.words:WORDS"]
prefix = "shop.ops"
doubled = "first"
target = "shop.words.{0}:{1}"
whole = "shop."
aliases = { a = "b" }

[[simple_registries.registrars]]
function = "shop.words:says"
named = true
unless = "elsewhere"
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ('id = "shop.words"\n', ""),
        ('"shop.words:WORDS"', '"WORDS"'),
        ('"shop.ops"', '"shop ops"'),
        ('"first"', '"second"'),
        ('a = "b"', "a = 1"),
        ("shop.words:says", "says"),
        ("named = true", "named = 1"),
        ("named = true", 'key = "k"\nattribute = "a"'),
        ("named = true", "nmed = true"),
        ("aliases", "alias"),
        ('target = "shop.words.{0}:{1}"\n', ""),
        ('"shop."', "1"),
        ('"elsewhere"', "true"),
        (SIMPLE.partition("containers")[2], "= []\n"),
    ],
)
def test_both_agree_on_simple_registries(old: str, new: str) -> None:
    assert old in SIMPLE
    valid, wrong = agree(PACK.replace("[common]", f"{SIMPLE.replace(old, new, 1)}\n[common]"))
    assert valid == (not wrong), wrong
    assert valid == (not old)
