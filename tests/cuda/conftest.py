# SPDX-License-Identifier: Apache-2.0
"""Fixtures for the tests of pools on a GPU. Pools run on the stand-in for NVIDIA's driver (tests/standin)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cuda.nvrtc import SOURCE
from tests.standin.driver import on_stand_in


@pytest.fixture
def stand_in() -> Iterator[None]:
    """Makes pools with device="cuda" run on the stand-in."""
    if SOURCE is None:
        pytest.skip("ENVPOOL_SOURCE_DIR does not say where the sources are")
    with on_stand_in():
        yield
