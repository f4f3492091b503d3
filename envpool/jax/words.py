# SPDX-License-Identifier: Apache-2.0
"""Reads and replaces parts of rows of 32-bit words, in which the handlers store values of other dtypes.

The operations are JAX's own, so they run on every platform, under every transformation, and XLA merges them with the
surrounding code. By default, JAX has no 64-bit arrays; 64-bit values are then converted word by word, with the same
bits as in C++.
"""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

_WIDE = ("int64", "uint64", "float64")


def passed_as(shape: tuple[int, ...], dtype: Any) -> jax.ShapeDtypeStruct:
    """Returns the shape and dtype with which an array of this dtype in C++ is passed to the handlers.

    Without `jax_enable_x64`, elements of 64 bits are passed as pairs of words in an additional last axis.
    """
    if jax.dtypes.canonicalize_dtype(dtype) == dtype:
        return jax.ShapeDtypeStruct(shape, dtype)
    return jax.ShapeDtypeStruct((*shape, 2), np.uint32)


def passed(value: Any, dtype: Any) -> Any:
    """Returns an array, which must have the canonical dtype of `dtype`, in the form that the handlers take."""
    return value if value.dtype == dtype else _pairs(value, np.dtype(dtype).name)


def received(value: Any, dtype: Any) -> Any:
    """Returns the array that a handler passed, in the canonical dtype of `dtype`."""
    result = jax.dtypes.canonicalize_dtype(dtype)
    return value if value.dtype == dtype else _wide(value, np.dtype(dtype).name, np.dtype(result).name)


@functools.partial(jax.jit, static_argnames=("at", "dtype", "shape", "result"))
def read(raw: Any, *, at: int, dtype: str, shape: tuple[int, ...], result: str) -> Any:
    """Returns the part of each row.

    Args:
        raw: uint32 of shape (..., words).
        at: offset of the part in bytes, a multiple of the size of its dtype.
        dtype: the dtype of the stored elements.
        shape: the shape of the part.
        result: the dtype of the returned array, which has the shape (..., *shape).
    """
    count, extents = int(np.prod(shape)), raw.shape[:-1]
    size = np.dtype(dtype).itemsize
    if size < 4:
        values = _split(raw, size)[..., at // size : at // size + count]
        values = values != 0 if dtype == "bool" else values
    elif dtype in _WIDE:
        pairs = raw[..., at // 4 : at // 4 + 2 * count].reshape(*extents, count, 2)
        values = _wide(pairs, dtype, result)
    else:
        values = lax.bitcast_convert_type(raw[..., at // 4 : at // 4 + count], dtype)
    return values.astype(result).reshape(*extents, *shape)


@functools.partial(jax.jit, static_argnames=("at", "dtype"))
def written(raw: Any, value: Any, *, at: int, dtype: str) -> Any:
    """Returns rows with a new value of a part.

    Args:
        raw: uint32 of shape (..., words).
        value: the elements of the part, an array of shape (..., elements) in a dtype that converts to the part's. Doubles
            can be given as pairs of words, uint32 of shape (..., elements, 2).
        at: offset of the part in bytes, a multiple of the size of its dtype.
        dtype: the dtype of the stored elements.
    """
    size = np.dtype(dtype).itemsize
    if size < 4:
        parts = _split(raw, size)
        changed = parts.at[..., at // size : at // size + value.shape[-1]].set(value.astype(parts.dtype))
        return lax.bitcast_convert_type(changed.reshape(*raw.shape, 4 // size), np.uint32)
    if dtype not in _WIDE:
        words = lax.bitcast_convert_type(value.astype(dtype), np.uint32)
    else:
        pairs = value if value.dtype == np.uint32 and value.ndim == raw.ndim + 1 else _pairs(value, dtype)
        words = pairs.reshape(*pairs.shape[:-2], 2 * pairs.shape[-2])
    return raw.at[..., at // 4 : at // 4 + words.shape[-1]].set(words)


def _split(raw: Any, size: int) -> Any:
    """Returns the rows as unsigned integers of `size` bytes, 1 or 2."""
    parts = lax.bitcast_convert_type(raw, np.uint8 if size == 1 else np.uint16)
    return parts.reshape(*raw.shape[:-1], 4 // size * raw.shape[-1])


def _wide(pairs: Any, dtype: str, result: str) -> Any:
    """Returns 64-bit values from pairs of words, the least significant first."""
    if jax.config.jax_enable_x64:
        return lax.bitcast_convert_type(pairs, dtype)
    low, high = pairs[..., 0], pairs[..., 1]
    if dtype != "float64":
        return lax.bitcast_convert_type(low, result)
    if np.dtype(result).kind == "f":
        return _narrowed(low, high)
    # Doubles are read as integers only if they are values of integer or bool options, which are whole numbers.
    return _whole(low, high)


def _narrowed(low: Any, high: Any) -> Any:
    """Converts doubles to float32, rounding to the nearest, ties to even."""
    sign, exponent = high & np.uint32(0x80000000), (high >> 20) & np.uint32(0x7FF)
    fraction = (high & np.uint32(0xFFFFF)) << 3 | low >> 29  # the first 23 bits
    rest = low << 3  # the following 29 bits, beginning with the most significant
    is_nan = (exponent == 0x7FF) & ((fraction | rest) != 0)
    # Normal numbers: a carry out of the fraction increments the exponent, which is what rounding up requires.
    shifted = exponent.astype(np.int32) - (1023 - 127)
    normal = (jnp.clip(shifted, 1, 254).astype(np.uint32) << 23 | fraction) + _up(fraction, rest)
    # Subnormal numbers: the fraction, with its leading 1 bit, moves right by up to 24 bits.
    whole = fraction | np.uint32(1 << 23)
    distance = jnp.clip(1 - shifted, 1, 25).astype(np.uint32)
    moved = whole >> distance
    lost = whole << (np.uint32(32) - distance) | (rest != 0).astype(np.uint32)
    subnormal = moved + _up(moved, lost)
    bits = jnp.where(shifted <= 0, subnormal, normal)
    bits = jnp.where(shifted >= 255, np.uint32(0x7F800000), bits)
    bits = jnp.where(is_nan, np.uint32(0x7FC00000) | fraction, bits)
    return lax.bitcast_convert_type(sign | bits, np.float32)


def _up(kept: Any, lost: Any) -> Any:
    """Returns 1 where a number is rounded up. `lost` contains the bits after the kept ones, most significant first."""
    half = np.uint32(0x80000000)
    return ((lost > half) | ((lost == half) & ((kept & 1) == 1))).astype(np.uint32)


def _whole(low: Any, high: Any) -> Any:
    """Converts doubles that are whole numbers in the range of int32 to int32."""
    exponent = ((high >> 20) & np.uint32(0x7FF)).astype(np.int32) - 1023
    leading = np.uint32(1 << 31) | (high & np.uint32(0xFFFFF)) << 11 | low >> 21  # the first 32 bits
    size = jnp.where(exponent < 0, 0, leading >> jnp.clip(31 - exponent, 0, 31).astype(np.uint32))
    value = lax.bitcast_convert_type(size, np.int32)
    return jnp.where(high >> 31 == 1, -value, value)


def _pairs(value: Any, dtype: str) -> Any:
    """Returns values as pairs of the words of a 64-bit dtype."""
    if jax.config.jax_enable_x64:
        return lax.bitcast_convert_type(value.astype(dtype), np.uint32)
    if dtype != "float64":
        sign = np.int32 if np.dtype(dtype).kind == "i" else np.uint32
        low = value.astype(sign)
        high = low >> 31 if sign is np.int32 else jnp.zeros_like(low)
        return jnp.stack([lax.bitcast_convert_type(word, np.uint32) for word in (low, high)], -1)
    bits = lax.bitcast_convert_type(value.astype(np.float32), np.uint32)
    sign, exponent = bits & np.uint32(0x80000000), (bits >> 23) & np.uint32(0xFF)
    fraction = bits & np.uint32(0x7FFFFF)
    # In a subnormal number, the leading 1 bit is further right. It is shifted out of the fraction.
    shift = lax.clz(fraction) - 8
    is_subnormal = (exponent == 0) & (fraction != 0)
    fraction = jnp.where(is_subnormal, fraction << shift & np.uint32(0x7FFFFF), fraction)
    wide = exponent + np.uint32(1023 - 127)
    wide = jnp.where(is_subnormal, np.uint32(1023 - 127 + 1) - shift, wide)
    wide = jnp.where((exponent == 0) & ~is_subnormal, np.uint32(0), wide)
    wide = jnp.where(exponent == 0xFF, np.uint32(0x7FF), wide)
    quiet = ((exponent == 0xFF) & (fraction != 0)).astype(np.uint32) << 19
    return jnp.stack([fraction << 29, sign | wide << 20 | fraction >> 3 | quiet], -1)
