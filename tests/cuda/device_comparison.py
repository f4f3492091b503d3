# SPDX-License-Identifier: Apache-2.0
"""Compares every array and state of a pool on a GPU with one on the CPU, over whole episodes in each autoreset mode.

Tests run this on the stand-in for NVIDIA's driver, and tools/gpu_proof.py runs it on a GPU.
"""

from __future__ import annotations

import collections
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

import envpool
from envpool.python.construction import Construction
from envpool.python.envpool import make_pool
from envpool.python.options import AUTORESET_MODES
from envpool.python.registry import find
from envpool.python.spaces import ArraySpecs
from tests.support.samples import DAY, of_today

LIMIT = 40  # steps of an episode
SEED = 11


class Case(NamedTuple):
    """A comparison: an id with options, an autoreset mode, and the numbers of environments and steps."""

    task_id: str
    options: tuple[tuple[str, Any], ...]
    mode: str
    num_envs: int
    steps: int

    def __str__(self) -> str:
        return f"{self.task_id}{'+' * bool(self.options)}-{self.mode}-{self.num_envs}"


# Options that enable noise, randomness and arithmetic that the defaults do not use.
MORE: dict[str, dict[str, Any]] = {
    "Acrobot-v1": {"torque_noise_max": 0.5},
    "CartPole-v0": {"kinematics_integrator": "semi-implicit"},
    "DeepSea-bsuite": {"size": 5, "deterministic": False, "sample_action_map": True},
    "MemoryChain-bsuite": {"num_bits": 40},
    "BabyAI-GoToLocal-v0": {"observation": "flat", "mission_bytes": 80},
    "MiniGrid-Empty-Random-5x5-v0": {"observation": "rgb_partial", "tile_size": 3},
    "MiniGrid-LavaGapS5-v0": {"observation": "rgb_full", "tile_size": 4},
    "MiniGrid-Unlock-v0": {"observation": "symbolic"},
    "Taxi-v3": {"is_rainy": True, "fickle_passenger": True},
    "UmbrellaChain-bsuite": {"n_distractor": 70},
}


# The sample of a day has one in SHARE environments, and always these: several players, Atari, noise, rules that use most of
# the portable mathematics, and a state that is followed by extra bytes.
SHARE = 8
ALWAYS = ("Acrobot-v1", "Crowd-v0", "LunarLander-v2", "Pong-v5", "SimpleBandit-bsuite", "TagContinuous-v0")

# Games whose cartridges have one bank, and games whose cartridges have several.
GAMES = [
    *("Asteroids-v5", "Breakout-v5", "Enduro-v5", "Freeway-v5", "MontezumaRevenge-v5"),
    *("MsPacman-v5", "Pitfall-v5", "Pong-v5", "Seaquest-v5", "SpaceInvaders-v5"),
]


def tasks() -> list[str]:
    """Returns one id for each portable environment and set of defaults.

    One game represents Atari. One id represents each of MiniGrid's environments, because its other ids differ in sizes
    only. Crowd, a test environment whose number of players changes, is included if tests.environments.registration was
    imported.
    """
    found, seen = [], set()
    for task_id in sorted(envpool.list_all_envs()):
        registration = find(task_id)
        defaults = {} if registration.family == "minigrid" else registration.defaults
        kind = (registration.family, registration.table, tuple(sorted(defaults.items())))
        if registration.family in ("mujoco", "vizdoom") or (registration.family == "atari" and task_id != "Pong-v5"):
            continue
        if registration.family == "" and task_id != "Crowd-v0":
            continue
        if kind not in seen:
            seen.add(kind)
            found.append(task_id)
    return found


def players(task_id: str) -> int:
    """Returns the largest number of players in an environment."""
    return int(envpool.make_spec(task_id).config.max_num_players)


def tasks_of_today(day: int = DAY) -> list[str]:
    """Returns an eighth of the ids of `tasks`, and those that are always tested."""
    return of_today(tasks(), SHARE, ALWAYS, day)


def cases(whole: bool, day: int = DAY) -> list[Case]:
    """Returns the comparisons to run: all if `whole`, otherwise a sample, chosen by the date.

    The sample has all comparisons of Crowd, and one mode of some of the other environments.
    """
    found = []
    ids = tasks()
    ids += [task_id for task_id in GAMES if whole and task_id not in ids]
    both = [*((task_id, {}) for task_id in ids), *MORE.items()]
    today = both if whole else of_today(both, SHARE, [(task_id, {}) for task_id in ALWAYS], day)
    for number, (task_id, options) in enumerate(both):
        if (task_id, options) not in today:
            continue
        for index, mode in enumerate(AUTORESET_MODES):
            # An environment is tested every `SHARE` days, each time in another mode.
            if not whole and task_id != "Crowd-v0" and (number + day // SHARE) % len(AUTORESET_MODES) != index:
                continue
            family = find(task_id).family
            counts: tuple[int, ...] = (1, 33, 4096) if whole else (33,)
            steps = 300 if whole else 120
            if family == "tag" or task_id == "Crowd-v0":
                counts = (1, 17) if whole else (7,)
            if "Chess" in task_id:  # its observations have 61 kB
                counts = (1, 17) if whole else (7,)
            if ("Go19x19" in task_id or task_id == "Shogi-v1") and whole:  # 12 and 19 kB of observations
                counts = (1, 33, 512)
            if players(task_id) > 100:  # The kernel's work is proportional to the square of this number.
                counts, steps = (2,), 45
            if task_id.startswith("Craftax-Pixels"):  # its observations have 172 kB
                counts = (1, 33) if whole else (7,)
            if task_id.startswith("CarRacing") and not whole:  # it draws an image in each step
                counts = (3,)
            if family in ("atari", "procgen"):
                counts, steps = (3,), 45  # On the stand-in, the kernel is a thousand times slower than the CPU pool.
            found += [Case(task_id, tuple(options.items()), mode, count, steps) for count in counts]
    return found


class Pools(NamedTuple):
    """A pool on the device, a pool on the CPU, and the arrays that both return."""

    device: Any
    cpu: Any
    names: list[str]
    construction: Construction

    @property
    def players(self) -> int:
        return self.construction.arrays.max_players

    def per_player(self, name: str) -> bool:
        arrays = self.construction.arrays
        fields = {field.name: field.per_player for field in (*arrays.observations, *arrays.infos)}
        return fields.get(name.removeprefix("final."), name in ("reward", "discount", "players.env_id"))


def pools(task_id: str, mode: str, count: int, **options: Any) -> Pools:
    given = {
        "num_envs": count,
        "autoreset_mode": mode,
        "max_episode_steps": LIMIT,
        "seed": SEED,
        "num_threads": 1,
        **options,
    }
    cpu = Construction(find(task_id), given)
    device = Construction(find(task_id), {**given, "device": "cuda"})
    own = [field.name for field in (*cpu.arrays.observations, *cpu.arrays.infos)]
    names = ["reward", "discount", "terminated", "truncated", "step_type", "env_id", "elapsed_step", "players", *own]
    names += [f"final.{name}" for name in own] if mode == "same_step" else []
    names += ["players.env_id"] if cpu.arrays.max_players > 1 else []
    return Pools(make_pool(device, [*names, "done"]), make_pool(cpu, names), names, cpu)


def random_actions(arrays: ArraySpecs, rng: np.random.Generator, rows: int) -> dict[str, np.ndarray]:
    """Returns random actions by field, with one row for each player that an environment may have."""
    made = {}
    for field in arrays.actions:
        shape = (rows * (arrays.max_players if field.per_player else 1), *field.shape)
        if field.discrete:
            # Elements may have fewer categories than `discrete`, which is the largest number.
            made[field.name] = np.minimum(rng.integers(0, field.discrete, shape), field.high).astype(field.dtype)
        else:
            low, high = np.maximum(field.low, -9), np.minimum(field.high, 9)
            made[field.name] = rng.uniform(low, high, shape).astype(field.dtype)
    return made


class Comparison:
    """Counts the 32-bit words that differ between the two pools."""

    def __init__(self, both: Pools) -> None:
        self.pools = both
        self.words, self.different = 0, collections.Counter[str]()

    def check(self, name: str, ours: bytes, theirs: bytes) -> None:
        assert len(ours) == len(theirs), name
        mine, other = (np.frombuffer(side + bytes(-len(side) % 4), np.uint32) for side in (ours, theirs))
        self.words += len(mine)
        if (mine != other).any():
            self.different[name] += int((mine != other).sum())

    def check_batch(self) -> np.ndarray:
        """Receives a batch from both pools and compares them. Returns which episodes ended."""
        both = self.pools
        *ours, done = (array.numpy() for array in both.device.recv())
        theirs = both.cpu.recv()
        batch = dict(zip(both.names, ours, strict=True))
        there = np.arange(both.players) < batch["players"][:, None]
        for name, mine, other in zip(both.names, ours, theirs, strict=True):
            assert mine.dtype == other.dtype, name
            if both.per_player(name):  # The CPU pool leaves out the rows of absent players.
                rows = there.ravel()
                absent = mine[~rows]
                assert (absent == (-1 if name == "players.env_id" else 0)).all() or name.startswith("final."), name
                mine = mine[rows]
                last = np.repeat(done, both.players)[rows]
            else:
                last = done
            if name.startswith("final."):  # Only rows of episodes that ended have a final observation.
                mine, other = mine[last], other[last]
            self.check(name, mine.tobytes(), other.tobytes())
            # NaNs have different bits on GPUs and CPUs, so environments must not return NaNs.
            assert mine.dtype.kind != "f" or not np.isnan(mine).any(), name
        assert (done == (batch["terminated"] | batch["truncated"])).all()
        return np.asarray(done)

    def check_states(self, env_ids: Iterable[int]) -> None:
        ids = list(env_ids)
        for mine, other in zip(self.pools.device.snapshot(ids), self.pools.cpu.snapshot(ids), strict=True):
            self.check("state", mine, other)


def compare(both: Pools, count: int, steps: int, *, exchange: int = 0) -> tuple[Comparison, int]:
    """Steps both pools with the same actions.

    Returns the comparison of all arrays and states, and how many episodes ended.

    Args:
        both: the pools.
        count: how many environments each has.
        steps: the number of steps, including resets.
        exchange: the number of steps between two exchanges of states; 0 means no exchanges. In an exchange, each
            environment of either pool takes over the state of the next environment of the other pool, even in the
            middle of an episode.
    """
    found, ends = Comparison(both), 0
    rng = np.random.default_rng(5)
    over = np.ones(count, bool)
    for step in range(steps):
        if over.all():
            both.device.reset()
            both.cpu.reset()
            env_ids = np.arange(count, dtype=np.int32)
        else:
            env_ids = np.flatnonzero(~over).astype(np.int32)
            sent = random_actions(both.construction.arrays, rng, len(env_ids))
            there = (np.arange(both.players) < np.asarray(both.cpu.players(env_ids))[:, None]).ravel()
            fields = both.construction.arrays.actions
            dense = {field.name: sent[field.name][there] if field.per_player else sent[field.name] for field in fields}
            ids = None if len(env_ids) == count else env_ids
            both.device.send(sent, ids)
            both.cpu.send(dense, ids)
        ended = found.check_batch()
        ends += int(ended.sum())
        if both.construction.common.autoreset_mode == "disabled":
            over[env_ids] = ended
        else:
            over[:] = False
        if step % 30 == 29:
            found.check_states(range(min(count, 40)))
        if exchange and step % exchange == exchange - 1:
            exchange_states(both, count)
            over = np.roll(over, -1)
    return found, ends


def exchange_states(both: Pools, count: int) -> None:
    """Gives each environment of either pool the state of the next environment of the other pool."""
    ids = range(count)
    saved = [pool.snapshot(ids) for pool in (both.device, both.cpu)]
    for pool, states in zip((both.cpu, both.device), saved, strict=True):
        pool.restore(ids, states[1:] + states[:1])
