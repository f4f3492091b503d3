# SPDX-License-Identifier: Apache-2.0
"""A device's arithmetic, without a device: each environment's kernel, as NVRTC makes it, gives the pool's bits.

Its PTX is run as C (envpool/testing/ptx.py) through whole episodes beside a pool, and every array, state and generator
is compared. What ptxas makes of the PTX is not seen here.
"""

from __future__ import annotations

import collections
import ctypes
import functools
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
from envpool.testing.nvrtc import FLAGS, SOURCE, Environment, Nvrtc, environments
from envpool.testing.ptx import Kernel

ENVIRONMENTS = {(environment.family, environment.table): environment for environment in environments()}
LIMIT = 40  # steps of an episode
BLOCK, THREADS, STEPS = 32, 256, 200
WORLDS = 64
CONSOLES, FRAMES = 4, 60  # of Atari, whose C is a thousand times as slow as the pool
SEED = 11
COMMON = ("reward", "terminated", "truncated")

pytestmark = pytest.mark.skipif(SOURCE is None, reason="ENVPOOL_SOURCE_DIR does not say where the sources are")

# What of an environment only its C++ knows: its parameters, the blob they point to, and sizes.
HOST = """
#include "envpool/core/plugin.h"
{includes}
using namespace envpool;

struct Shape {{ void* params; i64 params_bytes, state_at, state_bytes, stride, saved_bytes; }};

template <class Env, class Contract>
void shape(const abi::Options* options, Shape* out) {{
  Model<Env>* model = TableOf<Env, Contract>::make_model(*options).release();
  struct Slot {{ Episode episode; typename Contract::Instance instance; }};
  const i64 extra = Contract::extra_bytes(model->params), bytes = i64(sizeof(typename Contract::State)) + extra;
  const auto rounded = [](i64 size) {{ return (size + 15) / 16 * 16; }};
  *out = {{&model->params, sizeof(model->params), offset_of(&Slot::instance), bytes, rounded(bytes),
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
        ("params", ctypes.c_void_p),
        *((name, ctypes.c_int64) for name in ("params_bytes", "state_at", "state_bytes", "stride", "saved_bytes")),
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


@pytest.fixture(scope="module")
def kernel_of(tmp_path_factory):
    """The kernel of an environment, made once."""

    @functools.cache
    def make(environment: Environment, *flags: str) -> Kernel:
        return Kernel(ptx_of(environment, *flags), tmp_path_factory.mktemp(environment.name))

    return make


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    """The library that knows an environment's parameters: one for all families of headers alone, one for each other."""

    def parts(family: str) -> tuple[str, ...]:
        found = Path(SOURCE, "envpool", family).glob("*/*.cc")
        return tuple(str(path) for path in found if path.parent.name != "testing")

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


class Device:
    """A batch of an environment in the hands of its kernel."""

    def __init__(self, task_id: str, host, kernel: Kernel, count: int, **options: Any) -> None:
        environment, construction = TASKS[task_id], Construction(find(task_id), options)
        self.registration, self.options = find(task_id), options_of(construction, options)
        self.shape, self.kernel, self.count = Shape(), kernel, count
        shape = getattr(host(environment), f"{environment.family}_{environment.name}")
        shape(ctypes.byref(Options(**self.options)), ctypes.byref(self.shape))
        self.params = ctypes.string_at(self.shape.params, self.shape.params_bytes)
        self.states = aligned(count * self.shape.stride)
        self.episodes = np.zeros(count, EPISODE)
        self.episodes["seed"], self.episodes["stream"], self.episodes["over"] = SEED, np.arange(count), True
        arrays = construction.arrays
        self.players, self.block = arrays.max_players, min(count, BLOCK)
        self.world = environment.kind == "world"
        self.fields = [*arrays.observations, *arrays.infos]
        self.order = [field.name for field in self.fields]
        self.arrays = {
            field.name: np.zeros((self.rows(field.per_player), *field.shape), field.dtype) for field in self.fields
        }
        self.actions = arrays.actions
        self.results = {
            "reward": np.zeros(self.rows(True), np.float32),
            "terminated": np.zeros(count, bool),
            "truncated": np.zeros(count, bool),
        }

    def rows(self, per_player: bool) -> int:
        return self.count * (self.players if per_player else 1)

    def run(self, action: np.ndarray | None) -> None:
        restart = action is None
        fields, row_bytes = (
            pointers(self.arrays[name] for name in self.order),
            sizes(self.arrays[name] for name in self.order),
        )
        given = [np.zeros(1)] if restart else [np.ascontiguousarray(action)]
        action_fields, action_bytes = pointers(given), sizes(given)
        number = lambda value, size: int(value).to_bytes(size, "little")  # noqa: E731
        row = b"".join(number(place, 8) for place in (fields.ctypes.data, row_bytes.ctypes.data, 0))
        action_row = b"".join(number(place, 8) for place in (action_fields.ctypes.data, action_bytes.ctypes.data, 0))
        results = b"".join(number(self.results[name].ctypes.data, 8) for name in COMMON)
        self.kernel.launch(
            self.count if self.world else self.count // self.block,
            self.players if self.world else self.block,
            [
                number(self.states.ctypes.data, 8),
                number(self.shape.stride, 8),
                self.params,
                number(self.episodes.ctypes.data, 8),
                number(restart, 1),
                number(LIMIT, 4),
                row,
                action_row,
                results,
            ],
        )

    def state(self, env_id: int) -> bytes:
        begin = env_id * self.shape.stride
        return self.states[begin : begin + self.shape.state_bytes].tobytes()


def options_of(construction: Construction, given: dict[str, Any]) -> dict[str, bool | int | float | str | bytes]:
    """All options as C++ takes them."""
    registration = construction.registration
    return registration.prepare(
        registration.task_id, {name: given.get(name, option.default) for name, option in construction.options.items()}
    )


def aligned(size: int) -> np.ndarray:
    """Zeros that begin on 64 bytes."""
    memory = np.zeros(size + 64, np.uint8)
    begin = -memory.ctypes.data % 64
    return memory[begin : begin + size]


def pointers(arrays) -> np.ndarray:
    return np.array([array.ctypes.data for array in arrays], np.uint64)


def sizes(arrays) -> np.ndarray:
    return np.array([array[0].nbytes for array in arrays], np.int64)


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
        for env_id in range(count):
            snapshot = pool.snapshot(env_id)[-device.shape.saved_bytes :]
            episode = np.frombuffer(snapshot[: EPISODE.itemsize], EPISODE)[0]
            for name in EPISODE.names:
                check(name, device.episodes[env_id][name].tobytes(), episode[name].tobytes())
            at = device.shape.state_at
            check("state", device.state(env_id), snapshot[at : at + device.shape.state_bytes])

    (field,) = device.actions
    shape = (device.rows(field.per_player), *field.shape)
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
            ours = device.arrays[name] if name in device.arrays else device.results[name]
            if device.world and len(ours) == len(alive):
                ours = ours[alive]
            check(name, ours.tobytes(), array.tobytes())
        ends += int((device.results["terminated"] | device.results["truncated"]).sum())
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
def test_bits_are_the_pools(task_id: str, options: dict[str, Any], host, kernel_of) -> None:
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
def test_fused_products_would_be_noticed(name: str, host, kernel_of) -> None:
    task_id = next(task_id for task_id, environment in TASKS.items() if environment.name == name)
    run = compare(Device(task_id, host, kernel_of(TASKS[task_id], "--fmad=true"), THREADS), 60)
    print(f"{task_id}: {sum(run.different.values())} of {run.words} words differ")
    assert run.different["state"] > 64


def test_an_unknown_instruction_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotImplementedError, match="sin.approx"):
        Kernel(".visible .entry run(\n)\n{\n.reg .f32 %f<3>;\nsin.approx.f32 %f1, %f2;\nret;\n}", tmp_path)


def test_an_access_off_its_alignment_is_an_error(tmp_path: Path) -> None:
    body = ".reg .b64 %rd<3>;\nld.param.u64 %rd1, [run_param_0];\nld.global.u64 %rd2, [%rd1+4];\nret;"
    kernel = Kernel(f".visible .entry run(\n.param .u64 run_param_0\n)\n{{\n{body}\n}}", tmp_path)
    memory = aligned(64)
    with pytest.raises(RuntimeError, match="not aligned: ld.global.u64"):
        kernel.launch(1, 1, [memory.ctypes.data.to_bytes(8, "little")])
