# SPDX-License-Identifier: Apache-2.0
"""Opens NVIDIA's driver on demand, and describes its version and its devices.

The library libcuda.so.1 is part of the driver. It is opened at run time, so nothing else needs to be installed.
$ENVPOOL_LIBCUDA names another file to open, such as the tests' stand-in. The functions themselves are called in C++
(bindings/gpu/driver.h).
"""

from __future__ import annotations

import functools
import os
import threading
import warnings
from typing import Any, NamedTuple

from envpool._core import CudaDriver

OLDEST = (12, 0)  # the oldest supported driver, by the version of CUDA that it supports

_LIBRARIES = ("libcuda.so.1", "libcuda.so", "/usr/lib/wsl/lib/libcuda.so.1")
_NO_DEVICE = 100  # CUresult


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
        self.name, self.capability, self.total_memory = driver.library.device_facts(number)

    def __repr__(self) -> str:
        major, minor = self.capability
        stand_in = f", of the stand-in {self._driver.path}" if self._driver.stand_in else ""
        return f"<cuda:{self.number}, {self.name}, compute capability {major}.{minor}{stand_in}>"

    @property
    def architecture(self) -> str:
        """The compiler's name for the device's machine code, such as "sm_90"."""
        return "sm_{}{}".format(*self.capability)

    def memory(self) -> Memory:
        """Returns the free and the total memory. During the call, a context of this process takes some of the memory.

        Raises:
            CudaError: the context cannot be made.
        """
        return Memory(*self._driver.library.memory(self.number))


class Driver:
    """The driver's library, initialized.

    Attributes:
        path: the file that was opened.
        version: the version of CUDA that the driver supports, such as (12, 4).
        stand_in: whether it is the tests' stand-in instead of NVIDIA's driver.
    """

    def __init__(self, path: str, library: CudaDriver) -> None:
        self.path, self.stand_in = path, library.stand_in
        self._library = library
        self._pid = os.getpid()
        version = library.version()
        self.version = version // 1000, version % 1000 // 10
        if self.version < OLDEST:
            raise DriverError(
                f"[envpool.cuda] the NVIDIA driver is too old: expected one for CUDA {_dotted(OLDEST)} or newer, got one "
                f"for CUDA {_dotted(self.version)} ({path})"
            )
        library.initialize()

    def __repr__(self) -> str:
        kind = "a stand-in for a driver" if self.stand_in else "driver"
        return f"<{kind} for CUDA {_dotted(self.version)}, {self.path}>"

    @property
    def library(self) -> CudaDriver:
        """The library, whose functions raise CudaError.

        Raises:
            DriverError: this process was forked from one that had initialized the driver.
        """
        if self._pid != os.getpid():
            raise DriverError(
                "[envpool.cuda] this process was forked after its parent had started CUDA, which does not work in a "
                "forked process: start processes with multiprocessing's 'spawn' or 'forkserver'"
            )
        return self._library

    def devices(self) -> list[Device]:
        """Returns all devices that this process may use.

        Raises:
            DriverError: there is no device.
        """
        count = self.library.device_count()
        if count == 0:
            raise _no_device()
        return [Device(self, number) for number in range(count)]


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


def _open(override: str) -> tuple[str, CudaDriver]:
    why = ""
    for path in [override] if override else _LIBRARIES:
        try:
            return path, CudaDriver(path)
        except RuntimeError as error:
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
