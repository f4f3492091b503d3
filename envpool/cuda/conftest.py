# SPDX-License-Identifier: Apache-2.0
"""Fixtures for the tests of pools on a GPU. Pools run on the stand-in for NVIDIA's driver (envpool/testing/standin)."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest

from envpool.testing.cuda import STANDIN
from envpool.testing.nvrtc import SOURCE


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Makes pools with device="cuda" run on the stand-in."""
    if SOURCE is None:
        pytest.skip("ENVPOOL_SOURCE_DIR does not say where the sources are")
    monkeypatch.setenv("ENVPOOL_LIBCUDA", str(STANDIN))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"\[envpool.cuda\] .* is a stand-in")
        yield
