# SPDX-License-Identifier: Apache-2.0
"""Tests mixed pools of Python environments, whose worker processes step the environments of each task."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import envpool
from envpool.python.errors import EnvError

gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("cloudpickle")
spaces = gymnasium.spaces


class Walk(gymnasium.Env):
    """A random walk, whose steps have a given length. Action 2 fails."""

    observation_space = spaces.Box(-np.inf, np.inf, (1,), np.float64)
    action_space = spaces.Discrete(3)

    def __init__(self, length: float = 1.0, delay: float = 0.0) -> None:
        self.length, self.delay = length, delay

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.at = self.np_random.normal()
        return np.array([self.at]), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if action == 2:
            raise ValueError("no such way")
        time.sleep(self.delay)
        self.at += self.length * self.np_random.normal() * (1 if action else -1)
        return np.array([self.at]), self.length, abs(self.at) > 4, False, {}


@pytest.fixture(scope="module", autouse=True)
def register() -> None:
    envpool.register_python("Stroll-v0", Walk)
    envpool.register_python("March-v0", lambda length=2.0, delay=0.0: Walk(length, delay))


def rows(env: Any, steps: int) -> list[list[Any]]:
    """Returns the rows of each environment, with its task."""
    played: list[list[Any]] = [[] for _ in range(env.num_envs)]
    env.async_reset()
    while min(map(len, played)) < steps:
        obs, reward, terminated, truncated, info = env.recv()
        ids = info["env_id"].tolist()
        tasks = info.get("task_id", np.zeros(len(ids), int)).tolist()
        for row, env_id in enumerate(ids):
            played[env_id].append((obs[row].item(), reward[row], terminated[row], truncated[row], tasks[row]))
        env.send([(len(played[env_id]) + env_id) % 2 for env_id in ids], ids)
    return [each[:steps] for each in played]


IDS, COUNTS = ["Stroll-v0", "March-v0", "Stroll-v0"], [2, 1, 2]


@pytest.fixture(scope="module", name="alone")
def rows_of_separate_pools() -> list[list[Any]]:
    """The rows of each environment, as separate pools return them."""
    pools = {}
    for task_id in set(IDS):
        with envpool.make(task_id, num_envs=5, seed=3) as separate:
            pools[task_id] = rows(separate, 20)
    tasks = np.repeat(range(3), COUNTS).tolist()
    return [[(*row[:-1], task) for row in pools[IDS[task]][env_id]] for env_id, task in enumerate(tasks)]


@pytest.mark.parametrize(("batch_size", "delay", "steps"), [(0, 0.0, 20), (1, 0.0, 20), (3, 0.08, 4)])
def test_rows_equal_those_of_separate_pools(alone: list[list[Any]], batch_size: int, delay: float, steps: int) -> None:
    """A wait of more than 50 ms publishes the rows that are complete."""
    own = [{}, {"delay": delay}, {}]
    with envpool.make(IDS, envs_per_task=COUNTS, seed=3, batch_size=batch_size, task_options=own) as env:
        assert rows(env, steps) == [each[:steps] for each in alone]


def test_failures_and_states() -> None:
    with envpool.make(["Stroll-v0", "March-v0"], num_envs=4) as env:
        env.reset()
        with pytest.raises(EnvError, match="environment 2: ValueError: no such way") as caught:
            env.step([0, 1, 2, 0])
        assert caught.value.env_id == [2]
        env.restore(2, env.snapshot(3))
        obs = env.step([0, 0, 1, 1])[0]
        assert obs[2] == obs[3]
        with pytest.raises(ValueError, match=r"^\[Stroll-v0\] restore"):
            env.restore(0, env.snapshot(3))
