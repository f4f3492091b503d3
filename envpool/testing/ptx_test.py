# SPDX-License-Identifier: Apache-2.0
"""Runs kernels in CUDA C, compiled by NVRTC, on the stand-in and compares them with NumPy and Python's integers."""

from __future__ import annotations

import math
import os
import struct

import numpy as np
import pytest

from envpool.testing.cuda import CudaError, Driver
from envpool.testing.nvrtc import SOURCE, Program

pytestmark = pytest.mark.skipif(SOURCE is None, reason="ENVPOOL_SOURCE_DIR does not say where the sources are")

SAMPLES = 4096 if os.environ.get("ENVPOOL_TEST_DEVICE") == "whole" else 256


# --- modules ---


def test_a_module_has_several_kernels_variables_and_constants(driver: Driver) -> None:
    program = Program(
        driver,
        """
        extern "C" __device__ int calls = 40;
        extern "C" __constant__ float scale[2] = {2.0f, 3.0f};
        __device__ const short table[3] = {5, -6, 7};
        __device__ const short* where = table + 1;
        __device__ unsigned char zeros[5];
        extern "C" __global__ void twice(float* x, int n) {
          const int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n) x[i] *= scale[i & 1];
          if (i == 0) ++calls;
        }
        extern "C" __global__ void look(int* out) { out[0] = where[0], out[1] = where[-1], out[2] = zeros[4]; }
        """,
    )
    x, out = np.arange(70, dtype=np.float32), np.full(3, -1, np.int32)
    program("twice", x, 70, grid=3)
    program("look", out)
    assert (x == np.arange(70, dtype=np.float32) * np.where(np.arange(70) % 2, 3, 2).astype(np.float32)).all()
    assert out.tolist() == [-6, 5, 0]

    size, calls, scale = np.zeros(1, np.uint64), np.zeros(1, np.int32), np.zeros(2, np.float32)
    for name, array in (("calls", calls), ("scale", scale)):
        address = driver.get("cuModuleGetGlobal_v2", size.ctypes.data, program.module, name.encode())
        assert size[0] == array.nbytes
        driver.download(address, array)
    assert calls[0] == 41
    assert scale.tolist() == [2, 3]

    other = driver.module(program.ptx)  # has variables of its own
    driver.download(driver.get("cuModuleGetGlobal_v2", 0, other, b"calls"), calls)
    assert calls[0] == 40


def test_grids_and_blocks_have_three_dimensions(driver: Driver) -> None:
    program = Program(
        driver,
        """
        extern "C" __global__ void where(int* out) {
          const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
          const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
          unsigned lane, warp, below;
          asm("mov.u32 %0, %laneid;" : "=r"(lane));
          asm("mov.u32 %0, %warpid;" : "=r"(warp));
          asm("mov.u32 %0, %lanemask_lt;" : "=r"(below));
          int* row = out + (block * blockDim.x * blockDim.y * blockDim.z + thread) * 4;
          row[0] = blockIdx.x + 10 * blockIdx.y + 100 * blockIdx.z;
          row[1] = threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z;
          row[2] = warp * 32 + lane;
          row[3] = __popc(below);
        }
        """,
    )
    out = np.full((4, 3, 2, 3, 4, 5, 4), -1, np.int32)
    program("where", out, grid=(2, 3, 4), block=(5, 4, 3))
    z, y, x, tz, ty, tx = np.indices(out.shape[:-1])
    assert (out[..., 0] == x + 10 * y + 100 * z).all()
    assert (out[..., 1] == tx + 10 * ty + 100 * tz).all()
    assert (out[..., 2] == (tz * 4 + ty) * 5 + tx).all()
    assert (out[..., 3] == out[..., 2] % 32).all()


# --- threads that meet ---


def test_shared_memory_is_static_and_dynamic_and_begins_as_garbage(driver: Driver) -> None:
    program = Program(
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
    assert (was == 0xA5A5A5A5 ^ 0xA5A5).all()  # in the second block too
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
    program = Program(driver, f'extern "C" __global__ void shuffle(int* out) {{ {calls} }}')
    out = np.zeros((len(widths), len(moves), 64), np.int32)
    program("shuffle", out, block=64)
    for i, width in enumerate(widths):
        for j, move in enumerate(moves):
            lanes = [w * 32 + SHUFFLES[how](lane, move, width) for w in range(2) for lane in range(32)]
            assert out[i, j].tolist() == [7 * lane for lane in lanes], (width, move)


def test_votes_of_lanes_that_diverge_and_of_a_warp_that_is_not_full(driver: Driver) -> None:
    program = Program(
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
    program = Program(
        driver,
        """
        extern "C" __global__ void meet(int* out) {
          __shared__ int box[128];
          const int i = threadIdx.x;
          out[i] = 1000 * __syncthreads_count(i % 3 == 0) + 10 * __syncthreads_or(i == 77) + __syncthreads_and(i < 127);
          box[i] = i;
          if (i < 64) {  // the halves meet apart
            asm volatile("bar.sync 1, 64;" ::: "memory");
            out[i] += 100000 * box[63 - i];
          } else {
            asm volatile("bar.sync 2, 64;" ::: "memory");
            out[i] += 100000 * box[191 - i];
          }
          if (i < 32) {  // one who brings and one who takes
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


def test_who_waits_for_nobody_is_told(driver: Driver) -> None:
    program = Program(
        driver,
        """
        extern "C" __global__ void part() { if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;"); }
        extern "C" __global__ void gone() { if (threadIdx.x < 32) __syncthreads(); }
        extern "C" __global__ void mask(int* x) { if (threadIdx.x < 4) x[0] = __ballot_sync(0xF0, 1); }
        """,
    )
    program("gone", block=64)  # threads that have returned are not waited for
    for name, block, what in (
        ("part", 64, "LAUNCH_TIMEOUT.*it waits for"),
        ("mask", 32, "ILLEGAL_INSTRUCTION.*its own mask"),
    ):
        with pytest.raises(CudaError, match=what):
            program(name, *([np.zeros(1, np.int32)] if name == "mask" else []), block=block)
        driver.reset()
        program.reload()


# --- atomics ---

ATOMICS = {  # name in CUDA C: types, the result of folding values into a first one
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
    program = Program(driver, source)
    random = np.random.default_rng(3)
    for name, kind in cases:
        whole = TYPES[kind][0] != "f"
        x = random.integers(0 if TYPES[kind][0] == "u" else -50, 90, 64).astype(TYPES[kind])
        to, old = np.array([40], TYPES[kind]), np.zeros(64, TYPES[kind])
        program(f"{name}_{kind}", to, x, old, block=64)
        # Threads run in their order, and where there are barriers in the opposite order.
        value = 40
        for i in range(64) if space == "global" else reversed(range(64)):
            assert old[i] == value, (name, kind)
            value = (
                wrap(ATOMICS[name][1](value, x[i].item()), old.itemsize * 8, TYPES[kind][0] == "i")
                if whole
                else (ATOMICS[name][1](old.dtype.type(value), x[i]))
            )
        assert to[0] == value, (name, kind)


def test_compare_and_swap(driver: Driver) -> None:
    program = Program(
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


# --- arithmetic, one instruction at a time ---


def wrap(value: int, bits: int, signed: bool) -> int:
    value %= 2**bits
    return value - 2**bits if signed and value >= 2 ** (bits - 1) else value


def quotient(a: int, b: int) -> int:
    return (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)


def extract(a: int, begin: int, count: int, bits: int, signed: bool) -> int:
    begin, count = begin & 255, count & 255
    sign = 0 if not signed or count == 0 else a >> min(begin + count - 1, bits - 1) & 1
    return sum((a >> (begin + i) & 1 if i < count and begin + i < bits else sign) << i for i in range(bits))


def insert(a: int, b: int, begin: int, count: int, bits: int) -> int:
    begin, count = begin & 255, count & 255
    for i in range(min(count, max(bits - begin, 0))):
        b = b & ~(1 << (begin + i)) | (a >> i & 1) << (begin + i)
    return b


def highest(a: int, bits: int) -> int:
    a = ~a if a < 0 else a
    return a.bit_length() - 1 if a else 2**32 - 1


# Instruction: types of its operands, result first, and what it does to whole numbers of them.
WHOLE = {
    "add.s32": ("s32 s32 s32", lambda a, b: a + b),
    "sub.u64": ("u64 u64 u64", lambda a, b: a - b),
    "mul.lo.s32": ("s32 s32 s32", lambda a, b: a * b),
    "mul.hi.s32": ("s32 s32 s32", lambda a, b: a * b >> 32),
    "mul.hi.u64": ("u64 u64 u64", lambda a, b: a * b >> 64),
    "mul.hi.s64": ("s64 s64 s64", lambda a, b: a * b >> 64),
    "mul.wide.s32": ("s64 s32 s32", lambda a, b: a * b),
    "mul.wide.u16": ("u32 u16 u16", lambda a, b: a * b),
    "mad.lo.u64": ("u64 u64 u64 u64", lambda a, b, c: a * b + c),
    "mad.wide.u32": ("u64 u32 u32 u64", lambda a, b, c: a * b + c),
    "mad.hi.s32": ("s32 s32 s32 s32", lambda a, b, c: (a * b >> 32) + c),
    "div.s32": ("s32 s32 s32", lambda a, b: quotient(a, b) if b else -1),
    "div.u64": ("u64 u64 u64", lambda a, b: a // b if b else -1),
    "rem.s32": ("s32 s32 s32", lambda a, b: a - b * quotient(a, b) if b else a),
    "rem.u32": ("u32 u32 u32", lambda a, b: a % b if b else a),
    "min.s64": ("s64 s64 s64", min),
    "max.u32": ("u32 u32 u32", max),
    "abs.s32": ("s32 s32", abs),
    "neg.s64": ("s64 s64", lambda a: -a),
    "xor.b64": ("u64 u64 u64", lambda a, b: a ^ b),
    "not.b16": ("u16 u16", lambda a: ~a),
    "shl.b32": ("u32 u32 u32", lambda a, b: a << b if b < 32 else 0),
    "shr.u64": ("u64 u64 u32", lambda a, b: a >> b),
    "shr.s32": ("s32 s32 u32", lambda a, b: a >> b),
    "bfe.u32": ("u32 u32 u32 u32", lambda a, b, c: extract(a, b, c, 32, False)),
    "bfe.s32": ("s32 s32 u32 u32", lambda a, b, c: extract(a, b, c, 32, True)),
    "bfe.s64": ("s64 s64 u32 u32", lambda a, b, c: extract(a, b, c, 64, True)),
    "bfi.b32": ("u32 u32 u32 u32 u32", lambda a, b, c, d: insert(a, b, c, d, 32)),
    "bfi.b64": ("u64 u64 u64 u32 u32", lambda a, b, c, d: insert(a, b, c, d, 64)),
    "bfind.u32": ("u32 u32", lambda a: highest(a, 32)),
    "bfind.s64": ("u32 s64", lambda a: highest(a, 64)),
    "bfind.shiftamt.u32": ("u32 u32", lambda a: 31 - highest(a, 32) if a else -1),
    "popc.b64": ("u32 u64", lambda a: a.bit_count()),
    "clz.b32": ("u32 u32", lambda a: 32 - a.bit_length()),
    "clz.b64": ("u32 u64", lambda a: 64 - a.bit_length()),
    "brev.b32": ("u32 u32", lambda a: int(f"{a:032b}"[::-1], 2)),
    "brev.b64": ("u64 u64", lambda a: int(f"{a:064b}"[::-1], 2)),
    "shf.l.wrap.b32": ("u32 u32 u32 u32", lambda a, b, c: (b << 32 | a) << c % 32 >> 32),
    "shf.r.clamp.b32": ("u32 u32 u32 u32", lambda a, b, c: (b << 32 | a) >> min(c, 32)),
    "prmt.b32": (
        "u32 u32 u32 u32",
        lambda a, b, c: sum(
            (
                ((b << 32 | a) >> 8 * (c >> 4 * i & 7) & 255)
                if not c >> 4 * i & 8
                else 255 * ((b << 32 | a) >> (8 * (c >> 4 * i & 7) + 7) & 1)
            )
            << 8 * i
            for i in range(4)
        ),
    ),
    "dp4a.s32.u32": (
        "s32 s32 u32 s32",
        lambda a, b, c: c + sum(wrap(a >> 8 * i, 8, True) * (b >> 8 * i & 255) for i in range(4)),
    ),
    "dp2a.hi.u32.s32": (
        "s32 u32 s32 s32",
        lambda a, b, c: c + sum((a >> 16 * i & 65535) * wrap(b >> (16 + 8 * i), 8, True) for i in range(2)),
    ),
    "cvt.s64.s8": ("s64 s32", lambda a: wrap(a, 8, True)),
    "cvt.u16.u32": ("u16 u32", lambda a: a),
    "cvt.s32.u16": ("s32 u16", lambda a: a),
}
C = {"s": "", "u": "unsigned "}
WORDS = {16: ("short", "h"), 32: ("int", "r"), 64: ("long long", "l")}


def one_instruction(name: str, instruction: str, kinds: list[str], constant: str = "") -> str:
    """A kernel that gives each thread's operands to one instruction."""
    types = [{"f32": "float", "f64": "double"}.get(kind) or C[kind[0]] + WORDS[int(kind[1:])][0] for kind in kinds]
    letters = [{"f32": "f", "f64": "d"}.get(kind) or WORDS[int(kind[1:])][1] for kind in kinds]
    parameters = ", ".join(f"{kind}* x{i}" for i, kind in enumerate(types))
    places = ", ".join(f"%{i}" for i in range(len(kinds))) + constant
    operands = ", ".join(f'"{letter}"(x{i + 1}[i])' for i, letter in enumerate(letters[1:]))
    return (
        f'extern "C" __global__ void {name}({parameters}) {{ const int i = threadIdx.x; {types[0]} y;'
        f' asm("{instruction} {places};" : "={letters[0]}"(y) : {operands}); x0[i] = y; }}\n'
    )


def dtype(kind: str) -> np.dtype:
    return np.dtype(kind.replace("s", "i")[0] + str(int(kind[1:]) // 8))


def whole_numbers(random: np.random.Generator, kind: str, count: int) -> np.ndarray:
    """Of all sizes, with those at the ends."""
    bits, signed = int(kind[1:]), kind[0] == "s"
    values = [int(random.integers(0, 2**63)) * 2 + 1 >> int(random.integers(64 - bits, 64)) for _ in range(count)]
    values[:6] = [0, 1, 2**bits - 1, 2 ** (bits - 1), 2 ** (bits - 1) - 1, 31]
    random.shuffle(values)
    return np.array([wrap(value, bits, signed) for value in values], dtype(kind))


def test_whole_numbers(driver: Driver) -> None:
    names = {instruction: instruction.replace(".", "_") for instruction in WHOLE}
    program = Program(driver, "".join(one_instruction(names[i], i, WHOLE[i][0].split()) for i in WHOLE))
    random = np.random.default_rng(1)
    for instruction, (given, meaning) in WHOLE.items():
        result, *kinds = given.split()
        arrays = [whole_numbers(random, kind, SAMPLES) for kind in kinds]
        if instruction.startswith(("sh", "bf")):  # places are small numbers more often than not
            for array in arrays[1:]:
                array[::2] %= 70
        for begin in range(0, SAMPLES, 256):
            parts = [array[begin : begin + 256] for array in arrays]
            out = np.zeros(256, dtype(result))
            program(names[instruction], out, *(part.copy() for part in parts), block=256)
            expected = [
                wrap(meaning(*map(int, x)), int(result[1:]), result[0] == "s") for x in zip(*parts, strict=True)
            ]
            assert out.tolist() == expected, instruction


def test_lop3_has_every_table(driver: Driver) -> None:
    tables = (0x00, 0x80, 0x96, 0xE8, 0x6A, 0xFF)
    source = "".join(one_instruction(f"t{t}", "lop3.b32", ["u32"] * 4, f", {t}") for t in tables)
    program = Program(driver, source)
    a, b, c = (np.random.default_rng(2).integers(0, 2**32, 64, np.uint32) for _ in range(3))
    for t in tables:
        out = np.zeros(64, np.uint32)
        program(f"t{t}", out, a, b, c, block=64)
        expected = np.zeros(64, np.uint32)
        for i in range(8):
            if t >> i & 1:
                expected |= (a if i & 4 else ~a) & (b if i & 2 else ~b) & (c if i & 1 else ~c)
        assert (out == expected).all()


NAN = 0x7FFFFFFF  # the only one that a GPU makes of 32 bits
REALS = [0.0, -0.0, 1.0, -1.5, 3.25, 1e-40, -1e-45, 3e38, 7.9e-31, math.inf, -math.inf, math.nan]


@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_reals(driver: Driver, kind: str) -> None:
    binary = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div.rn": np.divide}
    names = [*binary, "min", "max", "copysign", "sqrt.rn", "rcp.rn", "neg", "abs", "fma.rn"]
    operands = {"sqrt.rn": 1, "rcp.rn": 1, "neg": 1, "abs": 1, "fma.rn": 3}
    source = "".join(
        one_instruction(f"op_{name[:3]}", f"{name}.{kind}", [kind] * (1 + operands.get(name, 2))) for name in names
    )
    program = Program(driver, source)
    real, word = dtype(kind), np.dtype("u4" if kind == "f32" else "u8")
    a, b = (array.ravel().astype(real) for array in np.meshgrid(REALS, REALS))
    c = np.roll(a, 5)
    minus = word.type(1 << (real.itemsize * 8 - 1))

    def run(name: str) -> np.ndarray:
        out = np.zeros_like(a)
        program(f"op_{name[:3]}", out, *(x.copy() for x in (a, b, c)[: operands.get(name, 2)]), block=len(a))
        return out

    def same(ours: np.ndarray, theirs: np.ndarray) -> bool:
        nan = np.isnan(theirs)
        if kind == "f32":
            assert (ours.view(word)[nan] == NAN).all()
        return bool((np.isnan(ours) == nan).all() and (ours.view(word)[~nan] == theirs.view(word)[~nan]).all())

    with np.errstate(all="ignore"):
        for name, function in binary.items():
            assert same(run(name), function(a, b)), name
        assert same(run("sqrt.rn"), np.sqrt(a))
        assert same(run("rcp.rn"), real.type(1) / a)
        order = lambda x: np.where(x == 0, np.where(np.signbit(x), -1e-300, 0), x.astype(np.float64))  # noqa: E731
        first = np.isnan(b) | (order(a) < order(b))
        assert same(run("min"), np.where(first, a, b))
        assert same(run("max"), np.where(np.isnan(b) | (order(a) > order(b)), a, b))
    assert (run("neg").view(word) == a.view(word) ^ minus).all()
    assert (run("abs").view(word) == a.view(word) & ~minus).all()
    assert (run("copysign").view(word) == (a.view(word) & minus | b.view(word) & ~minus)).all()
    # A sum that is fused has the product's lower half.
    fused = np.full_like(a, 1 + np.finfo(real).eps)
    out = np.zeros_like(a)
    program("op_fma", out, fused, fused.copy(), np.full_like(a, -1 - 2 * np.finfo(real).eps), block=len(a))
    assert (out == np.finfo(real).eps ** 2).all()


def test_reals_become_whole_numbers_as_on_a_device(driver: Driver) -> None:
    rounding = {"rzi": math.trunc, "rmi": math.floor, "rpi": math.ceil, "rni": round}
    cases = [
        (how, to, of) for how in rounding for to in ("s16", "u16", "s32", "u32", "s64", "u64") for of in ("f32", "f64")
    ]
    program = Program(
        driver, "".join(one_instruction("_".join(case), f"cvt.{'.'.join(case)}", list(case[1:])) for case in cases)
    )
    for how, to, of in cases:
        bits, signed = int(to[1:]), to[0] == "s"
        low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
        values = [
            0.0,
            0.5,
            -0.5,
            1.5,
            2.5,
            -2.5,
            1e9,
            -1e9,
            4e9,
            1e19,
            -1e19,
            1e30,
            low,
            high,
            math.inf,
            -math.inf,
            math.nan,
        ]
        x = np.array(values, dtype(of))
        out = np.zeros(len(x), dtype(to))
        program(f"{how}_{to}_{of}", out, x.copy(), block=len(x))
        for value, found in zip(x.tolist(), out.tolist(), strict=True):
            if math.isnan(value):
                expected = 0 if of == "f32" and bits < 64 else low if signed else 2 ** (bits - 1)
            elif math.isinf(value):
                expected = high if value > 0 else low
            else:
                expected = min(max(rounding[how](value), low), high)
            assert found == expected, (how, to, of, value)


def test_whole_numbers_become_reals_and_halves_of_words(driver: Driver) -> None:
    source = one_instruction("single", "cvt.rn.f32.s64", ["f32", "s64"]) + one_instruction(
        "narrow", "cvt.rn.f32.f64", ["f32", "f64"]
    )
    source += 'extern "C" __global__ void split(const double* x, int* low, int* high, double* back) { const int i = threadIdx.x; low[i] = __double2loint(x[i]); high[i] = __double2hiint(x[i]); back[i] = __hiloint2double(high[i], low[i] ^ 1); }'
    program = Program(driver, source)
    x = whole_numbers(np.random.default_rng(5), "s64", 64)
    out = np.zeros(64, np.float32)
    program("single", out, x, block=64)
    assert (out == np.array([np.float32(int(value)) for value in x])).all()
    y, low, high = np.random.default_rng(6).normal(size=64), np.zeros(64, np.int32), np.zeros(64, np.int32)
    y[0] = math.nan
    back = np.zeros(64)
    program("narrow", out, y, block=64)
    assert out.view(np.uint32)[0] == NAN
    assert (out[1:] == y[1:].astype(np.float32)).all()
    program("split", y, low, high, back, block=64)
    assert (low.view(np.uint32) == y.view(np.uint64) & 0xFFFFFFFF).all()
    assert (back.view(np.uint64) == y.view(np.uint64) ^ 1).all()


# --- calls, local memory, and the end of a kernel ---


def test_functions_and_local_memory(driver: Driver) -> None:
    program = Program(
        driver,
        """
        __device__ __noinline__ int deep(int n) {
          volatile int room[16];
          for (int i = 0; i < 16; ++i) room[i] = n * i;
          return n <= 0 ? 0 : room[n & 15] + (deep(n - 1) ^ deep(n / 2));
        }
        extern "C" __global__ void sort(int* x) {
          int mine[8];
          for (int i = 0; i < 8; ++i) mine[i] = x[threadIdx.x * 8 + i];
          for (int i = 0; i < 8; ++i) {
            for (int j = 0; j + 1 < 8 - i; ++j) {
              if (mine[j] > mine[j + 1]) { const int least = mine[j + 1]; mine[j + 1] = mine[j]; mine[j] = least; }
            }
          }
          for (int i = 0; i < 8; ++i) x[threadIdx.x * 8 + i] = mine[(x[threadIdx.x * 8] & 0) + i];
        }
        extern "C" __global__ void fall(int* x) { x[0] = deep(x[0]); }
        """,
    )
    x = np.random.default_rng(7).integers(-99, 99, (64, 8)).astype(np.int32)
    ours = x.copy()
    program("sort", ours, block=64)
    assert (ours == np.sort(x, axis=1)).all()
    with pytest.raises(CudaError, match=r"LAUNCH_FAILED.*recursion"):
        program("fall", np.array([1000], np.int32), block=1)


def test_assertions_and_traps_stop_a_kernel(driver: Driver) -> None:
    source = 'extern "C" __global__ void f(int* x) { assert(x[0] == 3 && "three"); if (x[1]) __trap(); }'
    program = Program(driver, source)
    program("f", np.array([3, 0], np.int32))
    with pytest.raises(CudaError, match=r"ERROR_ASSERT.*three.*thread \(0, 0, 0\)"):
        program("f", np.array([4, 0], np.int32))
    driver.reset()
    program.reload()
    with pytest.raises(CudaError, match=r"LAUNCH_FAILED.*trap"):
        program("f", np.array([3, 1], np.int32))


@pytest.mark.parametrize(
    "instruction",
    [
        "sin.approx.f32 %f1, %f2",
        "add.rn.f32x2 %rd1, %rd2, %rd2",
        "add.ftz.f32 %f1, %f2, %f2",
        "add.rz.f32 %f1, %f2, %f2",
        "mul.rn.sat.f32 %f1, %f2, %f2",
        "div.full.f32 %f1, %f2, %f2",
        "cvt.rzi.sat.s32.f32 %r1, %f1",
        "cvt.rz.f32.f64 %f1, %fd1",
        "add.cc.u32 %r1, %r2, %r2",
        "activemask.b32 %r1",
        "shfl.bfly.b32 %r1, %r2, 1, 31",
        "atom.global.add.noftz.f16 %r1, [%rd1], %r2",
        "ld.global.f16 %r1, [%rd1]",
        "mov.u32 %r1, %clock",
        "mov.u64 %rd1, nowhere",
        "setp.lt.s32 %p1|%p2, %r1, %r2",
        "tex.1d.v4.s32.s32 {%r1, %r1, %r1, %r1}, [%rd1, {%r1}]",
    ],
)
def test_what_is_not_known_is_refused_with_its_text(driver: Driver, instruction: str) -> None:
    registers = ".reg .f32 %f<3>; .reg .f64 %fd<3>; .reg .b32 %r<3>; .reg .b64 %rd<3>; .reg .pred %p<3>;".replace(
        "; ", ";\n"
    )
    ptx = f".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry run(\n)\n{{\n{registers}\n{instruction};\nret;\n}}\n"
    with pytest.raises(CudaError, match="INVALID_PTX.*not translated") as error:
        driver.module(ptx)
    assert instruction in str(error.value)


def test_calls_of_functions_that_are_not_there_are_refused(driver: Driver) -> None:
    source = 'extern "C" __global__ void f(int* x) { printf("%d", x[0]); }'
    with pytest.raises(CudaError, match="a call of vprintf, which the module does not have"):
        Program(driver, source)


def test_bits_of_a_nan_pass_through_memory_and_moves(driver: Driver) -> None:
    program = Program(
        driver,
        'extern "C" __global__ void f(const float* x, float* y, int n) { y[threadIdx.x] = n > 3 ? x[threadIdx.x] : x[threadIdx.x + 1]; }',
    )
    x = np.frombuffer(struct.pack("<3I", 0x7FC12345, 0xFFC00001, 0x7F812345), np.float32).copy()
    y = np.zeros(2, np.float32)
    program("f", x, y, 4, block=2)
    assert y.view(np.uint32).tolist() == [0x7FC12345, 0xFFC00001]
