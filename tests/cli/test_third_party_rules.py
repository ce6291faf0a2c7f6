"""A package of rules and packs by someone else, found through its entry point like regreach's own.

Its pack is of another framework, with another package, other registrars and another consumer: the
engine knows none of them.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from command_line import BUG, HELP, MODULE, ROOT, Done, fails, run, run_process
from regreach_rules import PACKS
from shop_example import PACK, SHOP
from tree_making import Files, git, write

RULES = '''\
"""Rules for shops."""

from regreach.model import Finding
from regreach.rule import Rule, fingerprint

PAGE = "# SH101: nobody sells\\n\\nA shop needs a desk.\\n"


def check(audit):
    for registry in audit.registries:
        for cell in registry.cells:
            if not cell.registrations:
                yield Finding(
                    "SH101",
                    "info",
                    cell.lookup,
                    1,
                    f"nothing handles {' '.join(cell.key)}",
                    cell.key,
                    fingerprint("SH101", registry.id, *cell.key),
                )


RULES = (Rule("SH101", "nobody-sells", "info", "a kind that nothing handles", PAGE, check),)
'''


def installed(
    folder: Path, files: Files, entry: str = "shop = shop_rules", name: str = "shop_rules"
) -> dict[str, str]:
    """Write a distribution as pip installs it; returns the environment in which it is installed."""
    info = f"{name}-1.0.dist-info"
    write(
        folder,
        {
            **files,
            f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
            f"{info}/entry_points.txt": f"[regreach.rules]\n{entry}\n",
        },
    )
    return {"PYTHONPATH": str(folder)}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return write(tmp_path / "tree", SHOP)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    files = {"shop_rules.py": f"{RULES}\nPACKS = {{'shop': {PACK!r}}}\n"}
    return installed(tmp_path / "site", files)


def test_rules_and_packs_are_found(shop: Path, environment: dict[str, str]) -> None:
    done = run_process("check", str(shop), "--pack", "shop", env=environment)
    heads = [line for line in done.out.splitlines() if not line.startswith(" ")]
    assert done.code == 1, done.err
    assert heads == [
        'shop/cards.py:4:1: RR101 ("eu", "card") is registered here, but Checkout cannot reach it:'
        " nothing imports the module; desk.py:6 crashes",
        "shop/checkout.py:9:1: SH101 nothing handles us card",
        "shop/checkout.py:9:1: SH101 nothing handles us invoice",
    ]
    assert done.err == HELP + "1 error, 2 info\n"


def test_rules_can_be_listed_and_read(environment: dict[str, str]) -> None:
    listed = run_process("rule", env=environment, program=MODULE)
    assert listed.out == run("rule").out + "SH101  info     a kind that nothing handles\n"
    page = run_process("rule", "SH101", env=environment, program=MODULE)
    assert page == Done(0, "# SH101: nobody sells\n\nA shop needs a desk.\n", "")


def test_the_pack_fits_the_target(shop: Path, environment: dict[str, str], tmp_path: Path) -> None:
    def checked(*words: str) -> list[str]:
        done = run_process("check", *words, env=environment, program=MODULE)
        assert done.code == 1, done.err
        return sorted({line.split()[1] for line in done.out.splitlines() if line[0] != " "})

    ours = ["RR101", "SH101"]
    assert checked(str(shop)) == ours
    assert checked(str(shop / "shop")) == ours
    archive = shutil.make_archive(str(tmp_path / "shop"), "zip", shop)
    assert checked(archive) == ours
    git(shop, "init", "--quiet")
    git(shop, "add", ".")
    git(shop, "commit", "--quiet", "--message=all")
    shutil.rmtree(shop / "shop")
    assert checked(str(shop), "--rev", "HEAD") == ours
    assert checked(BUG, "--select", "RR101") == ["RR101"]  # with sglang's
    done = run_process("config", archive, env=environment, program=MODULE)
    assert done.out.splitlines()[1].split() == ["pack", '"shop"', "default"]


def test_a_target_that_no_pack_fits_or_several(
    shop: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    def fails_with(code: int, *words: str) -> str:
        return fails(run_process(*words, env=environment, program=MODULE), code)

    shutil.copytree(Path(BUG) / "sglang", shop / "sglang")
    several = f"several packs fit {shop}: choose sglang or shop with --pack"
    assert fails_with(2, "check", str(shop)) == several
    archive = shutil.make_archive(str(tmp_path / "both"), "zip", shop)
    several = f"several packs fit {archive}: choose sglang or shop with --pack"
    assert fails_with(2, "check", archive) == several
    (tmp_path / "empty").mkdir()
    none = (
        f"no package 'sglang' or 'shop' or 'vllm' in {tmp_path}/empty: give the folder in which it lies, or with"
        " --pack the pack of another framework (docs/packs.md)"
    )
    assert fails_with(3, "check", f"{tmp_path}/empty") == none
    known = ", ".join(sorted((*PACKS, "shop")))
    choose = f"choose a pack with --pack; installed are: {known}"
    assert fails_with(2, "check", "other-project==1.0") == choose
    assert fails_with(3, "check", "nowhere").startswith("nowhere: no such file or folder; the")
    offline = fails_with(3, "check", "sglang==0.0.1", "--offline", "--no-cache")
    assert "sglang" in offline
    assert "--pack" not in offline


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("import nowhere_at_all", "ModuleNotFoundError: No module named 'nowhere_at_all'"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("RULES = 5", "TypeError: 'int' object is not iterable"),
        ("RULES = ['RR900']", "AttributeError: 'str' object has no attribute 'code'"),
        ("PACKS = []", "AttributeError: 'list' object has no attribute 'items'"),
        ("PACKS = {'sglang': ''}", "ValueError: there is another pack 'sglang'"),
        ("from regreach_rules import RULES", "ValueError: there is another rule 'RR101'"),
    ],
)
def test_what_cannot_be_loaded_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, says: str
) -> None:
    name = f"rules_of_{tmp_path.name}"
    installed(tmp_path, {f"{name}.py": text}, f"shop = {name}")
    monkeypatch.syspath_prepend(tmp_path)
    message = fails(run("check", BUG), 2)
    assert message == f"the rules '{name}' of 'shop' cannot be loaded: {says}"


def test_a_rule_that_fails_is_named_and_can_be_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = RULES.replace("for registry in", "yield from (1 / 0 for _ in 'x')\n    for registry in")
    installed(tmp_path, {"failing_rules.py": text}, "shop = failing_rules", "failing")
    monkeypatch.syspath_prepend(tmp_path)
    says = "the rule SH101 failed: ZeroDivisionError: division by zero; leave it out with --ignore SH101"
    assert fails(run("check", BUG), 2) == says
    assert run("check", BUG, "--ignore", "SH101").code == 1


REMEMBERED = "remembered: no file has changed"


def _told(*arguments: str, site: Path, cache: Path) -> tuple[bool, str]:
    """Return whether `check` remembered what it says, and what it says of the shop's own rule."""
    path = os.pathsep.join([str(site), str(ROOT / "linter"), str(ROOT / "rules")])
    env = {"PYTHONPATH": path, "REGREACH_CACHE_DIR": str(cache)}
    done = run_process("check", BUG, *arguments, "--stats", env=env, program=MODULE)
    assert done.code == 1, done.err
    return REMEMBERED in done.err, "\n".join(
        line for line in done.out.splitlines() if "SH101" in line
    )


SAYS = (
    RULES.replace("cell.lookup,", "cell.lookup or Spot('a.py', 1),")
    .replace("import Finding", "import Finding, Spot")
    .replace("nothing handles {", "{WORD} {")
    .replace("RULES =", "WORD = 'none'\nRULES =")
)
HELPED = SAYS.replace("WORD = 'none'", "from shop_words import WORD")
LAYOUTS: dict[str, tuple[Files, str, str]] = {
    "a module": ({"shop_rules.py": SAYS}, "shop_rules", "shop_rules.py"),
    "a package": ({"shop_rules/__init__.py": SAYS}, "shop_rules", "shop_rules/__init__.py"),
    "a module of a package": (
        {
            "shops/__init__.py": "",
            "shops/all.py": "from .rules import RULES",
            "shops/rules.py": SAYS,
        },
        "shops.all",
        "shops/rules.py",
    ),
    "a module of a namespace": (
        {"ours/shop_rules.py": SAYS},
        "ours.shop_rules",
        "ours/shop_rules.py",
    ),
    "a module beside it": (
        {"shop_rules.py": HELPED, "shop_words.py": "WORD = 'none'\n"},
        "shop_rules",
        "shop_words.py",
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_rule_that_has_changed_is_asked_again(tmp_path: Path, layout: str) -> None:
    files, module, changed = LAYOUTS[layout]
    site, cache = tmp_path / "site", tmp_path / "cache"
    installed(site, files, f"shop = {module}")
    (site / "shop_rules-1.0.dist-info" / "RECORD").write_text(
        "".join(f"{path},,\n" for path in files)
    )
    first = _told(site=site, cache=cache)
    assert first[0] is False
    assert "SH101 none " in first[1]
    assert _told(site=site, cache=cache) == (True, first[1])
    text = (site / changed).read_text()
    (site / changed).write_text(text.replace("'none'", "'nobody'"))
    again = _told(site=site, cache=cache)
    assert again == (False, first[1].replace("SH101 none ", "SH101 nobody "))


def test_another_version_of_a_distribution_is_asked_again(tmp_path: Path) -> None:
    site, cache = tmp_path / "site", tmp_path / "cache"
    installed(site, {"shop_rules.py": SAYS})
    _told(site=site, cache=cache)
    assert _told(site=site, cache=cache)[0]
    metadata = site / "shop_rules-1.0.dist-info" / "METADATA"
    metadata.write_text(metadata.read_text().replace("Version: 1.0", "Version: 1.1"))
    assert not _told(site=site, cache=cache)[0]


@pytest.mark.parametrize(
    "check",
    ["functools.partial(check)", "type('Check', (), {'__call__': lambda _, a: check(a)})()"],
)
def test_nothing_is_remembered_of_a_rule_that_comes_from_nowhere(
    tmp_path: Path, check: str
) -> None:
    text = SAYS.replace("PAGE, check)", f"PAGE, {check})").replace(
        "PAGE =", "import functools\nPAGE ="
    )
    site, cache = tmp_path / "site", tmp_path / "cache"
    installed(site, {"shop_rules.py": text})
    for _ in range(2):
        assert not _told(site=site, cache=cache)[0]
    # without it there is nothing that nobody knows
    assert not _told("--ignore", "SH101", site=site, cache=cache)[0]
    assert _told("--ignore", "SH101", site=site, cache=cache)[0]
