# SPDX-License-Identifier: Apache-2.0
"""Compares the action masks and fickle passengers of Taxi with gymnasium's."""

import collections
import itertools

import gymnasium
import numpy as np
import pytest
from scipy import stats

from tests.support.chi_square import SMALLEST_P, ChiSquare
from tests.toy_text.engine import Engine, state_at


def test_action_masks_equal_those_of_gymnasium():
    reference = gymnasium.make("Taxi-v4").unwrapped
    states = np.array([state_at("Taxi", s, 5) for s in range(500)])
    _, probability, masks = Engine("Taxi").observe(states)
    assert not probability.any()
    np.testing.assert_array_equal(masks, [reference.action_mask(s).astype(bool) for s in range(500)])


@pytest.mark.parametrize("rainy", [False, True])
def test_a_fickle_passenger_changes_the_destination_once(rainy):
    options = {"is_rainy": rainy, "fickle_passenger": True}
    engine, samples = Engine("Taxi", **options), 300
    steps = list(itertools.product(range(500), range(6)))
    states = np.repeat(np.array([state_at("Taxi", s, 5) for s, _ in steps]), samples)
    states["fickle"] = 1
    before = states.copy()
    actions = np.repeat([a for _, a in steps], samples)
    rewards, _ = engine.step(states, actions)

    moved = (states["row"] != before["row"]) | (states["column"] != before["column"])
    changes = moved & (before["passenger"] == 4)
    assert changes.any()
    assert not states["fickle"][changes].any()
    assert states["fickle"][~changes].all()
    assert (states["destination"] != before["destination"])[changes].all()
    assert (states["destination"] == before["destination"])[~changes].all()
    assert (rewards[changes] == -1).all()
    fit = ChiSquare()
    for old in range(4):
        seen = collections.Counter(states["destination"][changes & (before["destination"] == old)].tolist())
        fit.add(seen, {new: 1 / 3 for new in range(4) if new != old})
    fit.check()

    # Apart from the destination, the step is the same as without a fickle passenger.
    plain = before.copy()
    plain["fickle"] = 0
    same_rewards, _ = Engine("Taxi", **options).step(plain, actions)
    np.testing.assert_array_equal(rewards, same_rewards)
    for field in ("row", "column", "passenger", "probability"):
        np.testing.assert_array_equal(states[field], plain[field])
    assert (plain["destination"] == before["destination"])[before["passenger"] == 4].all()


def test_fickle_passengers_have_the_distribution_of_gymnasium():
    reference = gymnasium.make("Taxi-v4", fickle_passenger=True).unwrapped
    reference.reset(seed=3)
    start, count = reference.encode(2, 2, 4, 1), 3000
    theirs = collections.Counter()
    for _ in range(count):
        reference.s, reference.fickle_step = start, True
        theirs[reference.step(0)[0]] += 1
        assert not reference.fickle_step
    states = np.repeat(state_at("Taxi", start, 5), count)
    states["fickle"] = 1
    engine = Engine("Taxi", fickle_passenger=True)
    engine.step(states, 0)
    ours = collections.Counter(engine.observe(states)[0].tolist())
    assert set(ours) == set(theirs)
    assert stats.chi2_contingency([[c[s] for s in sorted(ours)] for c in (ours, theirs)]).pvalue > SMALLEST_P
