# SPDX-License-Identifier: Apache-2.0
"""Steps the environments of this family and of gymnax 0.0.9 from equal states, and compares the results."""

import collections
import ctypes
import warnings

import numpy as np
import pytest
from scipy import stats

import envpool
from tests.support import libraries
from tests.support.capi import Functions

jax = pytest.importorskip("jax")
gymnax = pytest.importorskip("gymnax")
jnp = jax.numpy

IDS = {
    "BernoulliBandit-misc": 100,
    "FourRooms-misc": 500,
    "GaussianBandit-misc": 100,
    "MetaMaze-misc": 200,
    "PointRobot-misc": 100,
    "Pong-misc": 1000,
    "Reacher-misc": 100,
    "Swimmer-misc": 500,
}
UNFUSED = {"xla_backend_optimization_level": 0}
SMALLEST_P = 1e-3  # the smallest accepted p-value; seeds are fixed, so a test that passes once always passes


def state_of(name, joints=2, urchins=5):
    """Returns the memory layout of a State. Its parts have gymnax's names."""
    last = [("last_action", "i4"), ("last_reward", "f4"), ("time", "i4")]
    return np.dtype(
        {
            "BernoulliBandit": [
                ("reward_probs", "f4", 2),
                ("last_reward", "f4"),
                ("last_action", "i4"),
                ("time", "i4"),
            ],
            "FourRooms": [("pos", "i4", 2), ("goal", "i4", 2)],
            "GaussianBandit": [("mu", "f4"), ("last_reward", "f4"), ("last_action", "i4"), ("time", "i4")],
            "MetaMaze": [("pos", "i4", 2), ("goal", "i4", 2), *last],
            "PointRobot": [("pos", "f4", 2), ("goal", "f4", 2), ("last_action", "f4", 2), ("last_reward", "f4")]
            + [("goals_reached", "i4"), ("time", "i4")],
            "Pong": [("paddle_centers", "i4", 2)]
            + [(part, "f4", 2) for part in ("ball_position", "last_ball_position", "ball_velocity")],
            "Reacher": [("goal_xy", "f4", 2), ("angles", "f4", joints), ("angle_vels", "f4", joints)]
            + [("cos", "f4", joints), ("sin", "f4", joints)],
            "Swimmer": [("xy", "f4", 2), ("xy_vel", "f4", 2), ("goal_xy", "f4", 2), ("urchin_xys", "f4", (urchins, 2))],
        }[name]
    )


class Engine(Functions):
    """One environment's functions, called with arrays of states."""

    def __init__(self, name, **options):
        state = state_of(name, options.get("num_joints", 2), options.get("num_urchins", 5))
        super().__init__(ctypes.CDLL(libraries.library("misc_testing")), name, state, **options)
        spec = envpool.make_spec(f"{name}-misc", **options)
        self.observation_space, self.action_space = spec.observation_space, spec.action_space

    def step(self, states, actions, seed=0):
        space = self.action_space
        actions = np.broadcast_to(np.asarray(actions, space.dtype), (len(states), *space.shape))
        return super().step(states, actions, seed)

    def observe(self, states):
        obs = np.full((len(states), *self.observation_space.shape), np.nan, np.float32)
        self.observe_into(states, obs)
        return obs


COUNT = 4000  # number of states in a comparison


class Reference:
    """An environment of gymnax, called with arrays of states; `params` replace its defaults.

    XLA fuses multiplications with additions, unless `fused` is False.
    """

    def __init__(self, task_id, params=None, fused=False, **options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.env, default = gymnax.make(task_id, **options)
        self.params = default.replace(**(params or {}))
        self.initial = self.env.reset_env(jax.random.key(0), self.params)[1]
        self.jitted = jax.jit(jax.vmap(self.env.step_env, (0, 0, 0, None)), compiler_options=None if fused else UNFUSED)

    def states(self, **parts):
        """Returns states with the given parts; the other parts are those of an initial state."""
        count = len(next(iter(parts.values())))
        first = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (count, *np.shape(leaf))), self.initial)
        return first.replace(
            **{name: jnp.asarray(part).astype(jnp.asarray(getattr(first, name)).dtype) for name, part in parts.items()}
        )

    def reset(self, count, seed=0):
        keys = jax.random.split(jax.random.key(seed), count)
        return jax.jit(jax.vmap(self.env.reset_env, (0, None)), compiler_options=UNFUSED)(keys, self.params)

    def step(self, states, actions, seed=0):
        """Returns obs, state, reward and done."""
        keys = jax.random.split(jax.random.key(seed), len(actions))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pong of gymnax 0.0.9 writes floats into an array of ints.
            obs, state, reward, done, _ = self.jitted(keys, states, jnp.asarray(actions), self.params)
        return np.asarray(obs), state, np.asarray(reward), np.asarray(done)

    def observe(self, states):
        return np.asarray(jax.vmap(lambda state: self.env.get_obs(state, self.params))(states))


def states_with(engine, **parts):
    """Returns our states with the given parts; the other parts are 0."""
    states = np.zeros(len(next(iter(parts.values()))), engine.state)
    for name, part in parts.items():
        states[name] = part
    return states


def parts_of(states, names):
    """Returns parts of gymnax's states as arrays, by name."""
    return {name: np.asarray(getattr(states, name)) for name in names}


def check_observations(engine, reference, states, time=None):
    """Checks that observations of equal states are equal, apart from the rounding of a scaled time.

    XLA multiplies the time by 1 / 100, whereas we divide it by 100.
    """
    names = [name for name in states.dtype.names if hasattr(reference.initial, name)]
    ours, theirs = engine.observe(states), reference.observe(reference.states(**{n: states[n] for n in names}))
    assert ours.shape == theirs.shape
    if time is not None:
        np.testing.assert_allclose(ours[:, time], theirs[:, time], rtol=2e-7, atol=1.2e-7)
        ours, theirs = np.delete(ours, time, 1), np.delete(theirs, time, 1)
    np.testing.assert_array_equal(ours, theirs)


def check_uniform(seen, possible):
    counts = collections.Counter(seen)
    possible = list(possible)
    assert set(counts) <= set(possible)
    pvalue = stats.chisquare([counts[outcome] for outcome in possible]).pvalue if len(possible) > 1 else 1.0
    assert pvalue > SMALLEST_P


def check_same_distribution(ours, theirs):
    """Tests that two samples have the same distribution."""
    assert stats.ks_2samp(np.ravel(ours), np.ravel(theirs)).pvalue > SMALLEST_P
