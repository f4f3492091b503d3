# SPDX-License-Identifier: Apache-2.0
"""Finds machine code that NVIDIA's assembler generates incorrectly.

Before CUDA 13.4, the assembler (ptxas, also inside NVRTC) may merge the comparison `y == high` into the instruction that
computes `y = max(min(x, high), 0)`, VIMNMX.RELU of compute capability 9.0 and later. The predicate that this instruction
writes is not the comparison's result: on an H100, CliffWalking ended episodes in the wrong steps. Newer assemblers do not
generate this form of the instruction. The functions of our C++ headers avoid it, because they take the maximum first.
"""

from __future__ import annotations

import struct

_SHF_EXECINSTR = 4
_MINIMUM = 0x048  # the opcode of VIMNMX without the three bits that tell a register from a constant
_RELU = 1 << 12
_NO_PREDICATES = 0x3F << 17  # both destination predicates are PT


def has_fault(cubin: bytes) -> bool:
    """Returns whether machine code contains a VIMNMX.RELU that writes a predicate."""
    for code in _code(cubin):
        for low, high in struct.iter_unpack("<QQ", code[: len(code) // 16 * 16]):
            if low & 0x1FF == _MINIMUM and high & _RELU and high & _NO_PREDICATES != _NO_PREDICATES:
                return True
    return False


def _code(cubin: bytes) -> list[bytes]:
    """Returns the sections of an ELF file that contain instructions. An instruction has 16 bytes."""
    (offset,) = struct.unpack_from("<Q", cubin, 0x28)
    size, count = struct.unpack_from("<HH", cubin, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", cubin, offset + size * number) for number in range(count)]
    return [cubin[begin : begin + length] for _, _, flags, _, begin, length in sections if flags & _SHF_EXECINSTR]
