# SPDX-License-Identifier: Apache-2.0
"""Measures WarpDrive's kernel of tag on a grid, and pools of the same worlds, on the same GPU.

WarpDrive's kernel is written for Numba. It is read from WarpDrive's wheel, which $ENVPOOL_WARP_DRIVE_WHEEL names, and runs
without the rest of WarpDrive, which needs PyCUDA or an older Numba. A launch of it neither resets worlds nor checks
actions, and a pool's step does both.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
import tempfile
import types
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import envpool
from tests.cuda.device_comparison import random_actions
from tests.proof import Result, Step
from tests.proof.speed import measured

TASK = "TagGridWorld-v0"
SOURCE = "example_envs/tag_gridworld/tag_gridworld_step_numba.py"
LENGTH = 100  # of the grid
# The numbers of worlds and taggers, and whether agents observe all others.
CASES = ((131072, 4, True), (2000, 4, True), (2000, 999, False))


def _options(taggers: int, observes_all: bool) -> dict[str, Any]:
    return {"num_taggers": taggers, "grid_length": LENGTH, "use_full_observation": observes_all}


def worlds() -> list[tuple[str, dict[str, Any]]]:
    """Returns the worlds whose kernels this section needs."""
    return [(TASK, _options(taggers, observes_all)) for _, taggers, observes_all in CASES]


def numba_cuda() -> Any:
    """Returns Numba's module for GPUs, which refers to a function that NumPy 2.5 no longer has."""
    if not hasattr(np, "row_stack"):
        vars(np)["row_stack"] = np.vstack
    from numba import cuda  # type: ignore[import-not-found]

    return cuda


def kernel_of(wheel: Path, count: int, agents: int) -> Any:
    """Returns WarpDrive's kernel for a number of worlds and agents, which are constants in it."""
    constants = types.ModuleType("warp_drive.numba_includes.env_config")
    vars(constants).update(wkNumberEnvs=count, wkNumberAgents=agents, wkBlocksPerEnv=1)
    for name in ("warp_drive", "warp_drive.numba_includes"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules[constants.__name__] = constants
    with tempfile.TemporaryDirectory() as folder:
        path = zipfile.ZipFile(wheel).extract(SOURCE, folder)
        spec = importlib.util.spec_from_file_location("warp_drive_tag", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module.NumbaTagGridWorldStep


def theirs(wheel: Path, count: int, taggers: int, observes_all: bool, seconds: float) -> list[float]:
    """Returns how many launches per second WarpDrive's kernel reaches, in two measurements."""
    cuda = numba_cuda()
    agents = taggers + 1
    kernel = kernel_of(wheel, count, agents)
    rng = np.random.default_rng(0)
    x, y = (cuda.to_device(rng.integers(0, LENGTH, (count, agents), np.int32)) for _ in range(2))
    actions = cuda.to_device(rng.integers(0, 5, (count, agents, 1), np.int32))
    done, clock = (cuda.to_device(np.zeros(count, np.int32)) for _ in range(2))
    rewards = cuda.to_device(np.zeros((count, agents), np.float32))
    width = 4 * agents + 1 if observes_all else 6
    seen = cuda.device_array((count, agents, width), np.float32)
    penalties = [np.float32(value) for value in (0.1, 10.0, 5.0, 0.01)]
    rest = (observes_all, np.int32(LENGTH), clock, np.int32(1 << 30))

    def play(steps: int) -> None:
        for _ in range(steps):
            kernel[count, agents](x, y, actions, done, rewards, seen, *penalties, *rest)
        cuda.synchronize()

    return measured(play, seconds)


def ours(count: int, taggers: int, observes_all: bool, seconds: float) -> list[float]:
    """Returns how many steps per second a pool of such worlds reaches, in two measurements. Actions are on the device."""
    cuda = numba_cuda()
    options = _options(taggers, observes_all)
    pool: Any = envpool.make_gymnasium(TASK, num_envs=count, device="cuda", seed=1, **options)
    pool.reset()
    rng = np.random.default_rng(0)
    sample = random_actions(pool.spec.arrays, rng, count)
    action = {name: cuda.to_device(values) for name, values in sample.items()}

    def play(steps: int) -> None:
        for _ in range(steps):
            pool.step(action)
        pool._pool.wait()

    rates = measured(play, seconds)
    pool.close()
    return rates


def beside(wheel: Path, count: int, taggers: int, observes_all: bool) -> Result:
    """Measures both in the same process, one after the other."""
    rates = {
        "ours": ours(count, taggers, observes_all, 1.5),
        "warp_drive": theirs(wheel, count, taggers, observes_all, 1.5),
    }
    mine, other = (count * sum(each) / len(each) for each in rates.values())
    return {
        "num_envs": count,
        "agents": taggers + 1,
        "observes_all": observes_all,
        "steps_per_second": mine,
        "microseconds_per_call": count / mine * 1e6,
        "spread": max((max(each) - min(each)) / max(each) for each in rates.values()),
        "warp_drive": other,
        "over_warp_drive": mine / other,
    }


def peers(small: bool) -> Iterator[Step]:
    """Measures WarpDrive's kernel."""
    wheel = Path(os.environ.get("ENVPOOL_WARP_DRIVE_WHEEL", ""))
    if small or importlib.util.find_spec("numba") is None or not wheel.is_file():
        why = "Numba cannot use the stand-in" if small else "it needs Numba and WarpDrive's wheel"
        yield "WarpDrive", lambda: {"skipped": why}
        return
    for count, taggers, observes_all in CASES:
        seen = "all seen" if observes_all else "nearest seen"
        name = f"{TASK} x {count}, {taggers + 1} agents, {seen}"
        yield name, functools.partial(beside, wheel, count, taggers, observes_all)
