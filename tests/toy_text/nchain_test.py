# SPDX-License-Identifier: Apache-2.0
"""Compares NChain with a second implementation of its rules, in Python."""

import collections
import itertools

import numpy as np
import pytest

from tests.support.chi_square import ChiSquare
from tests.toy_text.engine import STATES, Engine, merged


@pytest.mark.parametrize(
    "options", [{}, {"n": 1}, {"n": 9, "slip": 0.0}, {"slip": 1.0}, {"n": 3, "slip": 0.45, "small": -1.0, "large": 2.5}]
)
def test_every_state_and_action(options):
    engine, samples, fit = Engine("NChain", **options), 4000, ChiSquare()
    n, slip, small, large = ({"n": 5, "slip": 0.2, "small": 2.0, "large": 10.0} | options).values()
    for position, action in itertools.product(range(n), range(2)):
        states = np.full(samples, position, "i4").view(STATES["NChain"])
        rewards, ends = engine.step(states, action, seed=2 * position + action)
        assert not ends.any()
        forward = (position, large) if position == n - 1 else (position + 1, 0.0)
        back = (0, small)
        seen = collections.Counter(zip(engine.observe(states)[0].tolist(), rewards.tolist(), strict=True))
        chosen, other = (back, forward) if action == 1 else (forward, back)
        fit.add(seen, merged([(chosen, 1 - slip), (other, slip)]))
    fit.check()
    assert not engine.reset(10)["position"].any()
