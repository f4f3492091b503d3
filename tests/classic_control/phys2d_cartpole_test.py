# SPDX-License-Identifier: Apache-2.0
"""Compares phys2d/CartPole with gymnasium's: steps from equal states, episodes of a pool, and initial states.

If gymnasium's functions use our sines and cosines, which core/math/math_test.py compares with exact ones, steps must be
equal bit for bit. With XLA's sines and cosines, they are equal within rounding.
"""

import ctypes
import dataclasses

import gymnasium
import numpy as np
import pytest
from scipy import stats

import envpool
from tests.classic_control.sines import use_our_sines
from tests.support import libraries
from tests.support.capi import Functions

pytest.importorskip("jax")
cartpole = pytest.importorskip("gymnasium.envs.phys2d.cartpole")

IDS = ["phys2d/CartPole-v0", "phys2d/CartPole-v1"]
STATE = np.dtype([("values", "f4", 4)])
COUNT = 20000
SMALLEST_P = 1e-3  # the smallest accepted p-value; seeds are fixed, so a test that passes once always passes


@pytest.fixture(scope="module")
def engine():
    return Functions(ctypes.CDLL(libraries.library("classic_control_testing")), "Phys2dCartPole", STATE)


def reference_step(states, actions, **options):
    """Returns the next states, the reward and the ends, as gymnasium's functions compute them.

    Parameters are arrays, because XLA replaces a division by a scalar with a multiplication by its reciprocal.
    """
    params = cartpole.CartPoleParams(**options)
    numbers = {
        field.name: np.full(len(states), getattr(params, field.name), np.float32)
        for field in dataclasses.fields(params)
        if isinstance(getattr(params, field.name), float)
    }
    env, params = cartpole.CartPoleFunctional(), params.replace(**numbers)
    after = env.transition(states.T, actions, None, params)
    upright = np.zeros(4, np.float32)  # The episode continues in this state. Its reward is the same for all steps.
    reward = env.reward(upright, 0, None, None, cartpole.CartPoleParams(**options))
    return np.asarray(after).T, float(reward), np.asarray(env.terminal(after, None, params))


@pytest.fixture
def our_sines(monkeypatch):
    """Makes the reference compute sines and cosines with our functions."""
    use_our_sines(monkeypatch, cartpole.jnp)


def states_and_actions():
    rng = np.random.default_rng(0)
    spread = np.array([2.5, 3, 0.22, 3], np.float32)
    return rng.uniform(-spread, spread, (COUNT, 4)).astype(np.float32), rng.integers(0, 2, COUNT)


OPTIONS = [
    {},
    {"gravity": 3.7, "masspole": 0.3, "length": 0.8, "force_mag": 4.0, "tau": 0.05, "x_threshold": 1.0},
    {"total_mass": 2.5, "polemass_length": 0.05, "theta_threshold_radians": 0.1, "sutton_barto_reward": True},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_steps_equal_those_of_gymnasium(engine, options, request):
    engine = Functions(engine.library, engine.name, STATE, **options)
    before, actions = states_and_actions()
    states = np.zeros(COUNT, STATE)
    states["values"] = before
    reward, terminated = engine.step(states, actions)

    after, _, _ = reference_step(before, actions, **options)
    np.testing.assert_allclose(states["values"], after, rtol=2e-6, atol=2e-6)  # XLA's sine and cosine
    request.getfixturevalue("our_sines")
    after, expected_reward, ends = reference_step(before, actions, **options)
    np.testing.assert_array_equal(states["values"], after)
    np.testing.assert_array_equal(terminated, ends)
    assert (reward == expected_reward).all()
    assert 0.05 < ends.mean() < 0.95


@pytest.mark.parametrize("task_id", IDS)
def test_ids_match_gymnasium(task_id):
    ours, theirs = envpool.make_spec(task_id), gymnasium.spec(task_id)
    assert ours.config.max_episode_steps == theirs.max_episode_steps
    assert ours.reward_threshold == theirs.reward_threshold
    assert ours.observation_space == cartpole.CartPoleFunctional.observation_space
    assert ours.action_space.n == cartpole.CartPoleFunctional.action_space.n


def test_episodes_equal_those_of_gymnasium(our_sines):
    """Whole episodes of a pool are compared, with several policies, most of which keep the pole upright."""
    count, limit = 32, 80
    skill = np.linspace(0, 1, count)
    rng = np.random.default_rng(1)
    ends = {"terminated": 0, "truncated": 0}
    with envpool.make_gymnasium(IDS[0], num_envs=count, seed=3, max_episode_steps=limit) as env:
        obs, _ = env.reset()
        elapsed, over = np.zeros(count, int), np.zeros(count, bool)
        for _ in range(limit + 20):
            good = (obs[:, 2] + 0.3 * obs[:, 3] + 0.1 * obs[:, 0] + 0.1 * obs[:, 1] > 0).astype(np.int32)
            actions = np.where(rng.random(count) < skill, good, rng.integers(0, 2, count)).astype(np.int32)
            expected, _, fell = reference_step(obs, actions)
            obs, reward, terminated, truncated, info = env.step(actions)
            elapsed = np.where(over, 0, elapsed + 1)
            np.testing.assert_array_equal(obs[~over], expected[~over])
            np.testing.assert_array_equal(terminated, fell & ~over)
            np.testing.assert_array_equal(truncated, elapsed == limit)
            np.testing.assert_array_equal(reward, ~over)
            np.testing.assert_array_equal(info["elapsed_step"], elapsed)
            over = terminated | truncated
            ends["terminated"] += terminated.sum()
            ends["truncated"] += truncated.sum()
    assert ends["terminated"] > 20 and ends["truncated"] > 2, ends


def test_initial_states(engine):
    values = engine.reset(COUNT, seed=7)["values"]
    assert np.abs(values).max() <= np.float32(0.05)
    for column in values.T:
        assert stats.kstest(column / 0.1 + 0.5, "uniform").pvalue > SMALLEST_P
    correlation = np.corrcoef(values.T)
    assert np.abs(correlation - np.eye(4)).max() < 4 / COUNT**0.5
    wide = Functions(engine.library, engine.name, STATE, x_init=2.0)
    np.testing.assert_allclose(wide.reset(COUNT, seed=7)["values"], 40 * values, atol=1e-6)
