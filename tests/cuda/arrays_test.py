# SPDX-License-Identifier: Apache-2.0
"""Tests the arrays of pools on a GPU: their protocols, their lifetime, and arrays on the GPU as actions."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool
from tests.cuda.device_arrays import OnDevice, make
from tests.standin.driver import STANDIN
from tests.support.interrupting import check_interrupts

pytestmark = pytest.mark.usefixtures("stand_in")


@pytest.mark.parametrize("dtype", ["i4", "i8", "u1", "f4", "f8"])
def test_actions_on_the_device(dtype: str) -> None:
    gpu, cpu = make(num_envs=40), make(num_envs=40, device="cpu")
    gpu.reset(), cpu.reset()
    rng = np.random.default_rng(0)
    for _ in range(30):
        action = rng.integers(0, 2, 40)
        ours, theirs = gpu.step(OnDevice(action.astype(dtype))), cpu.step(action)
        assert np.array_equal(ours[0].numpy(), theirs[0])


BOOLS = """#pragma once
#include "envpool/core/api.h"
using namespace envpool;
struct Bools {
  static constexpr const char* kName = "Bools";
  struct Params {};
  struct State { i32 last; };
#if ENVPOOL_HOST
  static void options(OptionSpecs&) {}
  static Params params(const OptionValues&) { return {}; }
  static void spec(const Params&, Spec& s) {
    s.obs<i32>("obs");
    s.action<bool>("action", {3});
  }
#endif
  ENVPOOL_FN static void reset(State& s, const Params&, Rng&) { s.last = 0; }
  ENVPOOL_FN static Outcome step(State& s, const Params&, ActionRow action, Rng&) {
    const bool* bits = action.at<bool, 3>(0);
    s.last = i32(bits[0]) + 2 * i32(bits[1]) + 4 * i32(bits[2]);
    return {};
  }
  ENVPOOL_FN static void observe(const State& s, const Params&, Row row) { *row.at<i32, 1>(0) = s.last; }
};
"""


def test_samples_of_a_space_of_booleans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENVPOOL_CACHE_DIR", str(tmp_path))
    (tmp_path / "bools.h").write_text(BOOLS)
    envpool.compile(tmp_path / "bools.h", "Bools-v0")
    gpu, cpu = make("Bools-v0", num_envs=8), make("Bools-v0", num_envs=8, device="cpu")
    gpu.reset(), cpu.reset()
    for _ in range(3):
        sample = np.stack([gpu.action_space.sample() for _ in range(8)])
        on_host = [sample, sample.astype(bool), sample.astype("i8"), sample.tolist()]
        for action in on_host:
            assert np.array_equal(cpu.step(action)[0], sample.astype(int) @ [1, 2, 4])
        for action in on_host + [OnDevice(sample.astype(dtype)) for dtype in ("?", "u1", "i4", "i8")]:
            assert np.array_equal(gpu.step(action)[0].numpy(), sample.astype(int) @ [1, 2, 4])
    with pytest.raises(TypeError, match=r"action: expected booleans \(bool\), got float32"):
        gpu.step(OnDevice(sample.astype("f4")))
    with pytest.raises(ValueError, match="action: expected True or False, got 2 in row 0"):
        gpu.step(np.full((8, 3), 2))
    gpu.step(OnDevice(np.full((8, 3), 2, "i4")))[0].numpy()
    with pytest.raises(
        ValueError, match="action: expected True or False, got another value in row . of an earlier step"
    ):
        gpu.step(sample)


def test_an_array_of_one_pool_is_an_action_of_another() -> None:
    """Tests that a DeviceArray can be passed as an action through DLPack."""
    other, gpu, cpu = make(num_envs=8), make("CartPole-v1", 8), make("CartPole-v1", 8, device="cpu")
    gpu.reset(), cpu.reset()
    _, info = other.reset()
    ours, theirs = gpu.step(info["elapsed_step"]), cpu.step(np.zeros(8, int))
    assert np.array_equal(ours[0].numpy(), theirs[0])
    assert repr(ours[0]) == "<envpool array, shape (8, 4), float32, on cuda:0>"
    assert (len(ours[0]), ours[0].shape, ours[0].dtype, ours[0].device) == (8, (8, 4), np.float32, "cuda:0")
    interface = ours[0].__cuda_array_interface__
    assert (interface["shape"], interface["typestr"], interface["version"]) == ((8, 4), "<f4", 3)
    assert ours[0].__dlpack_device__() == (2, 0)


def test_held_arrays_are_not_overwritten() -> None:
    gpu = make(num_envs=5)
    held = [gpu.reset()[0]]
    first = [held[0].numpy()]
    for _ in range(10):
        held.append(gpu.step(np.ones(5, int))[0])
        first.append(held[-1].numpy())
    gpu.close()
    assert all(np.array_equal(array.numpy(), seen) for array, seen in zip(held, first, strict=True))


def test_dlpack_protocol() -> None:
    array = make().reset()[0]
    assert 'capsule object "dltensor"' in repr(array.__dlpack__())
    assert 'capsule object "dltensor_versioned"' in repr(array.__dlpack__(max_version=(1, 0)))
    for wrong in ({"copy": True}, {"dl_device": (1, 0)}):
        with pytest.raises(BufferError):
            array.__dlpack__(**wrong)
    for stream in (0, -2):
        with pytest.raises(ValueError, match="stream: expected"):
            array.__dlpack__(stream=stream)


def test_libraries_without_cuda_import_arrays_of_the_flat_stand_in(tmp_path: Path, monkeypatch: Any) -> None:
    """In the flat mode, device memory is host memory, and DLPack reports it as such."""
    monkeypatch.setenv("ENVPOOL_STANDIN_MODE", "flat")
    monkeypatch.setenv("ENVPOOL_LIBCUDA", str(shutil.copy(STANDIN, tmp_path / "libcuda.so.1")))
    fixed, free, cpu = make(in_place=True), make(), make(device="cpu")
    states = free.reset()[0], cpu.reset()[0]
    array, info = fixed.reset()
    assert array.__dlpack_device__() == (1, 0) and array.device == "cuda:0"
    seen = np.from_dlpack(array)
    assert np.array_equal(seen, states[1]) and np.array_equal(np.from_dlpack(states[0]), states[1])
    for step in range(20):
        action = np.arange(4) // 2 if step else np.zeros(4, int)
        given = (
            action if step else info["elapsed_step"]
        )  # an array of a pool as an action; the kernel reads it on the device
        ours, theirs = fixed.step(given), cpu.step(action)
        assert np.array_equal(np.from_dlpack(ours[0]), theirs[0])  # the import waits for the step
        assert np.array_equal(seen, theirs[0])
        assert np.array_equal(np.from_dlpack(free.step(action)[0]), theirs[0])
    for wrong in ({"stream": 0}, {"copy": True}, {"dl_device": (2, 0)}):
        with pytest.raises((ValueError, BufferError)):
            array.__dlpack__(**wrong)


class Meddler(OnDevice):
    """An action that calls a function of the test while the pool reads the action."""

    def __init__(self, array: np.ndarray, meddle: Callable[[], Any]) -> None:
        super().__init__(array)
        self.meddle = meddle

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        self.meddle()
        return super().__cuda_array_interface__


def test_an_action_that_closes_its_pool() -> None:
    pool = make(batch_size=2)
    pool.async_reset()
    for _ in range(2):
        pool.recv()
    with pytest.raises(RuntimeError, match=r"\[CartPole-v1\] the pool is closed"):
        pool.send(Meddler(np.zeros(4, "i4"), pool.close))
    with pytest.raises(RuntimeError, match="the pool is closed"):
        pool.snapshot(0)


def test_an_action_that_steps_its_pool() -> None:
    pool = make()
    pool.reset()
    errors: list[str] = []

    def step() -> None:
        try:
            pool.step(np.ones(4, int))
        except RuntimeError as error:
            errors.append(str(error))

    pool.step(Meddler(np.zeros(4, "i4"), step))
    assert set(errors) == {"[CartPole-v1] send: another send or reset of this pool has not returned"}
    pool.step(np.zeros(4, int))


def test_a_pool_is_closed_while_another_thread_reads_it() -> None:
    pool = make(num_envs=64)
    pool.reset()
    errors: list[str] = []

    def read() -> None:
        try:
            while True:
                pool.snapshot(63)
                pool.clone(0)
        except RuntimeError as error:
            errors.append(str(error))

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    pool.close()
    for thread in threads:
        thread.join(30)
    assert errors == ["[CartPole-v1] the pool is closed"] * 3


@pytest.mark.parametrize("face", ["gymnasium", "gym", "dm"])  # the others return arrays of NumPy
def test_an_interrupt_anywhere_in_a_call(face: str) -> None:
    check_interrupts(face, device="cuda")


def test_an_interrupt_while_an_action_is_converted() -> None:
    class Interrupting(OnDevice):
        @property
        def __cuda_array_interface__(self) -> dict[str, Any]:
            raise KeyboardInterrupt

    gpu, cpu = make(num_envs=4), make(num_envs=4, device="cpu")
    gpu.reset(), cpu.reset()
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            gpu.step(Interrupting(np.zeros(4, int)))
        assert np.array_equal(gpu.step(np.ones(4, int))[0].numpy(), cpu.step(np.ones(4, int))[0])
