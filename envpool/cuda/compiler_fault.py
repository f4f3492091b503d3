# SPDX-License-Identifier: Apache-2.0
"""Finds machine code that NVIDIA's assembler (ptxas, also inside NVRTC) generates incorrectly, or may do so.

Before CUDA 13.4, the assembler may merge the comparison `y == high` into the instruction that computes
`y = max(min(x, high), 0)`, VIMNMX.RELU of compute capability 9.0 and later. The predicate that this instruction writes is
not the comparison's result: on an H100, CliffWalking ended episodes in the wrong steps. Newer assemblers do not generate
this form of the instruction. The functions of our C++ headers avoid it, because they take the maximum first.

Before CUDA 13.5, the assembler may keep a value that is equal in all lanes in a uniform register, which the warp has only
once, across code that the lanes of the warp execute at different times, because it assumes that they have converged. This
does not hold after a convergence barrier that was saved and restored, as in kernels with calls inside of divergent loops.
Lanes that are behind then overwrite the register: on an H100, games of Atari returned incomplete images, and the Ant's
kernel accessed invalid addresses, at random. Newer assemblers keep such values in each lane or let the lanes converge.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

_SHF_EXECINSTR = 4
_MINIMUM = 0x048  # the opcode of VIMNMX without the three bits that tell a register from a constant
_RELU = 1 << 12
_NO_PREDICATES = 0x3F << 17  # both destination predicates are PT
_RESTORE = 0x356  # the opcode of BMOV from a register to a convergence barrier


def compares_wrongly(cubin: bytes) -> bool:
    """Returns whether machine code contains a VIMNMX.RELU that writes a predicate."""
    return any(
        low & 0x1FF == _MINIMUM and high & _RELU and high & _NO_PREDICATES != _NO_PREDICATES
        for low, high in _instructions(cubin)
    )


def restores_barrier(cubin: bytes) -> bool:
    """Returns whether machine code restores a convergence barrier that it has saved."""
    return any(low & 0xFFF == _RESTORE for low, _ in _instructions(cubin))


def _instructions(cubin: bytes) -> Iterator[tuple[int, int]]:
    """Yields the instructions, each as two words of 8 bytes."""
    for code in _code(cubin):
        yield from struct.iter_unpack("<QQ", code[: len(code) // 16 * 16])


def _code(cubin: bytes) -> list[bytes]:
    """Returns the sections of an ELF file that contain instructions. An instruction has 16 bytes."""
    (offset,) = struct.unpack_from("<Q", cubin, 0x28)
    size, count = struct.unpack_from("<HH", cubin, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", cubin, offset + size * number) for number in range(count)]
    return [cubin[begin : begin + length] for _, _, flags, _, begin, length in sections if flags & _SHF_EXECINSTR]
