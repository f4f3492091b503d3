# SPDX-License-Identifier: Apache-2.0
"""Tests the check of a device's memory, and copies from host memory on systems whose GPUs access pageable memory."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import envpool
from tests.cuda.device_arrays import make
from tests.standin.driver import STANDIN

pytestmark = pytest.mark.usefixtures("stand_in")

MIB = 1 << 20
THREADS = 8 * 2048  # that the stand-in's device can hold


@pytest.fixture
def new_stand_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., None]:
    """Returns a function that makes pools run on another copy of the stand-in, which reads its settings again."""

    def use(**settings: object) -> None:
        for name, value in settings.items():
            monkeypatch.setenv(f"ENVPOOL_STANDIN_{name}", str(value))
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.so"
        monkeypatch.setenv("ENVPOOL_LIBCUDA", str(shutil.copy(STANDIN, path)))

    return use


# The step shuffles an array on the stack, whose indices the compiler does not know.
STACK = """
#pragma once
#include "envpool/core/api.h"

namespace mine {
using envpool::f32, envpool::i32, envpool::u32;
struct Stack {
  static constexpr const char* kName = "Stack";
  struct Params {};
  struct State {
    f32 x;
  };
#if ENVPOOL_HOST
  static void options(envpool::OptionSpecs&) {}
  static Params params(const envpool::OptionValues&) { return {}; }
  static void spec(const Params&, envpool::Spec& s) {
    s.obs<f32>("obs", {1});
    s.action<i32>("action").categories(2);
  }
#endif
  ENVPOOL_FN static void reset(State& s, const Params&, envpool::Rng& rng) { s.x = float(rng.uniform()); }
  ENVPOOL_FN static envpool::Outcome step(State& s, const Params&, envpool::ActionRow a, envpool::Rng& rng) {
    i32 cards[2000];
    for (i32 i = 0; i < 2000; ++i) cards[i] = i;
    for (i32 i = 0; i < 10; ++i) {
      const u32 one = rng.below(2000), two = rng.below(2000);
      const i32 card = cards[one];
      cards[one] = cards[two];
      cards[two] = card;
    }
    s.x = f32(cards[rng.below(2000)] + *a.at<i32>(0));
    return {.reward = s.x};
  }
  ENVPOOL_FN static void observe(const State& s, const Params&, envpool::Row row) { *row.at<f32, 1>(0) = s.x; }
};
}  // namespace mine
"""


def test_the_stacks_of_a_kernel_are_counted(tmp_path: Path, new_stand_in: Callable[..., None]) -> None:
    header = tmp_path / "stack.h"
    header.write_text(STACK)
    envpool.compile(header, "Stack-v0", max_episode_steps=20)
    text = (
        r"\[Stack-v0\] num_envs: (\d+) environments take (\S+) MiB, and the stacks of their kernel, (\d+) bytes for each "
        rf"of {THREADS} threads, take (\S+) MiB of cuda:0, which has (\S+) MiB free: at most (\d+) fit"
    )

    def refusal(count: int, memory: int) -> tuple[float, ...]:
        new_stand_in(MEMORY=memory)
        with pytest.raises(MemoryError) as error:
            make("Stack-v0", count)
        found = re.fullmatch(text, str(error.value))
        assert found, error.value
        return tuple(float(group) for group in found.groups())

    count, _, stack, stacks, free, fit = refusal(3, 100 * MIB)
    assert (count, fit) == (3, 0) and stack >= 8000 and free <= 100
    assert stacks == round(stack * THREADS / MIB, 1)
    most = int(refusal(10_000, int(stack) * THREADS + MIB)[-1])
    assert 500 < most < 10_000
    pool = make("Stack-v0", most)
    pool.reset()
    pool.step(np.zeros(most, int))[0].numpy()  # The launch reserves the stacks.
    pool.close()
    make("Stack-v0", most).reset()  # The stacks stay reserved, and are not counted again.


def test_pools_in_place_take_one_block_of_results(new_stand_in: Callable[..., None]) -> None:
    def most(**options: bool) -> int:
        """Returns how many environments fit into the device's memory."""
        with pytest.raises(MemoryError) as error:
            make("Breakout-MinAtar", 2**20, **options)
        fit = re.search(r"at most (\d+) fit", str(error.value))
        assert fit, error.value
        return int(fit[1])

    new_stand_in(MEMORY=100 * MIB)
    assert 1.5 < most(in_place=True) / most() < 2


# --- host memory that is read late: on coherent systems, a copy of pageable memory may read it after the call ---


def test_arguments_are_read_before_the_caller_changes_them(new_stand_in: Callable[..., None]) -> None:
    new_stand_in(MODE="coherent")
    pool, cpu = make(num_envs=5), make(num_envs=5, device="cpu")
    rng = np.random.default_rng(2)
    for _ in range(3):
        seeds = rng.integers(0, 1000, 5).tolist()
        batches, expected = [pool.reset(seed=seeds)[0]], [cpu.reset(seed=seeds)[0]]
        for _ in range(10):
            action, ids = rng.integers(0, 2, 5).astype(np.int32), rng.permutation(5).astype(np.int32)
            expected.append(cpu.step(action, ids)[0])
            batches.append(pool.step(action, ids)[0])
            action[:], ids[:] = 9, 0
        assert np.array_equal([batch.numpy() for batch in batches], expected)
    assert [pool.snapshot(i) for i in range(5)] == [cpu.snapshot(i) for i in range(5)]
    pool.close()


TABLES = """
import envpool
import tests.environments.registration  # registers Crowd
from tests.cuda.device_comparison import compare, pools

each = [{"gravity": 9.0 + i % 3, "max_episode_steps": 5 + i} for i in range(7)]
cases = {"CartPole-v1": {"env_options": each}, "Crowd-v0": {}, "TagContinuous-v0": {}}
for task_id, options in cases.items():
    both = pools(task_id, "same_step", 7, **options)
    assert both.device.snapshot([0]) == both.cpu.snapshot([0])
    found, _ = compare(both, 7, 30)
    assert not found.different, (task_id, found)
    both.device.close()
"""


def test_the_tables_of_a_pool_are_read_before_they_are_freed() -> None:
    """The C library overwrites freed memory at once (MALLOC_PERTURB_, without caches of threads)."""
    tunables = {"MALLOC_PERTURB_": "90", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}
    environment = {**os.environ, "ENVPOOL_STANDIN_MODE": "coherent", **tunables}
    subprocess.run([sys.executable, "-W", "ignore", "-c", TABLES], env=environment, check=True)
