"""RR111 through the command: which imports begin above the root, and which only look so."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import copy_of, run

HITS = [
    "from python.sglang.srt import layers\n",
    "from src.sglang.srt import layers\n",
    "import python.sglang\n",
    "import os, python.sglang.srt.layers as layers\n",
    "from python import sglang\n",
    "from python import other, sglang as s\n",
    "from python import (\n    other,\n    sglang,\n)\n",
    "try:\n    from sglang.srt import layers\nexcept ImportError:\n    from python.sglang.srt import layers\n",
    "def f():\n    from python.sglang.srt import layers\n",
    "class A:\n    import python.sglang\n",
    "if True: import python.sglang\n",
    "import importlib\nimportlib.import_module('python.sglang.srt')\n",
    "from importlib import import_module\ndef f():\n    return import_module('python.sglang.srt')\n",
    "from python.sglang.srt.layers import *\n",
    "from python.sglang.srt.\\\n    layers import moe\n",
]
NEAR_MISSES = [
    "from sglang.srt import layers\n",
    "from pythons.sglang import srt\n",
    "from python.sglangs import srt\n",
    "from .python.sglang import srt\n",
    "from a.python.sglang import srt\n",
    "from python import sglangs\n",
    "from python3 import sglang\n",
    "import python\nprint(python.sglang)\n",
    "# from python.sglang.srt import layers\n",
    "'''\nfrom python.sglang.srt import layers\n'''\n",
    "text = 'from python.sglang.srt import layers'\n",
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from python.sglang.srt import layers\n",
]


def found(tree: Path, text: str) -> list[str]:
    (tree / "sglang/srt/tool.py").write_text(text)
    document = run("check", str(tree), "--select", "RR111", "--format", "json").json()
    return [f"{each['path']}:{each['rule']}" for each in document["findings"]]


@pytest.mark.parametrize("text", HITS)
def test_hits(tmp_path: Path, text: str) -> None:
    assert found(copy_of("eager-at-top", tmp_path), text) == ["sglang/srt/tool.py:RR111"]


@pytest.mark.parametrize("text", NEAR_MISSES)
def test_near_misses(tmp_path: Path, text: str) -> None:
    assert found(copy_of("eager-at-top", tmp_path), text) == []


def test_an_error_that_is_certain_at_once_is_not_looked_at_twice(tmp_path: Path) -> None:
    tree = copy_of("above-import-root", tmp_path)
    done = run("check", str(tree), "--verbose", "--no-cache")
    assert (done.code, "in full" in done.err) == (1, False)
