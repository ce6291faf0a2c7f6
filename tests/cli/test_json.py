"""The output contract: JSON that the published schema describes."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from command_line import BUG, CASES, FIXTURES, ROOT, run

SCHEMA = json.loads((ROOT / "docs/schemas/audit.schema.json").read_text(encoding="utf-8"))


def audit_of(case: str) -> Any:
    return run("audit", str(FIXTURES / case / "tree"), "--format", "json").json()


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("case", CASES)
def test_the_audit_of_each_fixture_is_valid(case: str) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(audit_of(case))


def test_what_check_prints_is_the_head_and_the_findings_of_the_audit() -> None:
    audit = audit_of("syntax-error")
    check = run("check", audit["tree"]["source"], "--format", "json").json()
    assert check["findings"]
    assert check["problems"]
    left_out = {"registries", "simple_registries", "call_sites", "modules", "swallowed"}
    assert check == {key: value for key, value in audit.items() if key not in left_out}


def test_a_finding_in_full() -> None:
    document = run("check", BUG, "--format", "json", "--select", "RR101").json()
    (finding,) = document["findings"]
    details = finding.pop("details")
    assert finding == {
        "rule": "RR101",
        "severity": "error",
        "path": "sglang/srt/layers/moe/moe_runner/flashinfer_cutlass.py",
        "line": 11,
        "column": 1,
        "message": '("none", "flashinfer_mxfp4") is registered here, but MoeRunner cannot reach it:'
        " 1 of 2 call sites that ask for it have not imported the module; modelopt_quant.py:12 crashes",
        "key": ["none", "flashinfer_mxfp4"],
        "fingerprint": "c0219595d21ed660",
        "fix": {
            "kind": "add-import",
            "statement": "from sglang.srt.layers.moe.moe_runner import flashinfer_cutlass  # noqa: F401",
            "path": "sglang/srt/layers/moe/moe_runner/runner.py",
            "module": "sglang.srt.layers.moe.moe_runner.flashinfer_cutlass",
            "placement": "branch",
            "because": "at the top of the module it would close an import cycle",
            "after_line": 18,
        },
        "related": [
            {"role": role, "path": f"sglang/srt/layers/{path}", "line": line, "text": text}
            for role, path, line, text in [
                (
                    "registered",
                    "moe/moe_runner/flashinfer_cutlass.py",
                    11,
                    "fused_experts_none_to_flashinfer_mxfp4",
                ),
                (
                    "branch",
                    "moe/moe_runner/runner.py",
                    18,
                    "elif runner_backend.is_flashinfer_mxfp4():",
                ),
                (
                    "looked up",
                    "moe/moe_runner/runner.py",
                    25,
                    "self.fused_func = FusedOpPool.get_fused_func(a2a_name, runner_backend.v…",
                ),
                ("raises", "moe/moe_runner/runner.py", 27, "NotImplementedError"),
                (
                    "crashes",
                    "quantization/modelopt_quant.py",
                    12,
                    "ModelOptFusedMoEMethod.create_moe_runner",
                ),
                ("saves itself", "quantization/mxfp4.py", 14, "Mxfp4MoEMethod.create_moe_runner"),
            ]
        ],
    }
    assert all(detail.keys() == {"label", "text"} for detail in details)


def test_the_selection_of_rules_touches_nothing_but_the_findings() -> None:
    every = audit_of("bug")
    some = run("audit", BUG, "--format", "json", "--select", "RR102").json()
    assert [f["rule"] for f in some["findings"]] == ["RR102"]
    assert {**every, "findings": None} == {**some, "findings": None}


@pytest.mark.parametrize(
    ("case", "key", "options", "at_lookup"),
    [
        ("environment-switch", "flashinfer_mxfp4", [], "no"),
        ("environment-switch", "flashinfer_mxfp4", ["--env", "SGLANG_EXPERIMENTAL_MXFP4=1"], "yes"),
        ("optional-dependency", "flashinfer_mxfp4", [], "maybe"),
        ("optional-dependency", "flashinfer_mxfp4", ["--absent", "flashinfer_missing_xyz"], "no"),
        ("platform-guard", "ascend", ["--env", "SGLANG_FIXTURE_DEVICE=npu"], "yes"),
        ("platform-guard", "ascend", ["--env", "SGLANG_FIXTURE_DEVICE=a=npu"], "no"),
    ],
)
def test_what_is_assumed_can_be_said(
    case: str, key: str, options: list[str], at_lookup: str
) -> None:
    document = run("audit", str(FIXTURES / case / "tree"), "--format", "json", *options).json()
    cells = {tuple(cell["key"]): cell for cell in document["registries"][0]["cells"]}
    assert cells["none", key]["at_lookup"] == at_lookup


def test_the_platform_is_told() -> None:
    assert audit_of("bug")["platform"] == "cuda"
    document = run("check", BUG, "--format", "json", "--platform", "hip").json()
    assert document["platform"] == "hip"
