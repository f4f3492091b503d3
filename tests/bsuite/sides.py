# SPDX-License-Identifier: Apache-2.0
"""Calls our functions and those of gymnax with arrays of states, and compares their results."""

import collections
import itertools

import numpy as np
import pytest
from scipy import stats

from tests.support.capi import Functions

jax = pytest.importorskip("jax")
gymnax = pytest.importorskip("gymnax")
jnp = jax.numpy

SMALLEST_P = 1e-3  # the smallest accepted p-value; seeds are fixed, so a test that passes once always passes


def state_of(name, options):
    """Returns the memory layout of a State with its extra bytes, and the shape of an observation."""
    if name == "Catch":
        return [("ball_y", "i4"), ("ball_x", "i4"), ("paddle_x", "i4")], (options["rows"], options["columns"])
    if name == "DeepSea":
        size = options["size"]
        rest = [("row", "i4"), ("column", "i4"), ("total_bad_episodes", "i4"), ("denoised_return", "f4")]
        return [*rest, ("bad_episode", "?"), ("mapping", "u4", ((size * size + 31) // 32,))], (size, size)
    if name == "DiscountingChain":
        return [("context", "i4"), ("time", "i4")], (2,)
    if name == "MemoryChain":
        rest = [("query", "i4"), ("time", "i4"), ("total_perfect", "i4"), ("total_regret", "f4")]
        return [("context", "u8"), *rest], (2 + options["num_bits"],)
    if name == "SimpleBandit":
        return [
            ("total_regret", "f4"),
            ("time", "i4"),
            ("last_arm", "i4"),
            ("arms", "i4", (options["num_actions"],)),
        ], (1, 1)
    rest = [("need_umbrella", "i4"), ("has_umbrella", "i4"), ("time", "i4"), ("total_regret", "f4")]
    return [*rest, ("distractor_seed", "u8")], (3 + options["n_distractor"],)


SHAPES = {"rows": 10, "columns": 5, "size": 8, "num_bits": 1, "num_actions": 11, "n_distractor": 0}
INFOS = {
    "DeepSea": {"total_bad_episodes": "i4", "denoised_return": "f4"},
    "MemoryChain": {"total_perfect": "i4", "total_regret": "f4"},
    "SimpleBandit": {"total_regret": "f4"},
    "UmbrellaChain": {"total_regret": "f4"},
}


class Engine(Functions):
    """One environment's functions, called with arrays of states."""

    def __init__(self, library, name, **options):
        fields, self.shape = state_of(name, SHAPES | options)
        super().__init__(library, name, np.dtype(fields, align=True), **options)

    def observe(self, states):
        """Returns the observations, and the infos by name."""
        states = states.copy()
        obs = np.empty((len(states), *self.shape), np.float32)
        infos = {name: np.empty(len(states), dtype) for name, dtype in INFOS.get(self.name, {}).items()}
        arrays = [obs, *infos.values()]
        self.observe_into(states, *arrays)
        return obs, infos


class Reference:
    """gymnax's environment, called with arrays of states."""

    def __init__(self, task_id, params=None, **options):
        self.env, self.params = gymnax.make(task_id, **options)
        self.params = self.params.replace(**(params or {}))
        _, self.state = self.env.reset_env(jax.random.key(0), self.params)
        self._step = jax.jit(jax.vmap(self.env.step_env))
        self._reset = jax.jit(jax.vmap(self.env.reset_env, (0, None)))

    def states(self, count, **fields):
        """Returns copies of one state that differ in the given fields."""
        full = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (count, *jnp.shape(leaf))), self.state)
        given = {name: jnp.asarray(value, getattr(full, name).dtype) for name, value in fields.items()}
        return full.replace(**given)

    def step(self, states, actions, seed=0):
        """Returns the next observations, states, rewards and ends."""
        actions = np.asarray(actions, np.int32)
        count = len(actions)
        # Each state has its own row of parameters, because XLA replaces a division by a scalar with a multiplication.
        params = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (count, *jnp.shape(leaf))), self.params)
        obs, states, reward, done, _ = self._step(
            jax.random.split(jax.random.key(seed), count), states, actions, params
        )
        return np.asarray(obs), states, np.asarray(reward), np.asarray(done)

    def reset(self, count, seed=0):
        return self._reset(jax.random.split(jax.random.key(seed), count), self.params)


def assert_same_distribution(ours, theirs):
    """Tests with chi-square that two samples of outcomes have the same distribution."""
    ours, theirs = (collections.Counter(map(tuple, np.asarray(s).reshape(len(s), -1).tolist())) for s in (ours, theirs))
    assert set(ours) == set(theirs)
    table = [[counts[outcome] for outcome in sorted(ours)] for counts in (ours, theirs)]
    pvalue = stats.chi2_contingency(table).pvalue if len(ours) > 1 else 1
    print(f"{len(ours)} outcomes, p = {pvalue:.4f}")
    assert pvalue > SMALLEST_P


def assert_uniform(sample, outcomes):
    """Tests with chi-square that all outcomes of a sample are equally likely."""
    counts = np.bincount(np.asarray(sample).astype(int), minlength=outcomes)
    assert len(counts) == outcomes
    if outcomes == 1:
        return
    pvalue = stats.chisquare(counts).pvalue
    print(f"{outcomes} outcomes, p = {pvalue:.4f}")
    assert pvalue > SMALLEST_P


def product(*ranges):
    """Returns all combinations of the elements of the ranges, with a column for each range."""
    return np.array(list(itertools.product(*ranges))).T


def fill(engine, **fields):
    states = np.zeros(len(next(iter(fields.values()))), engine.state)
    for name, value in fields.items():
        states[name] = value
    return states
