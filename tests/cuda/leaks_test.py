# SPDX-License-Identifier: Apache-2.0
"""Tests that pools on a device leave nothing behind after they were closed or could not be made."""

from __future__ import annotations

import functools
import gc
import os
from collections.abc import Iterator

import numpy as np
import pytest

import envpool
from envpool.cuda.driver import CudaError
from tests.cuda.nvrtc import SOURCE
from tests.standin.driver import Driver, on_stand_in
from tests.support.samples import DAY

pytestmark = pytest.mark.skipif(SOURCE is None, reason="ENVPOOL_SOURCE_DIR does not say where the sources are")

KINDS = ("allocations", "streams", "events", "modules", "contexts", "graphs", "graph_execs")
DRIVER = functools.cache(Driver)
WHOLE = os.environ.get("ENVPOOL_TEST_DEVICE") == "whole"
MODES = ["next_step", "same_step"]


@pytest.fixture(autouse=True)
def stand_in() -> Iterator[None]:
    with on_stand_in():
        yield
    DRIVER().fail(0)


def counts() -> dict[str, int]:
    gc.collect()
    return {kind: DRIVER().count(kind) for kind in KINDS}


def use_pool(mode: str = "next_step") -> None:
    """Makes a pool, resets it, steps it and closes it."""
    pool = envpool.make_gymnasium("CartPole-v1", num_envs=3, seed=3, device="cuda", autoreset_mode=mode)
    try:
        pool.reset()
        pool.step(np.zeros(3, int))[0].numpy()
    finally:
        pool.close()


def test_closed_pools_leave_nothing() -> None:
    DRIVER()  # keeps the device's context, in which the stacks of kernels stay reserved
    use_pool()
    before = counts()
    free = free_bytes()
    for _ in range(1000 if WHOLE else 100):
        use_pool()
    assert counts() == before
    assert free_bytes() == free


def free_bytes() -> int:
    """Returns the free bytes of the device."""
    driver = DRIVER()
    driver.enter()
    return driver.get("cuMemGetInfo_v2", np.zeros(1, np.uint64).ctypes.data)


@pytest.mark.parametrize("mode", MODES if WHOLE else [MODES[DAY % 2]])
def test_a_failure_of_any_call_leaves_nothing(mode: str) -> None:
    """Makes each call to the driver, or a quarter of the calls by the date, fail while a pool is made and used."""
    out_of_memory = 2
    use_pool(mode)
    first, step = (1, 1) if WHOLE else (1 + DAY // 2 % 4, 4)
    before, failures = counts(), 0
    for number in range(first, 1000, step):
        DRIVER().fail(number, out_of_memory)
        try:
            use_pool(mode)
        except (CudaError, MemoryError) as error:
            assert str(error).startswith("[CartPole-v1]") or "[envpool.cuda]" in str(error)
            failures += 1
        if DRIVER().fail(0):  # The pool made fewer calls, so none failed.
            break
        assert counts() == before, f"after a failure of call {number}"
    assert 10 < failures * step == number - first
    use_pool(mode)
    assert counts() == before


@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize(
    "options",
    [
        {"device": "cuda:9"},
        {"num_envs": 2**20, "task_id": "Pong-v5"},
        {"gravity": "strong"},
        {"seed": [1, 2]},
        {"num_envs": 2, "env_options": [{}]},
    ],
    ids=str,
)
def test_pools_that_cannot_be_made_leave_nothing(options: dict[str, object]) -> None:
    use_pool()
    before = counts()
    given = {"task_id": "CartPole-v1", "num_envs": 4, "device": "cuda", **options}
    for _ in range(10):
        with pytest.raises((ValueError, TypeError, MemoryError, RuntimeError)):
            envpool.make_gymnasium(**given)
    assert counts() == before
