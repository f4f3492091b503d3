# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests of `envpool.compile`."""

from __future__ import annotations

import warnings

import pytest


@pytest.fixture(scope="module")
def cache_dir(tmp_path_factory):
    """Shares one cache among all tests, so that each header is compiled once."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("cache")
        patch.setenv("ENVPOOL_CACHE_DIR", str(folder))
        patch.delenv("CXX", raising=False)
        yield folder


@pytest.fixture
def no_warning():
    """Turns each RuntimeWarning into an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        yield
