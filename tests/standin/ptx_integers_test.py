# SPDX-License-Identifier: Apache-2.0
"""Tests the translation of integer instructions of PTX, one at a time, against Python's integers."""

from __future__ import annotations

import os

import numpy as np
import pytest

from tests.cuda.nvrtc import SOURCE, LoadedProgram
from tests.standin.driver import Driver
from tests.standin.ptx_kernels import dtype, one_instruction, whole_numbers, wrap

pytestmark = pytest.mark.skipif(SOURCE is None, reason="ENVPOOL_SOURCE_DIR does not say where the sources are")


SAMPLES = 4096 if os.environ.get("ENVPOOL_TEST_DEVICE") == "whole" else 256


def quotient(a: int, b: int) -> int:
    return (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)


def extract(a: int, begin: int, count: int, bits: int, *, signed: bool) -> int:
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


# For each instruction: the types of its operands, result first, and a Python function that gives the result.
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
    "bfe.u32": ("u32 u32 u32 u32", lambda a, b, c: extract(a, b, c, 32, signed=False)),
    "bfe.s32": ("s32 s32 u32 u32", lambda a, b, c: extract(a, b, c, 32, signed=True)),
    "bfe.s64": ("s64 s64 u32 u32", lambda a, b, c: extract(a, b, c, 64, signed=True)),
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
        lambda a, b, c: c + sum(wrap(a >> 8 * i, 8, signed=True) * (b >> 8 * i & 255) for i in range(4)),
    ),
    "dp2a.hi.u32.s32": (
        "s32 u32 s32 s32",
        lambda a, b, c: c + sum((a >> 16 * i & 65535) * wrap(b >> (16 + 8 * i), 8, signed=True) for i in range(2)),
    ),
    "cvt.s64.s8": ("s64 s32", lambda a: wrap(a, 8, signed=True)),
    "cvt.u16.u32": ("u16 u32", lambda a: a),
    "cvt.s32.u16": ("s32 u16", lambda a: a),
}


def test_whole_numbers(driver: Driver) -> None:
    names = {instruction: instruction.replace(".", "_") for instruction in WHOLE}
    program = LoadedProgram(driver, "".join(one_instruction(names[i], i, WHOLE[i][0].split()) for i in WHOLE))
    random = np.random.default_rng(1)
    for instruction, (given, meaning) in WHOLE.items():
        result, *kinds = given.split()
        arrays = [whole_numbers(random, kind, SAMPLES) for kind in kinds]
        if instruction.startswith(("sh", "bf")):  # Most positions and lengths of bit fields must be small to be useful.
            for array in arrays[1:]:
                array[::2] %= 70
        for begin in range(0, SAMPLES, 256):
            parts = [array[begin : begin + 256] for array in arrays]
            out = np.zeros(256, dtype(result))
            program(names[instruction], out, *(part.copy() for part in parts), block=256)
            expected = [
                wrap(meaning(*map(int, x)), int(result[1:]), signed=result[0] == "s") for x in zip(*parts, strict=True)
            ]
            assert out.tolist() == expected, instruction


def test_lop3_has_every_table(driver: Driver) -> None:
    tables = (0x00, 0x80, 0x96, 0xE8, 0x6A, 0xFF)
    source = "".join(one_instruction(f"t{t}", "lop3.b32", ["u32"] * 4, f", {t}") for t in tables)
    program = LoadedProgram(driver, source)
    a, b, c = (np.random.default_rng(2).integers(0, 2**32, 64, np.uint32) for _ in range(3))
    for t in tables:
        out = np.zeros(64, np.uint32)
        program(f"t{t}", out, a, b, c, block=64)
        expected = np.zeros(64, np.uint32)
        for i in range(8):
            if t >> i & 1:
                expected |= (a if i & 4 else ~a) & (b if i & 2 else ~b) & (c if i & 1 else ~c)
        assert (out == expected).all()
