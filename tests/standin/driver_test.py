# SPDX-License-Identifier: Apache-2.0
"""Tests of the stand-in for the CUDA driver: errors, the order in which streams run, and counts of objects."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.cuda.nvrtc import SOURCE
from tests.standin.driver import STANDIN, CudaError, Driver
from tests.standin.words import NON_BLOCKING, PTX, Pinned, Words

pytestmark = pytest.mark.skipif(SOURCE is None, reason="ENVPOOL_SOURCE_DIR does not say where the sources are")

INVALID_VALUE, OUT_OF_MEMORY, NOT_INITIALIZED, INVALID_DEVICE, INVALID_IMAGE = 1, 2, 3, 101, 200
INVALID_CONTEXT, NO_BINARY, INVALID_HANDLE, NOT_FOUND, NOT_READY = 201, 209, 400, 500, 600
NOT_SUPPORTED = 801
ILLEGAL_ADDRESS, MISALIGNED_ADDRESS = 700, 716


@pytest.fixture
def words(driver: Driver) -> Words:
    return Words(driver)


def test_the_device_name_says_that_it_is_a_stand_in(driver: Driver) -> None:
    name = ctypes.create_string_buffer(80)
    driver.call("cuDeviceGetName", name, 80, 0)
    assert name.value == b"envpool stand-in (no GPU)"
    assert driver.get("cuDeviceGetCount") == 1
    assert driver.get("cuDeviceGetAttribute", 10, 0) == 32  # lanes of a warp
    assert driver.get("cuDeviceTotalMem_v2", 0) == 8 << 30
    text = ctypes.c_char_p()
    driver.call("cuGetErrorString", ILLEGAL_ADDRESS, ctypes.byref(text))
    assert text.value == b"ILLEGAL_ADDRESS"


def test_get_proc_address(driver: Driver) -> None:
    status = ctypes.c_int(-1)
    found, address = ctypes.c_uint64(), ctypes.c_uint64()
    driver.call("cuGetProcAddress_v2", b"cuMemAlloc", ctypes.byref(found), 12000, 0, ctypes.byref(status))
    assert status.value == 0
    allocate = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint64)(found.value)
    assert allocate(ctypes.addressof(address), 64) == 0
    driver.free(address.value)
    code = driver.code("cuGetProcAddress_v2", b"cuNo", ctypes.byref(found), 12000, 0, ctypes.byref(status))
    assert (code, found.value, status.value) == (NOT_FOUND, 0, 1)


# --- bad use ---


def end(words: Words) -> None:
    words.add(1, count=9)
    words.driver.synchronize()


def freed(words: Words) -> None:
    words.driver.free(words.address)
    words.read(words.address)


def of_host(words: Words) -> None:
    words.read(np.zeros(8, np.int32).ctypes.data)


def other_allocation(words: Words) -> None:
    """Reads past one allocation into the next, which a GPU would not notice."""
    words.driver.upload(np.zeros(8, np.int32))
    words.read(words.address + 32)


def of_unloaded_module(words: Words) -> None:
    words.driver.call("cuModuleUnload", words.module)
    words.add(1)


def of_destroyed_stream(words: Words) -> None:
    stream = words.driver.get("cuStreamCreate", 0)
    words.driver.call("cuStreamDestroy_v2", stream)
    words.add(1, stream=stream)


def in_another_context(words: Words) -> None:
    other = words.driver.get("cuCtxCreate_v2", 0, 0)
    try:
        words.add(1)
    finally:
        words.driver.call("cuCtxDestroy_v2", other)


def stream_of_another_context(words: Words) -> None:
    other = words.driver.get("cuCtxCreate_v2", 0, 0)
    stream = words.driver.get("cuStreamCreate", 0)
    words.driver.call("cuCtxPopCurrent_v2", None)
    try:
        words.add(1, stream=stream)
    finally:
        words.driver.call("cuCtxDestroy_v2", other)


def without_context(words: Words) -> None:
    words.driver.call("cuCtxSetCurrent", 0)
    try:
        words.add(1)
    finally:
        words.driver.call("cuCtxSetCurrent", words.driver.context)


def launch(*extents: int, shared: int = 0) -> Callable[[Words], None]:
    def bad(words: Words) -> None:
        words.driver.launch(words.read_from, extents[:3], extents[3:], [bytes(8)], shared=shared)

    return bad


def copy(count: int) -> Callable[[Words], None]:
    return lambda words: words.driver.upload(np.zeros(count, np.int32), words.address)


BAD = {
    "a word past the end": (end, ILLEGAL_ADDRESS),
    "freed memory": (freed, ILLEGAL_ADDRESS),
    "the host's memory": (of_host, ILLEGAL_ADDRESS),
    "another allocation": (other_allocation, ILLEGAL_ADDRESS),
    "null": (lambda words: words.read(0), ILLEGAL_ADDRESS),
    "a misaligned address": (lambda words: words.read(words.address + 2), MISALIGNED_ADDRESS),
    "a block too large": (launch(1, 1, 1, 1025, 1, 1), INVALID_VALUE),
    "more threads than the kernel declares": (lambda words: words.add(1, count=65), INVALID_VALUE),
    "no blocks": (launch(0, 1, 1, 1, 1, 1), INVALID_VALUE),
    "too many blocks": (launch(1, 65536, 1, 1, 1, 1), INVALID_VALUE),
    "too much shared memory": (launch(1, 1, 1, 1, 1, 1, shared=49 << 10), INVALID_VALUE),
    "an unloaded module": (of_unloaded_module, INVALID_HANDLE),
    "a destroyed stream": (of_destroyed_stream, INVALID_HANDLE),
    "a kernel of another context": (in_another_context, INVALID_HANDLE),
    "a stream of another context": (stream_of_another_context, INVALID_HANDLE),
    "no context": (without_context, INVALID_CONTEXT),
    "a copy too long": (copy(9), INVALID_VALUE),
    "memory freed twice": (lambda words: [words.driver.free(words.address) for _ in range(2)], INVALID_VALUE),
    "freeing an address inside an allocation": (lambda words: words.driver.free(words.address + 4), INVALID_VALUE),
    "an empty allocation": (lambda words: words.driver.allocate(0), INVALID_VALUE),
    "an allocation that does not fit": (lambda words: words.driver.allocate(9 << 30), OUT_OF_MEMORY),
    "a copy of the device's memory as the host's": (
        lambda words: words.driver.call("cuMemcpyHtoD_v2", words.address, words.address, 4),
        INVALID_VALUE,
    ),
    "no such device": (lambda words: words.driver.get("cuDevicePrimaryCtxRetain", 1), INVALID_DEVICE),
    "no such kernel": (lambda words: words.driver.function(words.module, "subtract"), NOT_FOUND),
    "machine code": (lambda words: words.driver.module("\x7fELF..."), NO_BINARY),
    "no PTX": (lambda words: words.driver.module("hello"), INVALID_IMAGE),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_use_is_refused(words: Words, name: str) -> None:
    bad, code = BAD[name]
    words.add(3)
    with pytest.raises(CudaError) as error:
        bad(words)
    assert error.value.code == code
    if code in (ILLEGAL_ADDRESS, MISALIGNED_ADDRESS):
        assert "in thread (" in str(error.value)
        # The error is sticky, as on a GPU, until the context is reset.
        for call in (lambda: words.driver.allocate(8), lambda: words.add(1), words.driver.synchronize):
            with pytest.raises(CudaError) as again:
                call()
            assert again.value.code == code
        words.driver.reset()
        words = Words(words.driver)
    elif name not in ("memory freed twice", "an unloaded module"):
        assert words.first() == 3
        words.add(4)
        assert words.first() == 7


def test_calls_before_initialization_fail(tmp_path: Path) -> None:
    library = ctypes.CDLL(shutil.copy(STANDIN, tmp_path))
    assert library.cuDeviceGet(ctypes.byref(ctypes.c_int()), 0) == NOT_INITIALIZED
    assert library.cuInit(1) == INVALID_VALUE


def test_the_host_cannot_read_device_memory(driver: Driver) -> None:
    script = f"import ctypes; ctypes.string_at({driver.upload(np.zeros(8))}, 1)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == -signal.SIGSEGV


def test_calls_in_a_forked_child_fail(driver: Driver) -> None:
    child = os.fork()
    if child == 0:
        os._exit(driver.code("cuCtxSynchronize"))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == NOT_INITIALIZED


def test_the_error_log_of_a_module_goes_to_the_buffer_of_the_caller(driver: Driver) -> None:
    log = ctypes.create_string_buffer(400)
    options, values = (ctypes.c_int * 2)(5, 6), (ctypes.c_void_p * 2)(ctypes.addressof(log), 400)
    bad = PTX.replace("add.s32", "add.sat.s32").encode()
    assert driver.code("cuModuleLoadDataEx", ctypes.byref(ctypes.c_void_p()), bad, 2, options, values) == 218
    assert b"add.sat.s32 %r3, %r3, %r1" in log.value


def test_a_cache_folder_that_cannot_be_made_is_reported(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENVPOOL_STANDIN_CACHE", "/proc/nothing")
    with pytest.raises(CudaError, match="ENVPOOL_STANDIN_CACHE"):
        driver.module(PTX + "\n")


def test_a_cache_folder_that_other_users_could_change_is_refused(
    driver: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to("own")
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    for name in ("link", "open"):
        monkeypatch.setenv("ENVPOOL_STANDIN_CACHE", str(tmp_path / name))
        with pytest.raises(CudaError, match="ENVPOOL_STANDIN_CACHE"):
            driver.module(PTX + "\n")
    monkeypatch.setenv("ENVPOOL_STANDIN_CACHE", str(tmp_path / "own"))
    driver.module(PTX + "\n")


LOADER = """
import ctypes, sys
driver, context, module = ctypes.CDLL(sys.argv[1]), ctypes.c_void_p(), ctypes.c_void_p()
driver.cuInit(0)
driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
driver.cuCtxSetCurrent(context)
sys.exit(driver.cuModuleLoadData(ctypes.byref(module), sys.argv[2].encode()))
"""


def test_processes_share_compiled_modules(tmp_path: Path) -> None:
    command = [sys.executable, "-S", "-c", LOADER, str(STANDIN), PTX]
    environment = {**os.environ, "ENVPOOL_STANDIN_CACHE": str(tmp_path / "new")}
    processes = [subprocess.Popen(command, env=environment) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    (library,) = (tmp_path / "new").iterdir()
    assert library.suffix == ".so"
    broken = {**environment, "ENVPOOL_STANDIN_PYTHON": "/nothing", "ENVPOOL_STANDIN_CC": "cc"}
    assert subprocess.run(command, env=broken, check=False).returncode == 0  # The compiled module is in the folder.


# --- streams ---


def test_work_runs_only_when_the_host_waits(words: Words) -> None:
    driver, seen = words.driver, Pinned(words.driver)
    stream = driver.get("cuStreamCreate", 0)
    words.add(5, stream=stream)
    driver.call("cuMemcpyDtoHAsync_v2", seen.pointer, words.address, 32, stream)
    assert seen.array[0] == 0
    assert driver.code("cuStreamQuery", stream) == NOT_READY
    driver.call("cuStreamSynchronize", stream)
    assert seen.array[0] == 5
    assert driver.code("cuStreamQuery", stream) == 0


def test_a_stream_sees_only_the_work_that_it_waits_for(words: Words) -> None:
    driver, seen = words.driver, Pinned(words.driver)
    first, second = (driver.get("cuStreamCreate", NON_BLOCKING) for _ in range(2))
    event = driver.get("cuEventCreate", 0)
    for value, waits in ((1, False), (2, True)):
        words.add(1, stream=first)
        driver.call("cuEventRecord", event, first)
        if waits:
            driver.call("cuStreamWaitEvent", second, event, 0)
        driver.call("cuMemcpyDtoHAsync_v2", seen.pointer, words.address, 32, second)
        driver.call("cuStreamSynchronize", second)
        assert seen.array[0] == (value if waits else value - 1)
        driver.call("cuEventSynchronize", event)
    assert words.first() == 2


def test_the_legacy_stream_waits_for_blocking_streams(words: Words) -> None:
    driver = words.driver
    blocking, free = (driver.get("cuStreamCreate", flags) for flags in (0, NON_BLOCKING))
    words.add(1, stream=blocking)
    assert words.first() == 1
    words.add(1, stream=free)
    assert words.first() == 1  # A plain copy does not wait for a non-blocking stream.
    driver.call("cuStreamSynchronize", free)
    assert words.first() == 2


def test_a_copy_reads_pageable_memory_at_once_and_pinned_memory_when_it_runs(words: Words) -> None:
    driver, pinned, pageable = words.driver, Pinned(words.driver), np.full(8, 3, np.int32)
    stream = driver.get("cuStreamCreate", 0)
    driver.call("cuMemcpyHtoDAsync_v2", words.address, ctypes.c_void_p(pageable.ctypes.data), 32, stream)
    pageable[:] = 4
    assert words.first() == 3
    pinned.array[:] = 5
    driver.call("cuMemcpyHtoDAsync_v2", words.address, pinned.pointer, 32, stream)
    pinned.array[:] = 6
    assert words.first() == 6


def test_elapsed_time_between_events(words: Words) -> None:
    driver = words.driver
    events = [driver.get("cuEventCreate", flags) for flags in (0, 0, 2)]
    for event in events:
        words.add(1)
        driver.call("cuEventRecord", event, 0)
    elapsed = ctypes.c_float(-1)
    assert driver.code("cuEventElapsedTime", ctypes.byref(elapsed), events[0], events[1]) == NOT_READY
    driver.synchronize()
    driver.call("cuEventElapsedTime", ctypes.byref(elapsed), events[0], events[1])
    assert elapsed.value > 0
    assert driver.code("cuEventElapsedTime", ctypes.byref(elapsed), events[0], events[2]) == INVALID_HANDLE


def test_memory_is_filled_and_copied(words: Words) -> None:
    driver = words.driver
    other = driver.allocate(32)
    assert (driver.download(other, np.zeros(32, np.uint8)) == 0xA5).all()  # New memory holds garbage.
    driver.call("cuMemsetD32_v2", words.address, 0x01020304, 8)
    driver.call("cuMemsetD8_v2", words.address + 4, 9, 4)
    driver.call("cuMemcpyDtoD_v2", other, words.address, 32)
    expected = [0x01020304, 0x09090909, *[0x01020304] * 6]
    assert driver.download(other, np.zeros(8, np.int32)).tolist() == expected
    kinds = [driver.get("cuPointerGetAttribute", 2, address) for address in (other, Pinned(driver).pointer)]
    assert kinds == [2, 1]
    assert driver.get("cuPointerGetAttribute", 12, other + 8) == 32


def test_mapped_memory_is_written_by_kernels(words: Words) -> None:
    mapped = Pinned(words.driver)
    words.add(7, to=words.driver.get("cuMemHostGetDevicePointer_v2", mapped.pointer, 0))
    assert mapped.array[0] == 0
    words.driver.synchronize()
    assert (mapped.array == 7).all()


def test_work_of_a_destroyed_stream_still_runs(words: Words) -> None:
    stream = words.driver.get("cuStreamCreate", 1)
    words.add(3, stream=stream)
    words.driver.call("cuStreamDestroy_v2", stream)
    assert words.driver.code("cuStreamSynchronize", stream) == INVALID_HANDLE
    assert words.driver.count("streams") == 0
    words.driver.synchronize()
    assert words.first() == 3


@pytest.mark.parametrize("version", ["12050", "12040"])
def test_an_event_of_all_work_in_the_context(words: Words, version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENVPOOL_STANDIN_VERSION", version)
    driver = words.driver
    stream, event = driver.get("cuStreamCreate", 1), driver.get("cuEventCreate", 0)
    words.add(3, stream=stream)
    recorded = driver.code("cuCtxRecordEvent", driver.context, event)
    driver.call("cuEventSynchronize", event)
    if version == "12050":
        assert recorded == 0 and driver.code("cuStreamQuery", stream) == 0
    else:
        assert recorded == NOT_SUPPORTED and driver.code("cuStreamQuery", stream) == NOT_READY
    driver.call("cuEventDestroy_v2", event)
    driver.call("cuStreamDestroy_v2", stream)


def test_each_thread_has_a_default_stream(words: Words) -> None:
    driver, seen, per_thread = words.driver, Pinned(words.driver), 2

    def add() -> None:
        driver.call("cuCtxSetCurrent", driver.context)
        words.add(3, stream=per_thread)

    thread = threading.Thread(target=add)
    thread.start()
    thread.join()
    driver.call("cuMemcpyDtoHAsync_v2", seen.pointer, words.address, 32, per_thread)
    driver.call("cuStreamSynchronize", per_thread)
    assert seen.array[0] == 0
    assert words.first() == 3  # the legacy stream waits for each of them


def test_live_objects_are_counted(driver: Driver) -> None:
    names = ("allocations", "streams", "events", "modules")
    assert [driver.count(name) for name in names] == [0, 0, 0, 0]
    words = Words(driver)
    stream, event = driver.get("cuStreamCreate", 0), driver.get("cuEventCreate", 0)
    assert [driver.count(name) for name in names] == [1, 1, 1, 1]
    free = driver.get("cuMemGetInfo_v2", ctypes.byref(ctypes.c_uint64()))
    driver.free(words.address)
    assert driver.get("cuMemGetInfo_v2", ctypes.byref(ctypes.c_uint64())) == free + 32
    driver.call("cuStreamDestroy_v2", stream)
    driver.call("cuEventDestroy_v2", event)
    driver.call("cuModuleUnload", words.module)
    assert [driver.count(name) for name in names] == [0, 0, 0, 0]
