# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests in this folder."""

import pytest

from tests.support.waiting import promptly


@pytest.fixture
def ends_promptly():
    """Fails a test that takes more than 5 seconds of CPU time. Single calls have a lower limit in `raises_quickly`."""
    with promptly(cpu_seconds=5):
        yield
