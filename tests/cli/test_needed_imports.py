"""`regreach side-effects`: what is listed, and that ruff leaves it alone with what is printed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import ROOT, copy_of, fails, run
from jsonschema import Draft202012Validator
from regreach.model import Spot
from regreach.needed_imports import NeededImport
from regreach.report.needed_imports import ruff_toml
from shop_example import PACK, SHOP
from tree_making import Files, write

SCHEMA = json.loads((ROOT / "docs/schemas/side-effects.schema.json").read_text(encoding="utf-8"))
CASES = ["unused-imports-kept", "unused-import-deletable", "caller-only", "eager-at-top", "bug"]
MOE = "sglang/srt/layers/moe/moe_runner"


def ruff(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Let ruff delete unused imports below a folder, as its own configuration says."""
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--select", "F401", "--fix"]
    return subprocess.run(
        [*command, "--unsafe-fixes", *arguments, "."],
        cwd=folder,
        capture_output=True,
        check=False,
        text=True,
    )


def imports(folder: Path) -> list[dict[str, object]]:
    """The imports that are listed, without their positions."""
    done = run("side-effects", str(folder), "--format", "json", "-q")
    document = done.json()
    Draft202012Validator(SCHEMA).validate(document)
    found: list[dict[str, object]] = document["imports"]
    return [{k: v for k, v in each.items() if k not in ("line", "column")} for each in found]


def without_comments(folder: Path) -> Path:
    """Take away what protects imports by a comment."""
    for file in folder.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        file.write_text(re.sub(r"  #[^\n]*noqa[^\n]*", "", text), encoding="utf-8")
    return folder


@pytest.mark.parametrize("form", ["ruff", "pyproject"])
@pytest.mark.parametrize("case", CASES[:4])
def test_ruff_leaves_what_is_listed(tmp_path: Path, case: str, form: str) -> None:
    tree = without_comments(copy_of(case, tmp_path / "tree"))
    before = {path: path.read_text(encoding="utf-8") for path in tree.rglob("*.py")}
    listed = imports(tree)
    assert listed
    # by itself it deletes some of them
    bare = without_comments(copy_of(case, tmp_path / "bare"))
    assert ruff(bare, "--isolated").returncode in (0, 1)
    assert len(imports(bare)) < len(listed)
    name = "ruff.toml" if form == "ruff" else "pyproject.toml"
    done = run("side-effects", str(tree), "--format", form, "-o", str(tree / name))
    assert done.code == 0
    judged = ruff(tree)
    assert judged.returncode == 0, judged.stdout + judged.stderr
    assert imports(tree) == listed
    kept = {str(each["path"]) for each in listed}
    for path, text in before.items():
        if path.relative_to(tree).as_posix() in kept:
            assert path.read_text(encoding="utf-8") == text


def test_files_that_need_no_protection_get_none(tmp_path: Path) -> None:
    """What ``__all__`` names is no unused import to ruff."""
    tree = write(
        tmp_path,
        {
            **SHOP,
            "shop/checkout.py": SHOP["shop/checkout.py"]
            .replace("  # noqa: F401", "")
            .replace("\n\nclass", '\n__all__ = ["Checkout", "invoices"]\n\n\nclass'),
            "pack.toml": PACK,
        },
    )
    done = run("side-effects", str(tree), "--pack", str(tree / "pack.toml"), "--format", "ruff")
    assert done.out.splitlines()[1:] == ["[lint.per-file-ignores]"]
    text = run("side-effects", str(tree), "--pack", str(tree / "pack.toml"))
    assert "protected by  __all__" in text.out
    assert text.err == "1 import in 1 file\n"


def test_a_pattern_matches_one_file_only(tmp_path: Path) -> None:
    names = ["a.py", "x [1]/a.py", "{x}/a*.py", "x!/a?.py", "é/\x7f.py"]
    others = ["x [1]/b.py", "x 1/a.py", "{x}/ab.py", "x!/ab.py", "é/a.py", "y/a.py"]
    write(tmp_path, dict.fromkeys((*names, *others), "import os\n"))
    needed = [
        NeededImport(Spot(n, 1, ""), 1, "m", "", ("os",), ("os",), True, ("os",), (), True)
        for n in names
    ]
    (tmp_path / "ruff.toml").write_text(ruff_toml(needed, in_pyproject=False), encoding="utf-8")
    judged = ruff(tmp_path)
    assert judged.returncode == 0, judged.stderr
    left = {
        p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*.py") if p.read_text() != ""
    }
    assert left == set(names)


def test_for_people(tmp_path: Path) -> None:
    done = run("side-effects", str(copy_of("unused-import-deletable", tmp_path)))
    assert done.code == 0
    assert done.err == (
        "3 imports in 3 files, 1 of them protected by nothing (see `regreach rule RR106`)\n"
    )
    heads = [line for line in done.out.splitlines() if not line.startswith(" ")]
    statement = "import sglang.srt.layers.moe.moe_runner.flashinfer_cutlass"
    assert heads == [
        f"{MOE}/runner.py:19:13: {statement}",
        f"sglang/srt/layers/quantization/modelopt_quant.py:10:13: {statement} # noqa: F401",
        f"sglang/srt/layers/quantization/mxfp4.py:12:13: {statement} # noqa: F401",
    ]
    assert done.out.splitlines()[1:6] == [
        "    loads         sglang.srt.layers.moe.moe_runner.flashinfer_cutlass",
        '    registered    ("none", "flashinfer_cutlass"), ("none", "flashinfer_mxfp4")',
        "    protected by  nothing: a fixer would delete it",
        '    without it    ("none", "flashinfer_cutlass")  reach caller → orphan; modelopt_quant.py:12 would crash',
        '    without it    ("none", "flashinfer_mxfp4")  reach runner → orphan;'
        " modelopt_quant.py:12, mxfp4.py:14 would crash",
    ]


def shop(tmp_path: Path, files: Files) -> list[tuple[object, ...]]:
    """What is listed of a shop: path, what is loaded, whether directly, what protects it, what is lost."""
    tree = write(tmp_path, {**SHOP, "pack.toml": PACK, **files})
    done = run(
        *("side-effects", str(tree), "--pack", str(tree / "pack.toml"), "--format", "json", "-q")
    )
    assert (done.code, done.err) == (0, "")
    document = done.json()
    Draft202012Validator(SCHEMA).validate(document)
    return [
        (
            each["path"],
            each["modules"],
            each["direct"],
            each["protected_by"],
            [k["key"][1] for k in each["keys"] if k["reach_without"] != k["reach"]],
        )
        for each in document["imports"]
    ]


CHECKOUT = SHOP["shop/checkout.py"]


def test_an_import_that_only_leads_to_registrations(tmp_path: Path) -> None:
    files: Files = {
        "shop/checkout.py": CHECKOUT.replace("invoices", "handlers"),
        "shop/handlers.py": "from shop import (\n    cards,\n    invoices,  # noqa: F401\n)\n",
    }
    assert shop(tmp_path, files) == [
        ("shop/checkout.py", ["shop.handlers"], False, ["noqa"], ["card", "invoice"]),
        ("shop/handlers.py", ["shop.cards", "shop.invoices"], True, ["noqa"], ["card", "invoice"]),
    ]


def test_one_that_leads_there_and_is_not_needed(tmp_path: Path) -> None:
    files: Files = {
        "shop/checkout.py": CHECKOUT.replace(
            "from shop.kinds", "import shop.desk_words  # noqa: F401\nfrom shop.kinds"
        ),
        "shop/desk_words.py": "from shop import invoices  # noqa: F401\n",
    }
    assert [each[:3] for each in shop(tmp_path, files)] == [
        ("shop/checkout.py", ["shop.invoices"], True),
        ("shop/desk_words.py", ["shop.invoices"], True),
    ]


def test_what_others_take_from_a_module_is_no_side_effect(tmp_path: Path) -> None:
    files: Files = {
        "shop/checkout.py": CHECKOUT.replace("from shop import", "from shop.api import"),
        "shop/api.py": "from shop import invoices  # noqa: F401\n",
    }
    assert [each[:2] for each in shop(tmp_path, files)] == [
        ("shop/checkout.py", ["shop.api"]),
    ]


def test_a_submodule_is_found_without_the_package_binding_it(tmp_path: Path) -> None:
    files: Files = {
        "shop/__init__.py": "from . import cards\n",
        "shop/desk.py": SHOP["shop/desk.py"]
        .replace("from shop.checkout", "from shop import cards\nfrom shop.checkout")
        .replace("basket)", "cards)"),
    }
    assert ("shop/__init__.py", ["shop.cards"], True, ["init"], ["card"]) in shop(tmp_path, files)


def test_what_is_read_is_not_listed(tmp_path: Path) -> None:
    files: Files = {
        "shop/checkout.py": CHECKOUT.replace("  # noqa: F401", "") + "\n\nprint(invoices)\n",
        "shop/typing_only.py": (
            "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from shop import cards\n"
        ),
        "shop/tests/test_cards.py": "from shop import cards\n",
    }
    assert shop(tmp_path, files) == []


def test_nothing_to_list(tmp_path: Path) -> None:
    write(tmp_path, {"sglang/__init__.py": ""})
    done = run("side-effects", str(tmp_path))
    assert (done.code, done.out) == (0, "")
    assert done.err.endswith("no registration depends on an import for its side effect\n")


def test_a_consumer_that_cannot_be_judged_is_no_empty_list(tmp_path: Path) -> None:
    tree = copy_of("bug", tmp_path)
    (tree / MOE / "runner.py").write_text("def broken(:\n", encoding="utf-8")
    done = run("side-effects", str(tree), "--format", "ruff", "-q")
    assert done.code == 3
    assert "MoeRunner cannot be judged" in done.err


def test_files_and_wrong_usage(tmp_path: Path) -> None:
    tree, output = str(copy_of("eager-at-top", tmp_path / "tree")), tmp_path / "ruff.toml"
    printed = run("side-effects", tree, "-q", "-o", f"ruff:{output}")
    assert printed.code == 0
    assert printed.out == run("side-effects", tree).out
    assert output.read_text(encoding="utf-8") == run("side-effects", tree, "--format", "ruff").out
    assert "'yaml' is not one of 'text', 'json', 'ruff', 'pyproject'" in fails(
        run("side-effects", tree, "--format", "yaml"), 2
    )
    assert "the formats here are text, json, ruff, pyproject" in fails(
        run("side-effects", tree, "-o", "sarif:x"), 2
    )
    assert fails(run("side-effects", str(tmp_path / "none")), 3)
