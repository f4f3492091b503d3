# SPDX-License-Identifier: Apache-2.0
"""Tests the translation of floating-point instructions and conversions of PTX, one at a time, against NumPy."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.cuda.nvrtc import SOURCE, LoadedProgram
from tests.standin.driver import Driver
from tests.standin.ptx_kernels import dtype, one_instruction, whole_numbers

pytestmark = pytest.mark.skipif(SOURCE is None, reason="ENVPOOL_SOURCE_DIR does not say where the sources are")


NAN = 0x7FFFFFFF  # the only 32-bit NaN that a GPU's arithmetic returns; x86 returns 0xFFC00000
NAN64 = 0xFFF8000000000000  # the result of an invalid 64-bit operation, as on x86
REALS = [0.0, -0.0, 1.0, -1.5, 3.25, 1e-40, -1e-45, 3e38, 7.9e-31, math.inf, -math.inf, math.nan]


@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_reals(driver: Driver, kind: str) -> None:
    binary = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div.rn": np.divide}
    names = [*binary, "min", "max", "copysign", "sqrt.rn", "rcp.rn", "neg", "abs", "fma.rn"]
    operands = {"sqrt.rn": 1, "rcp.rn": 1, "neg": 1, "abs": 1, "fma.rn": 3}
    source = "".join(
        one_instruction(f"op_{name[:3]}", f"{name}.{kind}", [kind] * (1 + operands.get(name, 2))) for name in names
    )
    program = LoadedProgram(driver, source)
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
    # A fused multiply-add keeps the lower half of the product.
    fused = np.full_like(a, 1 + np.finfo(real).eps)
    out = np.zeros_like(a)
    program("op_fma", out, fused, fused.copy(), np.full_like(a, -1 - 2 * np.finfo(real).eps), block=len(a))
    assert (out == np.finfo(real).eps ** 2).all()


def test_reals_become_whole_numbers_as_on_a_device(driver: Driver) -> None:
    rounding = {"rzi": math.trunc, "rmi": math.floor, "rpi": math.ceil, "rni": round}
    cases = [
        (how, to, of) for how in rounding for to in ("s16", "u16", "s32", "u32", "s64", "u64") for of in ("f32", "f64")
    ]
    program = LoadedProgram(
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
    program = LoadedProgram(driver, source)
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


# --- NaNs ---

# Invalid operations in PTX on 0, infinity and -1. Each gives a NaN although no operand is a NaN.
INVALID = {
    "add": ("add.{0}", (math.inf, -math.inf)),
    "sub": ("sub.{0}", (math.inf, math.inf)),
    "mul": ("mul.{0}", (0.0, math.inf)),
    "div": ("div.rn.{0}", (0.0, 0.0)),
    "fma": ("fma.rn.{0}", (0.0, math.inf, 1.0)),
    "sqrt": ("sqrt.rn.{0}", (-1.0,)),
}


@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_invalid_operations_give_the_nan_of_a_gpu(driver: Driver, kind: str) -> None:
    source = "".join(
        one_instruction(f"op_{name}", instruction.format(kind), [kind] * (1 + len(operands)))
        for name, (instruction, operands) in INVALID.items()
    )
    program, word = LoadedProgram(driver, source), "u4" if kind == "f32" else "u8"
    for name, (_, operands) in INVALID.items():
        out = np.zeros(1, dtype(kind))
        program(f"op_{name}", out, *(np.array([operand], dtype(kind)) for operand in operands), block=1)
        assert out.view(word)[0] == (NAN if kind == "f32" else NAN64), name


def test_every_instruction_on_a_32_bit_nan_gives_the_nan_of_a_gpu(driver: Driver) -> None:
    names = {"add.f32": 2, "mul.f32": 2, "div.rn.f32": 2, "fma.rn.f32": 3, "min.f32": 2, "max.f32": 2}
    names |= {"sqrt.rn.f32": 1, "rcp.rn.f32": 1, "cvt.rni.f32.f32": 1, "cvt.rzi.f32.f32": 1, "cvt.rmi.f32.f32": 1}
    plain = {name: name.replace(".", "_") for name in names}
    program = LoadedProgram(driver, "".join(one_instruction(plain[n], n, ["f32"] * (1 + names[n])) for n in names))
    payloads = np.array([0x7FC00000, 0xFFC00000, 0x7F800001, 0xFFFFFFFF, 0x7FC12345], np.uint32).view(np.float32)
    for name, count in names.items():
        out = np.zeros(len(payloads), np.float32)
        program(plain[name], out, *(payloads.copy() for _ in range(count)), block=len(payloads))
        assert (out.view(np.uint32) == NAN).all(), name


def test_the_minimum_and_maximum_of_a_number_and_a_nan_are_the_number(driver: Driver) -> None:
    kernels = "".join(one_instruction(f"op_{name}", f"{name}.f32", ["f32"] * 3) for name in ("min", "max"))
    program = LoadedProgram(driver, kernels)
    a, b = np.array([math.nan, 3, -0.0, 0.0], np.float32), np.array([3, math.nan, 0.0, -0.0], np.float32)
    for name, zero in (("min", 0x80000000), ("max", 0)):
        out = np.zeros(4, np.float32)
        program(f"op_{name}", out, a.copy(), b.copy(), block=4)
        assert out[:2].tolist() == [3, 3]
        assert (out[2:].view(np.uint32) == zero).all()


COMPARISONS = {  # whether the comparison holds for two numbers, and whether it holds if one operand is a NaN
    "eq": (lambda a, b: a == b, False),
    "ne": (lambda a, b: a != b, False),
    "lt": (lambda a, b: a < b, False),
    "le": (lambda a, b: a <= b, False),
    "gt": (lambda a, b: a > b, False),
    "ge": (lambda a, b: a >= b, False),
    "num": (lambda a, b: True, False),
}
UNORDERED = {"equ": "eq", "neu": "ne", "ltu": "lt", "leu": "le", "gtu": "gt", "geu": "ge"}
COMPARISONS |= {name: (COMPARISONS[ordered][0], True) for name, ordered in UNORDERED.items()}
COMPARISONS["nan"] = (lambda a, b: False, True)


@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_comparisons_with_a_nan(driver: Driver, kind: str) -> None:
    letter, real = ("f", "float") if kind == "f32" else ("d", "double")
    source = "".join(
        f'extern "C" __global__ void test_{name}(int* out, const {real}* a, const {real}* b) {{ int y;'
        f' asm("{{\\n.reg .pred %%q;\\nsetp.{name}.{kind} %%q, %1, %2;\\nselp.s32 %0, 1, 0, %%q;\\n}}" : "=r"(y) :'
        f' "{letter}"(a[threadIdx.x]), "{letter}"(b[threadIdx.x])); out[threadIdx.x] = y; }}\n'
        for name in COMPARISONS
    )
    program = LoadedProgram(driver, source)
    a, b = (array.ravel().astype(dtype(kind)) for array in np.meshgrid(REALS, REALS))
    for name, (holds, unordered) in COMPARISONS.items():
        out = np.zeros(len(a), np.int32)
        program(f"test_{name}", out, a.copy(), b.copy(), block=len(a))
        expected = [
            unordered if math.isnan(x) or math.isnan(y) else holds(x, y)
            for x, y in zip(a.tolist(), b.tolist(), strict=True)
        ]
        assert out.astype(bool).tolist() == expected, name


def test_casts_in_cuda_c_saturate(driver: Driver) -> None:
    """Tests casts that are undefined in C++. On x86 they give the lowest integer, on a GPU the nearest one."""
    program = LoadedProgram(
        driver,
        """
        extern "C" __global__ void cast(const float* x, int* a, unsigned* b, long long* c) {
          const int i = threadIdx.x;
          a[i] = (int)x[i], b[i] = (unsigned)x[i], c[i] = (long long)x[i];
        }
        """,
    )
    x = np.array([3e9, -3e9, 1e20, -1e20, math.inf, -math.inf, math.nan, 2.75], np.float32)
    a, b, c = np.zeros(8, np.int32), np.zeros(8, np.uint32), np.zeros(8, np.int64)
    program("cast", x, a, b, c, block=8)
    high, low = 2**31 - 1, -(2**31)
    assert a.tolist() == [high, low, high, low, high, low, 0, 2]
    assert b.tolist() == [3000000000, 0, 2**32 - 1, 0, 2**32 - 1, 0, 0, 2]
    assert c.tolist() == [3000000000, -3000000000, 2**63 - 1, -(2**63), 2**63 - 1, -(2**63), -(2**63), 2]
