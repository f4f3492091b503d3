# SPDX-License-Identifier: Apache-2.0
"""Compares FrozenLake, CliffWalking and Taxi with gymnasium's tables: steps for all states and actions, and resets.

Chi-square tests with fixed seeds compare counts of random outcomes with the probabilities of the reference.
"""

import collections

import gymnasium
import numpy as np
import pytest

from tests.support.chi_square import ChiSquare
from tests.toy_text.engine import CUSTOM_MAP, REFERENCES, Engine, merged, state_at

TABLES = [
    ("FrozenLake", {"is_slippery": False}, {"is_slippery": False}),
    ("FrozenLake", {}, {}),
    ("FrozenLake", {"size": 8}, {"map_name": "8x8"}),
    ("FrozenLake", {"size": 8, "is_slippery": False}, {"map_name": "8x8", "is_slippery": False}),
    ("FrozenLake", {"success_rate": 0.75}, {"success_rate": 0.75}),
    (
        "FrozenLake",
        {"desc": "\n".join(CUSTOM_MAP), "goal_reward": 5.0, "hole_reward": -2.5, "frozen_reward": -0.5},
        {"desc": CUSTOM_MAP, "reward_schedule": (5, -2.5, -0.5)},
    ),
    ("CliffWalking", {}, {}),
    ("CliffWalking", {"is_slippery": True}, {"is_slippery": True}),
    ("Taxi", {}, {}),
    ("Taxi", {"is_rainy": True}, {"is_rainy": True}),
    ("Taxi", {"is_rainy": True, "rainy_probability": 0.5}, {"is_rainy": True, "rainy_probability": 0.5}),
]


@pytest.mark.parametrize(("name", "ours", "theirs"), TABLES, ids=str)
def test_every_state_and_action(name, ours, theirs):
    reference = gymnasium.make(REFERENCES[name], **theirs).unwrapped
    engine = Engine(name, **ours)
    # Holes and the goal are left out, because the episode is already over in these states.
    over = b"".join(reference.desc.ravel()) if name == "FrozenLake" else b""
    pairs = [(s, a) for s, of in reference.P.items() for a in of if not over or over[s] not in b"GH"]
    stochastic = any(len(reference.P[s][a]) > 1 for s, a in pairs)
    samples = 400 if stochastic else 1
    columns = getattr(reference, "ncol", 12)
    states = np.repeat(np.array([state_at(name, s, columns) for s, _ in pairs]), samples)
    assert (engine.observe(states)[0] == np.repeat([s for s, _ in pairs], samples)).all()

    rewards, ends = engine.step(states, np.repeat([a for _, a in pairs], samples))
    after, probability = engine.observe(states)[:2]
    fit = ChiSquare()
    for index, (s, a) in enumerate(pairs):
        rows = slice(index * samples, (index + 1) * samples)
        seen = collections.Counter(
            zip(
                after[rows].tolist(),
                rewards[rows].tolist(),
                ends[rows].tolist(),
                probability[rows].tolist(),
                strict=True,
            )
        )
        expected = (((int(n), float(r), bool(t), float(np.float32(p))), p) for p, n, r, t in reference.P[s][a])
        fit.add(seen, merged(expected))
    assert stochastic == (fit.freedom > 0)
    fit.check()


def test_probabilities_of_one_and_zero():
    for name, rate in (("FrozenLake", "success_rate"), ("Taxi", "rainy_probability")):
        slippery = {"is_rainy": True} if name == "Taxi" else {"size": 8}
        states = np.repeat(state_at(name, 2 * 8 + 1 if name == "FrozenLake" else 248, 8), 1000)
        always, never = states.copy(), states.copy()
        Engine(name, **slippery, **{rate: 1.0}).step(always, 1)
        Engine(name, **slippery, **{rate: 0.0}).step(never, 1)
        row, column = states["row"][0], states["column"][0]
        assert (always["row"] == row + (1 if name == "FrozenLake" else -1)).all()
        assert (always["column"] == column).all()
        assert (never["row"] == row).all()
        assert set(never["column"]) == {column - 1, column + 1}


@pytest.mark.parametrize(
    ("name", "ours", "theirs"),
    [
        ("FrozenLake", {}, {}),
        ("FrozenLake", {"size": 8}, {"map_name": "8x8"}),
        ("FrozenLake", {"desc": "\n".join(CUSTOM_MAP)}, {"desc": CUSTOM_MAP}),
        ("CliffWalking", {}, {}),
        ("Taxi", {}, {}),
        ("Taxi", {"fickle_passenger": True}, {"fickle_passenger": True}),
    ],
    ids=str,
)
def test_resets_have_the_distribution_of_gymnasium(name, ours, theirs):
    reference = gymnasium.make(REFERENCES[name], **theirs).unwrapped
    engine = Engine(name, **ours)
    for seed in (0, 1):
        states = engine.reset(60000, seed)
        cells, probability = engine.observe(states)[:2]
        assert (probability == 1).all()
        fit = ChiSquare()
        fit.add(collections.Counter(cells.tolist()), merged(enumerate(reference.initial_state_distrib.tolist())))
        if name == "Taxi":
            assert set(states["fickle"]) == ({0, 1} if "fickle_passenger" in ours else {0})
        if "fickle_passenger" in ours:
            fit.add(collections.Counter(states["fickle"].tolist()), {0: 0.7, 1: 0.3})
        fit.check()
