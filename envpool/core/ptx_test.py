# SPDX-License-Identifier: Apache-2.0
"""A device's arithmetic, without a device: each environment's kernel, as NVRTC makes it, gives the pool's bits.

Its PTX goes to the stand-in for the CUDA driver (envpool/testing/standin), which runs it as C through whole episodes
beside a pool, and every array, state and generator is compared. What ptxas makes of the PTX is not seen here.
"""

from __future__ import annotations

import collections
import ctypes
import functools
import os
import re
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import envpool
import envpool.testing.registration  # noqa: F401  (registers Crowd)
from envpool import _core
from envpool.python.construction import Construction
from envpool.python.registry import find
from envpool.testing.capi import Options
from envpool.testing.cuda import Driver
from envpool.testing.nvrtc import FLAGS, SOURCE, Environment, Nvrtc, environments

ENVIRONMENTS = {(environment.family, environment.table): environment for environment in environments()}
WHOLE = 5 if os.environ.get("ENVPOOL_TEST_DEVICE") == "whole" else 1
LIMIT = 40  # steps of an episode
BLOCK, THREADS, STEPS = 32, 256, 200 * WHOLE
WORLDS = 64
CONSOLES, FRAMES = 4, 45 * WHOLE  # of Atari, whose C is a thousand times as slow as the pool
SEED = 11
COMMON = ("reward", "terminated", "truncated")

pytestmark = pytest.mark.skipif(SOURCE is None, reason="ENVPOOL_SOURCE_DIR does not say where the sources are")

# What of an environment only its C++ knows: its parameters, the blob they point to, and sizes.
HOST = """
#include "envpool/core/plugin.h"
{includes}
using namespace envpool;

struct Shape {{ void *params, *blob; i64 params_bytes, blob_at, blob_bytes, state_at, state_bytes, stride, saved_bytes; }};

template <class Env, class Contract>
void shape(const abi::Options* options, Shape* out) {{
  Model<Env>* model = TableOf<Env, Contract>::make_model(*options).release();
  struct Slot {{ Episode episode; typename Contract::Instance instance; }};
  const i64 extra = Contract::extra_bytes(model->params), bytes = i64(sizeof(typename Contract::State)) + extra;
  const auto rounded = [](i64 size) {{ return (size + 15) / 16 * 16; }};
  i64 blob_at = -1;
  if constexpr (requires {{ model->params.blob; }}) {{
    blob_at = reinterpret_cast<const u8*>(&model->params.blob) - reinterpret_cast<const u8*>(&model->params);
  }}
  *out = {{&model->params, model->blob.data(), sizeof(model->params), blob_at, i64(model->blob.size()), offset_of(&Slot::instance), bytes, rounded(bytes),
          rounded(i64(sizeof(Slot)) + extra)}};
}}

extern "C" {{
{exports}
}}
"""
EXPORT = """
void {family}_{name}(const abi::Options* options, Shape* out) {{
  shape<envpool::{family}::{name}, {contract}Contract<envpool::{family}::{name}>>(options, out);
}}"""


class Shape(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_void_p) for name in ("params", "blob")),
        *((name, ctypes.c_int64) for name in ("params_bytes", "blob_at", "blob_bytes", "state_at", "state_bytes")),
        *((name, ctypes.c_int64) for name in ("stride", "saved_bytes")),
    ]


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
CASES = [*((task_id, {}) for task_id in TASKS), *MORE.items()]


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


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    """The library that knows an environment's parameters: one for all families of headers alone, one for each other."""

    def parts(family: str) -> tuple[str, ...]:
        found = Path(SOURCE, "envpool", family).glob("*/*.cc")
        return tuple(str(path) for path in found if path.parent.name not in ("testing", "standin"))

    @functools.cache
    def make(sources: tuple[str, ...]) -> ctypes.CDLL:
        mine = [environment for environment in ENVIRONMENTS.values() if parts(environment.family) == sources]
        includes = "\n".join(f'#include "{environment.header}"' for environment in mine)
        exports = "".join(
            EXPORT.format(family=e.family, name=e.name, contract="World" if e.kind == "world" else "Portable")
            for e in mine
        )
        folder = tmp_path_factory.mktemp("host")
        Path(folder, "host.cc").write_text(HOST.format(includes=includes, exports=exports))
        flags = ["-std=c++20", "-O0", "-w", "-fPIC", "-shared", f"-I{SOURCE}"]
        subprocess.run(["g++", *flags, "host.cc", *sources, "-o", "host.so"], check=True, cwd=folder)
        return ctypes.CDLL(str(folder / "host.so"))

    return lambda environment: make(parts(environment.family))


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


class Device:
    """A batch of an environment in the hands of its kernel."""

    def __init__(self, task_id: str, host, kernel: int, count: int, **options: Any) -> None:
        environment, construction = TASKS[task_id], Construction(find(task_id), options)
        self.registration, self.options = find(task_id), options_of(construction, options)
        self.shape, self.kernel, self.count = Shape(), kernel, count
        shape = getattr(host(environment), f"{environment.family}_{environment.name}")
        shape(ctypes.byref(Options(**self.options)), ctypes.byref(self.shape))
        self.states = Mirror.of(np.zeros(count * self.shape.stride, np.uint8))
        episodes = np.zeros(count, EPISODE)
        episodes["seed"], episodes["stream"], episodes["over"] = SEED, np.arange(count), True
        self.episodes = Mirror.of(episodes)
        arrays = construction.arrays
        self.players, self.block = arrays.max_players, min(count, BLOCK)
        self.world = environment.kind == "world"
        self.fields = [*arrays.observations, *arrays.infos]
        self.order = [field.name for field in self.fields]
        self.arrays = {
            field.name: Mirror.of(np.zeros((self.rows(field.per_player), *field.shape), field.dtype))
            for field in self.fields
        }
        (self.actions,) = arrays.actions
        shape = (self.rows(self.actions.per_player), *self.actions.shape)
        self.action = Mirror.of(np.zeros(shape, self.actions.dtype))
        self.results = {
            "reward": Mirror.of(np.zeros(self.rows(True), np.float32)),
            "terminated": Mirror.of(np.zeros(count, bool)),
            "truncated": Mirror.of(np.zeros(count, bool)),
        }
        self.written = {**self.arrays, **self.results}
        outputs = [self.arrays[name] for name in self.order]
        self.arguments = [
            number(self.states.address, 8),
            number(self.shape.stride, 8),
            self.params(),
            number(self.episodes.address, 8),
            number(True, 1),
            number(LIMIT, 4),
            b"".join(number(place, 8) for place in (*tables(outputs), 0)),
            b"".join(number(place, 8) for place in (*tables([self.action]), 0)),
            b"".join(number(self.results[name].address, 8) for name in COMMON),
        ]

    def rows(self, per_player: bool) -> int:
        return self.count * (self.players if per_player else 1)

    def params(self) -> bytes:
        """The environment's parameters, with its blob on the device."""
        params = bytearray(ctypes.string_at(self.shape.params, self.shape.params_bytes))
        if (at := self.shape.blob_at) >= 0:
            blob = np.frombuffer(ctypes.string_at(self.shape.blob, self.shape.blob_bytes), np.uint8)
            params[at : at + 8] = number(driver().upload(blob), 8)
        return bytes(params)

    def run(self, action: np.ndarray | None) -> None:
        """One launch: begins episodes where there is no action, else steps."""
        self.arguments[4] = number(action is None, 1)
        if action is not None:
            driver().upload(action, self.action.address)
        grid = self.count if self.world else self.count // self.block
        driver().launch(self.kernel, grid, self.players if self.world else self.block, self.arguments)
        for mirror in self.written.values():
            mirror.download()

    def state(self, env_id: int) -> bytes:
        begin = env_id * self.shape.stride
        return self.states.array[begin : begin + self.shape.state_bytes].tobytes()


def options_of(construction: Construction, given: dict[str, Any]) -> dict[str, bool | int | float | str | bytes]:
    """All options as C++ takes them."""
    registration = construction.registration
    return registration.prepare(
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
    names = [*device.order, *COMMON]
    seeds, streams, limits = [SEED] * count, list(range(count)), [LIMIT] * count
    pool = _core.Pool(
        registration.load(), registration.task_id, [device.options], count, 0, 1, [], seeds, streams, 0, limits, names
    )
    random = np.random.default_rng(5)
    different, words, ends = collections.Counter(), 0, 0

    def check(name: str, ours: bytes, theirs: bytes) -> None:
        nonlocal words
        assert len(ours) == len(theirs)
        ours, theirs = (np.frombuffer(side + bytes(-len(side) % 4), np.uint32) for side in (ours, theirs))
        words += len(ours)
        if (ours != theirs).any():
            different[name] += int((ours != theirs).sum())

    def check_states() -> None:
        device.states.download()
        episodes = device.episodes.download()
        for env_id in range(count):
            snapshot = pool.snapshot(env_id)[-device.shape.saved_bytes :]
            episode = np.frombuffer(snapshot[: EPISODE.itemsize], EPISODE)[0]
            for name in EPISODE.names:
                check(name, episodes[env_id][name].tobytes(), episode[name].tobytes())
            at = device.shape.state_at
            check("state", device.state(env_id), snapshot[at : at + device.shape.state_bytes])

    field, shape = device.actions, device.action.array.shape
    action, alive = None, slice(None)
    pool.reset()
    for step in range(steps):
        if step == 0:
            theirs = pool.recv()
        else:
            if field.discrete:
                action = random.integers(0, field.discrete, shape).astype(field.dtype)
            else:
                action = random.uniform(field.low, field.high, shape).astype(field.dtype)
            theirs = pool.step(action[alive] if field.per_player else action)
        device.run(action)
        alive = players_of(device, pool)
        for name, array in zip(names, theirs, strict=True):
            ours = device.written[name].array
            if device.world and len(ours) == len(alive):
                ours = ours[alive]
            check(name, ours.tobytes(), array.tobytes())
        ends += int((device.results["terminated"].array | device.results["truncated"].array).sum())
        if step % 20 == 19:  # observations are too short to show every bit of a state
            check_states()
    pool.close()
    return Run(words, dict(different), ends)


def players_of(device: Device, pool: _core.Pool) -> np.ndarray:
    """Of the rows of players, those that there are."""
    if not device.world:
        return np.ones(device.count, bool)
    players = np.array(pool.players(np.arange(device.count, dtype=np.int32)))
    return (np.arange(device.players) < players[:, None]).ravel()


@pytest.mark.parametrize(("task_id", "options"), CASES, ids=[task_id + "+" * bool(more) for task_id, more in CASES])
def test_bits_are_the_pools(task_id: str, options: dict[str, Any], host) -> None:
    environment = TASKS[task_id]
    ptx = ptx_of(environment)
    # Only what says .rn is safe from ptxas, which fuses the rest.
    assert not re.findall(r"\b(?:fma[.\w]*|(?:add|sub|mul)\.f(?:32|64))\b", ptx)
    count, steps = THREADS, STEPS
    if environment.kind == "world":
        count = WORLDS
    elif environment.family == "atari":
        count, steps = CONSOLES, FRAMES
    run = compare(Device(task_id, host, kernel_of(environment), count, **options), steps)
    print(f"{task_id}: {run.words} words, {run.ends} episodes")
    assert run.ends >= count
    assert not run.different, f"words that differ, of {run.words}"


@pytest.mark.parametrize("name", ["CartPole", "MountainCar", "Pendulum"])
def test_fused_products_would_be_noticed(name: str, host) -> None:
    task_id = next(task_id for task_id, environment in TASKS.items() if environment.name == name)
    run = compare(Device(task_id, host, kernel_of(TASKS[task_id], "--fmad=true"), THREADS), 60)
    print(f"{task_id}: {sum(run.different.values())} of {run.words} words differ")
    assert run.different["state"] > 64
