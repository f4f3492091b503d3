# SPDX-License-Identifier: Apache-2.0
"""Compares BipedalWalker with gymnasium's on box2d 2.3.10, bit for bit over whole episodes, like lunar_lander_test."""

import os

import numpy as np
import pytest

pytest.importorskip("Box2D")

from gymnasium.envs.box2d.bipedal_walker import BipedalWalkerHeuristics

import envpool
from tests.box2d.episodes import Reference, compare
from tests.support.samples import DAY

EPISODES = int(os.environ.get("ENVPOOL_TEST_BOX2D", 3))
FIRST = 1000 * DAY
SEEDS = range(FIRST, FIRST + EPISODES)
IDS = ("BipedalWalker-v3", "BipedalWalkerHardcore-v3")


def randomly(env, observation, random):
    return random.uniform(-1, 1, 4).astype(np.float32)


def slowly(env, observation, random):
    """Draws a new random action only now and then, so that the walker moves farther."""
    if not hasattr(env, "held") or random.random() < 0.05:
        env.held = random.uniform(-1.2, 1.2, 4).astype(np.float32)
    return env.held


def walking(env, observation, random):
    """Walks as gymnasium's demonstration does."""
    if env.prev_shaping is None or not hasattr(env, "walker"):
        env.walker = BipedalWalkerHeuristics()
    action = np.asarray(env.walker.step_heuristic(observation), np.float32)
    return action if random.random() < 0.97 else randomly(env, observation, random)


def resting(env, observation, random):
    return np.zeros(4, np.float32)


@pytest.mark.parametrize("policy", [randomly, slowly, walking, resting])
@pytest.mark.parametrize("task_id", IDS)
def test_episodes(task_id, policy):
    compare(task_id, SEEDS, policy, steps=1600 if EPISODES > 3 else 400)


def test_spaces_are_those_of_gymnasium():
    for task_id in IDS:
        theirs, ours = Reference(task_id, 0).env, envpool.make_spec(task_id)
        for name in ("observation_space", "action_space"):
            np.testing.assert_array_equal(getattr(ours, name).low, getattr(theirs, name).low)
            np.testing.assert_array_equal(getattr(ours, name).high, getattr(theirs, name).high)
