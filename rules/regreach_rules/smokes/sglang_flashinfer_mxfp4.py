"""``("none", "flashinfer_mxfp4")``: flashinfer's fused MoE on MXFP4 weights.

On SM90 this is ``cutlass_fused_moe(use_w4_group_scaling=True)``: bfloat16 activations times MXFP4 weights
(flashinfer PR 3084, in 0.6.11). Weights and scales are interleaved by flashinfer's own helpers first.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from . import mxfp4, sglang_moe
from .sglang_moe import Shape, config, set_up, to_gpu

__all__ = ["FAULTS", "Case", "config", "path", "set_up"]

FAULTS = (
    "weights not interleaved",
    "scales not interleaved",
    "gate and up swapped",
    "one expert's down projection zeroed",
)
_HELPERS = (
    "cutlass_fused_moe",
    "interleave_moe_weights_for_sm90_mixed_gemm",
    "interleave_moe_scales_for_sm90_mixed_gemm",
)


def path(machine: Mapping[str, Any]) -> dict[str, Any]:
    """Return which of flashinfer's paths sglang takes for this backend on this GPU, and whether it runs.

    The choice is that of ``Mxfp4MoEMethod.__init__`` in sglang's ``quantization/mxfp4.py``.
    """
    major, minor = machine["gpu"]["capability"]
    if major == 10:
        return {
            "name": "flashinfer's trtllm_fp4_block_scale_moe (SM100)",
            "runs": False,
            "why": "sglang calls that kernel itself there, not the registered function;"
            " run this on an SM90 GPU (H100, H200)",
        }
    if major == 12:
        served = _has_mxfp8_path(Path(machine["import_root"]))
        return {
            "name": "flashinfer's cutlass_fused_moe, MXFP8 activations (SM120)" if served else None,
            "runs": False,
            "why": (
                "weights are prepared for SM90 alone" if served else "this release refuses SM120"
            )
            + "; run this on an SM90 GPU (H100, H200)",
        }
    if (major, minor) != (9, 0):
        return {
            "name": None,
            "runs": False,
            "why": f"sglang has no path for SM{major}{minor}; run this on an SM90 GPU (H100, H200)",
        }
    fused_moe = importlib.import_module("flashinfer.fused_moe")
    lacking = [name for name in _HELPERS if not hasattr(fused_moe, name)]
    if lacking:
        return {
            "name": "flashinfer's cutlass_fused_moe, W4A16 (SM90)",
            "runs": False,
            "why": f"flashinfer has no {lacking[0]}; install flashinfer-python 0.6.11 or newer",
        }
    return {"name": "flashinfer's cutlass_fused_moe, W4A16 (SM90)", "runs": True, "why": _built()}


def _has_mxfp8_path(import_root: Path) -> bool:
    """Return whether the release hands a global scale over, which only that path takes (since 0.5.16)."""
    folder = import_root / "sglang" / "srt" / "layers" / "moe" / "moe_runner"
    return any(b"mxfp4_weight_global_scale" in f.read_bytes() for f in folder.glob("*.py"))


def _built() -> str:
    """Say whether the kernels are there or will be compiled first, which takes half an hour."""
    from flashinfer.jit.fused_moe import gen_cutlass_fused_moe_sm90_module

    module = gen_cutlass_fused_moe_sm90_module()
    ready = module.is_aot or module.jit_library_path.exists()
    return "its module is built" if ready else "its module will be compiled first (up to 30 min)"


class Case(sglang_moe.Case):
    """Random MXFP4 weights; ``fault`` names what is done to them wrongly on purpose."""

    def __init__(self, shape: Shape, seed: int, entry: Any, fault: str | None) -> None:
        super().__init__(shape, seed, entry)
        self._fault = fault
        experts, hidden, inner = shape["experts"], shape["hidden"], shape["intermediate"]
        # the first layer's rows are [up; gate]
        self.w13 = mxfp4.random_weights(self.rng, experts, 2 * inner, hidden)
        self.w2 = mxfp4.random_weights(self.rng, experts, hidden, inner)
        self.weight_bytes = sum(a[0].nbytes for a in (*self.w13, *self.w2))

    def expert(self, index: int) -> tuple[Any, Any, Any]:
        """Return an expert's weights dequantised."""
        first = mxfp4.dequantise(*(a[index] for a in self.w13))
        up, gate = np.split(first, 2)
        return gate, up, mxfp4.dequantise(*(a[index] for a in self.w2))

    def quant_info(self) -> Any:
        """Return sglang's payload, prepared as its quantization methods do."""
        w13, w2 = self._faulty()
        return self.from_entry("FlashInferCutlassMxfp4MoeQuantInfo")(
            w13_weight=self._interleaved_weights(w13[0]),
            w2_weight=self._interleaved_weights(w2[0]),
            w13_weight_scale=self._interleaved_scales(w13[1]),
            w2_weight_scale=self._interleaved_scales(w2[1]),
        )

    def _faulty(self) -> tuple[Any, Any]:
        w13: Any = self.w13
        w2: Any = self.w2
        if self._fault == "gate and up swapped":
            half = self.shape["intermediate"]
            w13 = tuple(np.roll(a, half, axis=1) for a in w13)
        if self._fault == "one expert's down projection zeroed":
            packed = w2[0].copy()
            packed[self.ids[0, 0]] = 0
            w2 = (packed, w2[1])
        return w13, w2

    def _interleaved_weights(self, packed: Any) -> Any:
        from flashinfer.fused_moe import interleave_moe_weights_for_sm90_mixed_gemm

        if self._fault == "weights not interleaved":
            return to_gpu(packed)
        return interleave_moe_weights_for_sm90_mixed_gemm(to_gpu(packed), "fp4")

    def _interleaved_scales(self, scales: Any) -> Any:
        from flashinfer.fused_moe import interleave_moe_scales_for_sm90_mixed_gemm

        made = interleave_moe_scales_for_sm90_mixed_gemm(to_gpu(scales), group_size=mxfp4.BLOCK)
        # the same shape, so that only the order is wrong
        wrong = self._fault == "scales not interleaved"
        return to_gpu(scales).reshape(made.shape) if wrong else made
