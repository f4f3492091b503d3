# SPDX-License-Identifier: Apache-2.0
"""A device's arithmetic, without a device: each environment's kernel, as NVRTC makes it, gives the pool's bits.

The kernels are those of core/device.h, by the rules of core/episode.h. Their PTX goes to the stand-in for the CUDA
driver (envpool/testing/standin), which runs it as C through whole episodes beside a pool, in each autoreset mode, and
every array, state and generator is compared. What ptxas makes of the PTX is not seen here.
"""

from __future__ import annotations

import collections
import ctypes
import functools
import os
import re
from typing import Any, NamedTuple

import numpy as np
import pytest

import envpool
import envpool.testing.registration  # noqa: F401  (registers Crowd)
from envpool import _core
from envpool.python.construction import Construction
from envpool.python.registry import find
from envpool.testing.cuda import Driver
from envpool.testing.nvrtc import FLAGS, SOURCE, Environment, Nvrtc, environments

ENVIRONMENTS = {(environment.family, environment.table): environment for environment in environments()}
WHOLE = 5 if os.environ.get("ENVPOOL_TEST_DEVICE") == "whole" else 1
LIMIT = 40  # steps of an episode
BLOCK, THREADS, STEPS = 32, 256, 200 * WHOLE
WORLDS = 64
CONSOLES, FRAMES = 4, 45 * WHOLE  # of Atari, whose C is a thousand times as slow as the pool
SEED = 11
AUTORESET = ("next_step", "same_step", "disabled")  # in the order of abi::Autoreset

pytestmark = pytest.mark.skipif(SOURCE is None, reason="ENVPOOL_SOURCE_DIR does not say where the sources are")


def tasks() -> dict[str, Environment]:
    """Ids with their environments, one of those that differ in nothing else, and one game of Atari."""
    found, seen = {}, set()
    for task_id in sorted(envpool.list_all_envs()):
        registration = find(task_id)
        family = registration.family or "testing"
        key = (family, registration.table)
        kind = (*key, tuple(sorted(registration.defaults.items())))
        if family == "atari" and task_id != "Pong-v5":
            continue
        if key in ENVIRONMENTS and kind not in seen:
            seen.add(kind)
            found[task_id] = ENVIRONMENTS[key]
    return found


TASKS = tasks()
# What the defaults leave out: noise, chance, and other arithmetic.
MORE = {
    "Acrobot-v1": {"torque_noise_max": 0.5},
    "CartPole-v0": {"kinematics_integrator": "semi-implicit"},
    "DeepSea-bsuite": {"size": 5, "deterministic": False, "sample_action_map": True},
    "MemoryChain-bsuite": {"num_bits": 40},
    "Taxi-v3": {"is_rainy": True, "fickle_passenger": True},
    "UmbrellaChain-bsuite": {"n_distractor": 70},
}
OPTIONS = [*((task_id, {}) for task_id in TASKS), *MORE.items()]
# Each in one mode, and worlds, whose modes differ most, in all.
CASES = [
    (task_id, options, mode)
    for number, (task_id, options) in enumerate(OPTIONS)
    for index, mode in enumerate(AUTORESET)
    if WHOLE > 1 or TASKS[task_id].name == "Crowd" or number % len(AUTORESET) == index
]


@functools.cache
def nvrtc() -> Nvrtc:
    return Nvrtc()


@functools.cache
def ptx_of(environment: Environment, *flags: str) -> str:
    return nvrtc().compile(environment.kernel, ["--gpu-architecture=compute_80", *FLAGS, *flags]).ptx


@functools.cache
def driver() -> Driver:
    return Driver()


@functools.cache
def kernel_of(environment: Environment, *flags: str) -> int:
    """The kernel of an environment, loaded once."""
    return driver().function(driver().module(ptx_of(environment, *flags)), "run")


EPISODE = np.dtype(
    [("seed", "u8"), ("stream", "u4"), ("episode", "u4"), ("agent", "u4"), ("draws", "u8")]
    + [("number", "u4"), ("elapsed", "i4"), ("tag", "u4"), ("over", "?")],
    align=True,
)


class Mirror(NamedTuple):
    """An array with its memory on the device."""

    array: np.ndarray
    address: int

    @classmethod
    def of(cls, array: np.ndarray) -> Mirror:
        return cls(array, driver().upload(array))

    def download(self) -> np.ndarray:
        return driver().download(self.address, self.array)


class Launch(ctypes.Structure):
    """The operands of a kernel as device.h declares them, but for the environment's parameters, which follow."""

    _fields_ = [
        ("slots", ctypes.c_uint64),
        ("stride", ctypes.c_int64),
        *((name, ctypes.c_int32) for name in ("count", "max_players", "max_episode_steps")),
        *((name, ctypes.c_int32) for name in ("autoreset", "restart", "num_fields")),
        *((name, ctypes.c_uint64) for name in ("fields", "final_fields", "row_bytes", "per_player")),
        *((name, ctypes.c_uint64) for name in ("actions", "action_bytes")),
        *((name, ctypes.c_uint64) for name in ("reward", "discount", "terminated", "truncated")),
        *((name, ctypes.c_uint64) for name in ("step_type", "env_id", "elapsed_step", "players")),
        ("padding", ctypes.c_uint64),
    ]


class Device:
    """A batch of an environment in the hands of its kernel."""

    def __init__(self, task_id: str, kernel: int, count: int, mode: str, **options: Any) -> None:
        environment, construction = TASKS[task_id], Construction(find(task_id), options)
        self.registration, self.options = find(task_id), options_of(construction, options)
        self.kernel, self.count, self.mode, self.facts = kernel, count, mode, environment.device
        params, blob, self.slot_bytes = self.registration.load().device_operands(self.options)
        slots = np.zeros((count, self.slot_bytes), np.uint8)
        episodes = slots[:, : EPISODE.itemsize].view(EPISODE)[:, 0]
        episodes["seed"], episodes["stream"], episodes["over"] = SEED, np.arange(count), True
        self.slots = Mirror.of(slots)
        arrays = construction.arrays
        self.players, self.block = arrays.max_players, min(count, BLOCK)
        self.world = environment.world
        fields = [*arrays.observations, *arrays.infos]
        self.per_player = {prefix + field.name: field.per_player for prefix in ("", "final.") for field in fields}
        self.per_player |= {"reward": True, "discount": True}
        self.arrays = {
            prefix + field.name: Mirror.of(np.zeros((self.rows(field.per_player), *field.shape), field.dtype))
            for prefix in ("", "final.")
            for field in fields
        }
        results = {
            name: Mirror.of(np.zeros(self.rows(name in self.per_player), _core.COMMON_ARRAYS[name]))
            for name in ("reward", "discount", "terminated", "truncated", "step_type", "env_id", "elapsed_step")
        }
        self.written = {**self.arrays, **results, "players": Mirror.of(np.zeros(count, np.int32))}
        (self.actions,) = arrays.actions
        shape = (self.rows(self.actions.per_player), *self.actions.shape)
        self.action = Mirror.of(np.zeros(shape, self.actions.dtype))
        own = [self.arrays[field.name] for field in fields]
        fields_at, row_bytes = tables(own)
        actions_at, action_bytes = tables([self.action])
        self.launch = Launch(
            slots=self.slots.address,
            stride=self.slot_bytes,
            count=count,
            max_players=self.players,
            max_episode_steps=LIMIT,
            autoreset=AUTORESET.index(mode),
            num_fields=len(fields),
            fields=fields_at,
            final_fields=tables([self.arrays["final." + field.name] for field in fields])[0],
            row_bytes=row_bytes,
            per_player=driver().upload(np.array([field.per_player for field in fields], np.uint8)),
            actions=actions_at,
            action_bytes=action_bytes,
            **{name: self.written[name].address for name in [*results, "players"]},
        )
        self.parameters = self.params(params, blob)

    def rows(self, per_player: bool) -> int:
        return self.count * (self.players if per_player else 1)

    def params(self, params: bytes, blob: bytes) -> bytes:
        """The environment's parameters, with its blob on the device."""
        if (at := self.facts["blob_at"]) >= 0:
            address = driver().upload(np.frombuffer(blob, np.uint8))
            params = params[:at] + number(address, 8) + params[at + 8 :]
        return params + bytes(-len(params) % 16)

    def run(self, action: np.ndarray | None) -> None:
        """One launch: begins episodes where there is no action, else steps."""
        self.launch.restart = action is None
        if action is not None:
            driver().upload(action, self.action.address)
        grid = self.count if self.world else -(-self.count // self.block)
        operands = bytes(self.launch) + self.parameters
        driver().launch(self.kernel, grid, self.players if self.world else self.block, [operands])
        for mirror in self.written.values():
            mirror.download()

    def mask(self, name: str, env_ids: np.ndarray) -> np.ndarray:
        """Which rows of an array are of these environments, and of players that there are."""
        chosen = np.isin(np.arange(self.count), env_ids)
        if not self.per_player.get(name, False):
            return chosen
        there = np.arange(self.players) < self.written["players"].array[:, None]
        return (there & chosen[:, None]).ravel()


def options_of(construction: Construction, given: dict[str, Any]) -> dict[str, bool | int | float | str | bytes]:
    """All options as C++ takes them."""
    registration = construction.registration
    return registration.origin.prepare(
        registration.task_id, {name: given.get(name, option.default) for name, option in construction.options.items()}
    )


def number(value: int, size: int) -> bytes:
    return int(value).to_bytes(size, "little")


def tables(mirrors: list[Mirror]) -> tuple[int, int]:
    """On the device, the addresses of arrays, and the bytes of their rows."""
    addresses = np.array([mirror.address for mirror in mirrors], np.uint64)
    row_bytes = np.array([mirror.array[0].nbytes for mirror in mirrors], np.int64)
    return driver().upload(addresses), driver().upload(row_bytes)


class Run(NamedTuple):
    """What a kernel and a pool did: words of all that they wrote, how many of each name differ, and episodes' ends."""

    words: int
    different: dict[str, int]
    ends: int


def compare(device: Device, steps: int) -> Run:
    """Runs the kernel and a pool side by side."""
    registration, count = device.registration, device.count
    same_step, disabled = device.mode == "same_step", device.mode == "disabled"
    names = [name for name in device.written if name != "players" and (same_step or not name.startswith("final."))]
    seeds, streams, limits = [SEED] * count, list(range(count)), [LIMIT] * count
    mode = AUTORESET.index(device.mode)
    pool = _core.Pool(
        table=registration.load(),
        label=registration.task_id,
        options=[device.options],
        num_envs=count,
        batch_size=0,
        num_threads=1,
        thread_cpus=[],
        seeds=seeds,
        streams=streams,
        autoreset=mode,
        max_episode_steps=limits,
        outputs=names,
    )
    random = np.random.default_rng(5)
    different, words, ends = collections.Counter(), 0, 0

    def check(name: str, ours: bytes, theirs: bytes) -> None:
        nonlocal words
        assert len(ours) == len(theirs), name
        ours, theirs = (np.frombuffer(side + bytes(-len(side) % 4), np.uint32) for side in (ours, theirs))
        words += len(ours)
        if (ours != theirs).any():
            different[name] += int((ours != theirs).sum())

    def check_states() -> None:
        slots = device.slots.download()
        for env_id in range(count):
            snapshot = pool.snapshot(env_id)[-device.slot_bytes :]
            theirs, ours = (np.frombuffer(data, EPISODE, 1)[0] for data in (snapshot, slots[env_id].tobytes()))
            for name in EPISODE.names:
                check(name, ours[name].tobytes(), theirs[name].tobytes())
            state = slice(device.facts["state_at"], None)
            check("state", slots[env_id][state].tobytes(), snapshot[state])

    field, shape = device.actions, device.action.array.shape
    env_ids, over = np.arange(count, dtype=np.int32), np.ones(count, bool)
    for step in range(steps):
        stepped, action = env_ids, None
        if over.all():
            pool.reset()
            theirs = pool.recv()
        else:
            stepped = env_ids[~over]
            if field.discrete:
                action = random.integers(0, field.discrete, shape).astype(field.dtype)
            else:
                action = random.uniform(field.low, field.high, shape).astype(field.dtype)
            of_players = "reward" if field.per_player else "terminated"
            theirs = pool.step(action[device.mask(of_players, stepped)], stepped)
        device.run(action)
        ended = device.written["terminated"].array | device.written["truncated"].array
        for name, array in zip(names, theirs, strict=True):
            ours, rows = device.written[name].array, device.mask(name, stepped)
            if name.startswith("final."):  # says something of episodes that ended
                last = rows & device.mask(name, env_ids[ended])
                array, rows = array[last[rows]], last
            check(name, ours[rows].tobytes(), array.tobytes())
        if action is not None and over.any():  # kStaysOver
            rest = env_ids[over]
            assert ended[rest].all() and not device.written["truncated"].array[rest].any()
            for name in ("reward", "discount"):
                assert not device.written[name].array[device.mask(name, rest)].any()
        ends += int(ended[stepped].sum())
        over = ended if disabled else np.zeros(count, bool)
        if step % 20 == 19:  # observations are too short to show every bit of a state
            check_states()
    pool.close()
    return Run(words, dict(different), ends)


@pytest.mark.parametrize(
    ("task_id", "options", "mode"),
    CASES,
    ids=[f"{task_id}{'+' * bool(more)}-{mode}" for task_id, more, mode in CASES],
)
def test_bits_are_the_pools(task_id: str, options: dict[str, Any], mode: str) -> None:
    environment = TASKS[task_id]
    ptx = ptx_of(environment)
    # Only what says .rn is safe from ptxas, which fuses the rest.
    assert not re.findall(r"\b(?:fma[.\w]*|(?:add|sub|mul)\.f(?:32|64))\b", ptx)
    count, steps = THREADS, STEPS
    if environment.world:
        count = WORLDS
    elif environment.family == "atari":
        count, steps = CONSOLES, FRAMES
    run = compare(Device(task_id, kernel_of(environment), count, mode, **options), steps)
    print(f"{task_id}: {run.words} words, {run.ends} episodes")
    assert run.ends >= count
    assert not run.different, f"words that differ, of {run.words}"


@pytest.mark.parametrize("name", ["CartPole", "MountainCar", "Pendulum"])
def test_fused_products_would_be_noticed(name: str) -> None:
    task_id = next(task_id for task_id, environment in TASKS.items() if environment.name == name)
    run = compare(Device(task_id, kernel_of(TASKS[task_id], "--fmad=true"), THREADS, "next_step"), 60)
    print(f"{task_id}: {sum(run.different.values())} of {run.words} words differ")
    assert run.different["state"] > 64
