# SPDX-License-Identifier: Apache-2.0
"""Counts the memory requests of kernels on the stand-in for NVIDIA's driver (sectors.h).

    python -m tests.standin.sectors kernel_sectors.csv docs/gpu.md       (make generated)

A GPU accesses memory in sectors of 32 bytes. If the lanes of a warp execute a load or a store together, each sector is
accessed once; the fewer sectors a kernel accesses, the less work its memory accesses are. Existing rows of
kernel_sectors.csv stay; delete a row to count again.
"""

from __future__ import annotations

import contextlib
import csv
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

import envpool
from envpool.python.construction import Construction
from envpool.python.registry import find
from tests.cuda.device_comparison import random_actions
from tests.standin import rooflines
from tests.standin.driver import STANDIN, Driver, on_stand_in
from tests.standin.rooflines import LANES, SAMPLES, SECTOR, Sample

COUNTS = Path(__file__).with_name("kernel_sectors.csv")
MOST_STEPS = 20  # the counts of further steps hardly differ; Atari takes minutes for two


class Traffic(NamedTuple):
    """The memory accesses of one step of one environment, averaged over play with random actions.

    Attributes:
        load_requests: instructions of warps that read global memory.
        load_sectors: the sectors that they access, each counted once per request.
        load_bytes: the distinct bytes that a launch reads.
        store_requests, store_sectors, store_bytes: the same for writes.
        shared_requests: instructions of warps that access shared memory.
        shared_cycles: the cycles that they take: more than one if lanes access different words of the same bank.
        direct_store_sectors: store_sectors if lanes write all rows themselves (ENVPOOL_DEVICE_ROWS=direct).
    """

    load_requests: float
    load_sectors: float
    load_bytes: float
    store_requests: float
    store_sectors: float
    store_bytes: float
    shared_requests: float
    shared_cycles: float
    direct_store_sectors: float


@contextlib.contextmanager
def counting() -> Iterator[Driver]:
    """Makes pools with device="cuda" run on a stand-in that counts memory requests."""
    with tempfile.TemporaryDirectory() as folder, on_stand_in(Path(shutil.copy(STANDIN, folder))) as _:
        with mock.patch.dict("os.environ", ENVPOOL_STANDIN_MODE="sectors"):
            driver = Driver(Path(folder, STANDIN.name))
        yield driver


def totals(driver: Driver) -> np.ndarray:
    """Returns the sums over all launches so far, in the order of Traffic, without the last."""
    return np.array([driver.count(name.replace("_", " ")) for name in Traffic._fields[:-1]], float)


def count(sample: Sample) -> Traffic:
    """Counts the memory accesses of a sample's steps, with both ways of writing rows."""
    found = accesses_of(sample)
    with mock.patch.dict("os.environ", ENVPOOL_DEVICE_ROWS="direct"):
        return found._replace(direct_store_sectors=accesses_of(sample).store_sectors)


def accesses_of(sample: Sample) -> Traffic:
    """Counts the memory accesses of a sample's steps. Its environments start from different states.

    All lanes of a warp have an environment, as in a pool that fills a GPU. A small one would spread long steps over more
    warps.
    """
    arrays = Construction(find(sample.task_id), {}).arrays
    with counting() as driver, mock.patch.dict("os.environ", ENVPOOL_DEVICE_LANES=str(LANES)):
        pool: Any = envpool.make_gymnasium(sample.task_id, num_envs=sample.num_envs, device="cuda", seed=1)
        rng = np.random.default_rng(0)
        rooflines.continue_from_play(pool, arrays, sample, rng)
        before, steps = totals(driver), min(sample.steps, 2 if sample.num_envs == LANES else MOST_STEPS)
        for _ in range(steps):
            pool.step(random_actions(arrays, rng, sample.num_envs))
        pool._pool.wait()
        found = (totals(driver) - before) / (sample.num_envs * steps)
        pool.close()
    return Traffic._make([*np.round(found, 2).tolist(), 0.0])


# --- the table ---

_TABLE = re.compile(r"(<!-- made by make generated: sectors -->\n)(?:\|.*\n)*")


def read_counts(path: Path = COUNTS) -> dict[str, Traffic]:
    """Returns the counts of each sample, by id."""
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        rows = list(csv.reader(file))[1:]
    return {task_id: Traffic(*map(float, numbers)) for task_id, *numbers in rows}


def updated(page: str, counts: Mapping[str, Traffic] | None = None) -> str:
    """Returns a page with its table updated."""
    return _TABLE.sub(lambda found: found[1] + table(read_counts() if counts is None else counts), page)


def table(counts: Mapping[str, Traffic]) -> str:
    """Returns the counts of all samples, as Markdown."""
    lines = [
        "| environment | sectors read | at least | a request | sectors written | at least | a request | directly |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for task_id, it in counts.items():
        cells = [f"`{task_id}`"]
        for requests, sectors, distinct in (it[:3], it[3:6]):
            cells += [f"{sectors:,.1f}", f"{distinct / SECTOR:,.1f}", f"{sectors / requests:.1f}"]
        cells.append(f"{it.direct_store_sectors:,.1f}")
        lines.append(f"| {' | '.join(cells)} |")
    return "".join(line + "\n" for line in lines)


def main() -> None:
    """Counts samples that have no row yet, and updates the table of the page."""
    path, page = Path(sys.argv[1]), Path(sys.argv[2])
    known = read_counts(path)
    counts = {sample.task_id: known.get(sample.task_id) or count(sample) for sample in SAMPLES}
    with path.open("w", newline="") as file:
        rows = ((task_id, *numbers) for task_id, numbers in counts.items())
        csv.writer(file, lineterminator="\n").writerows([("task_id", *Traffic._fields), *rows])
    page.write_text(updated(page.read_text(), counts))


if __name__ == "__main__":
    main()
