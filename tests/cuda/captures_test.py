# SPDX-License-Identifier: Apache-2.0
"""Tests pools that are used while another thread captures a CUDA graph, as XLA and PyTorch do."""

from __future__ import annotations

import ctypes
import threading

import numpy as np
import pytest

from envpool.cuda.driver import CudaError
from tests.cuda.device_arrays import DRIVER, OnDevice, make
from tests.cuda.readers_test import BLOCKING, NON_BLOCKING, READS, Reader

pytestmark = pytest.mark.usefixtures("stand_in")

INVALIDATED, IMPLICIT = 901, 906
MODES = {"global": 0, "thread-local": 1, "relaxed": 2}


class OtherThread:
    """A thread that captures a graph while this context manager is active.

    Attributes:
        code: the driver's code for the end of the capture: 0, or an error if the capture was invalidated.
    """

    def __init__(self, mode: int, flags: int = NON_BLOCKING) -> None:
        self.driver, self.mode, self.code = DRIVER(), mode, -1
        self.stream = self.driver.get("cuStreamCreate", flags)
        self.address = self.driver.upload(np.zeros(8, np.int32))
        self.began, self.end = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self._capture)

    def _capture(self) -> None:
        self.driver.enter()
        self.driver.call("cuStreamBeginCapture_v2", self.stream, self.mode)
        self.began.set()
        self.end.wait()
        self.driver.code("cuMemsetD32Async", self.address, 7, 8, self.stream)
        self.code = self.driver.code("cuStreamEndCapture", self.stream, ctypes.byref(ctypes.c_uint64()))

    def __enter__(self) -> OtherThread:
        self.thread.start()
        assert self.began.wait(60)
        return self

    def __exit__(self, *_: object) -> None:
        self.end.set()
        self.thread.join()
        self.driver.call("cuStreamDestroy_v2", self.stream)


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
@pytest.mark.parametrize("batch_size", [4, 2], ids=["", "asynchronous"])
def test_a_pool_is_used_during_a_capture(batch_size: int, mode: int) -> None:
    """Neither allocations and copies nor waits for the pool's own streams disturb the capture."""
    pool, cpu = make(batch_size=batch_size), make(device="cpu")
    actions = [np.array(row) for row in ([0, 1, 1, 0], [1, 1, 0, 0], [1, 0, 0, 1])]
    pool.async_reset()
    for _ in range(4 // batch_size):
        pool.recv(reset=True)
    cpu.reset()
    with OtherThread(mode) as other:
        for action in actions:
            pool.send(action)
            batches = [pool.recv() for _ in range(4 // batch_size)]
            expected = cpu.step(action)
        observation = np.concatenate([batch[0].numpy() for batch in batches])
        assert pool.snapshot(0) == cpu.snapshot(0)
        pool.clone(0, [1, 2])
        assert pool.states()["position"].numpy()[2] == np.float64(pool.states()["position"].numpy()[0])
        pool._pool.wait()
        pool.close()
        make().close()
    assert other.code == 0
    assert np.array_equal(observation, expected[0])


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
@pytest.mark.parametrize("name", [name for name in READS if name != "a destroyed stream"])
def test_a_step_waits_for_blocking_readers_during_a_capture(name: str, mode: int) -> None:
    pool, cpu = make(), make(device="cpu")
    observation, expected = pool.reset()[0], cpu.reset()[0]
    reader = READS[name](observation)
    observation = None  # frees the memory, so that a later step may write to it
    with OtherThread(mode) as other:
        for _ in range(3):
            observation = pool.step(np.zeros(4, int))[0]
        observation.numpy()
    assert other.code == 0
    assert np.array_equal(reader.values(), expected)


@pytest.mark.parametrize("version", ["12090", "12040"], ids=["", "driver without cuCtxRecordEvent"])
@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_a_step_after_an_import_of_jax_explains_the_conflict(
    mode: int, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JAX names a non-blocking stream, and reads on others. The driver allows no wait for them during a capture."""
    monkeypatch.setenv("ENVPOOL_STANDIN_VERSION", version)
    pool, cpu = make(in_place=True), make(device="cpu")
    observation, expected = pool.reset()[0], cpu.reset()[0]
    stream = DRIVER().get("cuStreamCreate", NON_BLOCKING)
    reader = Reader(observation, stream)
    with OtherThread(mode) as other:
        with pytest.raises(CudaError, match="A CUDA graph is being captured on this GPU, .* as in JAX") as error:
            pool.step(np.zeros(4, int))
        assert error.value.name == "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"
    assert other.code == INVALIDATED
    for _ in range(2):  # The refused step stepped nothing, and left nothing pending.
        observation, theirs = pool.step(np.zeros(4, int)), cpu.step(np.zeros(4, int))
        assert np.array_equal(reader.values(), expected)
        assert np.array_equal(observation[0].numpy(), theirs[0])
    DRIVER().call("cuStreamDestroy_v2", stream)


def test_the_legacy_stream_is_not_used_while_a_blocking_stream_is_captured() -> None:
    """The stream of a synchronous pool waits for the legacy stream anyway. Others cannot, so the call is refused."""
    together, groups = make(in_place=True), make(in_place=True, batch_size=2)
    cpu = make(device="cpu")
    readers = [Reader(together.reset()[0], 1)]
    groups.async_reset()
    readers += [Reader(groups.recv(reset=True)[0], 1) for _ in range(2)]
    first = cpu.reset()[0]
    with OtherThread(MODES["relaxed"], BLOCKING) as other:
        together.step(np.zeros(4, int))
        with pytest.raises(CudaError, match="A CUDA graph is being captured on this GPU") as error:
            groups.send(np.zeros(2, int), [0, 1])
        assert error.value.code == IMPLICIT
    assert other.code == 0
    values = [reader.values() for reader in readers]
    assert np.array_equal(values[0], first) and np.array_equal(np.concatenate(values[1:]), first)
    groups.send(np.zeros(4, int))
    assert np.array_equal(groups.recv()[0].numpy(), cpu.step(np.zeros(4, int))[0][:2])


def test_actions_of_a_captured_stream_do_not_leave_the_mode_changed() -> None:
    """After a call, the thread again respects captures of other threads."""
    pool = make()
    pool.reset()
    driver, mode = DRIVER(), ctypes.c_int(MODES["thread-local"])
    for wanted in MODES.values():
        before = ctypes.c_int(wanted)
        driver.call("cuThreadExchangeStreamCaptureMode", ctypes.byref(before))
        pool.step(OnDevice(np.zeros(4, "i4")))
        driver.call("cuThreadExchangeStreamCaptureMode", ctypes.byref(mode))
        assert mode.value == wanted
        driver.call("cuThreadExchangeStreamCaptureMode", ctypes.byref(before))
