"""A smoke's script for a tree whose "kernel" is a matrix product in numpy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

FAULTS = ("weights transposed",)


def path(machine: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": "numpy", "runs": True, "why": f"Python {machine['python']}"}


def config(shape: Mapping[str, Any]) -> dict[str, Any]:
    return {"top_k": 1, "no_such_field": shape["name"]}


def set_up() -> None:
    import sglang

    sglang.SET_UP = True


class Case:
    def __init__(self, shape: Mapping[str, Any], seed: int, entry: Any, fault: str | None) -> None:
        rng = np.random.default_rng(seed)
        self.tokens = rng.standard_normal((shape["tokens"], shape["hidden"]), dtype=np.float32)
        self.weights = rng.standard_normal((shape["hidden"],) * 2, dtype=np.float32)
        self._given = self.weights.T if fault else self.weights
        self._entry = entry
        self.moved = self.tokens.nbytes * 2 + self.weights.nbytes

    def run(self, consumer: Any) -> Any:
        assert consumer.fused_func is self._entry
        return consumer.run(self.tokens, self._given)

    def reference(self) -> Any:
        return (self.tokens.astype(np.float64) @ self.weights).astype(np.float32)
