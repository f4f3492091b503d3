# SPDX-License-Identifier: Apache-2.0
"""Tests the settings of the stand-in for the CUDA driver: its modes, and the number and memory of its devices."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

from tests.cuda.nvrtc import SOURCE
from tests.standin.driver import CudaError, Driver
from tests.standin.words import NON_BLOCKING, Words

pytestmark = pytest.mark.skipif(SOURCE is None, reason="ENVPOOL_SOURCE_DIR does not say where the sources are")

OUT_OF_MEMORY, ILLEGAL_ADDRESS = 2, 700


def test_flat_memory_has_the_addresses_of_the_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENVPOOL_STANDIN_MODE", "flat")
    words = Words(Driver.another(tmp_path))
    words.add(6)
    words.driver.synchronize()
    assert ctypes.c_int32.from_address(words.address).value == 6
    mine = np.zeros(8, np.int32)
    words.add(7, to=mine.ctypes.data)
    words.driver.synchronize()
    assert (mine == 7).all()


def test_coherent_copies_access_pageable_memory_when_they_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENVPOOL_STANDIN_MODE", "coherent")
    words = Words(Driver.another(tmp_path))
    stream = words.driver.get("cuStreamCreate", NON_BLOCKING)
    mine = np.arange(8, dtype=np.int32)
    words.driver.call("cuMemcpyHtoDAsync_v2", words.address, ctypes.c_void_p(mine.ctypes.data), mine.nbytes, stream)
    mine[:] = 5
    words.driver.call("cuMemcpyDtoHAsync_v2", ctypes.c_void_p(mine.ctypes.data), words.address, mine.nbytes, stream)
    mine[:] = 6
    words.driver.call("cuStreamSynchronize", stream)
    assert (mine == 6).all()  # the upload read these values
    assert words.driver.upload(mine, words.address) and words.first() == 6  # Synchronous copies are complete.


# A kernel with local memory.
DEPOT = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry run()
{
  .local .align 8 .b8 __local_depot0[BYTES];
  ret;
}
"""


def test_a_launch_reserves_the_local_memory_of_all_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The device holds 8 * 2048 threads. The reservation is kept, and shared by all kernels."""
    each, threads = 64, 8 * 2048
    monkeypatch.setenv("ENVPOOL_STANDIN_MEMORY", str(3 * each * threads))
    driver = Driver.another(tmp_path)

    def kernels() -> list[int]:
        modules = [driver.module(DEPOT.replace("BYTES", str(count))) for count in (each, 2 * each)]
        return [driver.function(module, "run") for module in modules]

    small, large = kernels()
    assert [driver.get("cuFuncGetAttribute", 3, kernel) for kernel in (small, large)] == [each, 2 * each]

    def free() -> int:
        return driver.get("cuMemGetInfo_v2", ctypes.byref(ctypes.c_uint64()))

    before = free()
    taken = []
    for kernel in (small, small, large, small):
        driver.launch(kernel, 1, 1, [])
        taken.append(before - free())
    assert taken == [each * threads, each * threads, 2 * each * threads, 2 * each * threads]
    driver.synchronize()
    driver.reset()
    assert free() == before
    memory = driver.allocate(before - each * threads)
    small, large = kernels()
    driver.launch(small, 1, 1, [])
    with pytest.raises(CudaError) as error:
        driver.launch(large, 1, 1, [])
    assert error.value.code == OUT_OF_MEMORY
    driver.free(memory)


def test_devices_cannot_read_each_others_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENVPOOL_STANDIN_DEVICES", "2")
    monkeypatch.setenv("ENVPOOL_STANDIN_MEMORY", "1000")
    driver = Driver.another(tmp_path)
    mine = driver.upload(np.zeros(8, np.int32))
    driver.enter(1)
    words = Words(driver)
    words.add(1)
    assert words.first() == 1
    with pytest.raises(CudaError) as error:
        words.read(mine)
    assert error.value.code == ILLEGAL_ADDRESS
    driver.enter(0)
    driver.synchronize()  # Only the other device has the error.
    with pytest.raises(CudaError) as error:
        driver.allocate(1000)
    assert error.value.code == OUT_OF_MEMORY
