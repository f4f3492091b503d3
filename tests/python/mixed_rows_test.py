# SPDX-License-Identifier: Apache-2.0
"""Tests that the rows of a mixed pool equal those of separate pools, bit for bit."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import envpool
import tests.environments.registration  # noqa: F401  (registers the test environments)

STEPS = 40


class Mix(NamedTuple):
    """A mixed pool: its ids, the options of all and of each, and the number of environments of each."""

    ids: list[str]
    options: dict[str, Any] = {}
    task_options: list[dict[str, Any]] | None = None
    counts: tuple[int, ...] = ()

    @property
    def sizes(self) -> tuple[int, ...]:
        return self.counts or (2,) * len(self.ids)

    def make(self, **options: Any) -> Any:
        return envpool.make(
            self.ids, envs_per_task=self.sizes, task_options=self.task_options, **self.options, **options
        )

    def make_separate(self, task: int, **options: Any) -> Any:
        own = self.task_options[task] if self.task_options else {}
        return envpool.make(self.ids[task], num_envs=sum(self.sizes), **{**self.options, **own}, **options)


MIXES = {
    "time limits": Mix(["CartPole-v0", "CartPole-v1"], task_options=[{"max_episode_steps": 9}, {"length": 0.7}]),
    "levels": Mix(
        ["MiniGrid-DoorKey-6x6-v0", "MiniGrid-Empty-Random-5x5-v0", "MiniGrid-LavaGapS5-v0", "MiniGrid-FourRooms-v0"],
        {"max_episode_steps": 25},
        counts=(1, 3, 2, 1),
    ),
    "games": Mix(["Pong-v5", "Breakout-v5", "Seaquest-v5"], {"full_action_space": True, "max_episode_steps": 15}),
    "a sweep": Mix(["DeepSea-bsuite"] * 3, {"size": 6}, [{"mapping_seed": seed} for seed in range(3)]),
    "robots": Mix(["Hopper-v3", "Hopper-v4"], {"max_episode_steps": 20}, [{}, {"forward_reward_weight": 2.0}], (9, 20)),
    "tasks of a robot": Mix(["WalkerStand-v1", "WalkerWalk-v1", "WalkerRun-v1"], {"max_episode_steps": 15}),
    "players": Mix(["Crowd-v0", "Crowd-v0"], {"max_episode_steps": 6}, [{}, {"fewest": 2}], (2, 3)),
    "one id": Mix(["Counter-v1"], counts=(3,)),
}


def leaves(tree: Any, path: str = "") -> dict[str, Any]:
    """Returns the arrays of a tree of dicts, by their paths."""
    if not isinstance(tree, dict):
        return {path: tree}
    return {name: leaf for key, value in tree.items() for name, leaf in leaves(value, f"{path}/{key}").items()}


def action_of(space: Any, env_id: int, time: int, players: int) -> Any:
    """Returns the actions of the players of one environment. They depend only on the environment and the time."""
    rng = np.random.default_rng([env_id, time])
    if hasattr(space, "n"):
        return rng.integers(0, space.n, players)
    return rng.uniform(space.low, space.high, (players, *space.shape))


def rows_of(env: Any, seed: Any = None) -> tuple[list[bytes], list[set[int]]]:
    """Plays with a pool.

    Returns:
        For each environment, the bytes of its rows in the first steps, without task_id; and the task_ids of its rows.
    """
    rows, tasks = [b""] * env.num_envs, [set() for _ in range(env.num_envs)]
    times = np.zeros(env.num_envs, int)
    several = env.spec.arrays.max_players > 1
    same_step = env.config["autoreset_mode"] == "same_step"
    if env.is_async:
        env.async_reset()
        result = env.recv(reset=True)
    else:
        result = env.reset(seed=seed)
    while True:
        info = result[-1]
        ids, owners = info["env_id"], info["players"]["env_id"]
        numbers = info.pop("task_id", np.zeros(len(ids), int))
        ended = result[2] | result[3] if len(result) == 5 else np.zeros(len(ids), bool)
        arrays = leaves({"obs": result[0], "rest": dict(enumerate(map(np.asarray, result[1:-1]))), "info": info})
        for row, env_id in enumerate(ids.tolist()):
            tasks[env_id].add(int(numbers[row]))
            if times[env_id] > STEPS:
                continue
            for path, array in sorted(arrays.items()):
                if "final" in path and not (same_step and ended[row]):
                    continue
                if path.startswith("/rest") and times[env_id] == 0:  # in the first batch of a synchronous pool
                    continue
                per_player = several and (path in ("/obs", "/rest/0", "/info/final_obs") or "players" in path)
                rows[env_id] += array[owners == env_id].tobytes() if per_player else array[row].tobytes()
        times[ids] += 1
        if times.min() > STEPS:
            return rows, tasks
        players = env.players(ids) if env.spec.arrays.actors > 1 else np.ones(len(ids), int)
        actions = [
            action_of(env.action_space, env_id, times[env_id], n) for env_id, n in zip(ids, players, strict=True)
        ]
        env.send(np.concatenate(actions), ids)
        result = env.recv()


def expected_rows(mix: Mix, **options: Any) -> list[bytes]:
    expected: list[bytes] = []
    for task, size in enumerate(mix.sizes):
        with mix.make_separate(task, **options) as env:
            expected += rows_of(env)[0][len(expected) :][:size]
    return expected


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
@pytest.mark.parametrize("name", MIXES)
def test_rows_equal_those_of_separate_pools(name: str, mode: str) -> None:
    mix = MIXES[name]
    expected = expected_rows(mix, autoreset_mode=mode, seed=5, num_threads=1)
    assert len(expected) == sum(mix.sizes)
    assert all(expected)
    numbers = [{task} for task, size in enumerate(mix.sizes) for _ in range(size)]
    for threads, batch_size in ((1, 0), (3, 0), (1, 1), (2, sum(mix.sizes) - 1)):
        with mix.make(autoreset_mode=mode, seed=5, num_threads=threads, batch_size=batch_size) as env:
            rows, tasks = rows_of(env)
        assert [a == b for a, b in zip(rows, expected, strict=True)] == [True] * len(rows), (threads, batch_size)
        assert tasks == numbers


@pytest.mark.parametrize("seed", [0, 2**64 - 1, [3, 1, 4, 1, 5, 9, 2]])
def test_seeds_belong_to_the_numbers_of_environments(seed: Any) -> None:
    mix = MIXES["levels"]
    expected = expected_rows(mix, seed=seed)
    with mix.make(seed=seed) as env:
        assert rows_of(env)[0] == expected
    with mix.make(seed=8) as env:
        assert rows_of(env, seed=seed)[0] == expected  # reset(seed=...)
    with mix.make(seed=8) as env:
        assert rows_of(env)[0] != expected


def test_a_pool_without_autoreset() -> None:
    mix = MIXES["time limits"]
    with mix.make(autoreset_mode="disabled", seed=3) as env:
        separate = [mix.make_separate(task, autoreset_mode="disabled", seed=3) for task in range(2)]
        pools = [env, *separate]
        observations = [pool.reset()[0] for pool in pools]
        for _ in range(30):
            results = [pool.step(np.ones(4, int)) for pool in pools]
            ended = results[0][2] | results[0][3]
            for task, (start, end) in enumerate(((0, 2), (2, 4))):
                for ours, theirs in zip(results[0][:4], results[1 + task][:4], strict=True):
                    assert ours[start:end].tobytes() == theirs[start:end].tobytes()
            for pool, result in zip(pools, results, strict=True):
                over = np.flatnonzero(result[2] | result[3])
                if len(over):
                    _, info = pool.reset(over)
                    assert info["env_id"].tolist() == over.tolist()
                    assert pool is not env or info["task_id"].tolist() == [int(each >= 2) for each in over]
            assert ended.shape == (4,)
        assert len(observations) == 3
        for pool in separate:
            pool.close()


def test_rows_are_in_the_order_in_which_they_are_sent() -> None:
    with envpool.make(["Counter-v0", "Counter-v1"], envs_per_task=[2, 3]) as env:
        env.reset()
        env.send(np.zeros(3, int), [4, 0, 3])
        env.send(np.zeros(2, int), [1, 2])
        for ids, tasks in (([4, 0, 3], [1, 0, 1]), ([1, 2], [0, 1])):
            *_, info = env.recv()
            assert info["env_id"].tolist() == ids
            assert info["task_id"].tolist() == tasks
            assert info["task_id"].dtype == np.int32
        _, info = env.observe([3, 1])
        assert info["env_id"].tolist() == [3, 1]
        assert info["task_id"].tolist() == [1, 0]
