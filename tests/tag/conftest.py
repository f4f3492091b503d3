# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests of tag."""

import ctypes

import pytest

from tests.support import libraries


@pytest.fixture(scope="module")
def library():
    return ctypes.CDLL(libraries.library("tag_testing"))
