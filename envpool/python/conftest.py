# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests in this folder."""

import time

import pytest


@pytest.fixture
def within_5_seconds():
    """Fails a test that takes more than 5 seconds. Single calls have a limit of one second in `raises_quickly`."""
    start = time.monotonic()
    yield
    assert time.monotonic() - start < 5
