"""A mixture of experts in float32, in numpy: what the kernels' outputs are compared with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Weights = Callable[[int], tuple[Floats, Floats, Floats]]
"""Gives an expert's gate and up ``[intermediate, hidden]`` and down ``[hidden, intermediate]``."""


def round_to_bf16(values: Floats) -> Floats:
    """Return finite values rounded to the nearest bfloat16, to even in a tie, as float32."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    bits = bits + (((bits >> 16) & 1) + np.uint32(0x7FFF))
    rounded: Floats = (bits & np.uint32(0xFFFF0000)).view(np.float32)
    return rounded


def random_tokens(rng: Any, tokens: int, hidden: int) -> Floats:
    """Return activations of size 1 that bfloat16 holds exactly."""
    return round_to_bf16(rng.standard_normal((tokens, hidden), dtype=np.float32))


def route(
    rng: Any, tokens: int, experts: int, top_k: int
) -> tuple[Floats, NDArray[np.int32], Floats]:
    """Return weights and ids ``[tokens, top_k]`` of a softmax router, and its logits.

    A token's experts are distinct, the likeliest first; their weights sum to 1.
    """
    logits = rng.standard_normal((tokens, experts), dtype=np.float32)
    ids = np.argsort(-logits, axis=-1, kind="stable")[:, :top_k]
    chosen = np.take_along_axis(logits, ids, axis=-1)
    weights = np.exp(chosen - chosen[:, :1])
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights.astype(np.float32), ids.astype(np.int32), logits


def forward(tokens: Floats, weights: Floats, ids: NDArray[np.int32], expert: Weights) -> Floats:
    """Return the sum over each token's experts of weight x down(silu(gate(x)) x up(x))."""
    output = np.zeros_like(tokens)
    for index in np.unique(ids):
        rows, places = np.nonzero(ids == index)
        gate, up, down = expert(int(index))
        x = tokens[rows]
        g = x @ gate.T
        hidden = g / (1 + np.exp(-g)) * (x @ up.T)
        # a token has an expert once at most, so that no row occurs twice here
        output[rows] += weights[rows, places, None] * (hidden @ down.T)
    return output
