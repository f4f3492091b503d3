# SPDX-License-Identifier: Apache-2.0
"""Tests that the stand-in counts memory requests, and that kernels write observations in few sectors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import tests.environments.registration  # noqa: F401  (registers Crowd)
from tests.cuda.device_comparison import compare, pools
from tests.cuda.nvrtc import SOURCE, LoadedProgram
from tests.standin import sectors
from tests.standin.driver import Driver, on_stand_in
from tests.standin.rooflines import SAMPLES, SECTOR
from tests.standin.sectors import Traffic

pytestmark = pytest.mark.skipif(SOURCE is None, reason="ENVPOOL_SOURCE_DIR does not say where the sources are")


@pytest.fixture(scope="module")
def counting() -> Iterator[Driver]:
    with sectors.counting() as driver:
        yield driver


# Each kernel runs in 64 threads, which are two warps.
KERNELS = {  # the body, and the requests, sectors and distinct bytes of its stores to global memory
    "consecutive words": ("out[i] = i;", (2, 8, 256)),
    "consecutive bytes": ("reinterpret_cast<char*>(out)[i] = i;", (2, 2, 64)),
    "sixteen bytes in each lane": ("reinterpret_cast<int4*>(out)[i] = make_int4(i, i, i, i);", (2, 32, 1024)),
    "one word in each sector": ("out[8 * i] = i;", (2, 64, 256)),
    "the same word": ("*(volatile int*)out = 1;", (2, 2, 4)),
    "some lanes": ("if (i % 32 < 8) out[i] = i;", (2, 2, 64)),
    "a loop with different lengths": (
        "#pragma unroll 1\nfor (int k = 0; k < i % 32; ++k) out[64 * k + i] = k;",
        (62, 152, 3968),
    ),
    "words that are not aligned to a sector": ("out[i + 1] = i;", (2, 10, 256)),
    "shared memory": ("box[i] = i; __syncthreads(); if (i == 0) out[0] = box[5];", (1, 1, 4)),
}


@pytest.mark.parametrize("name", KERNELS)
def test_stores_are_counted(counting: Driver, name: str) -> None:
    body, expected = KERNELS[name]
    program = LoadedProgram(
        counting,
        f"""
        extern "C" __global__ void run(int* out) {{
          __shared__ int box[64];
          const int i = threadIdx.x;
          {body}
        }}""",
    )
    before = sectors.totals(counting)
    program("run", np.zeros(1 << 12, np.int32), block=64)
    found = dict(zip(Traffic._fields, sectors.totals(counting) - before, strict=False))
    assert (found["store_requests"], found["store_sectors"], found["store_bytes"]) == expected


def test_bytes_of_shared_tables_are_not_counted(counting: Driver) -> None:
    program = LoadedProgram(
        counting,
        """
        extern "C" __global__ void run(const int* __restrict__ table, int* out) {
          const int i = threadIdx.x;
          out[i] += table[8 * i];  // loads of constant memory are marked .nc
        }""",
    )
    before = sectors.totals(counting)
    program("run", np.zeros(1 << 9, np.int32), np.zeros(32, np.int32), block=32)
    found = dict(zip(Traffic._fields, sectors.totals(counting) - before, strict=False))
    assert (found["load_requests"], found["load_sectors"], found["load_bytes"]) == (2, 32 + 4, 128)


@pytest.mark.parametrize(("stride", "cycles"), [(1, 1), (2, 2), (3, 1), (4, 4), (32, 32), (0, 1)])
def test_bank_conflicts_are_counted(counting: Driver, stride: int, cycles: int) -> None:
    program = LoadedProgram(
        counting,
        f"""
        extern "C" __global__ void run(int* out) {{
          __shared__ volatile int box[1024];
          box[threadIdx.x * {stride}] = 1;
          out[threadIdx.x] = 2;
        }}""",
    )
    before = sectors.totals(counting)
    program("run", np.zeros(32, np.int32), block=32)
    found = dict(zip(Traffic._fields, sectors.totals(counting) - before, strict=False))
    assert (found["shared_requests"], found["shared_cycles"]) == (1, cycles)


# The rows of these environments are written together. The number is the most sectors, as a multiple of the fewest
# that hold the written bytes. States are still written directly.
BOUNDS = {
    "Breakout-MinAtar": 2.0,
    "Seaquest-MinAtar": 1.3,
    "DeepSea-bsuite": 2.0,
    "Catch-bsuite": 1.7,
    "MiniGrid-DoorKey-5x5-v0": 1.5,
    "TagGridWorld-v0": 1.5,
    "TagContinuous-v0": 1.8,  # in four steps; 1.4 over more
}


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize("task_id", BOUNDS)
def test_rows_are_written_in_few_sectors(task_id: str) -> None:
    (sample,) = (sample for sample in SAMPLES if sample.task_id == task_id)
    found = sectors.count(sample._replace(steps=4))
    fewest = found.store_bytes / SECTOR
    assert found.store_sectors < BOUNDS[task_id] * fewest
    assert found.direct_store_sectors > 4 * fewest, "this test cannot fail"
    # Lanes rarely wait for each other's accesses to shared memory. A request of 16 bytes per lane takes four cycles anyway.
    assert found.shared_cycles <= 4.1 * found.shared_requests


def test_rows_do_not_have_to_be_written_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENVPOOL_DEVICE_ROWS", "direct")
    with on_stand_in():
        for task_id in ("Breakout-MinAtar", "Crowd-v0"):
            found, _ = compare(pools(task_id, "same_step", 7), 7, 60)
            assert not found.different


# --- the table ---


def test_the_table_is_current() -> None:
    page = Path(str(SOURCE), "docs/gpu.md").read_text()
    assert page.count("<!-- made by make generated: sectors -->") == 1
    assert sectors.updated(page) == page, "run `make generated`"
    assert sectors.read_counts().keys() == {sample.task_id for sample in SAMPLES}


def test_counts_are_current() -> None:
    (sample,) = (sample for sample in SAMPLES if sample.task_id == "CartPole-v1")
    counted, kept = sectors.count(sample), sectors.read_counts()["CartPole-v1"]
    assert counted == pytest.approx(kept, rel=0.1), "delete its row in kernel_sectors.csv and run `make generated`"
