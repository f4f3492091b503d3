# SPDX-License-Identifier: Apache-2.0
"""Tests that the statistics of pools on a GPU are those of pools on the CPU.

Returns are equal bit for bit. Moments are added up in another order, and in float64, so they are equal up to rounding.
"""

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


def check_close(ours: Any, theirs: Any) -> None:
    """Compares statistics, or arrays of results."""
    if isinstance(theirs, dict):
        assert ours.keys() == theirs.keys()
        for name, value in theirs.items():
            check_close(ours[name], value)
        return
    mine = ours.numpy() if hasattr(ours, "numpy") else np.asarray(ours)
    assert mine.shape == np.shape(theirs)
    np.testing.assert_allclose(mine, theirs, rtol=3e-5, atol=3e-6)


NORMALIZED = [
    ("CartPole-v1", {"normalize_obs": True}),  # float32, few columns
    ("CartPole-v1", {"normalize_obs": {"clip": 0.5}, "normalize_reward": {"gamma": 0.9, "clip": 1.5}}),
    ("InvertedDoublePendulum-v5", {"normalize_obs": True, "normalize_reward": True}),  # float64
    ("MiniGrid-Empty-5x5-v0", {"normalize_obs": True, "observation": "flat"}),  # uint8, thousands of columns
    ("Pendulum-v1", {"normalize_reward": True, "episode_statistics": True}),
]


@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
@pytest.mark.parametrize(("task_id", "options"), NORMALIZED)
def test_normalized_values_are_close_to_those_of_the_cpu(task_id: str, options: dict[str, Any], mode: str) -> None:
    count, given = 41, {"seed": 3, "max_episode_steps": 9, "autoreset_mode": mode, **options}
    device, cpu = make(task_id, 41, **given), envpool.make_gymnasium(task_id, num_envs=count, **given)
    cpu.action_space.seed(0)
    check_close(device.reset()[0], cpu.reset()[0])
    for step in range(30):
        action = np.array([cpu.action_space.sample() for _ in range(count)])
        if mode == "disabled" and step % 3 == 2:
            check_close(device.reset()[0], cpu.reset()[0])
            continue
        ours, theirs = device.step(action), cpu.step(action)
        check_close(ours[0], theirs[0])
        check_close(ours[1], theirs[1])
        if mode == "same_step" and (ended := theirs[2] | theirs[3]).any():
            check_close(ours[-1]["final_obs"].numpy()[ended], theirs[-1]["final_obs"][ended])
        if step == 20:
            for pool in (device, cpu):
                pool.update_running_mean = False
    check_close(device.statistics(), cpu.statistics())
    check_close(device.observe()[0], cpu.observe()[0])
    copied = device.statistics()
    device.set_statistics(cpu.statistics())
    cpu.set_statistics(copied)
    check_close(device.statistics(), copied)
    device.close()


def test_moments_of_many_rows() -> None:
    """Several blocks add the rows, of more columns than a block has threads in one case."""
    for task_id, count, options in (("Pendulum-v1", 5000, {}), ("MiniGrid-Empty-5x5-v0", 300, {"observation": "flat"})):
        device, cpu = (
            envpool.make_gymnasium(task_id, num_envs=count, seed=1, normalize_obs=True, device=on, **options)
            for on in ("cuda", "cpu")
        )
        check_close(device.reset()[0], cpu.reset()[0])
        check_close(device.statistics(), cpu.statistics())
        some = np.arange(count * 4 // 5, dtype=np.int32)  # in other chunks
        action = np.stack([cpu.action_space.sample()] * len(some))
        check_close(device.step(action, some)[0], cpu.step(action, some)[0])
        check_close(device.statistics(), cpu.statistics())
        assert device.statistics()["obs"]["count"] == pytest.approx(count + len(some) + 1e-4)
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
    device = make("CartPole-v1", normalize_obs=True)
    device.close()
    with pytest.raises(RuntimeError, match="closed"):
        device.update_running_mean = False
    with pytest.raises(ValueError, match="normalize_obs: expected False with batch_size=2"):
        make("CartPole-v1", normalize_obs=True, batch_size=2)
    with pytest.raises(RuntimeError, match="statistics: expected a pool made with"):
        make("CartPole-v1").statistics()
