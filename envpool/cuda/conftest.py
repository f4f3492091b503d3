# SPDX-License-Identifier: Apache-2.0
"""Fixtures for the tests of pools on a GPU. Pools run on the stand-in for NVIDIA's driver (envpool/testing/standin)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from envpool.testing.cuda import on_stand_in
from envpool.testing.nvrtc import SOURCE


@pytest.fixture
def stand_in() -> Iterator[None]:
    """Makes pools with device="cuda" run on the stand-in."""
    if SOURCE is None:
        pytest.skip("ENVPOOL_SOURCE_DIR does not say where the sources are")
    with on_stand_in():
        yield
