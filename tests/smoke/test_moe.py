"""The reference of a mixture of experts against the formula written out for one token and one expert."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from regreach_rules.smokes import moe, mxfp4, sglang_flashinfer_mxfp4, sglang_triton

SHAPE = {"experts": 5, "top_k": 3, "hidden": 64, "intermediate": 96, "tokens": 11}


@given(arrays.arrays(np.float32, 20, elements=st.floats(-(2.0**127), 2.0**127, width=32)))
def test_rounding_to_bfloat16(values: moe.Floats) -> None:
    assert np.array_equal(
        moe.round_to_bf16(values), values.astype(ml_dtypes.bfloat16).astype(np.float32)
    )


def test_a_routing_is_a_softmax_over_the_likeliest_experts() -> None:
    weights, ids, logits = moe.route(np.random.default_rng(1), 40, 8, 3)
    for row in range(40):
        best = sorted(range(8), key=lambda e: -logits[row, e])[:3]
        assert ids[row].tolist() == best
        powers = np.exp(logits[row].astype(np.float64))
        assert weights[row] == pytest.approx(powers[best] / powers[best].sum(), rel=1e-5)


@pytest.mark.parametrize("script", [sglang_flashinfer_mxfp4, sglang_triton])
def test_a_forward_is_the_weighted_sum_of_gated_experts(script: object) -> None:
    case = script.Case(SHAPE, 3, None, None)  # type: ignore[attr-defined]
    found = case.reference()
    for row in range(SHAPE["tokens"]):
        x = case.tokens[row].astype(np.float64)
        total = np.zeros(SHAPE["hidden"])
        for weight, index in zip(case.weights[row], case.ids[row], strict=True):
            gate, up, down = (w.astype(np.float64) for w in case.expert(index))
            hidden = [
                (g := sum(a * b for a, b in zip(x, gate[i], strict=True)))
                / (1 + np.exp(-g))
                * sum(a * b for a, b in zip(x, up[i], strict=True))
                for i in range(SHAPE["intermediate"])
            ]
            total += float(weight) * (down @ np.array(hidden))
        assert found[row] == pytest.approx(total, rel=1e-3, abs=1e-4)


def test_gate_and_up_lie_as_each_kernel_takes_them() -> None:
    half = SHAPE["intermediate"]
    cutlass = sglang_flashinfer_mxfp4.Case(SHAPE, 0, None, None)
    gate, up, _ = cutlass.expert(2)
    first = mxfp4.dequantise(*(a[2] for a in cutlass.w13))
    assert np.array_equal(np.concatenate([up, gate]), first)
    triton = sglang_triton.Case(SHAPE, 0, None, None)
    gate, up, _ = triton.expert(2)
    assert np.array_equal(gate, triton.w13[2][:half])
    assert np.array_equal(up, triton.w13[2][half:])


def test_what_must_be_moved_is_counted() -> None:
    case = sglang_flashinfer_mxfp4.Case(SHAPE, 0, None, None)
    values = 3 * SHAPE["hidden"] * SHAPE["intermediate"]  # of an expert: 4 bits each, a byte for 32
    used = len(set(case.ids.flat))
    tokens = SHAPE["tokens"] * SHAPE["hidden"]  # read and written, two bytes each
    assert case.moved == used * (values // 2 + values // 32) + 4 * tokens
    triton = sglang_triton.Case(SHAPE, 0, None, None)
    assert triton.moved == len(set(triton.ids.flat)) * 2 * values + 4 * tokens


def test_inputs_differ_by_seed_and_are_the_same_for_the_same() -> None:
    one, other, same = (sglang_flashinfer_mxfp4.Case(SHAPE, s, None, None) for s in (0, 1, 0))
    assert not np.array_equal(one.tokens, other.tokens)
    assert not np.array_equal(one.w13[0], other.w13[0])
    assert np.array_equal(one.reference(), same.reference())


@pytest.mark.parametrize(
    ("capability", "with_global_scale", "name"),
    [
        ([10, 0], True, "flashinfer's trtllm_fp4_block_scale_moe (SM100)"),
        ([12, 0], True, "flashinfer's cutlass_fused_moe, MXFP8 activations (SM120)"),
        ([12, 0], False, None),
        ([8, 0], True, None),
    ],
)
def test_a_gpu_for_which_no_weights_are_prepared_is_told_its_path(
    tmp_path: Path, capability: list[int], with_global_scale: bool, name: str | None
) -> None:
    folder = tmp_path / "sglang" / "srt" / "layers" / "moe" / "moe_runner"
    folder.mkdir(parents=True)
    (folder / "x.py").write_text("mxfp4_weight_global_scale\n" if with_global_scale else "")
    machine = {"gpu": {"capability": capability}, "import_root": str(tmp_path)}
    path = sglang_flashinfer_mxfp4.path(machine)
    assert (path["name"], path["runs"]) == (name, False)
    assert "run this on an SM90 GPU" in path["why"]


def test_triton_says_what_it_compiles_for() -> None:
    assert sglang_triton.path({"gpu": {"capability": [9, 0]}})["runs"]
    assert not sglang_triton.path({"gpu": {"capability": [7, 5]}})["runs"]
