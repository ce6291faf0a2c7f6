"""MXFP4 against ml_dtypes, whose e2m1 and e8m0 numbers are another implementation of the specification."""

from __future__ import annotations

import ml_dtypes
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from regreach_rules.smokes import mxfp4


def test_each_code_is_the_number_that_it_should_be() -> None:
    codes = np.arange(16, dtype=np.uint8)
    independent = codes.view(ml_dtypes.float4_e2m1fn).astype(np.float32)
    packed = mxfp4.pack(np.tile(codes, 2))
    ones = np.array([127], dtype=np.uint8)
    assert np.array_equal(mxfp4.dequantise(packed, ones), np.tile(independent, 2))


def test_each_scale_is_the_number_that_it_should_be() -> None:
    scales = np.arange(256, dtype=np.uint8)
    independent = scales.view(ml_dtypes.float8_e8m0fnu).astype(np.float32)
    assert np.array_equal(mxfp4.scale_values(scales), independent, equal_nan=True)


def test_the_even_index_is_in_the_low_half() -> None:
    assert mxfp4.pack(np.array([1, 2], dtype=np.uint8)).tolist() == [0x21]


@given(
    arrays.arrays(np.uint8, st.tuples(st.integers(0, 3), st.integers(0, 40).map(lambda n: 2 * n)))
)
def test_unpacked_is_what_was_packed(values: mxfp4.Bytes) -> None:
    codes = (values & 0xF).astype(np.uint8)
    assert np.array_equal(mxfp4.unpack(mxfp4.pack(codes)), codes)


@given(
    arrays.arrays(np.uint8, (3, 64)),
    arrays.arrays(np.uint8, (3, 4), elements=st.integers(1, 252)),
)
def test_dequantised_is_each_value_times_the_scale_of_its_block(
    packed: mxfp4.Bytes, scales: mxfp4.Bytes
) -> None:
    found = mxfp4.dequantise(packed, scales)
    for row, column in np.ndindex(found.shape):
        byte = int(packed[row, column // 2])
        code = np.uint8(byte >> 4 if column % 2 else byte & 0xF)
        value = float(code[None].view(ml_dtypes.float4_e2m1fn)[0])
        assert found[row, column] == value * 2.0 ** (int(scales[row, column // 32]) - 127)


def test_random_weights_are_of_a_size_that_keeps_activations_of_size_one() -> None:
    width = 4096
    weights = mxfp4.dequantise(*mxfp4.random_weights(np.random.default_rng(0), 64, width))
    assert weights.shape == (64, width)
    assert 0.5 < float(np.sqrt(np.mean(weights**2) * width)) < 2.0


def test_scales_differ_within_a_row() -> None:
    _, scales = mxfp4.random_weights(np.random.default_rng(0), 1, 4096)
    assert len(np.unique(scales)) == 3
