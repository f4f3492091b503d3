# SPDX-License-Identifier: Apache-2.0
"""Compares normalized observations and rewards, bit for bit, with gymnasium's vector wrappers around pools without them."""

import gymnasium
import numpy as np
import pytest

import envpool
from tests.python.played import assert_same_bits, like_ours, play, wrappers

pytestmark = pytest.mark.usefixtures("ends_promptly")

# Observations of float32, of bytes, of one column and of many.
IDS = [
    ("CartPole-v1", {"max_episode_steps": 9}),
    ("Pendulum-v1", {"max_episode_steps": 7}),
    ("Acrobot-v1", {"max_episode_steps": 5}),
    ("MountainCarContinuous-v0", {"max_episode_steps": 6}),
    ("Pong-v5", {"obs_type": "ram", "max_episode_steps": 4, "noop_max": 1}),
    ("Breakout-v5", {"img_height": 20, "img_width": 13, "stack_num": 2, "max_episode_steps": 5, "noop_max": 1}),
]
MODES = ["next_step", "same_step", "disabled"]


@like_ours
@pytest.mark.parametrize("num_envs", [1, 3, 8, 40, 300])
@pytest.mark.parametrize(("task_id", "options"), IDS, ids=[task_id for task_id, _ in IDS])
def test_observations_are_those_of_the_wrapper(task_id, options, num_envs):
    epsilon = 1e-8 if num_envs % 2 else 0.03
    env = envpool.make_vec(
        task_id, num_envs=num_envs, seed=3, normalize_obs={"epsilon": epsilon} if epsilon != 1e-8 else True, **options
    )
    wrapped = wrappers.NormalizeObservation(envpool.make_vec(task_id, num_envs=num_envs, seed=3, **options), epsilon)
    assert env.single_observation_space == wrapped.single_observation_space
    for ours, theirs in zip(play(env, 25, 1, (4, 17)), play(wrapped, 25, 1, (4, 17)), strict=True):
        assert_same_bits(ours[0], theirs[0])
        assert ours[0].base is None or ours[0].flags.writeable
        moments = env.statistics()["obs"]
        assert_same_bits(np.asarray(moments["mean"]), wrapped.obs_rms.mean)
        assert_same_bits(np.asarray(moments["var"]), wrapped.obs_rms.var)
        assert moments["count"] == wrapped.obs_rms.count


@like_ours
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("num_envs", [1, 7, 9, 130, 300])
@pytest.mark.parametrize("task_id", ["CartPole-v1", "Pendulum-v1", "MountainCarContinuous-v0"])
def test_rewards_are_those_of_the_wrapper(task_id, num_envs, mode):
    options = {"num_envs": num_envs, "seed": 5, "autoreset_mode": mode, "max_episode_steps": 11}
    gamma, epsilon = (0.99, 1e-8) if num_envs < 9 else (0.7, 0.01)
    env = envpool.make_vec(task_id, normalize_reward={"gamma": gamma, "epsilon": epsilon}, **options)
    wrapped = wrappers.NormalizeReward(envpool.make_vec(task_id, **options), gamma, epsilon)
    steps = zip(play(env, 60, 2, (20, 41)), play(wrapped, 60, 2, (20, 41)), strict=True)
    for ours, theirs in steps:
        if len(ours) == 5:
            assert_same_bits(ours[1], theirs[1].astype(np.float32))
        moments = env.statistics()["reward"]
        assert moments["mean"] == wrapped.return_rms.mean
        assert moments["var"] == wrapped.return_rms.var
        assert moments["count"] == wrapped.return_rms.count
        assert_same_bits(moments["discounted_return"], wrapped.accumulated_reward)


@like_ours
def test_both_normalizations_and_frozen_moments():
    options = {"num_envs": 12, "seed": 1, "max_episode_steps": 20}
    env = envpool.make_vec("Pendulum-v1", normalize_obs=True, normalize_reward=True, **options)
    wrapped = wrappers.NormalizeObservation(envpool.make_vec("Pendulum-v1", **options))
    wrapped = wrappers.NormalizeReward(wrapped)
    for index, (ours, theirs) in enumerate(zip(play(env, 90), play(wrapped, 90), strict=True)):
        assert_same_bits(ours[0], theirs[0])
        if len(ours) == 5:
            assert_same_bits(ours[1], theirs[1].astype(np.float32))
        env.update_running_mean = wrapped.update_running_mean = wrapped.env.update_running_mean = not 30 < index < 60
        assert env.update_running_mean is (not 30 < index < 60)


def expected_moments(mean, var, count, rows):
    """Returns gymnasium's update of moments, in float64."""
    total = count + len(rows)
    delta = rows.mean(0) - mean
    squares = var * count + rows.var(0) * len(rows) + delta**2 * count * len(rows) / total
    return mean + delta * len(rows) / total, squares / total, total


def test_a_batch_of_some_environments_counts_its_rows_only():
    options = {"num_envs": 6, "seed": 3}
    env, plain = envpool.make("Pendulum-v1", normalize_obs=True, **options), envpool.make("Pendulum-v1", **options)
    generator = np.random.default_rng(0)
    moments = (0.0, 1.0, 1e-4)
    for ids in ([0, 1, 2, 3, 4, 5], [4, 1], [2], [5, 3, 0], [1, 2]):
        if len(ids) != 2:
            seen, rows = env.reset(ids)[0], plain.reset(ids)[0]
        else:
            action = generator.uniform(-2, 2, (2, 1)).astype(np.float32)
            seen, rows = env.step(action, ids)[0], plain.step(action, ids)[0]
        moments = expected_moments(*moments, rows.astype(np.float64))
        np.testing.assert_allclose(env.statistics()["obs"]["mean"], moments[0], rtol=1e-5)
        np.testing.assert_allclose(env.statistics()["obs"]["var"], moments[1], rtol=1e-5)
        np.testing.assert_allclose(seen, (rows - moments[0]) / np.sqrt(moments[1] + 1e-8), rtol=1e-4, atol=1e-5)


def test_the_clips_limit_results():
    options = {"num_envs": 5, "seed": 3, "max_episode_steps": 9}
    clips = {"normalize_obs": {"clip": 0.8}, "normalize_reward": {"clip": 0.3, "gamma": 0.5}}
    env = envpool.make_vec("Pendulum-v1", **clips, **options)
    free = envpool.make_vec("Pendulum-v1", normalize_obs=True, normalize_reward={"gamma": 0.5}, **options)
    assert env.single_observation_space == gymnasium.spaces.Box(-0.8, 0.8, (3,), np.float32)
    clipped = 0
    for ours, theirs in zip(play(env, 40), play(free, 40), strict=True):
        assert_same_bits(ours[0], theirs[0].clip(np.float32(-0.8), np.float32(0.8)))
        if len(ours) == 5:
            assert_same_bits(ours[1], theirs[1].clip(np.float32(-0.3), np.float32(0.3)))
            clipped += (ours[1] != theirs[1]).sum()
    assert clipped > 10


def test_last_observations_are_normalized_by_the_same_moments():
    options = {"num_envs": 4, "seed": 3, "autoreset_mode": "same_step", "max_episode_steps": 5}
    env, plain = envpool.make("Pendulum-v1", normalize_obs=True, **options), envpool.make("Pendulum-v1", **options)
    for (ours, theirs), step in zip(zip(play(env, 12), play(plain, 12), strict=True), range(13), strict=True):
        moments = env.statistics()["obs"]
        deviation = np.sqrt(moments["var"] + np.float32(1e-8))
        assert_same_bits(ours[0], (theirs[0] - moments["mean"]) / deviation)
        assert ("final_obs" in ours[-1]) == (step in (5, 10))
        if "final_obs" in ours[-1]:
            assert_same_bits(ours[-1]["final_obs"], (theirs[-1]["final_obs"] - moments["mean"]) / deviation)


class Numbers(gymnasium.Env):
    """Observes random numbers of the option `kind`: a dtype and a shape."""

    KINDS = {
        "one column": (np.float32, (1,)),
        "a number": (np.float32, ()),
        "doubles": (np.float64, (5,)),
        "one double": (np.float64, ()),
        "int32": (np.int32, (2,)),
        "int64": (np.int64, (3, 2)),
        "bytes": (np.uint8, (70,)),
    }

    def __init__(self, kind="one column"):
        self.dtype, self.shape = self.KINDS[kind]
        low, high = (0, 255) if self.dtype == np.uint8 else (-1000, 1000)
        self.observation_space = gymnasium.spaces.Box(low, high, self.shape, self.dtype)
        self.action_space = gymnasium.spaces.Discrete(2)

    def observed(self):
        return self.np_random.uniform(0, 255, self.shape).astype(self.dtype) if self.shape else self.number()

    def number(self):
        return np.array(self.np_random.uniform(0, 255), self.dtype)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.observed(), {}

    def step(self, action):
        return self.observed(), self.np_random.normal(), self.np_random.random() < 0.1, False, {}


@pytest.fixture(scope="module")
def numbers_id():
    try:
        envpool.register_python("Numbers-v0", Numbers)
        envpool.make("Numbers-v0", num_workers=1).close()
    except RuntimeError as error:
        pytest.skip(str(error))
    return "Numbers-v0"


@like_ours
@pytest.mark.parametrize("num_envs", [5, 150])
@pytest.mark.parametrize("kind", list(Numbers.KINDS))
def test_observations_of_every_dtype_are_those_of_the_wrapper(numbers_id, kind, num_envs):
    options = {"num_envs": num_envs, "seed": 3, "kind": kind, "num_workers": 1}
    with (
        envpool.make_vec(numbers_id, normalize_obs=True, normalize_reward=True, **options) as env,
        envpool.make_vec(numbers_id, **options) as plain,
    ):
        wrapped = wrappers.NormalizeReward(wrappers.NormalizeObservation(plain))
        for ours, theirs in zip(play(env, 12, 1, (5,)), play(wrapped, 12, 1, (5,)), strict=True):
            assert_same_bits(ours[0], theirs[0])
            moments = env.statistics()["obs"]
            assert_same_bits(np.asarray(moments["mean"], wrapped.env.obs_rms.mean.dtype), wrapped.env.obs_rms.mean)
            assert_same_bits(np.asarray(moments["var"], wrapped.env.obs_rms.mean.dtype), wrapped.env.obs_rms.var)
            if len(ours) == 5:
                assert_same_bits(ours[1], theirs[1].astype(np.float32))
