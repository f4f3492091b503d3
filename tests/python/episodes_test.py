# SPDX-License-Identifier: Apache-2.0
"""Tests the ends of episodes, autoreset modes, and seeds."""

import numpy as np
import pytest

import envpool
from tests.python.interfaces import INTERFACES, autoreset_constant, make


def test_next_step_autoreset():
    env = envpool.make_gymnasium("Counter-v0", num_envs=2)
    env.reset()
    observation, _, terminated, _, _ = env.step([1, 0])
    assert observation[:, 0].tolist() == [1, 1]
    assert terminated.tolist() == [True, False]
    observation, reward, terminated, _, info = env.step([1, 0])  # the first action is discarded
    assert observation[:, 0].tolist() == [0, 2]
    assert reward.tolist() == [0, 1]
    assert not terminated.any()
    assert info["elapsed_step"].tolist() == [0, 2]


@pytest.mark.parametrize("make_function", [envpool.make_gymnasium, envpool.make_vec])
def test_same_step_autoreset(make_function):
    env = make_function("Counter-v1", num_envs=2, autoreset_mode=autoreset_constant("same_step"))
    assert env.metadata["autoreset_mode"] == autoreset_constant("same_step")
    _, info = env.reset()
    luck = info["luck"].copy()
    assert "final_obs" not in info
    _, _, _, _, info = env.step([0, 0])
    assert "final_obs" not in info
    observation, reward, terminated, _, info = env.step([1, 0])
    assert observation[:, 0].tolist() == [0, 2]
    assert reward.tolist() == [1, 1]
    assert terminated.tolist() == info["_final_obs"].tolist() == info["_final_info"].tolist() == [True, False]
    assert info["final_obs"][0].tolist() == [2, 2]
    assert info["final_info"]["luck"][0] == luck[0] != info["luck"][0]
    assert info["elapsed_step"].tolist() == [2, 2]  # counts the steps of the ended episode, not of the new one


def test_disabled_autoreset():
    env = envpool.make_gymnasium("Counter-v0", num_envs=2, autoreset_mode="disabled")
    env.reset()
    env.step([1, 0])
    with pytest.raises(ValueError, match="environment 0, whose episode is over"):
        env.step([0, 0])
    assert env.step([0], [1])[0].tolist() == [[2, 2]]
    env.reset([0])
    assert env.step([0, 0])[0][:, 0].tolist() == [1, 3]


def test_terminated_and_truncated_are_independent():
    env = envpool.make_gymnasium("Counter-v1", num_envs=2)
    env.reset()
    for _ in range(4):
        env.step([0, 0])
    _, _, terminated, truncated, _ = env.step([1, 0])  # the fifth step, which is also the time limit
    assert terminated.tolist() == [True, False]
    assert truncated.tolist() == [True, True]


def test_dm_discount_is_one_on_truncation():
    env = envpool.make_dm("Counter-v1", num_envs=2, max_episode_steps=2)
    env.reset()
    step = env.step(np.array([1, 0]))
    assert step.discount.tolist() == [0, 1]
    step = env.step(np.array([0, 0]))
    assert step.step_type.tolist() == [0, 2]
    assert step.discount.tolist() == [1, 1]


def luck_of(env, **options):
    return env.reset(**options)[1]["luck"]


@pytest.mark.parametrize("interface", INTERFACES)
def test_reset_with_a_seed(interface):
    env = make(interface, "Counter-v0", num_envs=4, gym_reset_return_info=True)

    def draw(**options):
        result = env.reset(**options)
        return (result.observation.luck if interface == "dm" else result[1]["luck"]).tolist()

    first = draw(seed=5)
    assert draw() != first
    assert draw(seed=5) == first
    assert draw(seed=6) != first
    assert draw(env_id=[2, 1], seed=5) == [first[2], first[1]]
    env.seed(5)
    assert draw() == first
    assert draw() != first


@pytest.mark.parametrize("interface", INTERFACES)
def test_a_reset_with_a_seed_replaces_that_of_the_method(interface):
    env = make(interface, "Counter-v0", num_envs=2)
    env.seed(5)
    env.reset(seed=7)
    twin = make(interface, "Counter-v0", num_envs=2)
    twin.reset(seed=7)
    assert env.snapshot() == twin.snapshot()
    env.reset()
    twin.reset()
    assert env.snapshot() == twin.snapshot()


def test_a_refused_reset_keeps_the_seed():
    env = envpool.make("Counter-v0", num_envs=2)
    first = luck_of(env, seed=5).tolist()
    env.seed(5)
    with pytest.raises(ValueError, match="env_id"):
        env.reset([9])
    assert luck_of(env).tolist() == first


def test_seeds_share_no_stream():
    seen = [int(word) for seed in range(42, 52) for word in luck_of(envpool.make("Counter-v0", num_envs=50, seed=seed))]
    assert len(set(seen)) == len(seen)


def test_default_seed_and_seed_none():
    default = luck_of(envpool.make("Counter-v0", num_envs=3)).tolist()
    assert luck_of(envpool.make("Counter-v0", num_envs=3, seed=42)).tolist() == default
    fresh = envpool.make("Counter-v0", num_envs=3, seed=None)
    drawn = luck_of(fresh).tolist()
    assert drawn != default
    assert luck_of(envpool.make("Counter-v0", num_envs=3, seed=fresh.config["seed"])).tolist() == drawn


def test_seed_of_each_environment():
    pool = luck_of(envpool.make("Counter-v0", num_envs=3, seed=[9, 8, 9])).tolist()
    assert pool[0] == pool[2] != pool[1]
    assert luck_of(envpool.make("Counter-v0", num_envs=3, env_seed=[9, 8, 9])).tolist() == pool
    env = envpool.make("Counter-v0", num_envs=3)
    assert luck_of(env, seed=[9, 8, 9]).tolist() == pool
    assert luck_of(env, env_id=[1], seed=[8]).tolist() == [pool[1]]
    big = luck_of(envpool.make("Counter-v0", num_envs=2, seed=2**64 - 1)).tolist()
    assert big != luck_of(envpool.make("Counter-v0", num_envs=2, seed=2**32 - 1)).tolist()


def test_trajectories_do_not_depend_on_the_size_of_the_pool():
    small = luck_of(envpool.make("Counter-v0", num_envs=2)).tolist()
    assert luck_of(envpool.make("Counter-v0", num_envs=20)).tolist()[:2] == small
