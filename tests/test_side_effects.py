"""Which imports a fixer would delete, and what is lost with them, on variants of a fixture."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from regreach.model import Audit, Finding, SideEffectImport
from regreach.request import Request
from regreach.run import analyse

TREE = Path(__file__).parent.parent / "fixtures" / "unused-import-deletable" / "tree"
MOE = "sglang/srt/layers/moe/moe_runner"
RUNNER = f"{MOE}/runner.py"
LINE = "            import sglang.srt.layers.moe.moe_runner.flashinfer_cutlass\n"
PACKAGE = "sglang.srt.layers.moe.moe_runner"


class Variant:
    """A copy of the fixture's tree, to be changed."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def replace(self, path: str, old: str, new: str) -> None:
        file = self.root / path
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new, 1), encoding="utf-8")

    def result(self) -> tuple[Audit, list[Finding]]:
        found = analyse(Request(str(self.root), select=["RR106"], keep=False, jobs=1))
        return found.audit, list(found.findings)

    def imports(self) -> list[SideEffectImport]:
        return list(self.result()[0].side_effect_imports)


@pytest.fixture
def variant(tmp_path: Path) -> Variant:
    shutil.copytree(TREE, tmp_path / "tree")
    return Variant(tmp_path / "tree")


def test_as_it_is(variant: Variant) -> None:
    audit, (finding,) = variant.result()
    (found,) = audit.side_effect_imports
    assert str(found.spot) == f"{RUNNER}:19"
    assert found.column == 13
    assert found.scope == "MoeRunner.__init__"
    assert found.modules == (f"{PACKAGE}.flashinfer_cutlass",)
    assert found.names == ("sglang",)
    (loss,) = found.losses
    assert loss.now.key == ("none", "flashinfer_mxfp4")
    assert (loss.now.reach, loss.then.reach) == ("runner", "partial")
    assert [site.spot.path for site in loss.crashing] == [
        "sglang/srt/layers/quantization/modelopt_quant.py"
    ]
    assert finding.fix == {"kind": "add-noqa", "path": RUNNER, "line": 19}


@pytest.mark.parametrize(
    "statement",
    [
        f"from {PACKAGE} import flashinfer_cutlass",
        f"from {PACKAGE} import (\n                flashinfer_cutlass,\n            )",
        f"from {PACKAGE} \\\n                import flashinfer_cutlass",
        f"from {PACKAGE}.flashinfer_cutlass import fused_experts_none_to_flashinfer_mxfp4",
        "from . import flashinfer_cutlass",
        "from .flashinfer_cutlass import fused_experts_none_to_flashinfer_mxfp4 as é",
        f"import os, {PACKAGE}.flashinfer_cutlass as kernels; print(os)",
        f"é = 'é'; import {PACKAGE}.flashinfer_cutlass as x; self.é = é",
        f"from {PACKAGE} import base, flashinfer_cutlass; print(base)",
    ],
)
def test_shapes(variant: Variant, statement: str) -> None:
    variant.replace(RUNNER, LINE, f"            {statement}\n")
    _, (finding,) = variant.result()
    assert (finding.spot.path, finding.spot.line) == (RUNNER, 19)


@pytest.mark.parametrize(
    "statement",
    [
        f"import {PACKAGE}.flashinfer_cutlass  # noqa: F401",
        f"from {PACKAGE} import (  # noqa: F401\n                flashinfer_cutlass,\n            )",
        f"from {PACKAGE} import (\n                flashinfer_cutlass,  # noqa\n            )",
        f"from {PACKAGE} import flashinfer_cutlass as flashinfer_cutlass",
        f"from {PACKAGE} import flashinfer_cutlass; print(flashinfer_cutlass)",
        f"from {PACKAGE} import flashinfer_cutlass; flashinfer_cutlass = 1",
        f"import {PACKAGE}.flashinfer_cutlass; print(sglang.__name__)",
        "from .flashinfer_cutlass import register_fused_func,"
        " fused_experts_none_to_flashinfer_mxfp4; print(register_fused_func)",
    ],
)
def test_kept(variant: Variant, statement: str) -> None:
    variant.replace(RUNNER, LINE, f"            {statement}\n")
    assert variant.imports() == []


def test_under_type_checking_nothing_is_lost(variant: Variant) -> None:
    variant.replace(RUNNER, LINE, "            pass\n")
    variant.replace(
        RUNNER,
        "\n\nclass",
        "\nfrom typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n"
        f"    import {PACKAGE}.flashinfer_cutlass\n\n\nclass",
    )
    assert variant.imports() == []


def test_another_import_that_stays_makes_it_harmless(variant: Variant) -> None:
    variant.replace(
        f"{MOE}/triton.py",
        "from sglang.srt.layers.moe.utils",
        f"import {PACKAGE}.flashinfer_cutlass  # noqa: F401\nfrom sglang.srt.layers.moe.utils",
    )
    audit, findings = variant.result()
    assert findings == []
    assert [found.losses for found in audit.side_effect_imports] == [()]


def test_two_that_go_are_both_told(variant: Variant) -> None:
    variant.replace(
        f"{MOE}/triton.py",
        "from sglang.srt.layers.moe.utils",
        f"import {PACKAGE}.flashinfer_cutlass\nfrom sglang.srt.layers.moe.utils",
    )
    _, findings = variant.result()
    assert [f.spot.path.rpartition("/")[2] for f in findings] == ["runner.py", "triton.py"]
    assert "runner.py:19" in str(findings[1].details)
    assert len({f.fingerprint for f in findings}) == 2


def test_a_fingerprint_survives_moves(variant: Variant) -> None:
    _, (before,) = variant.result()
    variant.replace(RUNNER, "\n\nclass", "\n\n\n\nclass")
    _, (after,) = variant.result()
    assert after.spot.line == before.spot.line + 2
    assert after.fingerprint == before.fingerprint


def test_packages_are_left_alone(variant: Variant) -> None:
    variant.replace(RUNNER, LINE, "            pass\n")
    variant.replace(
        f"{MOE}/__init__.py", "\n\n__all__", f"\nimport {PACKAGE}.flashinfer_cutlass\n\n__all__"
    )
    assert variant.imports() == []
