# SPDX-License-Identifier: Apache-2.0
"""A trajectory depends on id, options, seed, environment and actions, and on nothing else.

Each task is played by every number of threads and batch size, synchronously and asynchronously, with actions that are
a function of environment and step alone. The hash of all observations, rewards and ends is the same for all of them,
and for the families it is a constant: whoever changes it changes what users train on.
"""

import functools
import hashlib
import time

import gymnasium
import numpy as np
import pytest

import envpool
import envpool.testing.registration  # noqa: F401  (registers the test environments)

NUM_ENVS, STEPS = 12, 150  # all in a batch: eight draw their words at once, and four alone

# One or more of each family, and the hash of its trajectories.
GOLDEN = {
    "Counter-v1": "743e92b56851097c",
    "Zoo-v0": "29a702eecc2b0f59",
    "CartPole-v1": "3e05d7895f803536",
    "Pendulum-v1": "e95d6fab0bff6a08",
    "Acrobot-v1": "2277ed26437485c0",
    "MountainCarContinuous-v0": "a39f515bf695be6a",
    "FrozenLake8x8-v1": "c43dea46f5295e4c",
    "Taxi-v4": "2d9dc7ffd8db9e40",
    "Blackjack-v1": "5a58dbfe1579bbae",
    "NChain-v0": "e350f7f0e8b3a971",
    "FourRooms-misc": "b77af4db9f425e8c",
    "GaussianBandit-misc": "057b2f8490ce98be",
    "UmbrellaChain-bsuite": "620365353e908d23",
    "MinAtar/Asterix-v1": "1f3a3a6163e57e2e",
    "MinAtar/Seaquest-v0": "6e917f0ed1b446e9",
    "Pong-v5": "9adeffaf409880b6",
    "Breakout-v5": "476455c44d9cdca8",
    # The last digits are MuJoCo's, 3.17.0, and those of the libm that it calls.
    "Hopper-v5": "6c2f261e9040e2b0",
}
WAYS = [(threads, batch) for threads in (1, 2, 3, 8) for batch in (NUM_ENVS, 1, 5)]


@functools.cache
def actions_of(task_id):
    """An action for each step and environment: by arithmetic, for generators change with the version of their library."""
    space = envpool.make_spec(task_id).action_space
    return [batch_of(space, np.arange(NUM_ENVS) + NUM_ENVS * step) for step in range(STEPS)]


def batch_of(space, numbers):
    if isinstance(space, gymnasium.spaces.Dict):
        return {key: batch_of(part, numbers + 7919 * index) for index, (key, part) in enumerate(space.items())}
    elements = numbers[:, None] * 31 + np.arange(int(np.prod(space.shape)))
    scattered = (elements * 2654435761 % 2**32) >> 8  # 24 bits
    if isinstance(space, gymnasium.spaces.Discrete):
        return scattered[:, 0] % space.n
    low, high = space.low.ravel().astype(np.float64), space.high.ravel().astype(np.float64)
    return (low + (high - low) * (scattered / 2**24)).astype(space.dtype).reshape(-1, *space.shape)


def take(tree, rows):
    return {key: take(value, rows) for key, value in tree.items()} if isinstance(tree, dict) else tree[rows]


def leaves(tree):
    if isinstance(tree, dict):
        return [leaf for key in sorted(tree) for leaf in leaves(tree[key])]
    return [tree]


def play(task_id, threads, batch_size, seed=2024, **options):
    """What every environment saw, one digest for each of its steps."""
    actions = actions_of(task_id)
    seen = [[] for _ in range(NUM_ENVS)]
    with envpool.make_gymnasium(
        task_id, num_envs=NUM_ENVS, batch_size=batch_size, num_threads=threads, seed=seed, **options
    ) as env:
        env.async_reset()
        waiting = NUM_ENVS
        while waiting >= batch_size:
            observation, reward, terminated, truncated, info = env.recv()
            arrays = [*leaves(observation), reward, terminated, truncated, info["elapsed_step"]]
            for row, env_id in enumerate(info["env_id"]):
                digest = hashlib.sha256()
                for array in arrays:
                    digest.update(np.ascontiguousarray(array[row]).tobytes())
                seen[env_id].append(digest.digest())
            ids = np.array([env_id for env_id in info["env_id"] if len(seen[env_id]) <= STEPS], np.int32)
            waiting += len(ids) - batch_size
            if len(ids):
                batch = [take(actions[len(seen[env_id]) - 1], [env_id]) for env_id in ids]
                env.send(joined(batch), ids)
    return seen


def joined(batch):
    if isinstance(batch[0], dict):
        return {key: np.concatenate([one[key] for one in batch]) for key in batch[0]}
    return np.concatenate(batch)


@pytest.mark.parametrize("task_id", GOLDEN)
def test_every_way_of_playing_gives_the_same(task_id):
    want = play(task_id, 1, NUM_ENVS)
    assert [len(rows) for rows in want] == [STEPS + 1] * NUM_ENVS
    for threads, batch_size in WAYS:
        got = play(task_id, threads, batch_size)
        # The last rows cannot fill a batch that does not divide them.
        assert sum(map(len, got)) > 0.7 * NUM_ENVS * STEPS
        for env_id in range(NUM_ENVS):
            rows = len(got[env_id])
            assert got[env_id] == want[env_id][:rows], (threads, batch_size, env_id)
            assert rows == STEPS + 1 or batch_size == 5
    golden = hashlib.sha256(b"".join(map(b"".join, want))).hexdigest()[:16]
    assert GOLDEN[task_id] == golden, f"{task_id} is no longer what it was: {golden}"


@pytest.mark.parametrize("task_id", [task_id for task_id in GOLDEN if task_id != "Counter-v1"])
def test_seeds_matter(task_id):
    first, second = play(task_id, 1, NUM_ENVS, seed=1), play(task_id, 1, NUM_ENVS, seed=2)
    assert [a[-1] for a in first] != [b[-1] for b in second]
    assert len({tuple(rows) for rows in first}) > 1


@pytest.mark.parametrize(("threads", "batch_size"), WAYS)
def test_worlds_of_players(threads, batch_size):
    def play_world(threads, batch_size):
        seen = [[] for _ in range(NUM_ENVS)]
        options = {"num_envs": NUM_ENVS, "batch_size": batch_size, "num_threads": threads, "fewest": 0, "seed": 5}
        with envpool.make_gymnasium("Crowd-v0", **options) as env:
            env.async_reset()
            # On a busy machine a thread may stand still, with its environments, while others go round a thousand times.
            until = time.monotonic() + 60
            while min(map(len, seen)) < 60 and time.monotonic() < until:
                observation, reward, terminated, _, info = env.recv()
                owners = info["players"]["env_id"]
                for row, env_id in enumerate(info["env_id"]):
                    own = owners == env_id
                    if len(seen[env_id]) < 60:
                        seen[env_id].append((observation[own].tolist(), reward[own].tolist(), terminated[row]))
                steps = np.array([len(seen[env_id]) for env_id in owners], int)
                action = (info["players"]["id"] + steps) % 3
                env.send({"action": action, "players.env_id": owners}, info["env_id"])
        return seen

    want, got = play_world(1, NUM_ENVS), play_world(threads, batch_size)
    for env_id in range(NUM_ENVS):
        assert len(want[env_id]) == 60
        assert got[env_id] == want[env_id]
