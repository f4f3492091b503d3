# SPDX-License-Identifier: Apache-2.0
"""A library with the functions of libcuda that the package calls. They return fixed results and do nothing.

Unlike the stand-in, it cannot run kernels. Tests choose the results with macros.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

_SOURCE = r"""
#include <stddef.h>
#include <string.h>
#ifndef VERSION
#define VERSION 12040
#endif
#ifndef INIT
#define INIT 0
#endif
#ifndef COUNT
#define COUNT 2
#endif
#ifndef RETAIN
#define RETAIN 0
#endif
#ifndef MEMORY
#define MEMORY 0
#endif
int retained, depth;
int cuDriverGetVersion(int* v) { *v = VERSION; return INIT == 34 ? 34 : 0; }
int cuGetErrorName(int code, const char** text) {
  *text = code == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : code == 999 ? "CUDA_ERROR_UNKNOWN" : 0;
  return *text ? 0 : 1;
}
int cuGetErrorString(int code, const char** text) {
  *text = code == 2 ? "out of memory" : code == 999 ? "unknown error" : 0;
  return *text ? 0 : 1;
}
int cuInit(unsigned flags) { return flags ? 1 : INIT; }
int cuDeviceGetCount(int* n) { *n = COUNT; return 0; }
int cuDeviceGet(int* device, int number) { *device = 10 + number; return number < COUNT ? 0 : 101; }
int cuDeviceGetName(char* name, int size, int device) { strncpy(name, device == 10 ? "First" : "Second", size); return 0; }
int cuDeviceGetAttribute(int* value, int which, int device) {
  *value = which == 75 ? (device == 10 ? 9 : 12) : which == 76 ? 0 : -1;
  return 0;
}
int cuDeviceTotalMem_v2(size_t* bytes, int device) { *bytes = (size_t)(device - 9) << 40; return 0; }
int cuDevicePrimaryCtxRetain(void** context, int device) {
  if (RETAIN) return RETAIN;
  ++retained;
  *context = (void*)(0x7f0000000000 + device);
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int device) { --retained; return device < 10; }
int cuCtxPushCurrent_v2(void* context) { ++depth; return (size_t)context < 0x7f0000000000; }
int cuCtxPopCurrent_v2(void** context) { --depth; return 0; }
int cuThreadExchangeStreamCaptureMode(int* mode) { return 0; }
int cuMemGetInfo_v2(size_t* free, size_t* total) { *free = depth ? 5 : 0; *total = 1 << 20; return depth ? MEMORY : 201; }
#ifdef STANDS_IN
const char* standinFault(void) { return ""; }
#endif
"""

# Functions that have to exist, but that only pools call.
_UNUSED = """
cuCtxGetDevice cuCtxSynchronize cuMemAlloc_v2 cuMemFree_v2 cuMemHostAlloc cuMemFreeHost cuMemHostGetDevicePointer_v2
cuMemcpyHtoDAsync_v2 cuMemcpyDtoHAsync_v2 cuMemcpyDtoDAsync_v2 cuMemsetD8Async cuPointerGetAttribute cuModuleLoadData
cuModuleUnload cuModuleGetFunction cuFuncGetAttribute cuStreamCreate cuStreamDestroy_v2 cuStreamGetCtx cuStreamGetFlags
cuStreamSynchronize cuStreamWaitEvent cuStreamIsCapturing cuStreamGetCaptureInfo_v2 cuEventCreate cuEventDestroy_v2
cuEventRecord cuEventQuery cuLaunchKernel
"""


def build_driver(folder: Path, *macros: str) -> str:
    """Compiles the library with macros such as "COUNT=0"; returns its path."""
    (folder / "fake.c").write_text(
        _SOURCE + "".join(f"int {name}(void) {{ return 801; }}\n" for name in _UNUSED.split())
    )
    command = ["gcc", "-shared", "-fPIC", "-o", "libfake.so", *(f"-D{macro}" for macro in macros), "fake.c"]
    subprocess.run(command, cwd=folder, check=True)
    return str(folder / "libfake.so")
