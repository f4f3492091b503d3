# SPDX-License-Identifier: Apache-2.0
"""Tests that the memory of results is not written again before other libraries have read it, on streams of any kind."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.cuda.device_arrays import DRIVER, make
from tests.standin.driver import CudaError

pytestmark = pytest.mark.usefixtures("stand_in")

BLOCKING, NON_BLOCKING = 0, 1
LEGACY, PER_THREAD = 1, 2


class Reader:
    """A library that imports an array and enqueues a copy of it on its stream."""

    def __init__(self, array: Any, stream: int) -> None:
        self.driver = DRIVER()
        self.nbytes = array.dtype.itemsize * int(np.prod(array.shape))
        self.copy = self.driver.upload(np.zeros(array.shape, array.dtype))
        self.into = np.zeros(array.shape, array.dtype)
        # The library frees the array at once, although the enqueued copy still has to read it.
        capsule = array.__dlpack__(stream=stream)
        address = _address(array)
        self.driver.call("cuMemcpyDtoDAsync_v2", self.copy, address, self.nbytes, stream)
        del capsule

    def values(self) -> np.ndarray:
        """Returns the copied values. Waits for all work on the device."""
        self.driver.synchronize()
        return self.driver.download(self.copy, self.into)


def _address(array: Any) -> int:
    """Returns an array's address, through DLPack. Unlike __cuda_array_interface__, this makes no stream wait."""
    capsule = array.__dlpack__(stream=-1)
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return int(ctypes.cast(get(capsule, b"dltensor"), ctypes.POINTER(ctypes.c_uint64))[0])


def read_and_destroy(flags: int) -> Callable[[Any], Reader]:
    def read(array: Any) -> Reader:
        stream = DRIVER().get("cuStreamCreate", flags)
        reader = Reader(array, stream)
        DRIVER().call("cuStreamDestroy_v2", stream)
        with pytest.raises(CudaError, match="INVALID_HANDLE"):
            DRIVER().call("cuStreamSynchronize", stream)
        return reader

    return read


def read_in_another_thread(array: Any) -> Reader:
    """Reads in another thread's default stream. Handle 2 means a different stream there than in the main thread."""
    made: list[Reader] = []

    def read() -> None:
        DRIVER().enter()
        made.append(Reader(array, PER_THREAD))

    thread = threading.Thread(target=read)
    thread.start()
    thread.join()
    return made[0]


READS = {
    "the legacy stream": lambda array: Reader(array, LEGACY),
    "the thread's stream": lambda array: Reader(array, PER_THREAD),
    "another thread's stream": read_in_another_thread,
    "a destroyed blocking stream": read_and_destroy(BLOCKING),
    "a destroyed stream": read_and_destroy(NON_BLOCKING),
}


@pytest.mark.parametrize("version", ["12090", "12040"], ids=["", "driver without cuCtxRecordEvent"])
@pytest.mark.parametrize("in_place", [False, True], ids=["", "in place"])
@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_a_step_waits_for_readers(
    read: Callable[[Any], Reader], in_place: bool, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENVPOOL_STANDIN_VERSION", version)
    pool, cpu = make(in_place=in_place), make(device="cpu")
    observation, expected = pool.reset()[0], cpu.reset()[0]
    for _ in range(6):
        reader = read(observation)
        observation = None  # frees the memory, so that a later step may write to it
        for _ in range(3):
            observation = pool.step(np.zeros(4, int))[0]
        # This runs the steps. Of the work in other streams, it runs only what the steps wait for.
        observation.numpy()
        assert np.array_equal(reader.values(), expected)
        for _ in range(3):
            expected = cpu.step(np.zeros(4, int))[0]
    assert np.array_equal(observation.numpy(), expected)


def test_states_are_stepped_after_writes_on_a_destroyed_stream() -> None:
    pool = make()
    pool.reset()
    position = pool.states()["position"]
    for value in (0.5, -0.25):
        stream = DRIVER().get("cuStreamCreate", NON_BLOCKING)
        position.__dlpack__(stream=stream)
        given = DRIVER().upload(np.array([value]))
        DRIVER().call("cuMemcpyDtoDAsync_v2", _address(position), given, 8, stream)
        DRIVER().call("cuStreamDestroy_v2", stream)
        before = float(pool.states()["velocity"].numpy()[0])
        observation = pool.step(np.zeros(4, int))[0].numpy()
        assert observation[0, 0] == np.float32(value + 0.02 * before)
