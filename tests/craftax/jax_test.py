# SPDX-License-Identifier: Apache-2.0
"""Tests the interface of craftax in envpool.jax."""

from __future__ import annotations

import copy
import sys
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("jax")
import jax
import jax.numpy as jnp

import envpool.jax
from envpool.jax.craftax import (
    ACHIEVEMENTS,
    ALL_ACHIEVEMENTS,
    CraftaxEnv,
    CraftaxEnvNoAutoReset,
    make_craftax_env_from_name,
)

SYMBOLIC = "Craftax-Classic-Symbolic-v1"


def test_steps_are_those_of_envpool_jax():
    env, plain = make_craftax_env_from_name(SYMBOLIC, auto_reset=True), envpool.jax.make(SYMBOLIC)[0]
    params = env.default_params.replace(max_steps_in_episode=20)
    keys = jax.random.split(jax.random.PRNGKey(0), 32)
    results = []
    for each in (env, plain):
        step = jax.jit(jax.vmap(each.step, (0, 0, 0, None)))
        obs, state = jax.vmap(each.reset, (0, None))(keys, params)
        for turn in range(45):
            action = jax.random.randint(jax.random.PRNGKey(turn), (32,), 0, env.num_actions)
            obs, state, reward, done, info = step(jax.random.split(jax.random.PRNGKey(turn), 32), state, action, params)
            results.append((obs, reward, done, info))
    for (*ours, info), (*others, other_info) in zip(results[:45], results[45:], strict=True):
        assert all(map(np.array_equal, ours, others))
        assert {*info} - {*other_info} == {"score", *(f"Achievements/{name}" for name in ACHIEVEMENTS)}
        ends = np.asarray(ours[2])
        for i, name in enumerate(ACHIEVEMENTS):
            achieved = np.asarray(other_info["achievements"])[:, i]
            np.testing.assert_array_equal(info[f"Achievements/{name}"], 100.0 * (achieved & ends))
    assert any(np.asarray(info["score"]).any() for *_, info in results[:45])
    assert all(np.asarray(done).all() for _, _, done, _ in (results[19], results[39]))


@pytest.mark.skipif(sys.version_info < (3, 11), reason="craftax's requirements are installed with Python 3.11")
def test_scores_are_those_of_craftax():
    from craftax.craftax_classic.constants import Achievement
    from craftax.craftax_classic.envs.common import compute_score

    assert [achievement.name.lower() for achievement in Achievement] == list(ACHIEVEMENTS)
    env = make_craftax_env_from_name(SYMBOLIC, auto_reset=False)
    _, state = env.reset(jax.random.PRNGKey(1), env.default_params)
    rng = np.random.default_rng(0)
    for health in (0, 9):
        bits = int(rng.integers(0, 2**22))
        begun = state.replace(achievements=jnp.int32(bits), health=jnp.int32(health))
        _, _, _, done, info = env.step(jax.random.PRNGKey(2), begun, 0, env.default_params)
        achieved = jnp.array([bits >> i & 1 for i in range(22)])
        theirs = compute_score(SimpleNamespace(achievements=achieved), done)
        assert bool(done) == (health == 0) and {*theirs} < {*info}
        for name, value in theirs.items():
            np.testing.assert_allclose(info[name], value, rtol=1e-6)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="craftax's requirements are installed with Python 3.11")
@pytest.mark.parametrize(("kind", "shape"), [("Symbolic", (8268,)), ("Pixels", (130, 110, 3))])
def test_craftax_in_full_has_scores_of_its_own(kind, shape):
    from craftax.craftax.constants import Achievement

    assert [achievement.name.lower() for achievement in sorted(Achievement, key=lambda one: one.value)] == list(
        ALL_ACHIEVEMENTS
    )
    env = make_craftax_env_from_name(f"Craftax-{kind}-v1", auto_reset=False)
    obs, state = env.reset(jax.random.PRNGKey(1), env.default_params)
    assert obs.shape == shape
    begun = state.replace(achievements=jnp.arange(9, dtype=jnp.uint8), health=jnp.float32(-20))
    _, _, _, done, info = env.step(jax.random.PRNGKey(2), begun, 0, env.default_params)
    assert bool(done)
    for i, name in enumerate(ALL_ACHIEVEMENTS):
        assert info[f"Achievements/{name}"] == 100 * ((i // 8) >> i % 8 & 1)


def test_without_resets_the_last_state_stays():
    env = make_craftax_env_from_name(SYMBOLIC, auto_reset=False)
    params = env.default_params.replace(max_steps_in_episode=3)
    obs, state = env.reset(jax.random.PRNGKey(0), params)
    for turn in range(5):
        obs, state, reward, done, info = env.step(jax.random.PRNGKey(turn), state, 0, params)
        assert bool(done) == (turn >= 2)
    assert int(state.time) == 3


def test_without_resets_batches_keep_their_last_states():
    env = make_craftax_env_from_name(SYMBOLIC, auto_reset=False)
    params = env.default_params.replace(max_steps_in_episode=2)
    key, actions = jax.random.key(0), jnp.zeros(2, int)
    obs, states = env.reset_batch(key, 2, params)
    ended = None
    for turn in range(4):
        state = jax.tree.map(lambda array: array[0], states)
        one = env.step(None, state, 0, params, next_params=params)
        obs, states, reward, done, info = results = env.step_batch(None, states, actions, params, next_params=params)
        jax.tree.map(lambda of_batch, alone: np.testing.assert_array_equal(of_batch[0], alone), results, one)
        assert done.all() == (turn >= 1) and (ended is None or not reward.any())
        ended = (obs, states) if ended is None and done.all() else ended
    jax.tree.map(np.testing.assert_array_equal, ended, (obs, states))


def test_copies_and_names():
    for auto_reset, kind in ((True, CraftaxEnv), (False, CraftaxEnvNoAutoReset)):
        env = make_craftax_env_from_name(SYMBOLIC, auto_reset)
        assert type(env) is type(copy.copy(env)) is kind and env.name == SYMBOLIC
    assert make_craftax_env_from_name("Craftax-Classic-Symbolic-AutoReset-v1", auto_reset=True).num_actions == 17
    for arguments, error, text in (
        (
            ("Craftax-Classic-Symbolic-AutoReset-v1", False),
            ValueError,
            "without resets, the id is 'Craftax-Classic-Symb",
        ),
        (("CartPole-v1", True), ValueError, "expected an id of craftax such as"),
        (("Craftax-Classic-Sounds-v1", True), ValueError, "expected a registered id"),
        ((SYMBOLIC, 1), TypeError, "auto_reset: expected True or False, got 1"),
        ((3, True), TypeError, "name: expected a str"),
    ):
        with pytest.raises(error, match=text):
            make_craftax_env_from_name(*arguments)
