# SPDX-License-Identifier: Apache-2.0
"""Tests the ids of MinAtar, their options and their rendered images."""

import minatar
import numpy as np
import pytest

import envpool
from tests.minatar.positions import random_state
from tests.minatar.states import GAMES, NAMES, Engine, Reference, to_ours


@pytest.mark.parametrize("game", GAMES)
def test_ids_match_the_package(game):
    for version, minimal in (("v0", False), ("v1", True)):
        spec = envpool.make_spec(f"MinAtar/{game}-{version}")
        reference = minatar.Environment(NAMES[game])
        count = len(reference.minimal_action_set()) if minimal else reference.num_actions()
        assert spec.action_space.n == count
        assert spec.observation_space.shape == tuple(reference.state_shape())
        assert spec.config.max_episode_steps == 2**31 - 1  # There is no time limit, as in gymnasium's registry.
        pool = envpool.make_gymnasium(f"MinAtar/{game}-{version}")
        assert pool.reset()[0].dtype == bool
        pool.close()


@pytest.mark.parametrize("game", GAMES)
def test_minimal_actions_equal_those_of_the_package(game):
    actions = minatar.Environment(NAMES[game]).minimal_action_set()
    rng, first = np.random.default_rng(7), Reference(game).get()
    full, few = (Engine(game, sticky_action_prob=0.0, use_minimal_action_set=minimal) for minimal in (False, True))
    states = np.array([to_ours(game, random_state(game, first, rng)) for _ in range(50)])
    for number, action in enumerate(actions):
        one, other = states.copy(), states.copy()
        full.step(one, action)
        few.step(other, number)
        assert (one == other).all()


@pytest.mark.parametrize("game", GAMES)
def test_rendered_images(game):
    pool = envpool.make_gymnasium(f"MinAtar/{game}-v0", render_mode="rgb_array")
    pool.reset()
    for _ in range(12):  # After this many steps, objects have appeared.
        pool.step(np.array([0]))
    image = np.asarray(pool.render()).reshape(160, 160, 3)
    assert image.shape == (160, 160, 3)
    assert len(np.unique(image.reshape(-1, 3), axis=0)) >= 3
    pool.close()


@pytest.mark.parametrize(
    ("options", "error", "word"),
    [
        ({"sticky_action_prob": 1.5}, ValueError, "sticky_action_prob"),
        ({"sticky_action_prob": -0.1}, ValueError, "sticky_action_prob"),
        ({"sticky_action_prob": float("nan")}, ValueError, "sticky_action_prob"),
        ({"sticky_action_prob": "often"}, TypeError, "sticky_action_prob"),
        ({"difficulty_ramping": 2}, TypeError, "difficulty_ramping"),
        ({"obs_dtype": "float64"}, ValueError, "obs_dtype"),
        ({"difficulty": 1}, TypeError, "difficulty"),
    ],
)
def test_invalid_options(options, error, word):
    with pytest.raises(error, match=word):
        envpool.make_gymnasium("MinAtar/Breakout-v0", **options)
