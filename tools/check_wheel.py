# SPDX-License-Identifier: Apache-2.0
"""Checks an installed wheel by taking 100 steps with every registered id. It needs only the dependencies of the wheel.

    python tools/check_wheel.py [--wheel=build/wheel/envpool_unified-....whl] [--only=TEXT]

It checks for each id that a pool can be made, that every observation is inside its space, and that equal seeds and
actions give equal bits with one thread and with two. It also checks that randomness has an effect: under the same
actions, the results of two seeds, of two environments of a pool, and of two episodes must differ. If they are equal
after 100 steps, up to 5000 steps are taken, because some games begin with a title screen. In deterministic environments
(NO_CHANCE) the results must be equal. A wheel for Linux must support all of MuJoCo's releases.
"""

import argparse
import hashlib
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import envpool
from envpool import _core
from envpool.atari.registration import MULTIPLAYER
from envpool.mujoco import releases
from envpool.python.distribution import conflict
from envpool.python.registry import find_library

ENVS, STEPS, MOST_BYTES = 4, 100, 20e6
LONGER = (1000, 5000)  # numbers of steps to try if 100 steps show no effect of randomness

SEED, POOL, EPISODE = "another seed", "another environment of the pool", "a second episode"
CARRIED_OVER = ("atari/ice_hockey-v2", "atari/maze_craze-v3", "atari/space_war-v2")
# For each deterministic environment, the changes that make no difference.
NO_CHANCE: dict[str, set[str]] = {
    "CliffWalking-v0": {SEED, POOL, EPISODE},  # nothing is slippery
    "CliffWalking-v1": {SEED, POOL, EPISODE},
    "tabular/CliffWalking-v0": {SEED, POOL, EPISODE},
    "DeepSea-bsuite": {SEED, POOL, EPISODE},  # deterministic=True, and the mapping depends on mapping_seed only
    "DiscountingChain-bsuite": {SEED, POOL, EPISODE},
    **{f"MiniGrid-{name}-v0": {SEED, POOL, EPISODE} for name in ("DistShift1", "DistShift2")},  # nothing is random
    **{f"MiniGrid-Empty-{n}x{n}-v0": {SEED, POOL, EPISODE} for n in (5, 6, 8, 16)},
    "Mujoco-v0": {SEED, POOL, EPISODE},  # reset noise is an option, off by default
    "Pong-misc": {SEED, POOL, EPISODE},  # the ball always begins in the middle and moves to the right
    "SimpleBandit-bsuite": {EPISODE},  # the rewards of the arms are drawn once, and not in each episode
    "SpaceInvaders-MinAtar": {SEED, POOL, EPISODE},  # like gymnax's version, it has no sticky actions
    "TagGridWorld-v0": {SEED, POOL, EPISODE},  # random_start=False
    "WarpDrive/TagGridWorld-v0": {SEED, POOL, EPISODE},
    # PettingZoo's games of Atari always begin in the same state, but memory carries over into the next episode.
    **{task_id: {SEED, POOL} if task_id in CARRIED_OVER else {SEED, POOL, EPISODE} for task_id in MULTIPLAYER},
}


def rows_of(tree: Any, index: int) -> Any:
    """Returns one environment's (or player's) part of a batch."""
    if isinstance(tree, dict):
        return {key: rows_of(value, index) for key, value in tree.items()}
    return tree[index]


def leaves(tree: Any) -> list[Any]:
    """Returns the arrays of a batch."""
    return [leaf for value in tree.values() for leaf in leaves(value)] if isinstance(tree, dict) else [tree]


def owners_of(info: dict[str, Any]) -> Any:
    """Returns the environment of each player, or of each environment if it has one player."""
    return info["players"]["env_id"] if isinstance(info.get("players"), dict) else np.arange(ENVS)


def stack(samples: list[Any]) -> Any:
    """Returns actions as a batch."""
    if isinstance(samples[0], dict):
        return {key: stack([sample[key] for sample in samples]) for key in samples[0]}
    batch = np.stack([np.asarray(sample) for sample in samples])
    return batch.astype(np.int32) if batch.dtype == np.int64 else batch


class Run:
    """Plays the first steps of two episodes of a pool with the same random actions.

    Attributes:
        digests: for each episode and environment, a digest of everything that was returned.
        outside: a message about the first observation outside its space; empty if there is none.
    """

    def __init__(self, task_id: str, seed: int, num_threads: int, steps: int = STEPS, inside: bool = False) -> None:
        self.outside = ""
        self._steps = steps
        self.digests: list[list[str]] = []
        with envpool.make_gymnasium(task_id, num_envs=ENVS, num_threads=num_threads, seed=seed) as env:
            for _ in range(2):
                self._space = env.observation_space if inside else None
                self._episode(env)

    def _episode(self, env: Any) -> None:
        env.action_space.seed(7)
        digests = [hashlib.sha256() for _ in range(ENVS)]
        obs, info = env.reset()
        self._look(obs, (), info, digests)
        for _ in range(self._steps):
            # If players take turns, the action is that of the player to move.
            rows = ENVS if "current_player" in info else len(owners_of(info))
            # All environments get the same action, so that they differ only in their random numbers.
            action = env.action_space.sample()
            obs, *others, info = env.step(stack([action] * rows))
            self._look(obs, others, info, digests)
        self.digests.append([digest.hexdigest() for digest in digests])

    def _look(self, obs: Any, others: Any, info: Any, digests: list[Any]) -> None:
        arrays = leaves(obs)
        rows = len(arrays[0])
        owners = owners_of(info)
        for row in range(rows):
            if self._space is not None and not self.outside and not self._space.contains(rows_of(obs, row)):
                self.outside = f"an observation is outside of {self._space}: {rows_of(obs, row)}"[:500]
        for array in (*arrays, *others):
            for row, value in enumerate(array):
                owner = owners[row] if len(array) == len(owners) else row
                digests[owner].update(np.ascontiguousarray(value).tobytes())


def differences(run: Run, other: Run) -> set[str]:
    """Returns which of SEED (between two runs), POOL and EPISODE (within the first run) made a difference."""
    first, second = run.digests
    found = {SEED: other.digests != run.digests, POOL: len(set(first)) > 1, EPISODE: first != second}
    return {what for what, differs in found.items() if differs}


def problems_of(task_id: str) -> list[str]:
    """Returns a sentence for each problem of an id."""
    expected = {SEED, POOL, EPISODE} - NO_CHANCE.get(task_id, set())
    try:
        run = Run(task_id, seed=1, num_threads=1, inside=True)
        equal = run.digests == Run(task_id, seed=1, num_threads=2).digests
        found = differences(run, Run(task_id, seed=2, num_threads=1))
        for steps in LONGER:
            if not expected <= found:
                found |= differences(*(Run(task_id, seed=seed, num_threads=1, steps=steps) for seed in (1, 2)))
    except Exception as error:  # after any error, the other ids are still checked
        return [f"{type(error).__name__}: {error}"]
    return [
        *([run.outside] if run.outside else []),
        *([] if equal else ["equal seeds and actions gave different bits"]),
        *(f"{what} made no difference" for what in sorted(expected - found)),
        *(f"{what} made a difference in a deterministic environment" for what in sorted(found - expected)),
    ]


def main() -> None:
    """Checks the ids; exits with status 1 if any has a problem."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--wheel", default="", help="wheel whose size is checked")
    parser.add_argument("--only", default="", help="check only ids that contain this")
    arguments = parser.parse_args()
    if complaint := conflict():
        sys.exit(complaint)
    started = time.perf_counter()
    failed = 0
    if arguments.wheel:
        size = os.path.getsize(arguments.wheel)
        print(f"{os.path.basename(arguments.wheel)}: {size / 1e6:.2f} MB")
        if size > MOST_BYTES:
            failed += 1
            print(f"it is larger than {MOST_BYTES / 1e6:.0f} MB")
    if b"envpool: the assertion" in Path(str(_core.__file__)).read_bytes():
        failed += 1
        print("it was built with ENVPOOL_ASSERTIONS, which are for tests")
    for release in releases.SUPPORTED if sys.platform == "linux" else ():
        if not find_library("mujoco", f"libmujoco_{release}.so"):
            failed += 1
            print(f"it was built without MuJoCo {release}")
    ids = [task_id for task_id in envpool.list_all_envs() if arguments.only in task_id]
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as workers:
        for number, (task_id, problems) in enumerate(zip(ids, workers.map(problems_of, ids), strict=True), 1):
            if sys.stderr.isatty():
                print(f"\r\x1b[K{number}/{len(ids)} {task_id}", end="", file=sys.stderr, flush=True)
            failed += bool(problems)
            for problem in problems:
                print(f"\r{task_id}: {problem}", flush=True)
    seconds = time.perf_counter() - started
    where = os.path.dirname(envpool.__file__)
    print(f"\r{len(ids)} ids, {STEPS} steps of {ENVS} each: {failed or 'no'} failed, in {seconds:.0f} s, from {where}")
    sys.exit(bool(failed) or not ids)


if __name__ == "__main__":
    main()
