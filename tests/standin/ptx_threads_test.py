# SPDX-License-Identifier: Apache-2.0
"""Tests the translation of PTX barriers, shuffles, votes and atomics of the threads of a block."""

from __future__ import annotations

import numpy as np
import pytest

from tests.cuda.nvrtc import SOURCE, LoadedProgram
from tests.standin.driver import CudaError, Driver
from tests.standin.ptx_kernels import wrap

pytestmark = pytest.mark.skipif(SOURCE is None, reason="ENVPOOL_SOURCE_DIR does not say where the sources are")


def test_shared_memory_is_static_and_dynamic_and_begins_as_garbage(driver: Driver) -> None:
    program = LoadedProgram(
        driver,
        """
        extern "C" __global__ void turn(const int* x, int* out, unsigned* was) {
          __shared__ int fixed[48];
          extern __shared__ short sized[];
          const int i = threadIdx.x, n = blockDim.x;
          was[blockIdx.x * n + i] = (unsigned)fixed[i] ^ (unsigned short)sized[i];
          __syncthreads();
          fixed[i] = x[blockIdx.x * n + i];
          sized[i] = (short)(3 * fixed[i]);
          __syncthreads();
          out[blockIdx.x * n + i] = fixed[n - 1 - i] + sized[(i + 1) % n];
        }
        """,
    )
    x = np.arange(96, dtype=np.int32).reshape(2, 48)
    out, was = np.zeros_like(x), np.zeros((2, 48), np.uint32)
    program("turn", x, out, was, grid=2, block=48, shared=96)
    assert (out == x[:, ::-1] + 3 * np.roll(x, -1, axis=1)).all()
    assert (was == 0xA5A5A5A5 ^ 0xA5A5).all()  # both blocks begin with the same value
    with pytest.raises(CudaError, match=r"ILLEGAL_ADDRESS.*shared"):
        program("turn", x, out, was, grid=2, block=48, shared=94)


SHUFFLES = {
    "up": lambda lane, move, width: lane - move if lane % width >= move else lane,
    "down": lambda lane, move, width: lane + move if lane % width + move < width else lane,
    "xor": lambda lane, move, width: lane ^ move if (lane ^ move) // width <= lane // width else lane,
    "": lambda lane, move, width: lane // width * width + move % width,
}


@pytest.mark.parametrize("how", SHUFFLES)
def test_shuffles(driver: Driver, how: str) -> None:
    moves, widths = (0, 1, 3, 5, 16, 31), (32, 16, 8, 2)
    calls = "".join(
        f"out[{i * len(moves) + j} * 64 + threadIdx.x] = "
        f"__shfl_{how}{'_' if how else ''}sync(~0u, 7 * threadIdx.x, {move}, {width});"
        for i, width in enumerate(widths)
        for j, move in enumerate(moves)
    )
    program = LoadedProgram(driver, f'extern "C" __global__ void shuffle(int* out) {{ {calls} }}')
    out = np.zeros((len(widths), len(moves), 64), np.int32)
    program("shuffle", out, block=64)
    for i, width in enumerate(widths):
        for j, move in enumerate(moves):
            lanes = [w * 32 + SHUFFLES[how](lane, move, width) for w in range(2) for lane in range(32)]
            assert out[i, j].tolist() == [7 * lane for lane in lanes], (width, move)


def test_votes_of_divergent_lanes_and_partial_warps(driver: Driver) -> None:
    program = LoadedProgram(
        driver,
        """
        extern "C" __global__ void vote(int* out) {
          const int i = threadIdx.x, lane = i & 31;
          int* row = out + i * 8;
          row[0] = __ballot_sync(~0u, i % 3 == 0);
          row[1] = __any_sync(~0u, i == 40), row[2] = __all_sync(~0u, i < 40), row[3] = __uni_sync(~0u, i < 40);
          if (lane < 5) {
            row[4] = __ballot_sync(0x1F, lane != 2);
          } else {
            row[4] = __ballot_sync(~0x1F, lane % 2);
          }
          row[5] = __reduce_add_sync(~0u, i), row[6] = __reduce_max_sync(~0u, 3 - i), row[7] = __reduce_or_sync(~0u, 1 << lane);
        }
        """,
    )
    out = np.zeros((50, 8), np.int64).astype(np.int32)
    program("vote", out, block=50)
    for begin, end in ((0, 32), (32, 50)):
        threads = range(begin, end)
        ballot = lambda chosen, begin=begin: sum(1 << (i - begin) for i in chosen)  # noqa: E731
        for i in threads:
            row = out[i].astype(np.uint32).tolist()
            same = [j for j in threads if (j - begin < 5) == (i - begin < 5)]
            part = [j for j in same if (j - begin != 2 if i - begin < 5 else j % 2)]
            assert row[:5] == [
                ballot(j for j in threads if j % 3 == 0),
                40 in threads,
                end <= 40,
                end <= 40 or begin >= 40,
                ballot(part),
            ]
            assert row[5:] == [sum(threads), (3 - begin) % 2**32, ballot(threads)]


def test_barriers_have_numbers_and_counts(driver: Driver) -> None:
    program = LoadedProgram(
        driver,
        """
        extern "C" __global__ void meet(int* out) {
          __shared__ int box[128];
          const int i = threadIdx.x;
          out[i] = 1000 * __syncthreads_count(i % 3 == 0) + 10 * __syncthreads_or(i == 77) + __syncthreads_and(i < 127);
          box[i] = i;
          if (i < 64) {  // Each half of the threads has its own barrier.
            asm volatile("bar.sync 1, 64;" ::: "memory");
            out[i] += 100000 * box[63 - i];
          } else {
            asm volatile("bar.sync 2, 64;" ::: "memory");
            out[i] += 100000 * box[191 - i];
          }
          if (i < 32) {  // The first warp writes and the second one reads.
            box[i] = 500 + i;
            asm volatile("bar.arrive 3, 64;" ::: "memory");
          } else if (i < 64) {
            asm volatile("bar.sync 3, 64;" ::: "memory");
            out[i] += box[i - 32];
          }
        }
        """,
    )
    out = np.zeros(128, np.int32)
    program("meet", out, block=128)
    i = np.arange(128)
    expected = 1000 * 43 + 10 + 100000 * np.where(i < 64, 63 - i, 191 - i)
    expected[32:64] += 500 + i[:32]
    assert (out == expected).all()


def test_deadlocks_are_reported(driver: Driver) -> None:
    program = LoadedProgram(
        driver,
        """
        extern "C" __global__ void part() { if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;"); }
        extern "C" __global__ void gone() { if (threadIdx.x < 32) __syncthreads(); }
        extern "C" __global__ void mask(int* x) { if (threadIdx.x < 4) x[0] = __ballot_sync(0xF0, 1); }
        """,
    )
    program("gone", block=64)  # A barrier does not wait for threads that have returned.
    for name, block, what in (
        ("part", 64, "LAUNCH_TIMEOUT.*it waits for"),
        ("mask", 32, "ILLEGAL_INSTRUCTION.*its own mask"),
    ):
        with pytest.raises(CudaError, match=what):
            program(name, *([np.zeros(1, np.int32)] if name == "mask" else []), block=block)
        driver.reset()
        program.reload()


# --- atomics ---

ATOMICS = {  # name in CUDA C: types, and the function that combines the old value with an operand
    "Add": ("int unsigned u64 float double", lambda a, b: a + b),
    "Min": ("int unsigned i64 u64", min),
    "Max": ("int unsigned i64 u64", max),
    "And": ("unsigned u64", lambda a, b: a & b),
    "Or": ("unsigned u64", lambda a, b: a | b),
    "Xor": ("unsigned u64", lambda a, b: a ^ b),
    "Exch": ("int unsigned u64 float", lambda a, b: b),
    "Inc": ("unsigned", lambda a, b: 0 if a >= b else a + 1),
    "Dec": ("unsigned", lambda a, b: b if a == 0 or a > b else a - 1),
}
TYPES = {"int": "i4", "unsigned": "u4", "i64": "i8", "u64": "u8", "float": "f4", "double": "f8"}


@pytest.mark.parametrize("space", ["global", "shared"])
def test_atomics(driver: Driver, space: str) -> None:
    cases = [(name, kind) for name, (kinds, _) in ATOMICS.items() for kind in kinds.split()]
    source = "typedef long long i64; typedef unsigned long long u64;\n"
    for name, kind in cases:
        body = f"old[i] = atomic{name}(to, x[i]);"
        if space == "shared":
            body = f"__shared__ {kind} box; if (i == 0) box = *to; __syncthreads(); old[i] = atomic{name}(&box, x[i]); __syncthreads(); if (i == 0) *to = box;"
        source += f'extern "C" __global__ void {name}_{kind}({kind}* to, const {kind}* x, {kind}* old) {{ const int i = threadIdx.x; {body} }}\n'
    program = LoadedProgram(driver, source)
    random = np.random.default_rng(3)
    for name, kind in cases:
        whole = TYPES[kind][0] != "f"
        x = random.integers(0 if TYPES[kind][0] == "u" else -50, 90, 64).astype(TYPES[kind])
        to, old = np.array([40], TYPES[kind]), np.zeros(64, TYPES[kind])
        program(f"{name}_{kind}", to, x, old, block=64)
        # Threads run in ascending order or, if the kernel has barriers, in descending order.
        value = 40
        for i in range(64) if space == "global" else reversed(range(64)):
            assert old[i] == value, (name, kind)
            value = (
                wrap(ATOMICS[name][1](value, x[i].item()), old.itemsize * 8, signed=TYPES[kind][0] == "i")
                if whole
                else (ATOMICS[name][1](old.dtype.type(value), x[i]))
            )
        assert to[0] == value, (name, kind)


def test_compare_and_swap(driver: Driver) -> None:
    program = LoadedProgram(
        driver,
        """
        extern "C" __global__ void most(unsigned* to, unsigned long long* wide, const unsigned* x) {
          unsigned seen = *to;
          while (x[threadIdx.x] > seen) {
            const unsigned found = atomicCAS(to, seen, x[threadIdx.x]);
            if (found == seen) break;
            seen = found;
          }
          atomicCAS(wide, 7ull, 1ull << 40);
          atomicCAS(wide, 8ull, 3ull);
        }
        """,
    )
    x, to, wide = (
        np.random.default_rng(4).permutation(1000).astype(np.uint32)[:256],
        np.zeros(1, np.uint32),
        np.array([7], np.uint64),
    )
    program("most", to, wide, x, block=256)
    assert to[0] == x.max()
    assert wide[0] == 1 << 40
