# SPDX-License-Identifier: Apache-2.0
"""Tests that machine code with a fault of NVIDIA's assembler is recognized, and that our headers avoid the first."""

from __future__ import annotations

import re
import struct

import pytest

from envpool import CompileError
from envpool.cuda import nvrtc
from envpool.cuda.compiler_fault import _MINIMUM, _NO_PREDICATES, _RELU, compares_wrongly, restores_barrier

# Limits an integer to 0..11, and uses the limited number and whether it is 11.
KERNEL = """
#include "envpool/core/api.h"
extern "C" __global__ void run(const int* x, int* y) {
  using namespace envpool;
  const int limited = %s;
  y[0] = limited;
  y[1] = limited == 11;
}
"""
TERNARY = "x[0] < 0 ? 0 : x[0] > 11 ? 11 : x[0]"


def with_predicate(cubin: bytes) -> bytes:
    """Returns machine code in which each VIMNMX.RELU writes predicate P0, as the assembler's faulty form does."""
    code = bytearray(cubin)
    changed = 0
    for offset in range(0, len(code) - 15, 16):
        low, high = struct.unpack_from("<QQ", code, offset)
        if low & 0x1FF == _MINIMUM and low & 0xFFF == 0x848 and high & _RELU:
            struct.pack_into("<Q", code, offset + 8, high & ~_NO_PREDICATES)
            changed += 1
    assert changed == 1
    return bytes(code)


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
@pytest.mark.parametrize(
    "expression",
    ["clamp(x[0], 0, 11)", "[&] { int k = x[0]; keep_within(k, 0, 11); return k; }()", "min(max(x[0], 0), 11)"],
)
def test_our_functions_avoid_the_fault(expression: str, architecture: str) -> None:
    assert not compares_wrongly(nvrtc.compile(KERNEL % expression, architecture).cubin)


def test_a_source_that_meets_the_fault_is_refused() -> None:
    def compiled() -> bytes:
        return nvrtc.compile(KERNEL % TERNARY, "sm_90", label="Mine-v0", name="mine.h").cubin

    if nvrtc.load().version >= (13, 4):
        assert not compares_wrongly(compiled())
        return
    with pytest.raises(CompileError) as raised:
        compiled()
    text = re.sub(r"NVRTC [\d.]+", "NVRTC 12.9", str(raised.value))
    assert text.startswith("[Mine-v0] mine.h: NVRTC 12.9 has compiled a comparison with a limited integer incorrectly")
    assert "envpool::clamp(x, 0, high)" in text
    assert "nvidia-cuda-nvrtc>=13.5" in text
    assert nvrtc.compile(KERNEL % TERNARY, "sm_80").cubin  # these GPUs have no such instruction


def test_a_predicate_is_recognized(monkeypatch: pytest.MonkeyPatch) -> None:
    source = KERNEL.replace("  y[1] = limited == 11;\n", "") % TERNARY
    compiled = nvrtc.compile(source, "sm_90")  # the instruction without predicates is right
    assert not compares_wrongly(compiled.cubin)
    patched = with_predicate(compiled.cubin)
    assert compares_wrongly(patched)
    monkeypatch.setattr(nvrtc.Nvrtc, "compile_apart", lambda *_: compiled._replace(cubin=patched))
    with pytest.raises(CompileError, match="incorrectly for sm_90"):
        nvrtc.compile(source, "sm_90")


# Each lane calls functions in loops of its own length.
DIVERGENT = """
__attribute__((noinline)) int halve(volatile int* x, int n) {
  for (int i = 0; i < n; ++i) {
    if (x[i] & 1) x[i] = halve(x + i + 1, n - i - 1) + x[i] / 2;
  }
  return x[0];
}
extern "C" __global__ void run(volatile int* x, const int* n) {
  x += threadIdx.x * 64;
  for (int i = 0; i < n[threadIdx.x]; ++i) {
    if (x[i] > 3) {
      for (int k = 0; k < x[i]; ++k) x[k] = x[k] % 3 ? halve(x, k) : k;
    }
  }
}
"""


def test_code_that_restores_a_barrier_needs_a_newer_compiler() -> None:
    if nvrtc.load().version >= (13, 5):
        assert restores_barrier(nvrtc.compile(DIVERGENT, "sm_90").cubin)
        return
    with pytest.raises(CompileError, match=r"\[Mine-v0\] mine.h makes calls in divergent code, .*nvrtc>=13.5"):
        nvrtc.compile(DIVERGENT, "sm_90", label="Mine-v0", name="mine.h")
    assert not restores_barrier(nvrtc.compile(KERNEL % "clamp(x[0], 0, 11)", "sm_90").cubin)
