# SPDX-License-Identifier: Apache-2.0
"""The part of the CUDA driver's API that tests call through ctypes, in a real driver or in the stand-in.

The stand-in (`make standin`, tests/standin) is a library that runs PTX on the host, without a GPU.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

STANDIN = Path(os.environ.get("ENVPOOL_SOURCE_DIR", ""), "build", "standin", "libcuda.so.1")


@contextlib.contextmanager
def on_stand_in(path: Path = STANDIN) -> Iterator[None]:
    """Makes pools with device="cuda" run on the stand-in, and suppresses the warning about it."""
    before = os.environ.get("ENVPOOL_LIBCUDA")
    os.environ["ENVPOOL_LIBCUDA"] = str(path)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=r"\[envpool.cuda\] .* is a stand-in")
            yield
    finally:
        if before is None:
            del os.environ["ENVPOOL_LIBCUDA"]
        else:
            os.environ["ENVPOOL_LIBCUDA"] = before


class CudaError(RuntimeError):
    """A call to the driver failed; `code` is its CUresult."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


class Driver:
    """A driver. The constructor makes the primary context of its first device current in the calling thread."""

    def __init__(self, path: Path = STANDIN) -> None:
        if not path.exists():
            raise FileNotFoundError(f"{path}: expected the stand-in for the CUDA driver, which `make standin` builds")
        self.library = ctypes.CDLL(str(path))
        self.library.standinCount.restype = self.library.standinFail.restype = ctypes.c_uint64
        self.library.standinFault.restype = ctypes.c_char_p
        self.call("cuInit", 0)
        self.context = self.enter()

    @classmethod
    def another(cls, folder: Path) -> Driver:
        """Loads another copy of the library, which reads its environment variables again."""
        return cls(Path(shutil.copy(STANDIN, folder / "libcuda.so.1")))

    def code(self, name: str, *arguments: object) -> int:
        """Calls a function of the API; returns the CUresult. Integers, handles and addresses are passed as `int`."""
        given = [ctypes.c_uint64(argument) if isinstance(argument, int) else argument for argument in arguments]
        return int(getattr(self.library, name)(*given))

    def call(self, name: str, *arguments: object) -> None:
        """Calls a function of the API.

        Raises:
            CudaError: the function returned an error.
        """
        code = self.code(name, *arguments)
        if code:
            text = ctypes.c_char_p()
            self.code("cuGetErrorName", code, ctypes.byref(text))
            raise CudaError(code, f"{name}: {(text.value or b'?').decode()} ({self.fault})")

    def get(self, name: str, *arguments: object, at: int = 0) -> int:
        """Calls a function and returns the number, address or handle that it writes to its argument number `at`."""
        value = ctypes.c_uint64(0)
        self.call(name, *arguments[:at], ctypes.byref(value), *arguments[at:])
        return value.value

    @property
    def fault(self) -> str:
        """Describes the last failure of a kernel or of the loading of a module."""
        return str(self.library.standinFault().decode())

    def count(self, what: str) -> int:
        """Returns how many objects of a kind exist, such as "allocations" (libcuda.cc, standinCount)."""
        return int(self.library.standinCount(what.encode()))

    def fail(self, after: int, code: int = 2) -> int:
        """Makes the `after`-th call from now fail; 0 cancels the failure.

        Returns how many calls were left until the failure that an earlier call of this method requested.
        """
        return int(self.library.standinFail(ctypes.c_uint64(after), ctypes.c_int(code)))

    def enter(self, device: int = 0) -> int:
        """Retains a device's primary context and makes it current."""
        context = self.get("cuDevicePrimaryCtxRetain", device)
        self.call("cuCtxSetCurrent", context)
        return context

    def reset(self) -> None:
        """Resets the primary context, which clears a sticky error."""
        self.call("cuDevicePrimaryCtxReset_v2", 0)
        self.context = self.enter()

    # --- memory ---

    def allocate(self, size: int) -> int:
        return self.get("cuMemAlloc_v2", size)

    def free(self, address: int) -> None:
        self.call("cuMemFree_v2", address)

    def upload(self, array: np.ndarray, address: int | None = None) -> int:
        """Copies an array to the device: to an address, or to new memory."""
        array = np.ascontiguousarray(array)
        address = self.allocate(max(array.nbytes, 1)) if address is None else address
        self.call("cuMemcpyHtoD_v2", address, ctypes.c_void_p(array.ctypes.data), array.nbytes)
        return address

    def download(self, address: int, into: np.ndarray) -> np.ndarray:
        """Fills an array from device memory."""
        self.call("cuMemcpyDtoH_v2", ctypes.c_void_p(into.ctypes.data), address, into.nbytes)
        return into

    # --- modules and launches ---

    def module(self, ptx: str) -> int:
        return self.get("cuModuleLoadData", ctypes.c_char_p(ptx.encode()))

    def function(self, module: int, name: str) -> int:
        return self.get("cuModuleGetFunction", module, ctypes.c_char_p(name.encode()))

    def launch(
        self,
        function: int,
        grid: int | Sequence[int],
        block: int | Sequence[int],
        arguments: Sequence[bytes],
        *,
        shared: int = 0,
        stream: int = 0,
    ) -> None:
        """Enqueues a launch; each argument holds the bytes of a parameter."""
        extents = []
        for extent in (grid, block):
            given = [extent] if isinstance(extent, int) else list(extent)
            extents += [*given, 1, 1][:3]
        buffers = [ctypes.create_string_buffer(argument, max(len(argument), 1)) for argument in arguments]
        places = (ctypes.c_void_p * (len(buffers) + 1))(*(ctypes.addressof(buffer) for buffer in buffers))
        self.call("cuLaunchKernel", function, *extents, shared, stream, places, None)

    def synchronize(self) -> None:
        """Waits for all enqueued work, and raises the errors of kernels."""
        self.call("cuCtxSynchronize")
