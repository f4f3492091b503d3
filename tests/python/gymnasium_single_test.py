# SPDX-License-Identifier: Apache-2.0
"""Compares environments of `gymnasium.make("envpool/...")` with a pool, and runs gymnasium's own checker on them."""

import re
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import envpool
import tests.environments.registration  # noqa: F401  (registers the test environments)
from tests.python.actions_test import Tensor

TASKS = ["CartPole-v1", "Pendulum-v1", "Blackjack-v1", "MinAtar/Breakout-v0", "MiniGrid-Empty-5x5-v0", "Counter-v0"]


@pytest.mark.parametrize("task_id", TASKS)
def test_gymnasiums_checker(task_id):
    env = gymnasium.make(f"envpool/{task_id.replace('/', '-')}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings about infinite bounds and images
        check_env(env.unwrapped, skip_render_check=True)
    env.close()


@pytest.mark.parametrize("task_id", TASKS)
def test_steps_equal_a_pools(task_id):
    single = gymnasium.make(f"envpool/{task_id.replace('/', '-')}")
    pool = envpool.make(task_id, seed=7, autoreset_mode="disabled")
    single.action_space.seed(3)
    observation, _ = single.reset(seed=7)
    expected, _ = pool.reset()
    for _ in range(60):
        assert single.observation_space.contains(observation)
        first = {key: value[0] for key, value in expected.items()} if isinstance(expected, dict) else expected[0]
        np.testing.assert_equal(observation, first)
        action = single.action_space.sample()
        observation, reward, terminated, truncated, info = single.step(action)
        expected, rewards, ends, cuts, infos = pool.step(np.asarray([action]))
        assert (reward, terminated, truncated) == (rewards[0], ends[0], cuts[0])
        assert info["elapsed_step"] == infos["elapsed_step"][0]
        if terminated or truncated:
            observation, _ = single.reset()
            expected, _ = pool.reset()


# The newest versions, because gymnasium warns about others.
NEWEST = ["CartPole-v1", "Pendulum-v1", "Blackjack-v1", "Taxi-v4", "MinAtar/Breakout-v1", "MiniGrid-Empty-5x5-v0"]
NEWEST += ["Counter-v1", "AllTypes-v0", "HumanoidCMUStand-v1", "Ant-v5", "ALE/Pong-v5"]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("task_id", NEWEST)
def test_gymnasiums_passive_checker_issues_no_warning(task_id):
    env = gymnasium.make(f"envpool/{task_id.replace('/', '-')}")
    env.action_space.seed(1)
    env.reset(seed=1)
    for _ in range(5):
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            env.reset()
    env.close()


def test_time_limit_of_gymnasium():
    env = gymnasium.make("envpool/Pendulum-v1", max_episode_steps=300)
    env.reset(seed=1)
    ends = [env.step(env.action_space.sample())[3] for _ in range(300)]
    assert ends.index(True) == 299
    assert gymnasium.make("envpool/Pendulum-v1").spec.max_episode_steps == 200


def test_images():
    env = gymnasium.make("envpool/AllTypes-v0", render_mode="rgb_array")
    env.reset()
    assert env.render().shape == (8, 8, 3)
    env.close()


@pytest.mark.parametrize(
    ("task_id", "options", "words"),
    [
        ("CartPole-v1", {"num_envs": 8}, 'num_envs: expected 1 .* got 8; gymnasium.make_vec("envpool/CartPole-v1"'),
        ("CartPole-v1", {"batch_size": 4}, "batch_size: expected 1 .* got 4"),
        ("TagGridWorld-v0", {}, "expected an environment of one player .* see make_pettingzoo"),
        ("CartPole-v1", {"device": "cuda"}, "device: expected 'cpu'"),
    ],
)
def test_bad_options(task_id, options, words):
    pattern = ".*".join(map(re.escape, words.split(" .* ")))
    with pytest.raises(ValueError, match=rf"\[{task_id}\] .*{pattern}"):
        gymnasium.make(f"envpool/{task_id}", **options)


def test_bad_calls():
    env = gymnasium.make("envpool/CartPole-v1").unwrapped
    with pytest.raises(
        ValueError, match=r"^\[CartPole-v1\] options: expected only 'low', 'high', 'max_episode_steps', .*, got 'x'$"
    ):
        env.reset(options={"x": 1})
    with pytest.raises(ValueError, match=r"\[CartPole-v1\] options: expected no 'reset_mask'"):
        env.reset(options={"reset_mask": np.ones(1, bool)})
    env.reset()
    with pytest.raises(ValueError, match=r"\[CartPole-v1\] action"):
        env.step(2)
    with pytest.raises(ValueError, match=r"\[CartPole-v1\] action"):
        env.step([0, 1])
    with pytest.raises(TypeError, match=r"^\[CartPole-v1\] action: .* got Tensor: Use tensor.detach\(\)"):
        env.step(Tensor())
    with pytest.raises(TypeError, match=r"^\[CartPole-v1\] action: .* got None$"):
        env.step(None)
