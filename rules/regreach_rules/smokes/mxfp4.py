"""MXFP4 as the OCP Microscaling Formats specification 1.0 defines it, in numpy.

A value is an e2m1 number (sign, two bits of exponent, one of mantissa) times a power of two that each 32
values along the last axis share, stored as e8m0: byte ``s`` stands for 2^(s - 127), 255 for NaN.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

BLOCK = 32
"""Values that share a scale."""

MAGNITUDES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
"""The values of the codes 0 to 7; 8 to 15 are the same with a minus sign (specification, 5.3.3)."""

_VALUES = np.array([*MAGNITUDES, *(-m for m in MAGNITUDES)], dtype=np.float32)
# both values of a byte at once: half as many look-ups
_PAIRS = np.stack([np.tile(_VALUES, 16), np.repeat(_VALUES, 16)], axis=-1)
_POWERS = np.array([*(2.0 ** (s - 127) for s in range(255)), np.nan], dtype=np.float32)

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]


def pack(codes: Bytes) -> Bytes:
    """Return codes (0 to 15) two to a byte: the one with the even index is in the low half."""
    return (codes[..., 0::2] | (codes[..., 1::2] << 4)).astype(np.uint8)


def unpack(packed: Bytes) -> Bytes:
    """Return the codes of packed bytes."""
    codes = np.empty((*packed.shape[:-1], packed.shape[-1] * 2), dtype=np.uint8)
    codes[..., 0::2] = packed & 0xF
    codes[..., 1::2] = packed >> 4
    return codes


def scale_values(scales: Bytes) -> Floats:
    """Return what e8m0 bytes stand for."""
    values: Floats = _POWERS[scales]
    return values


def dequantise(packed: Bytes, scales: Bytes) -> Floats:
    """Return the values of packed codes ``[…, K/2]`` with scales ``[…, K/32]``, as ``[…, K]``."""
    values: Floats = _PAIRS[packed].reshape(*packed.shape[:-1], -1, BLOCK)
    values = values * scale_values(scales)[..., None]
    return values.reshape(*packed.shape[:-1], packed.shape[-1] * 2)


def random_weights(rng: Any, *shape: int) -> tuple[Bytes, Bytes]:
    """Return random packed weights and scales for ``[…, K]``, of about the size 1/sqrt(K).

    Every byte is a valid pair of values, and the scales differ, so that one taken for another shows.
    """
    *rows, width = shape
    packed = rng.integers(0, 256, size=(*rows, width // 2), dtype=np.uint8)
    # uniform codes have a root mean square of 2.9
    middle = 127 - round(float(np.log2(2.9 * np.sqrt(width))))
    scales = rng.integers(middle - 1, middle + 2, size=(*rows, width // BLOCK), dtype=np.uint8)
    return packed, scales
