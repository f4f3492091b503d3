# SPDX-License-Identifier: Apache-2.0
"""Tests the accuracy of math.h against mpmath, in units in the last place (ulp).

The bounds are the same as in the comment of math.h. math_test.cc tests its exact properties.
"""

import ctypes
import os

import mpmath
import numpy as np
import pytest
from scipy import stats

from tests.support import libraries

COUNT = int(os.environ.get("ENVPOOL_TEST_COUNT", "3000"))  # arguments per range


@pytest.fixture(scope="module")
def library():
    return ctypes.CDLL(libraries.library("core_testing"))


def call(library, name, *arguments):
    out = np.empty_like(arguments[0])
    pointers = [np.ascontiguousarray(a).ctypes.data_as(ctypes.c_void_p) for a in (*arguments, out)]
    getattr(library, f"{name}_{'f64' if out.dtype == np.float64 else 'f32'}")(*pointers, ctypes.c_int64(out.size))
    return out


def worst_ulp(results, exact, dtype):
    """Returns the largest error, in units in the last place of the exact result in dtype."""
    info = np.finfo(dtype)
    worst = mpmath.mpf(0)
    for result, truth in zip(results, exact, strict=True):
        exponent = max(mpmath.frexp(truth)[1] - 1, int(info.minexp)) if truth else int(info.minexp)
        worst = max(worst, abs(mpmath.mpf(float(result)) - truth) / mpmath.ldexp(1, exponent - int(info.nmant)))
    return float(worst)


def check(library, name, function, dtype, bound, *arguments):
    arguments = [np.asarray(a, np.float64).astype(dtype) for a in arguments]
    with mpmath.workprec(256):
        exact = [function(*map(mpmath.mpf, map(float, row))) for row in zip(*arguments, strict=True)]
        worst = worst_ulp(call(library, name, *arguments), exact, dtype)
    print(f"{name} {np.dtype(dtype).name}: {worst:.4f} ulp, allowed {bound}")
    assert worst <= bound


def uniform(low, high):
    return np.random.default_rng(0).uniform(low, high, COUNT)


def log_uniform(low, high):
    return np.exp(np.random.default_rng(0).uniform(np.log(low), np.log(high), COUNT))


TRIGONOMETRIC = {
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "sincos_sin": mpmath.sin,
    "sincos_cos": mpmath.cos,
}
NEAR = {np.float64: 102400, np.float32: 512}
LARGEST = {np.float64: 1.7e308, np.float32: 3.4e38}
SMALLEST = {np.float64: 1e-300, np.float32: 1e-37}
both = pytest.mark.parametrize("dtype", [np.float64, np.float32])


@both
@pytest.mark.parametrize("name", TRIGONOMETRIC)
@pytest.mark.parametrize("size", [1e-3, 0.21, 0.8, np.pi, 10, 100, 512, 8000, 1e5])
def test_sin_and_cos(library, name, size, dtype):
    check(library, name, TRIGONOMETRIC[name], dtype, 0.51 if size <= NEAR[dtype] else 0.53, uniform(-size, size))


@both
@pytest.mark.parametrize("name", TRIGONOMETRIC)
def test_sin_and_cos_of_any_size(library, name, dtype):
    check(library, name, TRIGONOMETRIC[name], dtype, 0.53, log_uniform(NEAR[dtype], LARGEST[dtype]))
    check(library, name, TRIGONOMETRIC[name], dtype, 0.51, log_uniform(SMALLEST[dtype], 1))


@both
@pytest.mark.parametrize("name", TRIGONOMETRIC)
def test_sin_and_cos_near_zeros_and_table_entries(library, name, dtype):
    largest = int(NEAR[dtype] / (np.pi / 2))
    quarters = np.unique(np.geomspace(1, largest, COUNT).astype(np.int64)) * (np.pi / 2)
    check(library, name, TRIGONOMETRIC[name], dtype, 0.51, quarters)
    check(library, name, TRIGONOMETRIC[name], dtype, 0.51, np.nextafter(quarters.astype(dtype), dtype(0)))
    halfway = (np.arange(-COUNT // 2, COUNT // 2) + 0.5) * (np.pi / 32)
    check(library, name, TRIGONOMETRIC[name], dtype, 0.51, halfway)


@pytest.mark.parametrize("name", TRIGONOMETRIC)
def test_the_hardest_argument_reduction(library, name):
    # The double that is closest to a multiple of pi/2 (Muller, "Elementary Functions").
    hardest = [6381956970095103.0 * 2.0**797, 5.3193726483265414e255]
    check(library, name, TRIGONOMETRIC[name], np.float64, 0.53, hardest)


@both
def test_exp(library, dtype):
    high, low, gone = (709.7, -708.3, -745) if dtype is np.float64 else (88.7, -87.3, -103.2)
    for size in (1e-3, 0.35, 1, 20):
        check(library, "exp", mpmath.exp, dtype, 0.7, uniform(-size, size))
    check(library, "exp", mpmath.exp, dtype, 0.7, uniform(low, high))
    check(library, "exp", mpmath.exp, dtype, 1.0, uniform(gone, low))


@both
def test_log(library, dtype):
    for low, high in ((0.99, 1.01), (0.5, 2), (2, 1000)):
        check(library, "log", mpmath.log, dtype, 0.65, uniform(low, high))
    check(library, "log", mpmath.log, dtype, 0.65, log_uniform(SMALLEST[dtype], LARGEST[dtype]))
    check(library, "log", mpmath.log, dtype, 0.65, uniform(1, 50) * np.finfo(dtype).smallest_subnormal)


@both
def test_atan(library, dtype):
    for low, high in ((0, 0.3), (0.2, 0.3), (0.7, 0.8), (0, 1), (1, 5), (3.9, 4.1)):
        check(library, "atan", mpmath.atan, dtype, 0.55, uniform(low, high))
    check(library, "atan", mpmath.atan, dtype, 0.55, log_uniform(SMALLEST[dtype], LARGEST[dtype]))


@both
def test_atan2(library, dtype):
    rng = np.random.default_rng(1)
    for size in (1e-3, 0.1, 1, 10, 1e3):
        check(library, "atan2", mpmath.atan2, dtype, 0.55, rng.normal(size=COUNT), size * rng.normal(size=COUNT))
    large = np.sqrt(LARGEST[dtype])
    sizes = log_uniform(1 / large, large)
    check(library, "atan2", mpmath.atan2, dtype, 0.55, sizes * rng.normal(size=COUNT), sizes * rng.normal(size=COUNT))


def test_normal_numbers(library):
    numbers = np.empty(200000)
    library.normal_numbers(ctypes.c_uint64(5), numbers.ctypes.data_as(ctypes.c_void_p), ctypes.c_int64(len(numbers)))
    assert stats.kstest(numbers, "norm").pvalue > 1e-3
    assert stats.kstest(numbers[:-1] * numbers[1:], numbers[::2][:-1] * numbers[1::2][1:]).pvalue > 1e-3
    for power, moment in ((1, 0), (2, 1), (3, 0), (4, 3), (6, 15)):
        spread = np.std(numbers**power) / len(numbers) ** 0.5
        assert abs(np.mean(numbers**power) - moment) < 4 * spread
