"""What is printed of simple registries: as data, which the schema describes, and for people."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from command_line import ROOT, run
from shop_tree import CARD, HANDLERS, OPS, written

FILES = {
    "server.py": 'CHOICES = ["card", "csh"]\nimport shop.a, shop.use\ndef start():\n    import shop.b\n',
    "a.py": CARD,
    "b.py": CARD.replace("...", "return 2"),
    "orphan.py": CARD.replace("card", "cash"),
    "use.py": "import device\ndef run(): return device.ops.shop.cheque(1)\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> tuple[str, ...]:
    # the two are filled by the same function, so one of them may be doubled
    pack = f'{HANDLERS}choices = ["shop.server:CHOICES"]\n{OPS}doubled = "allowed"\n'
    folder = written(tmp_path, FILES, pack)
    return str(folder / "tree"), "--pack", str(folder / "pack.toml"), "--no-cache"


def test_the_schema_describes_what_there_is(tree: tuple[str, ...]) -> None:
    document = run("audit", *tree, "--format", "json").json()
    schema = json.loads((ROOT / "docs/schemas/audit.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(document, schema)
    handlers, ops = document["simple_registries"]
    found = [(entry["key"], entry["reach"]) for entry in handlers["entries"]]
    assert found == [("card", "process"), ("card", "lazy"), ("cash", "orphan")]
    (clash,) = handlers["clashes"]
    assert [entry["path"] for entry in clash["entries"]] == ["shop/a.py", "shop/b.py"]
    assert [[step["line"] for step in entry["way"]] for entry in clash["entries"]] == [[2], [4]]
    assert [(wanted["kind"], wanted["key"]) for wanted in handlers["wanted"]] == [("choice", "csh")]
    assert [entry["key"] for entry in handlers["unreached"]] == ["cash"]
    assert [(wanted["kind"], wanted["key"]) for wanted in ops["wanted"]] == [("use", "cheque")]


def test_for_people(tree: tuple[str, ...]) -> None:
    done = run("audit", *tree)
    assert done.code == 1
    assert (
        "shop.handlers  2 keys, registered in 3 modules\n"
        "  process       1  loaded by the process roots\n"
        "  lazy          1  loaded by functions that import it\n"
        "  orphan        1  nothing that is ever loaded imports it\n" in done.out
    )
    assert "    loaded        server.py:4 → b  once start (server.py:4) has run\n" in done.out
    heads = [line.split(" ")[:2] for line in done.out.splitlines() if " RR10" in line]
    assert heads == [
        ["shop/b.py:2:1:", "RR105"],
        ["shop/orphan.py:2:1:", "RR101"],
        ["shop/server.py:1:20:", "RR104"],
        ["shop/use.py:2:35:", "RR104"],
    ]


def test_check_finds_the_same_when_nothing_has_changed(tmp_path: Path) -> None:
    """What was remembered is forgotten when a file changes that a finding hangs on."""
    folder = written(tmp_path, FILES, HANDLERS)
    target = (str(folder / "tree"), "--pack", str(folder / "pack.toml"))
    cache = ("--no-config",)
    first = run("check", *target, *cache, "--format", "json").json()["findings"]
    again = run("check", *target, *cache, "--format", "json").json()["findings"]
    assert [finding["rule"] for finding in first] == ["RR105", "RR101"]
    assert again == first
    (folder / "tree/shop/b.py").write_text(CARD.replace("card", "other"), encoding="utf-8")
    (folder / "tree/shop/server.py").write_text("import shop.a, shop.b, shop.orphan\n")
    assert run("check", *target, *cache, "--format", "json").json()["findings"] == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('id = "x"\n', "simple_registries[0].registrars is missing"),
        ('id = "x"\ncontainers = ["a"]\n', "containers must be 'module:name', not 'a'"),
        ('id = "x"\ncontainers = ["a:B"]\ndoubled = "no"\n', "doubled must be one of first, last"),
        ('id = "x"\ncontainers = ["a:B"]\nlokups = []\n', "did you mean 'lookups'?"),
        (
            'id = "x"\nregistrars = [{ function = "a:b", key = "c", attribute = "d" }]\n',
            "registrars[0].attribute is given beside a key",
        ),
    ],
)
def test_wrong_entries_of_a_pack(text: str, words: str, tmp_path: Path) -> None:
    folder = written(tmp_path, {"server.py": ""}, f"[[simple_registries]]\n{text}")
    done = run("check", str(folder / "tree"), "--pack", str(folder / "pack.toml"))
    assert done.code == 2
    assert words in done.err
    assert len(done.err.splitlines()) == 1
