# SPDX-License-Identifier: Apache-2.0
"""Tests normal.h: its quantiles against scipy, and the distribution of its variates."""

import ctypes

import numpy as np
import pytest
from scipy import special, stats

from tests.support import libraries
from tests.support.capi import pointer

SMALLEST_P = 1e-3  # the smallest accepted p-value; seeds are fixed, so a test that passes once always passes


@pytest.fixture(scope="module")
def library():
    return ctypes.CDLL(libraries.library("misc_testing"))


def test_quantiles_equal_those_of_scipy(library):
    x = np.float32(np.arange(1 - 2**24, 2**24, 34) / 2**24)
    x[:200], x[-200:] = np.float32(-1) + np.arange(1, 201) / 2**24, np.float32(1) - np.arange(200, 0, -1) / 2**24
    ours = np.empty_like(x)
    library.normal_quantiles(pointer(x), pointer(ours), ctypes.c_int64(len(x)))
    np.testing.assert_allclose(ours, np.sqrt(2) * special.erfinv(x.astype(float)), rtol=1e-6)


def test_variates_are_standard_normal(library):
    drawn = np.empty(400000, np.float32)
    library.normals(ctypes.c_uint64(7), pointer(drawn), ctypes.c_int64(len(drawn)))
    assert stats.kstest(drawn, "norm").pvalue > SMALLEST_P
    assert stats.chisquare(np.histogram(stats.norm.cdf(drawn), 1000, (0, 1))[0]).pvalue > SMALLEST_P
    # Check the tails, and the correlation of consecutive variates.
    beyond = np.abs(drawn) > 4
    assert stats.binomtest(int(beyond.sum()), len(drawn), 2 * stats.norm.sf(4)).pvalue > SMALLEST_P
    assert abs(np.corrcoef(drawn[:-1], drawn[1:])[0, 1]) < 4 / np.sqrt(len(drawn))
