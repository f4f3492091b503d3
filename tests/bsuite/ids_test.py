# SPDX-License-Identifier: Apache-2.0
"""Tests the ids of the behaviour suite: lengths of episodes, options, invalid states, and the interface of gymnax."""

import numpy as np
import pytest

import envpool
from envpool.python.options import shown
from tests.support.refusals import assert_refused

jax = pytest.importorskip("jax")
gymnax = pytest.importorskip("gymnax")
jnp = jax.numpy

IDS = [
    f"{name}-bsuite"
    for name in ("Catch", "DeepSea", "DiscountingChain", "MemoryChain", "SimpleBandit", "UmbrellaChain")
]


def test_episode_lengths():
    """Checks the lengths of episodes, and whether they are terminated or truncated."""
    cases = [
        ("Catch-bsuite", {}, 9, True),
        ("Catch-bsuite", {"rows": 1024}, 1000, False),
        ("DeepSea-bsuite", {}, 8, True),
        ("DeepSea-bsuite", {"size": 3, "deterministic": False, "sample_action_map": True}, 3, True),
        ("DiscountingChain-bsuite", {}, 100, True),
        ("DiscountingChain-bsuite", {"max_steps_in_episode": 7}, 7, True),
        ("MemoryChain-bsuite", {}, 6, True),
        ("MemoryChain-bsuite", {"memory_length": 2000}, 1000, False),
        ("UmbrellaChain-bsuite", {}, 10, True),
        ("UmbrellaChain-bsuite", {"chain_length": 300}, 100, False),
        ("SimpleBandit-bsuite", {}, 1, True),
    ]
    for task_id, options, length, terminates in cases:
        pool = envpool.make_gymnasium(task_id, num_envs=3, seed=3, **options)
        pool.reset()
        for t in range(1, length + 1):
            obs, _, terminated, truncated, info = pool.step(np.array([0, 1, 0]))
            over = t == length
            assert (terminated == (over and terminates)).all(), (task_id, t)
            assert (truncated == (over and not terminates)).all(), (task_id, t)
        assert (info["elapsed_step"] == length).all()
        assert all(pool.single_observation_space.contains(one) for one in obs)
        pool.close()


@pytest.mark.parametrize("task_id", IDS)
def test_the_interface_matches_gymnax(task_id):
    (env, params), (other, other_params) = envpool.jax.make(task_id), gymnax.make(task_id)
    assert env.num_actions == other.num_actions
    obs, state = env.reset(jax.random.key(0), params)
    other_obs, other_state = jax.eval_shape(other.reset, jax.random.key(0), other_params)
    assert (obs.shape, obs.dtype) == (other_obs.shape, other_obs.dtype)
    assert env.observation_space(params).shape == other.observation_space(other_params).shape
    assert env.observation_space(params).contains(obs)
    ours = env.step(jax.random.key(1), state, 0, params)
    if task_id != "SimpleBandit-bsuite":  # In gymnax 0.0.9, this id's first step raises an error.
        theirs = jax.eval_shape(other.step, jax.random.key(1), other_state, 0, other_params)
        assert len(ours) == len(theirs)
        assert ours[0].shape == theirs[0].shape and ours[3].dtype == theirs[3].dtype
    for name, value in vars(other_params).items():
        if name == "reward_timestep":  # Here, this is an option of make and not a parameter.
            continue
        changed = params.replace(**{name: value})
        assert getattr(changed, name) == np.float32(value)
        if name != "randomize_actions":  # The default of gymnax 0.0.9 is not bsuite's, unlike ours.
            np.testing.assert_array_equal(jax.tree.leaves(changed), jax.tree.leaves(params), name)


def test_params_change_the_dynamics():
    env, params = envpool.jax.make("UmbrellaChain-bsuite")
    lengths = params.replace(chain_length=np.array([1, 2]))
    _, state = env.reset(jax.random.key(0), params)
    step = jax.vmap(lambda p: env.step(jax.random.key(0), state, 1, p)[3], in_axes=(lengths.axes(),))
    done = step(lengths)
    assert done.tolist() == [True, False]
    env, params = envpool.jax.make("DiscountingChain-bsuite")
    shorter = params.replace(max_steps_in_episode=2, optimal_return=7.0)
    _, state = env.reset(jax.random.key(0), shorter)
    obs, state, reward, done, info = env.step_env(None, state, 0, shorter)
    assert obs.tolist() == [0, 0.5] and reward == 7 and not done
    *_, done, info = env.step_env(None, state, 0, shorter)
    assert done and info["terminated"]


def test_steps_from_invalid_states_are_memory_safe():
    for task_id, fields in [
        ("Catch-bsuite", {"ball_x": -5, "ball_y": 10**6, "paddle_x": -(2**31)}),
        ("DeepSea-bsuite", {"row": -7, "column": 10**9}),
        ("DiscountingChain-bsuite", {"context": 10**9, "time": 5}),
        ("MemoryChain-bsuite", {"query": -3, "time": 5}),
    ]:
        env, params = envpool.jax.make(task_id)
        _, state = env.reset(jax.random.key(0), params)
        env.step_env(None, state.replace(**fields), 1, params)


INVALID = [
    ("Catch-bsuite", {"rows": 1}, ValueError, ["rows", "from 2 to 1024", "got 1"]),
    ("DeepSea-bsuite", {"size": 0}, ValueError, ["size", "from 1 to 1024", "got 0"]),
    ("DeepSea-bsuite", {"mapping_seed": -1}, ValueError, ["mapping_seed", "got -1"]),
    ("MemoryChain-bsuite", {"num_bits": 65}, ValueError, ["num_bits", "from 1 to 64", "got 65"]),
    ("MemoryChain-bsuite", {"memory_length": 0}, ValueError, ["memory_length", "got 0"]),
    ("UmbrellaChain-bsuite", {"n_distractor": -1}, ValueError, ["n_distractor", "got -1"]),
    ("SimpleBandit-bsuite", {"num_actions": 2.5}, TypeError, ["num_actions", "an int", "got 2.5"]),
    ("DiscountingChain-bsuite", {"n_actions": 6}, ValueError, ["reward_timestep", "each of 6", "'1 3 10 30 100'"]),
    ("DiscountingChain-bsuite", {"reward_timestep": [1, 2]}, ValueError, ["reward_timestep", "each of 5", "'1 2'"]),
    ("DiscountingChain-bsuite", {"reward_timestep": "1 2 3 4 x"}, ValueError, ["reward_timestep", "'1 2 3 4 x'"]),
    ("DiscountingChain-bsuite", {"reward_timestep": "1 2 3 4 0"}, ValueError, ["reward_timestep", "at least 1"]),
    ("DiscountingChain-bsuite", {"reward_timestep": 4}, TypeError, ["reward_timestep", "sequence of ints", "got 4"]),
    ("DiscountingChain-bsuite", {"reward_timestep": [1.5]}, TypeError, ["reward_timestep", "sequence of ints", "1.5"]),
    ("DiscountingChain-bsuite", {"reward_timestep": [0]}, ValueError, ["reward_timestep: expected ints of at least 1"]),
    (
        "DiscountingChain-bsuite",
        {"reward_timestep": [10**5000]},
        ValueError,
        ["reward_timestep: expected", "be printed"],
    ),
]


@pytest.mark.parametrize("make", [envpool.make_spec, envpool.make_gymnasium])
@pytest.mark.parametrize(("task_id", "options", "error", "words"), INVALID, ids=shown)
def test_invalid_options(make, task_id, options, error, words):
    assert_refused(make, task_id, options, error, words)


def test_reward_timestep_may_be_a_list_tuple_array_or_text():
    for steps in ([4, 2, 1, 1, 9], (4, 2, 1, 1, 9), np.array([4, 2, 1, 1, 9]), jnp.array([4, 2, 1, 1, 9]), "4 2 1 1 9"):
        spec = envpool.make_spec("DiscountingChain-bsuite", reward_timestep=steps)
        assert spec.config.reward_timestep == "4 2 1 1 9"
