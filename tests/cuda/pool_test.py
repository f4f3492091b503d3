# SPDX-License-Identifier: Apache-2.0
"""Tests that pools on a GPU match pools on the CPU bit for bit, and that they refuse unsupported arguments and calls.

These tests need no GPU: the stand-in for NVIDIA's driver (tests/standin) runs each kernel's PTX as C. They do
not cover the machine code into which ptxas translates the PTX.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool
import tests.environments.registration  # noqa: F401  (registers Crowd)
from envpool.cuda import cache
from envpool.cuda.driver import DriverError
from envpool.cuda.nvrtc import NvrtcError
from envpool.cuda.program import checked_program
from envpool.python.registry import find
from tests.cuda.device_arrays import OnDevice, make
from tests.cuda.device_comparison import LIMIT, Case, cases, compare, pools
from tests.cuda.nvrtc import FLAGS, compile_source

pytestmark = pytest.mark.usefixtures("stand_in")
WHOLE = os.environ.get("ENVPOOL_TEST_DEVICE") == "whole"


@pytest.mark.parametrize("case", cases(WHOLE), ids=str)
def test_results_match_the_cpu_bit_for_bit(case: Case) -> None:
    both = pools(case.task_id, case.mode, case.num_envs, **dict(case.options))
    found, ends = compare(both, case.num_envs, case.steps)
    print(f"{case}: {found.words} words, {ends} episodes")
    assert ends >= case.num_envs
    assert not found.different, f"some of the {found.words} compared words differ"
    both.device.close()


@pytest.mark.parametrize("lanes", ["2", "32"])
def test_the_number_of_lanes_changes_no_bit(lanes: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENVPOOL_DEVICE_LANES", lanes)
    both = pools("InvertedPendulum-v5", "next_step", 70)  # in another test, a warp has one environment with long steps
    found, ends = compare(both, 70, 60)
    assert ends >= 70 and not found.different
    both.device.close()


@pytest.mark.parametrize("lanes", ["0", "3", "64", "-1", "one"])
def test_a_number_of_lanes_that_is_refused(lanes: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENVPOOL_DEVICE_LANES", lanes)
    with pytest.raises(ValueError, match=f"ENVPOOL_DEVICE_LANES: expected a power of 2 up to 32, got '{lanes}'"):
        make("InvertedPendulum-v5", num_envs=2)


def test_fused_multiply_adds_are_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison of results fails for a kernel that was compiled with fused multiply-adds."""

    def fused(source: str, architecture: str, **_: Any) -> bytes:
        flags = [f"--gpu-architecture={architecture}", *FLAGS, "--fmad=true"]
        return compile_source(source, flags).ptx.encode()

    monkeypatch.setattr(cache, "image", fused)
    for task_id in ("CartPole-v1", "Pendulum-v1"):
        found, _ = compare(pools(task_id, "next_step", 33), 33, 60)
        assert found.different["state"] > 64


@pytest.mark.parametrize("task_id", ["CartPole-v1", "Acrobot-v1", "TagGridWorld-v0", "FrozenLake-v1"])
def test_ptx_allows_no_multiply_add_fusion(task_id: str) -> None:
    table = find(task_id).load()
    assert table.device is not None
    ptx = compile_source(checked_program(table.device, 32).source, ["--gpu-architecture=compute_80", *FLAGS]).ptx
    # ptxas may fuse a multiplication and an addition unless both have the suffix .rn.
    assert not re.findall(r"\b(?:fma[.\w]*|(?:add|sub|mul)\.f(?:32|64))\b", ptx)


# --- options, seeds, states ---


def test_options_and_limits_per_environment() -> None:
    each = [{"gravity": 9.8 + i % 3, "max_episode_steps": 5 + i} for i in range(7)]
    both = pools("CartPole-v1", "same_step", 7, env_options=each)
    found, ends = compare(both, 7, 60)
    assert not found.different and ends > 40


def test_subsets_of_environments_are_reset_and_stepped() -> None:
    gpu, cpu = make(num_envs=6), make(num_envs=6, device="cpu")
    for pool in (gpu, cpu):
        pool.reset()
        pool.step(np.ones(6, int))
    for ids, seed in (([4, 1], None), ([0, 5], 17), ([2], [8])):
        ours, theirs = gpu.reset(ids, seed=seed), cpu.reset(ids, seed=seed)
        assert np.array_equal(ours[0].numpy(), theirs[0])
        ours, theirs = gpu.step(np.zeros(2, int), [3, 0]), cpu.step(np.zeros(2, int), [3, 0])
        assert np.array_equal(ours[0].numpy(), theirs[0])
        assert np.array_equal(ours[4]["env_id"].numpy(), [3, 0])
    assert [gpu.snapshot(i) for i in range(6)] == [cpu.snapshot(i) for i in range(6)]


def test_an_environment_moves_to_the_device_and_back() -> None:
    gpu, cpu = make("Acrobot-v1", 2), make("Acrobot-v1", 2, device="cpu", seed=9)
    for pool in (gpu, cpu):
        pool.reset()
        for _ in range(20):
            pool.step(np.zeros(2, int))
    for _ in range(3):
        gpu.restore(1, cpu.snapshot(0))
        for _ in range(15):
            ours, theirs = gpu.step(np.array([1, 2])), cpu.step(np.array([2, 1]))
            assert np.array_equal(ours[0].numpy()[1], theirs[0][0])
        assert gpu.snapshot(1) == cpu.snapshot(0)
        cpu.restore(1, gpu.snapshot(1))
    gpu.clone(0)
    assert gpu.snapshot(0) == gpu.snapshot(1)
    gpu.clone(0, [1], seed=[5])
    assert gpu.snapshot(0) != gpu.snapshot(1)


def assert_same_rows(ours: Any, theirs: Any) -> None:
    """Compares all arrays of two results, of which the first is on the device."""
    if isinstance(theirs, dict):
        assert list(ours) == list(theirs)
        ours, theirs = ours.values(), theirs.values()
    if not isinstance(theirs, np.ndarray):
        for one, other in zip(ours, theirs, strict=True):
            assert_same_rows(one, other)
        return
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours.numpy(), theirs)


@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("CartPole-v1", {}),
        ("CartPole-v1", {"env_options": [{"gravity": 9.8 + i % 2} for i in range(6)]}),
        ("Breakout-MinAtar", {"autoreset_mode": "same_step"}),
        ("TagGridWorld-v0", {"num_taggers": 3}),
        ("Blackjack-v1", {"batch_size": 2}),
    ],
    ids=str,
)
def test_several_states_in_one_call_match_the_cpu(task_id: str, options: dict[str, Any]) -> None:
    gpu, cpu = (make(task_id, 6, device=device, **options) for device in ("cuda", "cpu"))

    def same() -> None:
        assert gpu.snapshot() == cpu.snapshot()
        assert gpu.snapshot([5, 0, 5]) == cpu.snapshot([5, 0, 5])
        for ids in (None, [3], [4, 1, 5]):
            ours, theirs = gpu.observe(ids), cpu.observe(ids)
            assert ours[0].device == "cuda:0"
            assert_same_rows(ours, theirs)

    for pool in (gpu, cpu):
        if "batch_size" in options:
            pool.async_reset()
            for _ in range(3):
                pool.recv()
        else:
            pool.reset()
    same()
    states = cpu.snapshot()
    for pool in (gpu, cpu):
        pool.restore([1, 3], [states[5], states[1]])
    same()
    for pool in (gpu, cpu):
        pool.clone([0, 2, 4], [2, 4, 0], seed=[1, 2, 3])
    same()
    for pool in (gpu, cpu):
        pool.clone(4, [0, 2])
    same()
    before = gpu.snapshot()
    with pytest.raises(ValueError, match="restore: state: expected a snapshot"):
        gpu.restore([0, 1], [states[0], states[0][:-1]])
    for call in (
        lambda: gpu.restore([1, 1], states[:2]),
        lambda: gpu.clone([0, 1], [2, 2]),
        lambda: gpu.observe([1, 1]),
    ):
        with pytest.raises(ValueError, match="env_ids: expected distinct ids"):
            call()
    assert gpu.snapshot() == before


def test_an_observation_before_the_first_reset_is_refused() -> None:
    pool = make("CartPole-v1", 2)
    with pytest.raises(RuntimeError, match=r"^\[CartPole-v1\] observe: environment 1 has not been reset yet"):
        pool.observe([1])
    held = pool.reset()[0]
    first = held.numpy().copy()
    seen = pool.observe()[0]
    pool.send(np.zeros(2, int))
    with pytest.raises(RuntimeError, match="observe: environment 0 is under way"):
        pool.observe([0])
    pool.recv()
    assert np.array_equal(held.numpy(), first) and np.array_equal(seen.numpy(), first)


def test_render_and_players_match_the_cpu() -> None:
    gpu, cpu = (make("CartPole-v1", 2, device=device, render_mode="rgb_array") for device in ("cuda", "cpu"))
    for pool in (gpu, cpu):
        pool.reset()
    assert np.array_equal(gpu.render([0, 1]), cpu.render([0, 1]))
    gpu, cpu = (make("Crowd-v0", 5, device=device) for device in ("cuda", "cpu"))
    for pool in (gpu, cpu):
        pool.reset()
    assert np.array_equal(gpu.players(), cpu.players()) and np.array_equal(gpu.players([3, 1]), cpu.players([3, 1]))


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_gymnasium_gym_and_dm_env_interfaces(mode: str) -> None:
    pool = make(num_envs=3, autoreset_mode=mode)
    assert set(pool.reset()[1]) == {"env_id", "players", "elapsed_step"}
    info = pool.step(np.zeros(3, int))[4]
    assert ("final_obs" in info) == ("_final_obs" in info) == (mode == "same_step")
    classic = envpool.make_gym("CartPole-v1", num_envs=3, device="cuda", step_api="classic", autoreset_mode=mode)
    classic.reset()
    assert np.array_equal(classic.step(np.zeros(3, int))[2].numpy(), [False] * 3)
    step = envpool.make_dm("CartPole-v1", num_envs=3, device="cuda").reset()
    assert step.step_type.numpy().tolist() == [0, 0, 0] and step.observation.obs.shape == (3, 4)


def test_repr_names_the_device() -> None:
    words = "num_envs=4, batch_size=2, device='cuda:0', autoreset_mode='next_step'"
    assert repr(make(batch_size=2)).endswith(f"('CartPole-v1', {words})")


def test_numpy_interfaces_refuse_a_gpu() -> None:
    for make_pool in (envpool.make_vec, envpool.make_sb3, envpool.make_pettingzoo):
        try:
            make_pool("CartPole-v1", device="cuda")
        except ValueError as error:
            assert "device: expected 'cpu', because" in str(error)
        except ImportError:
            continue  # The package of this interface is not installed.
        else:
            pytest.fail(f"{make_pool} takes a GPU")


HEADER = """
#pragma once
#include "envpool/core/api.h"

namespace mine {
ENVPOOL_FN float unit(envpool::Rng& rng) { return float(rng.uniform()); }
struct Walk {
  static constexpr const char* kName = "Walk";
  struct Params {};
  struct State {
    f32 x;
  };
#if ENVPOOL_HOST
  static void options(envpool::OptionSpecs&) {}
  static Params params(const envpool::OptionValues&) { return {}; }
  static void spec(const Params&, envpool::Spec& s) {
    s.obs<f32>("obs", {1});
    s.action<f32>("action", {1}).bounds(-1, 1);
  }
#endif
  ENVPOOL_FN static void reset(State& s, const Params&, envpool::Rng& rng) { s.x = unit(rng); }
  ENVPOOL_FN static envpool::Outcome step(State& s, const Params&, envpool::ActionRow a, envpool::Rng& rng) {
    s.x += 0.3f * *a.at<f32>(0) + 0.1f * unit(rng);
    return {.reward = s.x, .terminated = s.x > 2};
  }
  ENVPOOL_FN static void observe(const State& s, const Params&, envpool::Row row) { *row.at<f32, 1>(0) = s.x; }
};
}  // namespace mine
"""


@pytest.mark.sampled(one_in=2, group="header")
def test_a_users_header(tmp_path: Path) -> None:
    header = tmp_path / "walk.h"
    header.write_text(HEADER.replace("f32", "envpool::f32"))
    envpool.compile(header, "Walk-v0", max_episode_steps=LIMIT)
    found, ends = compare(pools("Walk-v0", "same_step", 9), 9, 100)
    assert not found.different and ends > 9
    header.write_text(HEADER)  # The host's library is already built. For NVRTC, f32 is not defined in this header.
    with pytest.raises(envpool.CompileError, match=r"(?s)\[Walk-v0\] .*walk.h:\d+: identifier \"f32\" is undefined"):
        make("Walk-v0")
    envpool.compile(HEADER.replace("f32", "envpool::f32"), "Walk-v1")
    with pytest.raises(ValueError, match=r"\[Walk-v1\] device: .* give envpool.compile the path of the header"):
        make("Walk-v1")


@pytest.mark.sampled(one_in=2, group="header")
def test_the_flags_of_a_users_header(tmp_path: Path) -> None:
    """The kernel has the macros and folders that the host's library was compiled with."""
    header, folder = tmp_path / "walk.h", tmp_path / "more"
    text = HEADER.replace("f32", "envpool::f32")
    assert "0.3f * *a" in text
    header.write_text('#include "speed.h"\n' + text.replace("0.3f * *a", "SPEED * *a"))
    folder.mkdir()
    (folder / "speed.h").write_text("#ifdef SLOW\n#define SPEED 0.1f\n#else\n#define SPEED FAST\n#endif\n")
    for flags in (["-DFAST=0.25f"], ["-DSLOW"], ["-D", "SLOW", "-USLOW", "-D", "FAST=0.5f", "-O1"]):
        envpool.compile(header, "Walk-v2", max_episode_steps=LIMIT, flags=["-I", str(folder), *flags])
        found, ends = compare(pools("Walk-v2", "same_step", 9), 9, 100)
        assert not found.different and ends > 9


# --- invalid arguments and calls ---


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        (
            {"device": "gpu"},
            ValueError,
            r"\[CartPole-v1\] device: expected 'cpu', 'cuda', or 'cuda:N' with the number of a GPU, got 'gpu'",
        ),
        ({"device": 0}, TypeError, "device: expected 'cpu', 'cuda'"),
        ({"device": "cuda:7"}, DriverError, r"\[CartPole-v1\] device: expected one of cuda:0 \(.*\), got 'cuda:7'"),
        ({"batch_size": 3}, ValueError, "batch_size: expected a divisor of num_envs = 4 with device='cuda'"),
        (
            {"batch_size": 2, "num_envs": 1000},
            ValueError,
            "batch_size: expected at least 4 with device='cuda' and num_envs=1000",
        ),
        ({"in_place": 1}, TypeError, "in_place: expected True or False, got 1"),
        ({"in_place": True, "device": "cpu"}, ValueError, "in_place: expected False with device='cpu'"),
        (
            {"num_envs": 2**20, "task_id": "DeepSea-bsuite", "size": 100},
            MemoryError,
            r"1048576 environments take .* MiB of cuda:0, which has",
        ),
        ({"task_id": "Faulty-v0"}, ValueError, "device: expected 'cpu', because this environment is not portable"),
    ],
)
def test_invalid_options_are_refused(given: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        make(**given)


def test_a_missing_driver_or_compiler_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENVPOOL_NVRTC", "/nothing")
    with pytest.raises(NvrtcError, match="ENVPOOL_NVRTC: expected NVRTC's library, got '/nothing'"):
        make()
    monkeypatch.setenv("ENVPOOL_LIBCUDA", "/nothing")
    with pytest.raises(DriverError, match="ENVPOOL_LIBCUDA: expected a library of the CUDA driver, got '/nothing'"):
        make()


@pytest.mark.parametrize(
    ("action", "error", "text"),
    [
        (np.array([0, 1, 2, 0]), ValueError, "action: expected an integer in 0..1, got 2 in row 2"),
        (np.zeros(3, int), ValueError, r"action: expected shape \(4,\), one row per environment, got \(3,\)"),
        ("left", TypeError, "action: expected integers"),
        (None, TypeError, "action: expected integers"),
        ("short", ValueError, r"action: expected shape \(4,\), one row per environment, got \(3,\)"),
        ("strange", TypeError, "action: expected bool, uint8, int32, int64, float32 or float64, got <i2"),
    ],
)
def test_bad_actions_that_are_refused_immediately(action: Any, error: type[Exception], text: str) -> None:
    given = {"short": np.zeros(3, "i4"), "strange": np.zeros(4, "i2")}
    pool = make()
    pool.reset()
    before = [pool.snapshot(i) for i in range(4)]
    with pytest.raises(error, match=text):
        pool.step(OnDevice(given[action]) if isinstance(action, str) and action in given else action)
    assert [pool.snapshot(i) for i in range(4)] == before
    pool.step(np.zeros(4, int))


@pytest.mark.parametrize(
    ("task_id", "action", "text"),
    [
        (
            "CartPole-v1",
            np.array([0, 1, 5, 0], "i8"),
            "action: expected an integer in 0..1, got another value in row 2",
        ),
        (
            "CartPole-v1",
            np.array([0, 1, 0.5, 0], "f4"),
            "action: expected an integer in 0..1, got another value in row 2",
        ),
        (
            "Pendulum-v1",
            np.array([[0], [1], [np.nan], [0]], "f4"),
            "action: expected finite numbers, got another value in row 2",
        ),
        (
            "Pendulum-v1",
            np.array([[0], [1], [1e300], [0]], "f8"),
            "action: expected finite numbers, got another value in row 2",
        ),
    ],
)
def test_a_bad_action_on_the_device_is_reported_by_a_later_call(task_id: str, action: np.ndarray, text: str) -> None:
    pool, twin = make(task_id), make(task_id)
    pool.reset(), twin.reset()
    before = pool.snapshot(2)
    pool.step(OnDevice(action))
    pool._pool.wait()
    with pytest.raises(ValueError, match=text):
        pool.step(np.zeros(action.shape, int))
    assert pool.snapshot(2) == before  # This environment was not stepped, but the others were.
    good = np.nan_to_num(np.where(np.abs(action) > 1, 0, action)).astype(action.dtype)
    twin.step(OnDevice(good.astype(int) if task_id == "CartPole-v1" else good))
    assert [pool.snapshot(i) for i in (0, 1, 3)] == [twin.snapshot(i) for i in (0, 1, 3)]
    pool.step(np.zeros(action.shape, int))


@pytest.mark.parametrize("version", ["12090", "12010"], ids=["", "driver without cuCtxRecordEvent"])
@pytest.mark.parametrize("next_call", ["step", "reset"])
def test_a_fault_found_during_a_step_is_raised_by_the_next_call(
    next_call: str, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The step that finds the fault of an earlier one is complete, so the pool has no pending batch afterwards."""
    monkeypatch.setenv("ENVPOOL_STANDIN_VERSION", version)  # with the old driver, a step waits for earlier ones
    pool, good = make(), np.zeros(4, int)
    pool.reset()
    assert pool.step(OnDevice(np.array([0, 7, 0, 0], "i4")))[0].__cuda_array_interface__  # a library reads the array
    results: list[str] = []
    for call in (next_call, "step", "step", "step"):
        try:
            batch = pool.step(good)[0] if call == "step" else pool.reset()[0]
            assert batch.__cuda_array_interface__
            del batch
            results.append("")
        except ValueError as error:
            results.append(str(error))
        if version == "12090":
            pool._pool.wait()  # runs the kernel that reports the fault
    assert [bool(result) for result in results] == [False, True, False, False]
    assert "action: expected an integer in 0..1, got another value in row 1 of an earlier step" in results[1]


def test_calls_that_are_refused() -> None:
    pool = make(autoreset_mode="disabled", max_episode_steps=2)
    with pytest.raises(RuntimeError, match="recv: nothing is under way"):
        pool.recv()
    pool.async_reset()
    with pytest.raises(RuntimeError, match="environment 0 is under way; receive its result first"):
        pool.send(np.zeros(4, int))
    with pytest.raises(RuntimeError, match="snapshot: environment 1 is under way"):
        pool.snapshot(1)
    pool.recv(reset=True)
    pool.send(np.zeros(2, int), np.arange(2))
    with pytest.raises(RuntimeError, match="step: results of an earlier send are pending; call recv first"):
        pool.step(np.zeros(1, int), [2])
    with pytest.raises(RuntimeError, match="reset: results of an earlier send are pending; call recv first"):
        pool.reset([2, 3])
    assert pool.recv()[-1]["env_id"].numpy().tolist() == [0, 1]
    pool.reset()
    with pytest.raises(ValueError, match="env_id: expected distinct ids, got 2 twice"):
        pool.reset([2, 2])
    with pytest.raises(ValueError, match="restore: state: expected a snapshot"):
        pool.restore(0, b"nothing")
    for _ in range(3):  # In the third step, all episodes end.
        pool.step(np.zeros(4, int))
    pool._pool.wait()
    with pytest.raises(RuntimeError, match="expected environments whose episodes are not over"):
        pool.step(np.zeros(4, int))
    pool.reset()
    pool.close()
    pool.close()
    with pytest.raises(RuntimeError, match=r"\[CartPole-v1\] the pool is closed"):
        pool.reset()


def test_a_forked_process_is_told_to_spawn() -> None:
    pool = make()
    pool.reset()
    read, write = os.pipe()
    if os.fork() == 0:
        try:
            pool.reset()
        except RuntimeError as error:
            os.write(write, str(error).encode())
        finally:
            os._exit(0)
    os.wait()
    assert "start processes with multiprocessing's 'spawn'" in os.read(read, 1000).decode()
    pool.step(np.zeros(4, int))
