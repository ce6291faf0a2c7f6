"""The package of examples/plugin, built, and installed into a new environment beside regreach."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from command_line import Done, with_cache
from hooked import clone_here, why_unreachable
from shop_example import PACK, SHOP
from tree_making import write

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "plugin"


def test_its_pack_is_that_of_the_document() -> None:
    pack = EXAMPLE / "src" / "shop_rules" / "packs" / "shop.toml"
    assert pack.read_text(encoding="utf-8") == PACK


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment in which regreach and the example are installed from wheels; its folder of programs."""
    folder = tmp_path_factory.mktemp("plugin")
    venv.create(folder / "env", with_pip=True)
    programs = folder / "env" / ("Scripts" if sys.platform == "win32" else "bin")
    sources = [str(clone_here(folder / "regreach")), str(EXAMPLE)]
    command = [str(programs / "python"), "-m", "pip", "install", "--quiet", *sources]
    done = subprocess.run(command, env=_outside(), capture_output=True, check=False, text=True)
    if done.returncode != 0 and (why := why_unreachable(done.stderr)) is not None:
        pytest.skip(f"the package index was not reached: {why}")
    assert done.returncode == 0, done.stderr
    return programs


def _outside() -> dict[str, str]:
    """The environment of a user's shell: nothing of these tests leads to regreach's sources."""
    left_out = re.compile(r"GIT_|PYTHON|VIRTUAL_ENV|REGREACH")
    return with_cache({k: v for k, v in os.environ.items() if not left_out.match(k)})


@pytest.mark.registry
def test_it_is_found_and_used(environment: Path, tmp_path: Path) -> None:
    def run(*arguments: str) -> Done:
        command = [str(environment / "regreach"), *arguments]
        done = subprocess.run(
            command, env=_outside(), cwd=tmp_path, capture_output=True, check=False, text=True
        )
        return Done(done.returncode, done.stdout, done.stderr)

    tree = write(tmp_path / "tree", SHOP)
    listed = run("pack", "list").out.splitlines()
    assert re.fullmatch(r"shop +format 1 +shop +till, web +shop-rules 1.0", listed[-2])
    assert run("pack", "check", "shop").code == 0
    page = (EXAMPLE / "src" / "shop_rules" / "sh101.md").read_text(encoding="utf-8")
    assert run("rule", "SH101") == Done(0, page, "")
    assert "shop-rules 1.0" in run("--version").out
    done = run("check", str(tree), "--pack", "shop")
    heads = [line for line in done.out.splitlines() if not line.startswith(" ")]
    assert done.code == 1, done.err
    assert heads == [
        'shop/cards.py:4:1: RR101 ("eu", "card") is registered here, but Checkout cannot reach it:'
        " nothing imports the module; desk.py:6 crashes",
        "shop/checkout.py:9:1: SH101 nothing handles card in us",
        "shop/checkout.py:9:1: SH101 nothing handles invoice in us",
    ]
    # a second time nothing is analysed: what the rule is made of has not changed either
    again = run("check", str(tree), "--pack", "shop", "--stats")
    assert (again.code, again.out) == (done.code, done.out)
    assert "remembered: no file has changed" in again.err
