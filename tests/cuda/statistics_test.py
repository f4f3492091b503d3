# SPDX-License-Identifier: Apache-2.0
"""Tests that the statistics of pools on a GPU are those of pools on the CPU, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import envpool
from tests.cuda.device_arrays import make

pytestmark = pytest.mark.usefixtures("stand_in")


def both(task_id: str, num_envs: int, **options: Any) -> tuple[Any, Any]:
    """Returns a pool on the device and one on the CPU, with the returns of episodes."""
    given = {"episode_statistics": True, "seed": 3, **options}
    return make(task_id, num_envs, **given), envpool.make_gymnasium(task_id, num_envs=num_envs, **given)


def check(ours: dict[str, Any], theirs: dict[str, Any]) -> int:
    """Compares the statistics of two infos, and returns how many episodes are longer than a step."""
    assert ours["episode_return"].dtype == np.float64
    np.testing.assert_array_equal(ours["episode_return"].numpy(), theirs["episode_return"])
    np.testing.assert_array_equal(ours["episode_length"].numpy(), theirs["episode_length"])
    return int((theirs["episode_length"] > 1).sum())


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize("mode", ["next_step", "same_step"])
@pytest.mark.parametrize(
    ("task_id", "options", "steps"),
    [
        ("CartPole-v1", {"max_episode_steps": 9}, 60),
        ("Pendulum-v1", {"max_episode_steps": 7}, 30),
        # The return sums the rewards before they are clipped. Each step of this game has one.
        ("Skiing-v5", {"reward_clip": True, "episodic_life": True, "max_episode_steps": 5}, 12),
    ],
)
def test_returns_are_those_of_the_cpu(task_id: str, options: dict[str, Any], steps: int, mode: str) -> None:
    count = 3 if task_id == "Skiing-v5" else 40
    device, cpu = both(task_id, count, autoreset_mode=mode, **options)
    rng = np.random.default_rng(0)
    check(device.reset()[1], cpu.reset()[1])
    longer = 0
    for _ in range(steps):
        action = np.array([cpu.action_space.sample() for _ in range(count)])
        if task_id == "Pendulum-v1":
            action = rng.uniform(-2, 2, (count, 1)).astype(np.float32)
        longer += check(device.step(action)[-1], cpu.step(action)[-1])
    assert longer > steps
    np.testing.assert_array_equal(device.statistics()["episode_return"], cpu.statistics()["episode_return"])
    device.close()


def test_subsets_clones_and_restored_states() -> None:
    device, cpu = both("CartPole-v1", 6, autoreset_mode="disabled")
    check(device.reset()[1], cpu.reset()[1])
    for env_ids in ([0, 1, 2, 3, 4, 5], [5, 2], [4], [2, 0]):
        ids, action = np.array(env_ids, np.int32), np.zeros(len(env_ids), np.int32)
        check(device.step(action, ids)[-1], cpu.step(action, ids)[-1])
    for pool in (device, cpu):
        pool.clone([2, 4], [1, 3])
    kept = cpu.statistics()["episode_return"]
    np.testing.assert_array_equal(kept, [2, 3, 3, 2, 2, 2])
    np.testing.assert_array_equal(device.statistics()["episode_return"], kept)
    check(device.observe()[-1], cpu.observe()[-1])
    for pool in (device, cpu):
        pool.restore([0, 5], pool.snapshot([4, 2]))
    np.testing.assert_array_equal(np.isnan(device.statistics()["episode_return"]), [1, 0, 0, 0, 0, 1])
    for pool in (device, cpu):
        pool.set_statistics({"episode_return": kept})
    action = np.ones(6, np.int32)
    check(device.step(action)[-1], cpu.step(action)[-1])
    check(device.reset()[1], cpu.reset()[1])
    device.close()


def test_groups_of_an_asynchronous_pool() -> None:
    device = make("CartPole-v1", 8, batch_size=4, max_episode_steps=6, episode_statistics=True)
    device.async_reset()
    longest = np.zeros(8)
    for _ in range(20):
        *_, info = device.recv()
        env_ids, returns = info["env_id"].numpy(), info["episode_return"].numpy()
        np.testing.assert_array_equal(returns, info["episode_length"].numpy())  # each step has a reward of 1
        longest[env_ids] = np.maximum(longest[env_ids], returns)
        device.send(np.zeros(len(env_ids), np.int32), env_ids)
    np.testing.assert_array_equal(longest, 6)
    device.close()


def test_statistics_that_are_refused() -> None:
    device = make("CartPole-v1", episode_statistics=True)
    device.reset()
    for values in ({"episode_return": [1.0]}, {"obs": {"mean": [1.0]}}, {"episode_return": ["a"] * 4}):
        with pytest.raises((TypeError, ValueError)):
            device.set_statistics(values)
    with pytest.raises(RuntimeError, match="update_running_mean"):
        _ = device.update_running_mean
    device.close()
    with pytest.raises(RuntimeError, match="closed"):
        device.statistics()
    with pytest.raises(ValueError, match="normalize_obs.*do not normalize"):
        make("CartPole-v1", normalize_obs=True)
    with pytest.raises(RuntimeError, match="statistics: expected a pool made with"):
        make("CartPole-v1").statistics()
