"""``("none", "triton")``: sglang's own Triton kernels on bfloat16 weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from . import moe, sglang_moe
from .sglang_moe import Shape, config, to_gpu

__all__ = ["FAULTS", "Case", "config", "path", "set_up"]

FAULTS = ("gate and up swapped", "one expert's down projection zeroed")


def path(machine: Mapping[str, Any]) -> dict[str, Any]:
    """Return the one path that there is; Triton compiles its kernels for the GPU at hand."""
    major, minor = machine["gpu"]["capability"]
    runs = major >= 8
    why = "compiled on first use" if runs else "bfloat16 kernels need SM80 or newer"
    return {
        "name": f"sglang's Triton kernels, bfloat16 (SM{major}{minor})",
        "runs": runs,
        "why": why,
    }


def set_up() -> None:
    """Set sglang up, with server arguments of a model that is not there: the kernels ask for some."""
    from sglang.srt import server_args

    sglang_moe.set_up()
    arguments = server_args.ServerArgs(model_path="dummy")
    server_args.set_global_server_args_for_scheduler(arguments)


class Case(sglang_moe.Case):
    """Random bfloat16 weights; ``fault`` names what is done to them wrongly on purpose."""

    def __init__(self, shape: Shape, seed: int, entry: Any, fault: str | None) -> None:
        super().__init__(shape, seed, entry)
        self._fault = fault
        experts, hidden, inner = shape["experts"], shape["hidden"], shape["intermediate"]
        self.w13 = self._random(experts, 2 * inner, hidden)  # rows are [gate; up]
        self.w2 = self._random(experts, hidden, inner)
        self.weight_bytes = 2 * (self.w13[0].size + self.w2[0].size)

    def _random(self, *shape: int) -> Any:
        values = self.rng.standard_normal(shape, dtype=np.float32) / np.float32(shape[-1]) ** 0.5
        return moe.round_to_bf16(values)

    def expert(self, index: int) -> tuple[Any, Any, Any]:
        """Return an expert's weights."""
        gate, up = np.split(self.w13[index], 2)
        return gate, up, self.w2[index]

    def quant_info(self) -> Any:
        """Return sglang's payload."""
        import torch

        w13, w2 = self.w13, self.w2
        if self._fault == "gate and up swapped":
            w13 = np.roll(w13, self.shape["intermediate"], axis=1)
        if self._fault == "one expert's down projection zeroed":
            w2 = w2.copy()
            w2[self.ids[0, 0]] = 0
        made = self.from_entry("TritonMoeQuantInfo")
        return made(
            w13_weight=to_gpu(w13).to(torch.bfloat16), w2_weight=to_gpu(w2).to(torch.bfloat16)
        )
