# SPDX-License-Identifier: Apache-2.0
"""Computes trajectories of any id under fixed actions, and their golden hashes.

    python -m tests.support.trajectories FILE

writes golden.csv (`make generated`): it adds rows for ids that have none. If you have changed a trajectory on purpose,
delete its row before you run this, and explain the change in the changelog.
"""

from __future__ import annotations

import csv
import functools
import hashlib
import importlib.util
import os
import random
import sys
import time
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

import envpool
import tests.environments.registration  # noqa: F401  (registers the test environments)
from envpool.python.registry import find
from tests.support.samples import DAY

GOLDEN = Path(__file__).with_name("golden.csv")
# For eight of the twelve environments, random words are computed together (prefetched_rng.h); for four, one by one.
NUM_ENVS, STEPS = 12, 150
LONGEST = 60  # time limit of a trajectory, in seconds
# These ids are tested every day and have golden hashes. The Control Suite and Gymnasium's MuJoCo have only one each,
# because their trajectories depend on MuJoCo 3.17.0 and on the libm that it calls.
ALWAYS = (
    *("Counter-v1", "AllTypes-v0", "Crowd-v0"),
    *("CartPole-v1", "Pendulum-v1", "Acrobot-v1", "MountainCarContinuous-v0"),
    *("FrozenLake8x8-v1", "Taxi-v4", "Blackjack-v1", "NChain-v0"),
    *("LunarLander-v3", "LunarLanderContinuous-v3", "BipedalWalkerHardcore-v3"),
    *("FourRooms-misc", "GaussianBandit-misc", "UmbrellaChain-bsuite"),
    *("MinAtar/Asterix-v1", "MinAtar/Seaquest-v0", "Pong-v5", "Breakout-v5", "atari/pong-v3"),
    *("TagContinuous-v0", "TagGridWorld-v0", "Pusher-v5", "CheetahRun-v1", "SimplerBasic-v1"),
)
OPTIONS: dict[str, dict[str, Any]] = {
    "LunarLanderContinuous-v3": {"enable_wind": True},
    "Crowd-v0": {"fewest": 0},  # Environments may have no players at all.
    # With this many agents, the host and a device use different algorithms to find the nearest ones.
    "TagContinuous-v0": {"num_runners": 90, "use_full_observation": False, "tagging_distance": 0.05},
}
# These families cannot run here. Three need Linux, and qemu-user cannot start ViZDoom's engine, which is a program.
ABSENT = {"mujoco", "python_env", "vizdoom"} if sys.platform != "linux" else set()
ABSENT |= {"vizdoom"} if "ENVPOOL_EMULATED" in os.environ else set()
# The packages without which the environments of a family or a table cannot be made.
_PACKAGES = {
    "mujoco": "mujoco",
    "vizdoom": "vizdoom",
    "procgen": "envpool_assets",
    "CraftaxClassicPixels": "craftax",
    "CraftaxPixels": "craftax",
    "Sudoku": "jumanji",
}
_UNFIT = {"Faulty"}  # has no trajectories: it throws, sleeps and hangs on command


def is_here(task_id: str) -> bool:
    """Returns whether the family of an id is compiled for this system, and the package that it needs is installed."""
    registration = find(task_id)
    packages = [_PACKAGES[name] for name in (registration.family, registration.table) if name in _PACKAGES]
    return registration.family not in ABSENT and all(importlib.util.find_spec(name) is not None for name in packages)


@functools.cache
def representatives() -> dict[str, list[str]]:
    """Returns one id for each table, grouped by family: an id in ALWAYS if there is one, else the first by name.

    Environments registered with `register`, such as the test environments, belong to the family "".
    """
    found: dict[tuple[str, str], str] = {}
    for task_id in (*ALWAYS, *envpool.list_all_envs()):
        registration = find(task_id)
        if registration.table not in _UNFIT and is_here(task_id):
            found.setdefault((registration.family, registration.table), task_id)
    families: dict[str, list[str]] = {}
    for (family, _), task_id in sorted(found.items()):
        families.setdefault(family, []).append(task_id)
    return families


@functools.cache
def golden_ids() -> list[str]:
    """Returns the ids that have golden hashes: those in ALWAYS, and one of each portable table."""
    portable = [i for ids in representatives().values() for i in ids if find(i).load().flags & 1]
    return sorted({*filter(is_here, ALWAYS), *portable})


@functools.cache
def todays_ids(*, whole: bool) -> list[str]:
    """Returns the ids that have golden hashes, and two others, which the date selects; if `whole`, all others.

    ViZDoom's ids take ten seconds each, so the date selects none of them.
    """
    others = [
        i for i in envpool.list_all_envs() if i not in golden_ids() and find(i).table not in _UNFIT and is_here(i)
    ]
    quick = [i for i in others if find(i).family != "vizdoom"]
    return golden_ids() + (others if whole else random.Random(DAY).sample(quick, 2))


def actions_of(space: gymnasium.Space[Any], numbers: np.ndarray) -> Any:
    """Returns an action for each number. It uses no random generator, because generators change between versions."""
    if isinstance(space, gymnasium.spaces.Dict):
        return {key: actions_of(part, numbers + 7919 * index) for index, (key, part) in enumerate(space.items())}
    elements = numbers[:, None] * 31 + np.arange(int(np.prod(space.shape)))
    scattered = (elements * 2654435761 % 2**32) >> 8  # 24 bits
    if isinstance(space, gymnasium.spaces.Discrete):
        return scattered[:, 0] % space.n
    if isinstance(space, gymnasium.spaces.MultiBinary):
        return (scattered % 2).reshape(-1, *space.shape)
    if isinstance(space, gymnasium.spaces.MultiDiscrete):
        return (scattered % space.nvec.ravel()).reshape(-1, *space.shape)
    assert isinstance(space, gymnasium.spaces.Box)
    low, high = space.low.ravel().astype(np.float64), space.high.ravel().astype(np.float64)
    return (low + (high - low) * (scattered / 2**24)).astype(space.dtype).reshape(-1, *space.shape)


def _leaves(tree: Any) -> list[np.ndarray]:
    if isinstance(tree, dict):
        return [leaf for key in sorted(tree) for leaf in _leaves(tree[key])]
    return [tree]


def play(task_id: str, threads: int, batch_size: int, seed: int = 2024) -> list[list[bytes]]:
    """Plays with fixed actions; returns a digest of the outputs of each environment in each of its first STEPS steps.

    If `batch_size` is less than the number of environments, slow environments may take fewer steps.
    """
    options = OPTIONS.get(task_id, {})
    spec = envpool.make_spec(task_id, **options)
    space, worlds = spec.action_space, spec.config.max_num_players > 1
    seen: list[list[bytes]] = [[] for _ in range(NUM_ENVS)]
    with envpool.make_gymnasium(
        task_id, num_envs=NUM_ENVS, batch_size=batch_size, num_threads=threads, seed=seed, **options
    ) as env:
        env.async_reset()
        waiting, until = NUM_ENVS, time.monotonic() + LONGEST
        while waiting >= batch_size and time.monotonic() < until:
            observation, reward, terminated, truncated, info = env.recv()
            rows = info["env_id"]
            owners = info["players"]["env_id"] if worlds else rows
            player_arrays, env_arrays = [*_leaves(observation), reward], [terminated, truncated, info["elapsed_step"]]
            for row, env_id in enumerate(rows):
                digest = hashlib.sha256()
                mine = np.flatnonzero(owners == env_id) if worlds else row
                for array in player_arrays:
                    # All players of a world may share an observation.
                    own = mine if len(array) == len(owners) else row
                    digest.update(np.ascontiguousarray(array[own]).tobytes())
                for array in env_arrays:
                    digest.update(np.ascontiguousarray(array[row]).tobytes())
                seen[env_id].append(digest.digest())
            ids = np.array([env_id for env_id in rows if len(seen[env_id]) <= STEPS], np.int32)
            waiting += len(ids) - batch_size
            if len(ids) == 0:
                continue
            if spec.arrays.actors > 1:
                owners = owners[np.isin(owners, ids)]
                places = np.concatenate(
                    [np.arange((owners == env_id).sum()) for env_id in dict.fromkeys(owners)] or [[]]
                )
                steps = np.array([len(seen[env_id]) - 1 for env_id in owners], np.int64)
                actions = actions_of(space, owners + NUM_ENVS * steps + 104729 * places.astype(np.int64))
                env.send({"action": actions, "players.env_id": owners}, ids)
            else:
                env.send(actions_of(space, ids + NUM_ENVS * np.array([len(seen[i]) - 1 for i in ids], np.int64)), ids)
    return seen


def hash_of(seen: list[list[bytes]]) -> str:
    """Returns one hash of the result of `play`."""
    return hashlib.sha256(b"".join(map(b"".join, seen))).hexdigest()[:16]


def golden() -> dict[str, str]:
    """Returns the golden hash of each id that has one."""
    with GOLDEN.open(newline="") as file:
        return dict(list(csv.reader(file))[1:])


def main() -> None:
    """Writes the file named on the command line."""
    known = golden()
    rows = [(task_id, known.get(task_id) or hash_of(play(task_id, 1, NUM_ENVS))) for task_id in golden_ids()]
    with open(sys.argv[1], "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([("id", "hash"), *rows])


if __name__ == "__main__":
    main()
