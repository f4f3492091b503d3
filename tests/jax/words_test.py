# SPDX-License-Identifier: Apache-2.0
"""Tests that parts of rows are read and written with the bits of NumPy's conversions, with and without 64-bit
arrays."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

jax = pytest.importorskip("jax")

from envpool.jax import words  # noqa: E402

ROWS, WORDS = 5, 24
SPECIAL = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    np.inf,
    -np.inf,
    1e300,
    -1e300,
    1e-300,
    5e-324,
    2.0**-126,
    2.0**-149,
    2.0**-150,
    3.5e38,
]
SPECIAL += [
    1 + 2.0**-24,
    1 + 3 * 2.0**-24,
    2.0**-150 * (1 + 2.0**-52),
    2.0**-127 * (1 + 2.0**-23),
    3.4028235677973366e38,
]


def doubles():
    """Returns doubles of every magnitude, including some that lie halfway between two float32."""
    rng = np.random.default_rng(3)
    anything = rng.integers(0, 2**64, 20_000, np.uint64).view(np.float64)
    near = np.ldexp(rng.uniform(-1, 1, 20_000), rng.integers(-155, 130, 20_000))
    with np.errstate(over="ignore"):
        single = near.astype(np.float32)
        halves = (single.astype(np.float64) + np.nextafter(single, np.float32(np.inf)).astype(np.float64)) / 2
    values = np.concatenate([SPECIAL, anything, near, halves])
    return values[: len(values) // ROWS * ROWS].reshape(ROWS, -1)


def rows_with(values, at=8):
    raw = np.random.default_rng(5).integers(0, 2**32, (len(values), 4 + values[0].nbytes // 4 + 4), np.uint32)
    raw.view(np.uint8)[:, at : at + values[0].nbytes] = values.view(np.uint8).reshape(len(values), -1)
    return raw


def same_bits(ours, theirs):
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    if ours.dtype.kind == "f":
        np.testing.assert_array_equal(np.isnan(ours), np.isnan(theirs))
        ours, theirs = (np.where(np.isnan(array), 0, array) for array in (ours, theirs))
    np.testing.assert_array_equal(ours.view(np.uint8), theirs.view(np.uint8))


def default(dtype):
    return jax.dtypes.canonicalize_dtype(dtype).name


def test_reading_doubles():
    values = doubles()
    got = words.read(rows_with(values), at=8, dtype="float64", shape=values.shape[1:], result=default("float64"))
    with np.errstate(over="ignore"):
        same_bits(got, values.astype(default("float64")))


@pytest.mark.parametrize("result", ["int32", "bool"])
def test_reading_doubles_that_are_whole_numbers(result):
    values = np.array([[0.0, -0.0, 1, -1, 2, 1000, 2**31 - 1, -(2**31), 123456789, -7]] * ROWS)
    values = np.abs(values) > 0 if result == "bool" else values
    got = words.read(rows_with(values.astype(np.float64)), at=8, dtype="float64", shape=(10,), result=result)
    same_bits(got, values.astype(result))


@pytest.mark.parametrize("dtype", ["int32", "float32", "uint8", "uint16", "int64"])
def test_reading_other_dtypes(dtype):
    values = np.random.default_rng(1).integers(0, 200, (ROWS, 8)).astype(dtype)
    values = values * np.uint16(300) if dtype == "uint16" else values
    values = -values if np.dtype(dtype).kind != "u" else values
    got = words.read(rows_with(values), at=8, dtype=dtype, shape=(8,), result=default(dtype))
    same_bits(got, values.astype(default(dtype)))


def test_reading_booleans_and_scalars():
    values = np.array([[0, 1, 2, 255]] * ROWS, np.uint8)
    raw = rows_with(values, at=9)
    same_bits(words.read(raw, at=9, dtype="bool", shape=(4,), result="bool"), values != 0)
    same_bits(words.read(raw, at=10, dtype="uint8", shape=(), result="uint8"), values[:, 1])
    same_bits(words.read(raw[0], at=10, dtype="uint8", shape=(), result="uint8"), values[0, 1])
    counts = np.array([[1, 40000]] * ROWS, np.uint16)
    raw = rows_with(counts, at=20)
    same_bits(words.read(raw, at=22, dtype="uint16", shape=(), result="int32"), counts[:, 1].astype(np.int32))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "int64", "uint8", "uint16", "bool"])
def test_written_parts_are_read_again(dtype):
    with np.errstate(over="ignore"):
        values = doubles().astype(np.float32)
    if dtype not in ("float64", "float32"):
        values = np.random.default_rng(1).integers(0, 2 if dtype == "bool" else 128, (ROWS, 12)).astype(dtype)
    given = values.astype(default(dtype))
    before = rows_with(np.zeros(values.shape, dtype))
    same_bits(words.written(before, given, at=8, dtype=dtype), rows_with(values.astype(dtype)))
    one = words.written(before, given[0], at=8, dtype=dtype)
    same_bits(one, rows_with(np.broadcast_to(values[0].astype(dtype), values.shape).copy()))


def test_written_doubles_are_exact():
    values = doubles()
    pairs = values.view(np.uint32).reshape(*values.shape, 2)
    same_bits(words.written(rows_with(values * 0), pairs, at=8, dtype="float64"), rows_with(values))


def test_with_64_bit_arrays():
    if jax.config.jax_enable_x64:
        return
    environment = {**os.environ, "JAX_ENABLE_X64": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--pyargs", "tests.jax.words_test"]
    subprocess.run(command, check=True, env=environment)
