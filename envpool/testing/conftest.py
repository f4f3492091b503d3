# SPDX-License-Identifier: Apache-2.0
"""The stand-in for the CUDA driver, as its tests take it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from envpool.testing.cuda import Driver


@pytest.fixture(scope="module")
def shared_driver() -> Driver:
    return Driver()


@pytest.fixture
def driver(shared_driver: Driver) -> Iterator[Driver]:
    yield shared_driver
    shared_driver.reset()  # also after an error that stays
