# SPDX-License-Identifier: Apache-2.0
"""Compares Catch with a second implementation of its rules, in Python."""

import collections
import itertools

import numpy as np
import pytest

from tests.support.chi_square import ChiSquare
from tests.toy_text.engine import STATES, Engine


@pytest.mark.parametrize(("height", "width"), [(10, 5), (2, 1), (3, 4), (7, 2)])
def test_every_state_and_action(height, width):
    engine = Engine("Catch", height=height, width=width)
    cases = list(itertools.product(range(height - 1), range(width), range(width), range(3)))
    states = np.array([case[:3] for case in cases], "i4").view(STATES["Catch"])[:, 0]
    rewards, ends = engine.step(states, [case[3] for case in cases])
    (boards,) = engine.observe(states, (height, width))
    for index, (row, column, paddle, action) in enumerate(cases):
        paddle = min(max(paddle + action - 1, 0), width - 1)
        board = np.zeros((height, width), np.float32)
        board[row + 1, column] = board[-1, paddle] = 1
        np.testing.assert_array_equal(boards[index], board)
        assert ends[index] == (row + 2 == height)
        assert rewards[index] == (0 if not ends[index] else 1 if paddle == column else -1)

    states = engine.reset(20000)
    assert not states["ball_row"].any()
    assert (states["paddle"] == width // 2).all()
    fit = ChiSquare()
    fit.add(collections.Counter(states["ball_column"].tolist()), dict.fromkeys(range(width), 1 / width))
    fit.check()
