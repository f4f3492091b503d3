# SPDX-License-Identifier: Apache-2.0
"""Whether an installed wheel works: every registered id for 100 steps. Needs what the wheel needs, and nothing else.

    python tools/check_wheel.py [--wheel=build/wheel/envpool_unified-....whl] [--only=TEXT]

Of each id: it can be made; every observation is inside its space; equal seeds and actions give equal bits, with one
thread and with two; other seeds, other environments of a pool and later episodes go another way under the same actions,
at the latest after some thousand steps, for some games begin with a title. Where nothing is left to chance they must not
(NO_CHANCE).
"""

import argparse
import hashlib
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np

import envpool
from envpool.python.distribution import conflict

ENVS, STEPS, MOST_BYTES = 4, 100, 20e6
LONGER = (1000, 5000)  # steps after which chance must have made a difference

# Where it makes none by the rules of the game.
SEED, POOL, EPISODE = "another seed", "environments of a pool", "a second episode"
NO_CHANCE: dict[str, set[str]] = {
    "CliffWalking-v0": {SEED, POOL, EPISODE},  # nothing is slippery
    "CliffWalking-v1": {SEED, POOL, EPISODE},
    "tabular/CliffWalking-v0": {SEED, POOL, EPISODE},
    "DeepSea-bsuite": {SEED, POOL, EPISODE},  # deterministic=True, and mapping_seed is not the seed
    "DiscountingChain-bsuite": {SEED, POOL, EPISODE},
    "Mujoco-v0": {SEED, POOL, EPISODE},  # noise at a reset is an option
    "Pong-misc": {SEED, POOL, EPISODE},  # the ball begins in the middle, to the right
    "SimpleBandit-bsuite": {EPISODE},  # what arms pay is drawn once a seed
    "SpaceInvaders-MinAtar": {SEED, POOL, EPISODE},  # no sticky actions in gymnax's form
    "TagGridWorld-v0": {SEED, POOL, EPISODE},  # random_start=False
}


def rows_of(tree: Any, index: int) -> Any:
    """One environment's (or player's) part of a batch."""
    if isinstance(tree, dict):
        return {key: rows_of(value, index) for key, value in tree.items()}
    return tree[index]


def leaves(tree: Any) -> list[Any]:
    """The arrays of a batch."""
    return [leaf for value in tree.values() for leaf in leaves(value)] if isinstance(tree, dict) else [tree]


def stack(samples: list[Any]) -> Any:
    """Actions as a batch."""
    if isinstance(samples[0], dict):
        return {key: stack([sample[key] for sample in samples]) for key in samples[0]}
    batch = np.stack([np.asarray(sample) for sample in samples])
    return batch.astype(np.int32) if batch.dtype == np.int64 else batch


class Run:
    """Two episodes (or pieces of them) of a pool under the same random actions.

    Attributes:
        digests: of each episode, of each environment, of all that was returned.
        outside: the first observation that is not in its space, in words.
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
            rows = len(info["players"]["env_id"]) if isinstance(info.get("players"), dict) else ENVS
            # The same action for all, so that environments differ by chance alone.
            action = env.action_space.sample()
            obs, *others, info = env.step(stack([action] * rows))
            self._look(obs, others, info, digests)
        self.digests.append([digest.hexdigest() for digest in digests])

    def _look(self, obs: Any, others: Any, info: Any, digests: list[Any]) -> None:
        arrays = leaves(obs)
        rows = len(arrays[0])
        owners = info["players"]["env_id"] if isinstance(info.get("players"), dict) else np.arange(rows)
        for row in range(rows):
            if self._space is not None and not self.outside and not self._space.contains(rows_of(obs, row)):
                self.outside = f"an observation is outside of {self._space}: {rows_of(obs, row)}"[:500]
            for array in arrays:
                digests[owners[row]].update(np.ascontiguousarray(array[row]).tobytes())
        for array in others:
            for row, value in enumerate(array):
                owner = owners[row] if len(array) == rows else row
                digests[owner].update(np.ascontiguousarray(value).tobytes())


def differences(run: Run, other: Run) -> set[str]:
    """What made a difference: another seed's run is compared, and environments and episodes within a run."""
    first, second = run.digests
    found = {SEED: other.digests != run.digests, POOL: len(set(first)) > 1, EPISODE: first != second}
    return {what for what, differs in found.items() if differs}


def problems_of(task_id: str) -> list[str]:
    """What is wrong with an id, in sentences."""
    expected = {SEED, POOL, EPISODE} - NO_CHANCE.get(task_id, set())
    try:
        run = Run(task_id, seed=1, num_threads=1, inside=True)
        equal = run.digests == Run(task_id, seed=1, num_threads=2).digests
        found = differences(run, Run(task_id, seed=2, num_threads=1))
        for steps in LONGER:
            if not expected <= found:
                found |= differences(*(Run(task_id, seed=seed, num_threads=1, steps=steps) for seed in (1, 2)))
    except Exception as error:  # whatever it is, the other ids are looked at too
        return [f"{type(error).__name__}: {error}"]
    return [
        *([run.outside] if run.outside else []),
        *([] if equal else ["equal seeds and actions gave other bits"]),
        *(f"{what} made no difference" for what in sorted(expected - found)),
        *(f"{what} made a difference, where all is determined" for what in sorted(found - expected)),
    ]


def main() -> None:
    """Checks, and exits with 1 where something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--wheel", default="", help="its size is checked")
    parser.add_argument("--only", default="", help="only ids that contain this")
    arguments = parser.parse_args()
    if said := conflict():
        sys.exit(said)
    started = time.perf_counter()
    failed = 0
    if arguments.wheel:
        size = os.path.getsize(arguments.wheel)
        print(f"{os.path.basename(arguments.wheel)}: {size / 1e6:.2f} MB")
        if size > MOST_BYTES:
            failed += 1
            print(f"it is larger than {MOST_BYTES / 1e6:.0f} MB")
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
