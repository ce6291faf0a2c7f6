"""Each wrong entry of a pack is one line that names the file and the entry."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command_line import fails, run
from regreach.errors import ConfigError
from regreach.pack import load_pack
from shop_example import DOCUMENT, PACK, SHOP
from tree_making import write


def error_of(pack: str, folder: Path, *options: str) -> str:
    """What `check` says of the example with this pack, without the name of the pack's file."""
    file = folder / "shop.toml"
    file.write_text(pack, encoding="utf-8")
    message = fails(run("check", str(folder), "--pack", str(file), *options), 2)
    assert message.startswith(f"{file}: ")
    return message.removeprefix(f"{file}: ")


def known_keys() -> set[str]:
    """Every key that a pack may have: what is said to be known where there is a wrong one."""
    keys: set[str] = set()
    for header in ["", *re.findall(r"^\[.+\]$", PACK, re.MULTILINE)]:
        wrong = PACK.replace(f"{header}\n", f"{header}\nno_such_key = 1\n", 1)
        with pytest.raises(ConfigError, match="no_such_key is not a known key") as caught:
            load_pack(wrong, "pack")
        keys.update(str(caught.value).rpartition("known here: ")[2].split(", "))
    return keys


def test_the_document_tells_of_every_key() -> None:
    document = DOCUMENT.read_text(encoding="utf-8")
    keys = known_keys()
    assert len(keys) > 30
    for key in keys:  # in a row of a table, or in a heading or text as the name of one
        assert re.search(rf"\n\| `{key}` \||`\[+(consumers\.NAME\.)?{key}\b", document), key


def test_the_example_has_no_error(tmp_path: Path) -> None:
    pack = write(tmp_path, {**SHOP, "pack.toml": PACK}) / "pack.toml"
    assert run("check", str(tmp_path), "--pack", str(pack)).code == 1


# What is written in the place of what, and what is said then.
WRONG = [
    (
        "RuntimeError: no till",
        "NoError",
        "platforms.web.raises.\"payments.till()\" names no builtin exception: 'NoError'",
    ),
    (
        '"payments.till()" = "R',
        '"payments.till" = "R',
        'platforms.web.raises."payments.till" must be a call: its path ends in ()',
    ),
    (
        "unavailable = { kind",
        "unavailable = { sort",
        "platforms.web.unavailable names no selector: 'sort'",
    ),
    ('method = "pay"\n', "", "consumers.checkout.use.method is missing; it must be a string"),
    (
        "on_init_path = true",
        'counterpart = "shop.gone"',
        "registries[0].counterpart names no registry: 'shop.gone'",
    ),
    (
        "on_init_path = true",
        'counterpart = "shop.handlers"\ncounterpart_key = ["kind"]',
        "registries[0].counterpart_key does not make a key of the counterpart",
    ),
    (
        "on_init_path = true",
        'counterpart_key = ["kind", "size"]',
        "registries[0].counterpart_key must be made of the parts ['region', 'kind']",
    ),
    ("format = 1", "format = 2", "format is 2; this regreach reads format 1"),
    ("format = 1", "", "format is missing; it must be an integer"),
    ("format = 1", "format = true", "format must be an integer, not True"),
    ("format = 1", "format = ", "not valid TOML: Invalid value (at line 1, column 10)"),
    ("format = 1", f"deep = {'[' * 5000}", "not valid TOML: "),
    ('name = "shop"\n', "", "name is missing; it must be a string"),
    ('package = "shop"', "package = 3", "package must be a string, not 3"),
    ('package = "shop"', 'package = "a.b"', "package must be one top-level name, not 'a.b'"),
    ('package = "shop"', 'package = "../x"', "package must be a dotted name, not '../x'"),
    ('roots = ["", "src"]', 'roots = ""', "roots must be a list of strings, not ''"),
    ('roots = ["", "src"]', "roots = [1]", "roots must be a list of strings, not [1]"),
    ('["*/tests/*"]', '"*/tests/*"', "ignored_paths must be a list of strings, not '*/tests/*'"),
    ('process_roots = ["shop.checkout"]', "process_roots = 1", "process_roots must be a list of"),
    ('default_platform = "till"', 'default_platform = "desk"',
     "default_platform is 'desk', which [platforms] does not have"),
    ("[assumptions]", "[assumptoins]",
     "assumptoins is not a known key (did you mean 'assumptions'?); known here: assumptions, "),
    ("environment_closed = true", "environment_closed = 1",
     "assumptions.environment_closed must be true or false, not 1"),
    ('installed = ["payments"]', 'instaled = ["payments"]',
     "assumptions.instaled is not a known key (did you mean 'installed'?); known here: environment_closed, "),
    ('enum = "shop.kinds:Kind"', 'enum = "shop.kinds.Kind"',
     "selectors.kind.enum must be 'module:name', not 'shop.kinds.Kind'"),
    ('enum = "shop.kinds:Kind"', "", "selectors.kind.enum is missing; it must be a string"),
    ("sources = [", "source = [",
     "selectors.region.source is not a known key (did you mean 'sources'?); known here: enum, sources"),
    ('"shop.kinds:region_of_process"', '"region_of_process"',
     "selectors.region.sources must be 'module:name', not 'region_of_process'"),
    ('[selectors.kind]\nenum = "shop.kinds:Kind"', '[selectors]\nkind = "shop.kinds:Kind"',
     "selectors.kind must be a table, not 'shop.kinds:Kind'"),
    ('module = "shop.checkout"', "", "consumers.checkout.module is missing; it must be a string"),
    ('module = "shop.checkout"', 'module = "shop/checkout.py"',
     "consumers.checkout.module must be a dotted name, not 'shop/checkout.py'"),
    ('callable = "Checkout"', 'callable = ""', "consumers.checkout.callable must be a dotted name, not ''"),
    ('ambient = ["region"]', 'ambient = ["place"]', "consumers.checkout.ambient names no selector: 'place'"),
    ('selector = "kind"', 'selector = "sort"',
     "consumers.checkout.arguments.kind.selector names no selector: 'sort'"),
    ('selector = "kind"', 'new = "shop.kinds:Kind"',
     "consumers.checkout.arguments must give exactly one parameter a selector"),
    ('new = "shop.baskets:Basket"', "",
     "consumers.checkout.arguments.basket.new is missing; it must be a string"),
    ('given = ["owner"]', 'given = "owner"',
     "consumers.checkout.arguments.basket.given must be a list of strings, not 'owner'"),
    ("size = 3", '"a size" = 2026-01-01',
     'consumers.checkout.arguments.basket.fields."a size" must be a string, number, boolean or list'),
    ("[[registries]]", "[registries]", "registries must be an array of tables, not {"),
    ('id = "shop.handlers"', "id = 1", "registries[0].id must be a string, not 1"),
    ('container = "shop.registry:HANDLERS"', 'container = "HANDLERS"',
     "registries[0].container must be 'module:name', not 'HANDLERS'"),
    ('key = ["region", "kind"]', "key = []", "registries[0].key must not be empty"),
    ('key = ["region", "kind"]', 'key = ["kind", "region"]',
     "registries[0].key must be ['region', 'kind'], the selectors of the consumer 'checkout'"),
    ('registrars = ["shop.registry:handles"]', "registrars = []",
     "registries[0].registrars must not be empty"),
    ('"shop.registry:find"', '"shop.registry:"',
     "registries[0].lookups must be 'module:name', not 'shop.registry:'"),
    ('consumer = "checkout"', 'consumer = "till"', "registries[0].consumer names no consumer: 'till'"),
    ("on_init_path = true", "on_init_path = []", "registries[0].on_init_path must be true or false"),
    ("on_init_path = true", "on_init = true",
     "registries[0].on_init is not a known key (did you mean 'on_init_path'?); known here: "),
    ('absent = ["terminal"]', 'absnt = ["terminal"]',
     "common.absnt is not a known key (did you mean 'absent'?); known here: "),
    ('SHOP_MODE = "live"', "SHOP_MODE = 1", "common.environment.SHOP_MODE must be a string, not 1"),
    ('"payments.version" = "2.0"', '"payments.version" = { major = 2 }',
     'common.values."payments.version" must be a string, number, boolean or list, not {'),
    ('"eur", "usd"', '"eur", {}', 'platforms.web.values."payments.currencies" must be a string, number'),
    ('present = ["terminal"]', 'presnt = ["terminal"]', "platforms.till.presnt is not a known key"),
    ("[platforms.web]", '["two\\nlines"]\n[platforms.web]', r'"two\nlines" is not a known key'),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "says"), WRONG)
def test_wrong_entries(tmp_path: Path, old: str, new: str, says: str) -> None:
    assert PACK.count(old) >= 1
    assert error_of(PACK.replace(old, new, 1), tmp_path).startswith(says)


def test_no_platforms(tmp_path: Path) -> None:
    pack = PACK[: PACK.index("[platforms.till]")]
    assert error_of(pack, tmp_path).startswith(
        "platforms is missing; it must have a table for each"
    )


def test_two_registries_of_one_name(tmp_path: Path) -> None:
    registry = PACK[PACK.index("[[registries]]") : PACK.index("[common]")]
    assert (
        error_of(PACK + registry, tmp_path) == "registries[1].id is 'shop.handlers' a second time"
    )


def test_a_pack_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "shop.toml").write_bytes(b"\xff\xfe")
    message = fails(run("check", "--pack", str(tmp_path / "shop.toml")), 2)
    assert "shop.toml: the pack cannot be read: 'utf-8' codec can't decode" in message


def test_an_unknown_platform_names_the_known(tmp_path: Path) -> None:
    (tmp_path / "shop.toml").write_text(PACK, encoding="utf-8")
    message = fails(run("check", "--pack", str(tmp_path / "shop.toml"), "--platform", "pos"), 2)
    assert message == "unknown platform 'pos'; the pack 'shop' knows: till, web"
