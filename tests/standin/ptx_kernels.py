# SPDX-License-Identifier: Apache-2.0
"""Makes kernels that run one PTX instruction on arrays of operands, for tests of the translator."""

from __future__ import annotations

import numpy as np


def wrap(value: int, bits: int, *, signed: bool) -> int:
    value %= 2**bits
    return value - 2**bits if signed and value >= 2 ** (bits - 1) else value


C = {"s": "", "u": "unsigned "}
WORDS = {16: ("short", "h"), 32: ("int", "r"), 64: ("long long", "l")}


def one_instruction(name: str, instruction: str, kinds: list[str], constant: str = "") -> str:
    """Returns the source of a kernel in which each thread runs the instruction on its own operands."""
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
    """Returns random numbers of all sizes, and the lowest and highest ones of the type."""
    bits, signed = int(kind[1:]), kind[0] == "s"
    values = [int(random.integers(0, 2**63)) * 2 + 1 >> int(random.integers(64 - bits, 64)) for _ in range(count)]
    values[:6] = [0, 1, 2**bits - 1, 2 ** (bits - 1), 2 ** (bits - 1) - 1, 31]
    random.shuffle(values)
    return np.array([wrap(value, bits, signed=signed) for value in values], dtype(kind))
