# SPDX-License-Identifier: Apache-2.0
"""Opens NVIDIA's driver on demand, and describes its version, its devices, and their primary contexts.

The library libcuda.so.1 is part of the driver. It is opened at run time, so nothing else needs to be installed.
$ENVPOOL_LIBCUDA names another file to open, such as the tests' stand-in, which is recognized by the function
`standinFault` that it exports.
"""

from __future__ import annotations

import ctypes
import functools
import os
import threading
import warnings
from types import TracebackType
from typing import Any, NamedTuple

OLDEST = (12, 0)  # the oldest supported driver, by the version of CUDA that it supports

_LIBRARIES = ("libcuda.so.1", "libcuda.so", "/usr/lib/wsl/lib/libcuda.so.1")
_CAPABILITY_MAJOR, _CAPABILITY_MINOR = 75, 76  # CUdevice_attribute
_NO_DEVICE, _STUB = 100, 34  # CUresult

# The driver functions that are called, with the types of their arguments. All return a CUresult.
_pointer, _int, _handle = ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p
_CALLS: dict[str, tuple[Any, ...]] = {
    "cuDriverGetVersion": (_pointer,),
    "cuGetErrorName": (_int, _pointer),
    "cuGetErrorString": (_int, _pointer),
    "cuInit": (ctypes.c_uint,),
    "cuDeviceGetCount": (_pointer,),
    "cuDeviceGet": (_pointer, _int),
    "cuDeviceGetName": (_pointer, _int, _int),
    "cuDeviceGetAttribute": (_pointer, _int, _int),
    "cuDeviceTotalMem_v2": (_pointer, _int),
    "cuDevicePrimaryCtxRetain": (_pointer, _int),
    "cuDevicePrimaryCtxRelease_v2": (_int,),
    "cuCtxPushCurrent_v2": (_handle,),
    "cuCtxPopCurrent_v2": (_pointer,),
    "cuMemGetInfo_v2": (_pointer, _pointer),
}


class DriverError(RuntimeError):
    """The driver is missing or too old, finds no device, or cannot be used in this process."""


class CudaError(DriverError):
    """A call to the driver failed.

    Attributes:
        call: the function's name, such as "cuInit".
        code: the CUresult, a number.
        name: the code's name, such as "CUDA_ERROR_OUT_OF_MEMORY".
        text: the driver's description of the error.
    """

    def __init__(self, call: str, code: int, name: str, text: str) -> None:
        super().__init__(f"[envpool.cuda] {call} failed with {name} ({code}): {text}")
        self.call, self.code, self.name, self.text = call, code, name, text

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.call, self.code, self.name, self.text)


class Memory(NamedTuple):
    """The free and the total memory of a device, in bytes."""

    free: int
    total: int


class Device:
    """One GPU.

    Attributes:
        number: the N of "cuda:N", among the devices that $CUDA_VISIBLE_DEVICES leaves visible.
        name: the product's name.
        capability: the compute capability, such as (9, 0).
        total_memory: the size of its memory in bytes.
    """

    def __init__(self, driver: Driver, number: int) -> None:
        self._driver = driver
        self.number = number
        handle = ctypes.c_int()
        driver.call("cuDeviceGet", ctypes.byref(handle), number)
        self._handle = handle.value
        name = ctypes.create_string_buffer(256)
        driver.call("cuDeviceGetName", name, len(name), self._handle)
        self.name = name.value.decode(errors="replace")
        self.capability = self._attribute(_CAPABILITY_MAJOR), self._attribute(_CAPABILITY_MINOR)
        total = ctypes.c_size_t()
        driver.call("cuDeviceTotalMem_v2", ctypes.byref(total), self._handle)
        self.total_memory = total.value

    def __repr__(self) -> str:
        major, minor = self.capability
        stand_in = f", of the stand-in {self._driver.path}" if self._driver.stand_in else ""
        return f"<cuda:{self.number}, {self.name}, compute capability {major}.{minor}{stand_in}>"

    @property
    def architecture(self) -> str:
        """The compiler's name for the device's machine code, such as "sm_90"."""
        return "sm_{}{}".format(*self.capability)

    def primary_context(self) -> PrimaryContext:
        """Retains the device's primary context, which PyTorch, JAX and CuPy also use.

        Raises:
            CudaError: the driver refused, for example because the device is out of memory.
        """
        return PrimaryContext(self._driver, self._handle)

    def memory(self) -> Memory:
        """Returns the free and the total memory. During the call, a context of this process takes some of the memory.

        Raises:
            CudaError: the context cannot be made.
        """
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        context = self.primary_context()
        try:
            with context:
                self._driver.call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        finally:
            context.close()
        return Memory(free.value, total.value)

    def _attribute(self, which: int) -> int:
        value = ctypes.c_int()
        self._driver.call("cuDeviceGetAttribute", ctypes.byref(value), which, self._handle)
        return value.value


class PrimaryContext:
    """A device's primary context, retained until `close`. Inside `with`, it is the calling thread's current context."""

    def __init__(self, driver: Driver, device: int) -> None:
        self._driver, self._device = driver, device
        self._closing = threading.Lock()
        handle = ctypes.c_void_p()
        driver.call("cuDevicePrimaryCtxRetain", ctypes.byref(handle), device)
        self._handle: int | None = handle.value

    def __enter__(self) -> PrimaryContext:
        if self._handle is None:
            raise DriverError("[envpool.cuda] this context is closed")
        self._driver.call("cuCtxPushCurrent_v2", self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._driver.call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))

    def close(self) -> None:
        """Releases the context. Further calls do nothing."""
        with self._closing:
            handle, self._handle = self._handle, None
        if handle is not None:
            self._driver.call("cuDevicePrimaryCtxRelease_v2", self._device)


class Driver:
    """The driver's library, initialized.

    Attributes:
        path: the file that was opened.
        version: the version of CUDA that the driver supports, such as (12, 4).
        stand_in: whether it is the tests' stand-in instead of NVIDIA's driver.
    """

    def __init__(self, path: str, library: ctypes.CDLL) -> None:
        self.path, self.stand_in = path, hasattr(library, "standinFault")
        self._library = library
        self._pid = os.getpid()
        for name, types in _CALLS.items():
            function = getattr(library, name)
            function.argtypes, function.restype = types, _int
        version = ctypes.c_int()
        self.call("cuDriverGetVersion", ctypes.byref(version))
        self.version = version.value // 1000, version.value % 1000 // 10
        if self.version < OLDEST:
            raise DriverError(
                f"[envpool.cuda] the NVIDIA driver is too old: expected one for CUDA {_dotted(OLDEST)} or newer, got one "
                f"for CUDA {_dotted(self.version)} ({path})"
            )
        self.call("cuInit", 0)

    def __repr__(self) -> str:
        kind = "a stand-in for a driver" if self.stand_in else "driver"
        return f"<{kind} for CUDA {_dotted(self.version)}, {self.path}>"

    def call(self, name: str, *arguments: Any) -> None:
        """Calls a function of the driver.

        Raises:
            CudaError: the function failed.
            DriverError: this process was forked from one that had initialized the driver.
        """
        if self._pid != os.getpid():
            raise DriverError(
                "[envpool.cuda] this process was forked after its parent had started CUDA, which does not work in a "
                "forked process: start processes with multiprocessing's 'spawn' or 'forkserver'"
            )
        code = getattr(self._library, name)(*arguments)
        if code:
            raise CudaError(name, code, *self._explain(code))

    def devices(self) -> list[Device]:
        """Returns all devices that this process may use.

        Raises:
            DriverError: there is no device.
        """
        count = ctypes.c_int()
        self.call("cuDeviceGetCount", ctypes.byref(count))
        if count.value == 0:
            raise _no_device()
        return [Device(self, number) for number in range(count.value)]

    def _explain(self, code: int) -> tuple[str, str]:
        """Returns a CUresult's name and text. The CUDA toolkit's stub library does not even implement these functions."""
        texts = []
        for function in (self._library.cuGetErrorName, self._library.cuGetErrorString):
            text = ctypes.c_char_p()
            failed = function(code, ctypes.byref(text))
            texts.append("" if failed or text.value is None else text.value.decode(errors="replace"))
        name, text_ = texts
        if code == _STUB:
            name, text_ = name or "CUDA_ERROR_STUB_LIBRARY", f"{self.path} is the CUDA toolkit's stub, not a driver"
        return name or "an unknown error", text_ or "the driver has no description of this error"


def load() -> Driver:
    """Returns the driver, which is opened and initialized once per process.

    Raises:
        DriverError: there is no driver, it is too old, or it finds no device.
        CudaError: the driver cannot be initialized.

    Warns:
        RuntimeWarning: the driver is a stand-in.
    """
    with _loading:
        return _load(os.environ.get("ENVPOOL_LIBCUDA", ""))


_loading = threading.Lock()


@functools.cache
def _load(override: str) -> Driver:
    path, library = _open(override)
    missing = [name for name in _CALLS if not hasattr(library, name)]
    if missing:
        library_name = (
            f"ENVPOOL_LIBCUDA: expected a library of the CUDA driver, got {path!r}, which" if override else path
        )
        raise DriverError(f"[envpool.cuda] {library_name} lacks {missing[0]}")
    try:
        driver = Driver(path, library)
    except CudaError as error:
        raise _no_device() if error.code == _NO_DEVICE else error from None
    if driver.stand_in:
        warnings.warn(
            f"[envpool.cuda] {path} is a stand-in for NVIDIA's driver: kernels run on the CPU, not on a GPU",
            RuntimeWarning,
            stacklevel=3,
        )
    return driver


def _open(override: str) -> tuple[str, ctypes.CDLL]:
    why = ""
    for path in [override] if override else _LIBRARIES:
        try:
            return path, ctypes.CDLL(path)
        except OSError as error:
            why = why or str(error)
    if override:
        raise DriverError(
            f"[envpool.cuda] ENVPOOL_LIBCUDA: expected a library of the CUDA driver, got {override!r}: {why}"
        )
    raise DriverError(
        f"[envpool.cuda] found no NVIDIA driver ({why}): install one for CUDA {_dotted(OLDEST)} or newer; a container "
        "needs access to the GPU, for example through `docker run --gpus all`"
    )


def _no_device() -> DriverError:
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    why = "" if visible is None else f"; CUDA_VISIBLE_DEVICES is {visible!r}"
    return DriverError(f"[envpool.cuda] the NVIDIA driver finds no GPU that this process may use{why}")


def _dotted(version: tuple[int, int]) -> str:
    return "{}.{}".format(*version)
