# SPDX-License-Identifier: Apache-2.0
"""Kernels handwritten in PTX, so that tests of the stand-in need no CUDA compiler, and memory for the kernels."""

from __future__ import annotations

import ctypes

import numpy as np

from tests.standin.driver import Driver

NON_BLOCKING = 1  # a flag of streams

# `add` adds a number to words; `read` reads the word at an address.
PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 to, .param .u32 value)
.maxntid 64, 1, 1
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [to];
  ld.param.u32 %r1, [value];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd1, %rd1, %rd2;
  ld.global.u32 %r3, [%rd1];
  add.s32 %r3, %r3, %r1;
  st.global.u32 [%rd1], %r3;
  ret;
}
.visible .entry read(.param .u64 from)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [from];
  ld.u32 %r1, [%rd1];
  ret;
}
"""


class Words:
    """Eight words on the device, and the kernels of the module."""

    def __init__(self, driver: Driver) -> None:
        self.driver, self.module = driver, driver.module(PTX)
        self.add_to, self.read_from = (driver.function(self.module, name) for name in ("add", "read"))
        self.address = driver.upload(np.zeros(8, np.int32))

    def add(self, value: int, *, to: int | None = None, count: int = 8, stream: int = 0) -> None:
        to = self.address if to is None else to
        self.driver.launch(
            self.add_to, 1, count, [to.to_bytes(8, "little"), value.to_bytes(4, "little")], stream=stream
        )

    def read(self, address: int) -> None:
        self.driver.launch(self.read_from, 1, 1, [address.to_bytes(8, "little")])
        self.driver.synchronize()

    def first(self) -> int:
        return int(self.driver.download(self.address, np.zeros(8, np.int32))[0])


class Pinned:
    """Words in pinned memory of the host."""

    def __init__(self, driver: Driver, count: int = 8) -> None:
        self.pointer = driver.get("cuMemHostAlloc", 4 * count, 0)
        self.array = np.ctypeslib.as_array((ctypes.c_int32 * count).from_address(self.pointer))
        self.array[:] = 0
