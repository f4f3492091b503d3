# SPDX-License-Identifier: Apache-2.0
"""Tests that the race detector of the stand-in reports kernels with a race, and only those."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import tests.environments.registration  # noqa: F401  (registers Crowd)
from envpool.python.options import AUTORESET_MODES
from envpool.python.registry import find
from tests.cuda.device_arrays import OnDevice, make
from tests.cuda.device_comparison import LIMIT, compare, players, pools, random_actions, tasks
from tests.cuda.nvrtc import SOURCE, LoadedProgram
from tests.standin.driver import STANDIN, CudaError, Driver, on_stand_in

pytestmark = pytest.mark.skipif(SOURCE is None, reason="ENVPOOL_SOURCE_DIR does not say where the sources are")


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Driver:
    monkeypatch.setenv("ENVPOOL_STANDIN_MODE", "races")
    return Driver.another(tmp_path)


def kernel(body: str) -> str:
    return f"""
    extern "C" __global__ void run(int* out) {{
      __shared__ int flag, box[64];
      const int i = threadIdx.x, g = blockIdx.x * blockDim.x + i;
      {body}
    }}
    """


RACES = {  # the kernel's body, and the expected error
    "a flag that is cleared by one thread while others set it": (
        "if (i == 0) flag = 0; if (out[g] == 0) flag = 1; __syncthreads(); out[g] = flag;",
        r"it writes byte 0 of shared memory, which thread \(\d+, 0, 0\) of block \(0, 0, 0\) has written without",
    ),
    "a flag that several threads set": (
        "if (i == 0) flag = 0; __syncthreads(); if (i % 2) flag = 1; __syncthreads(); out[g] = flag;",
        r"in thread \(61, 0, 0\)",
    ),
    "a flag that is read before the barrier": (
        "out[g] = *(volatile int*)&flag; if (i == 9) flag = 7;",
        r"it writes byte 0 of shared memory, which thread \(\d+, 0, 0\) of block \(0, 0, 0\) has read without",
    ),
    "a neighbour's word before the barrier": (
        "box[i] = i; out[g] = box[63 - i]; __syncthreads();",
        "it (reads|writes) byte .* of shared memory",
    ),
    "a word that is written again while others still read": (
        "box[i] = i; __syncthreads(); out[g] = box[63 - i]; box[i] = 3;",
        "it (reads|writes) byte .* of shared memory",
    ),
    "a word that all have read and one writes": (
        "if (i == 0) flag = 1; __syncthreads(); out[g] = flag; if (i == 40) flag = 2;",
        r"it (reads|writes) byte 0 of shared memory.*\(40, 0, 0\)",
    ),
    "global memory of a neighbour": (
        "out[g] = i; __syncwarp(); if (i == 0) out[40] += 1;",
        r"bytes? 160 of 512 bytes of memory, which thread \(40, 0, 0\)",
    ),
    "a word that a shuffle does not order": (
        "box[i] = __shfl_sync(~0u, i, 0); out[g] = __shfl_sync(~0u, box[i ^ 1], 0);",
        "it (reads|writes) byte .* of shared memory",
    ),
    "half of a barrier": (
        'if (i == 0) box[0] = 5; if (i < 32) asm volatile("bar.sync 1, 32;" ::: "memory"); out[g] = *(volatile int*)box;',
        r"which thread \((32|63|0), 0, 0\)",
    ),
    "a word of two blocks": ("if (i == 0) out[5] = 1;", r"which thread \(0, 0, 0\) of block \(0, 0, 0\) has written"),
    "a word that another block reads": (
        "const int seen = *(volatile int*)&out[100]; if (i == 5 && blockIdx.x == 1) out[100] = seen + 1;",
        r"has read without a barrier, in thread \(5, 0, 0\) of block \(1, 0, 0\)",
    ),
    "an atomic and a plain store": (
        "if (i == 3) out[0] = 1; else atomicAdd(out, 1);",
        r"(thread \(3, 0, 0\).*|.*in thread \(3, 0, 0\))",
    ),
}
ORDERED = {
    "barriers": "box[i] = i; __syncthreads(); out[g] = box[63 - i]; __syncthreads(); box[i] = 3;",
    "one thread's own words": "box[i] = i; box[i] += 2; out[g] = box[i]; out[g] += 1;",
    "a flag": "if (i == 0) flag = 0; __syncthreads(); if (i == 9) flag = 1; __syncthreads(); out[g] = flag;",
    "atomics": "if (i == 0) flag = 0; __syncthreads(); atomicAdd(&flag, 1); __syncthreads(); out[g] = flag;",
    "atomics of two blocks": "atomicAdd(out, 1); atomicMax(out + 1, i);",
    "volatile words": "*(volatile int*)out = g;",
    "readers": "if (i < 2) box[i] = i; __syncthreads(); out[g] = box[0] + box[1];",
    "a warp's barrier": "box[i] = i; __syncwarp(); out[g] = box[i ^ 1];",
    "two halves": (
        'box[i] = i; if (i < 32) asm volatile("bar.sync 1, 32;" ::: "memory");'
        ' else asm volatile("bar.sync 2, 32;" ::: "memory"); out[g] = box[i ^ 31];'
    ),
    "arrival": (
        'if (i < 32) { box[i] = i; asm volatile("bar.arrive 3, 64;" ::: "memory"); }'
        ' else { asm volatile("bar.sync 3, 64;" ::: "memory"); out[g] = box[i - 32]; }'
    ),
}


@pytest.mark.parametrize("name", RACES)
def test_a_race_fails_the_launch(driver: Driver, name: str) -> None:
    body, text = RACES[name]
    with pytest.raises(CudaError, match=rf"LAUNCH_FAILED \(run: .*a race: .*{text}"):
        LoadedProgram(driver, kernel(body))("run", np.zeros(128, np.int32), block=64, grid=2)


@pytest.mark.parametrize("name", ORDERED)
def test_threads_that_are_ordered_pass(driver: Driver, name: str) -> None:
    LoadedProgram(driver, kernel(ORDERED[name]))("run", np.zeros(128, np.int32), block=64, grid=2)


# --- the kernels of pools ---

WHOLE = os.environ.get("ENVPOOL_TEST_DEVICE") == "whole"
SAMPLE = ("Crowd-v0", "TagContinuous-v0", "TagGridWorld-v0", "CartPole-v1", "Taxi-v3", "Breakout-MinAtar")


@pytest.fixture(scope="module")
def detector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    library = shutil.copy(STANDIN, tmp_path_factory.mktemp("races"))
    with pytest.MonkeyPatch.context() as patch, on_stand_in(Path(library)):
        patch.setenv("ENVPOOL_STANDIN_MODE", "races")
        driver = Driver(Path(library))
        with pytest.raises(CudaError, match="a race"):  # The detector of this library is switched on.
            LoadedProgram(driver, kernel("out[0] = i;"))("run", np.zeros(64, np.int32), block=64)
        driver.reset()
        yield driver


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize("mode", AUTORESET_MODES)
@pytest.mark.parametrize("task_id", tasks() if WHOLE else SAMPLE)
def test_kernels_of_pools_have_no_races(detector: Driver, task_id: str, mode: str) -> None:
    family = find(task_id).family
    # With these counts the kernel runs in several blocks.
    count, steps = (2, 6) if family == "atari" else (3 if family in ("tag", "") else 130, LIMIT + 5)
    if players(task_id) > 100:
        count, steps = 2, 6
    both = pools(task_id, mode, count)
    found, ends = compare(both, count, steps)
    assert not found.different
    assert ends >= count or steps == 6
    both.device.close()


@pytest.mark.parametrize("task_id", ["Crowd-v0", "TagContinuous-v0", "TagGridWorld-v0"])
def test_several_bad_actions_do_not_race(detector: Driver, task_id: str) -> None:
    pool = make(task_id, 3)
    pool.reset()
    sent = random_actions(pool._construction.arrays, np.random.default_rng(0), 3)
    bad = {
        name: np.full(rows.shape, np.nan if rows.dtype.kind == "f" else 99, rows.dtype) for name, rows in sent.items()
    }
    pool.step({name: OnDevice(rows, driver=detector) for name, rows in bad.items()})
    pool._pool.wait()
    with pytest.raises(ValueError, match="in row .* of an earlier step"):
        pool.step(sent)
    pool.step(sent)
    pool.close()
