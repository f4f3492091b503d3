# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the stand-in for the CUDA driver."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.standin.driver import Driver


@pytest.fixture(scope="module")
def shared_driver() -> Driver:
    return Driver()


@pytest.fixture
def driver(shared_driver: Driver) -> Iterator[Driver]:
    yield shared_driver
    shared_driver.reset()  # also clears a sticky error
