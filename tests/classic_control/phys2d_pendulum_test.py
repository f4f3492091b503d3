# SPDX-License-Identifier: Apache-2.0
"""Compares phys2d/Pendulum with gymnasium's: steps from equal states, episodes of a pool, and initial states.

If gymnasium's functions use our sines and cosines, which core/math/math_test.py compares with exact ones, steps must be
equal bit for bit. With XLA's sines and cosines, they are equal within rounding. XLA also rounds differently when it
compiles a step as a whole, as gymnasium does; a test bounds that difference.
"""

import ctypes

import gymnasium
import numpy as np
import pytest
from scipy import stats

import envpool
from tests.classic_control.sines import use_our_sines
from tests.support import libraries
from tests.support.capi import Functions
from tests.support.chi_square import SMALLEST_P

pytest.importorskip("jax")
pendulum = pytest.importorskip("gymnasium.envs.phys2d.pendulum")

ID = "phys2d/Pendulum-v0"
STATE = np.dtype([("values", "f4", 2)])
COUNT = 20000
OPTIONS = [
    {},
    {"g": 3.7, "m": 0.3, "l": 0.8, "dt": 0.02},
    {"max_speed": 2.5, "l": 1.7, "m": 2.3},
]


def functions(**options):
    return Functions(ctypes.CDLL(libraries.library("classic_control_testing")), "Phys2dPendulum", STATE, **options)


def observe(engine, states):
    observation = np.empty((len(states), 3), np.float32)
    engine.observe_into(states, observation)
    return observation


def reference_step(states, actions, **options):
    """Returns next states and rewards, as gymnasium computes them operation by operation."""
    env, params = pendulum.PendulumFunctional(), pendulum.PendulumParams(**options)
    after = env.transition(states.T, actions.T, None, params)
    reward = env.reward(states.T, actions.T, after, None, params)
    return np.asarray(after).T, np.asarray(reward)


def reference_observation(states):
    return np.asarray(pendulum.PendulumFunctional().observation(states.T, None)).T


@pytest.fixture
def our_sines(monkeypatch):
    """Makes the reference compute sines and cosines with our functions."""
    use_our_sines(monkeypatch, pendulum.jnp)


def pool_states(env):
    """Reads the states of a pool: a snapshot ends with an Episode and the State, padded to a multiple of 16 bytes."""
    episode = ctypes.CDLL(libraries.library("classic_control_testing")).test_episode_size()
    rows = []
    for snapshot in map(env.snapshot, range(env.num_envs)):
        start = len(snapshot) - (episode + STATE.itemsize + 15) // 16 * 16
        rows.append(np.frombuffer(snapshot, STATE, 1, start + episode)["values"][0])
    return np.stack(rows)


def states_and_actions():
    """Returns states of several turns in both directions, some exactly at the ends of a turn, and torques."""
    rng = np.random.default_rng(0)
    states = rng.uniform((-30, -9), (30, 9), (COUNT, 2)).astype(np.float32)
    states[:200, 0] = np.float32(np.pi) * rng.integers(-9, 10, 200)
    states[200:400, 0] = np.nextafter(states[:200, 0], rng.choice([-99, 99], 200).astype(np.float32))
    return states, rng.uniform(-3, 3, (COUNT, 1)).astype(np.float32)


@pytest.mark.parametrize("options", OPTIONS)
def test_a_step_equals_gymnasiums(options, request):
    engine = functions(**options)
    before, actions = states_and_actions()
    states = np.zeros(COUNT, STATE)
    states["values"] = before
    reward, terminated = engine.step(states, actions)
    assert not terminated.any()

    after, expected_reward = reference_step(before, actions, **options)
    np.testing.assert_allclose(states["values"], after, rtol=2e-7, atol=1e-6)  # XLA's sine
    np.testing.assert_array_equal(reward, expected_reward)  # no sine
    request.getfixturevalue("our_sines")
    after, expected_reward = reference_step(before, actions, **options)
    np.testing.assert_array_equal(states["values"], after)
    np.testing.assert_array_equal(reward, expected_reward)
    limit = np.float32(options.get("max_speed", 8))
    assert 0.02 < (np.abs(after[:, 1]) == limit).mean() < 0.9
    np.testing.assert_array_equal(observe(engine, states), reference_observation(after))


def test_the_id_has_gymnasiums_spaces_and_limit():
    ours, theirs = envpool.make_spec(ID), gymnasium.spec(ID)
    assert ours.config.max_episode_steps == theirs.max_episode_steps
    assert ours.reward_threshold == theirs.reward_threshold
    assert ours.observation_space == pendulum.PendulumFunctional.observation_space
    assert ours.action_space == pendulum.PendulumFunctional.action_space
    defaults = pendulum.PendulumParams()
    for name in ("max_speed", "dt", "g", "m", "l", "high_x", "high_y"):
        assert getattr(ours.config, name) == getattr(defaults, name), name


def test_episodes_equal_gymnasiums(our_sines):
    """Runs whole episodes in a pool, with random torques and torques that pump energy into the rod."""
    count, limit = 32, 200
    rng = np.random.default_rng(1)
    skill = np.linspace(0, 1, count)
    ended = 0
    with envpool.make_gymnasium(ID, num_envs=count, seed=3) as env:
        obs, _ = env.reset()
        elapsed, over, states = np.zeros(count, int), np.zeros(count, bool), pool_states(env)
        np.testing.assert_array_equal(obs, reference_observation(states))
        for _ in range(2 * limit + 20):
            pump = np.where(rng.random(count) < skill, 2 * np.sign(obs[:, 2]), rng.uniform(-2.5, 2.5, count))
            actions = pump.astype(np.float32)[:, None]
            expected, expected_reward = reference_step(states, actions)
            obs, reward, terminated, truncated, info = env.step(actions)
            elapsed = np.where(over, 0, elapsed + 1)
            states = pool_states(env)
            np.testing.assert_array_equal(states[~over], expected[~over])
            np.testing.assert_array_equal(obs, reference_observation(states))
            np.testing.assert_array_equal(reward, np.where(over, 0, expected_reward))
            assert not terminated.any()
            np.testing.assert_array_equal(truncated, elapsed == limit)
            np.testing.assert_array_equal(info["elapsed_step"], elapsed)
            over = truncated
            ended += truncated.sum()
    assert ended == 2 * count


def test_functions_compiled_by_xla_are_equal_within_rounding():
    """gymnasium compiles each function as a whole, so XLA may round a product and a sum only once."""
    engine, env, jax = functions(), pendulum.PendulumFunctional(), pendulum.jax
    transition = jax.jit(jax.vmap(lambda state, action: env.transition(state, action, None)))
    reward = jax.jit(jax.vmap(lambda state, action: env.reward(state, action, None, None)))
    observation = jax.jit(jax.vmap(lambda state: env.observation(state, None)))
    before, actions = states_and_actions()
    before = before.clip((-12, -8), (12, 8))
    states = np.zeros(len(before), STATE)
    states["values"] = before
    rewards, _ = engine.step(states, actions)
    np.testing.assert_allclose(states["values"], transition(before, actions), rtol=0, atol=1e-6)  # an ulp of 12
    np.testing.assert_array_max_ulp(rewards, np.asarray(reward(before, actions)), 2)
    np.testing.assert_array_max_ulp(observe(engine, states), np.asarray(observation(states["values"])), 1)


def test_initial_states():
    values = functions().reset(COUNT, seed=7)["values"]
    high = np.array([np.pi, 1], np.float32)
    assert (np.abs(values) <= high).all()
    for column, bound in zip(values.T, high, strict=True):
        assert stats.kstest(column / (2 * bound) + 0.5, "uniform").pvalue > SMALLEST_P
    assert abs(np.corrcoef(values.T)[0, 1]) < 4 / COUNT**0.5
    env, key = pendulum.PendulumFunctional(), pendulum.jax.random.split(pendulum.jax.random.PRNGKey(3), COUNT)
    theirs = np.asarray(pendulum.jax.vmap(env.initial)(key))
    for ours, column in zip(values.T, theirs.T, strict=True):
        assert stats.ks_2samp(ours, column).pvalue > SMALLEST_P
    wide = functions(high_x=2 * np.pi, high_y=3.0).reset(COUNT, seed=7)["values"]
    np.testing.assert_allclose(wide, values * np.array([2, 3], np.float32), rtol=1e-6, atol=1e-6)
