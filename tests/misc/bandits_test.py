# SPDX-License-Identifier: Apache-2.0
"""Compares the bandits with gymnax 0.0.9: probabilities of rewards, observations, and resets."""

import itertools

import numpy as np
import pytest
from scipy import stats

from tests.misc.reference import (
    SMALLEST_P,
    Engine,
    Reference,
    check_observations,
    check_same_distribution,
    check_uniform,
    jax,
    states_with,
)


@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize("chance", [0.1, 0.0, 0.5, 0.75])
def test_bernoulli_bandit_equals_gymnax(chance):
    engine, count = Engine("BernoulliBandit", reward_prob=chance), 20000
    reference = Reference("BernoulliBandit-misc", {"reward_prob": chance})
    states = engine.reset(count)
    _, theirs = jax.jit(lambda key: jax.vmap(reference.env.reset_env, (0, None))(key, reference.params))(
        jax.random.split(jax.random.key(0), 100)
    )
    arms = {tuple(pair) for pair in np.asarray(theirs.reward_probs).tolist()}
    np.testing.assert_allclose(sorted(arms), sorted({*map(tuple, states["reward_probs"].tolist())}), atol=6e-8)
    check_uniform(states["reward_probs"][:, 0].tolist(), {*states["reward_probs"][:, 0].tolist()})
    for arm in range(2):
        after = states.copy()
        rewards, ends = engine.step(after, arm, seed=arm)
        assert not ends.any()
        assert (after["last_action"] == arm).all() and (after["time"] == 1).all()
        np.testing.assert_array_equal(after["last_reward"], rewards)
        for pays in np.unique(states["reward_probs"][:, arm]):
            of_arm = rewards[states["reward_probs"][:, arm] == pays]
            assert set(of_arm.tolist()) <= {0.0, 1.0}
            assert stats.binomtest(int(of_arm.sum()), len(of_arm), min(float(pays), 1)).pvalue > SMALLEST_P
    check_observations(engine, reference, after, time=3)


@pytest.mark.parametrize(
    "time", [{}, {"normalize_time": False}, {"min_lim": 0.5, "max_lim": -3.0, "t_max": 7}], ids=str
)
def test_observations_equal_those_of_gymnax(time):
    for name in ("BernoulliBandit", "GaussianBandit"):
        if name == "GaussianBandit" and "t_max" in time:
            continue
        engine, reference = Engine(name, **time), Reference(f"{name}-misc", time)
        cases = list(itertools.product((0, 1), (0.0, 1.0), range(100)))
        parts = {part: np.array([case[i] for case in cases]) for i, part in enumerate(("last_action", "last_reward"))}
        states = states_with(engine, time=np.array([case[2] for case in cases]), **parts)
        if "t_max" in time:
            np.testing.assert_allclose(
                engine.observe(states)[:, 3], -3.5 / 7 * states["time"] + 0.5, rtol=1e-6, atol=1e-6
            )
        else:
            check_observations(engine, reference, states, time=3)
        assert all(engine.observation_space.contains(row) for row in engine.observe(states))


@pytest.mark.parametrize("params", [{}, {"mean_mu": 3.0, "sigma_p": 0.5, "sigma_l": 2.0}], ids=str)
def test_gaussian_bandit_equals_gymnax(params):
    engine, reference = Engine("GaussianBandit", **params), Reference("GaussianBandit-misc", params)
    mean, between, within = ({"mean_mu": -1.0, "sigma_p": 1.0, "sigma_l": 0.1} | params).values()
    states, count = engine.reset(30000), 30000
    assert stats.kstest(states["mu"], stats.norm(mean, between).cdf).pvalue > SMALLEST_P
    check_same_distribution(states["mu"], reference.reset(count)[1].mu)
    safe = states.copy()
    assert not engine.step(safe, 0)[0].any()
    assert not safe["last_action"].any()
    after = states.copy()
    rewards, ends = engine.step(after, 1)
    assert not ends.any() and (after["last_action"] == 1).all()
    np.testing.assert_array_equal(after["last_reward"], rewards)
    assert stats.kstest((rewards - states["mu"]) / within, "norm").pvalue > SMALLEST_P
    _, _, theirs, _ = reference.step(reference.states(mu=states["mu"]), np.ones(count, int))
    check_same_distribution(rewards - states["mu"], theirs - states["mu"])
    check_observations(engine, reference, after, time=3)
