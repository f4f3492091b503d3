# SPDX-License-Identifier: Apache-2.0
"""Tests the translation of PTX modules, functions and local memory, and that unknown PTX is refused."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from tests.cuda.nvrtc import SOURCE, LoadedProgram
from tests.standin.driver import CudaError, Driver

pytestmark = pytest.mark.skipif(SOURCE is None, reason="ENVPOOL_SOURCE_DIR does not say where the sources are")


def test_a_module_has_several_kernels_variables_and_constants(driver: Driver) -> None:
    program = LoadedProgram(
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

    other = driver.module(program.ptx)  # Each loaded module has its own variables.
    driver.download(driver.get("cuModuleGetGlobal_v2", 0, other, b"calls"), calls)
    assert calls[0] == 40


def test_grids_and_blocks_have_three_dimensions(driver: Driver) -> None:
    program = LoadedProgram(
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


def test_the_address_of_a_kernels_parameter(driver: Driver) -> None:
    program = LoadedProgram(
        driver,
        """
        struct Pair { int first[3]; long long second; };
        __device__ __noinline__ long long total(const Pair* pair, int i) { return pair->first[i] + pair->second; }
        extern "C" __global__ void add(long long* x, const __grid_constant__ Pair pair) {
          x[threadIdx.x] = total(&pair, (int)x[threadIdx.x]);
        }
        """,
    )
    assert "cvta.param" in program.ptx
    x, pair = driver.upload(np.array([2, 0, 1])), struct.pack("<iiixxxxq", 3, 5, 7, 100)
    driver.launch(driver.function(program.module, "add"), 1, 3, [x.to_bytes(8, "little"), pair])
    out = np.zeros(3, np.int64)
    driver.download(x, out)
    assert out.tolist() == [107, 103, 105]


def test_functions_and_local_memory(driver: Driver) -> None:
    program = LoadedProgram(
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
    program = LoadedProgram(driver, source)
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
def test_unknown_instructions_are_refused_by_name(driver: Driver, instruction: str) -> None:
    registers = ".reg .f32 %f<3>; .reg .f64 %fd<3>; .reg .b32 %r<3>; .reg .b64 %rd<3>; .reg .pred %p<3>;".replace(
        "; ", ";\n"
    )
    ptx = f".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry run(\n)\n{{\n{registers}\n{instruction};\nret;\n}}\n"
    with pytest.raises(CudaError, match="INVALID_PTX.*not translated") as error:
        driver.module(ptx)
    assert instruction in str(error.value)


def test_calls_of_undefined_functions_are_refused(driver: Driver) -> None:
    source = 'extern "C" __global__ void f(int* x) { printf("%d", x[0]); }'
    with pytest.raises(CudaError, match="a call of vprintf, which the module does not have"):
        LoadedProgram(driver, source)


def test_bits_of_a_nan_pass_through_memory_and_moves(driver: Driver) -> None:
    program = LoadedProgram(
        driver,
        'extern "C" __global__ void f(const float* x, float* y, int n) { y[threadIdx.x] = n > 3 ? x[threadIdx.x] : x[threadIdx.x + 1]; }',
    )
    x = np.frombuffer(struct.pack("<3I", 0x7FC12345, 0xFFC00001, 0x7F812345), np.float32).copy()
    y = np.zeros(2, np.float32)
    program("f", x, y, 4, block=2)
    assert y.view(np.uint32).tolist() == [0x7FC12345, 0xFFC00001]
