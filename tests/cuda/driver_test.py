# SPDX-License-Identifier: Apache-2.0
"""Tests the wrapper of the driver with a fake library: its calls, and the messages about their results."""

from __future__ import annotations

import ctypes
import os
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

import envpool.cuda.driver as driver
from tests.cuda.fake_driver import build_driver

STAND_IN = Path(os.environ.get("ENVPOOL_SOURCE_DIR", "none"), "build", "standin", "libcuda.so.1")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Returns a function that builds a fake driver with the given macros."""
    return lambda *macros: build_driver(tmp_path_factory.mktemp("libcuda"), *macros)


def load(path: str, monkeypatch: pytest.MonkeyPatch) -> driver.Driver:
    monkeypatch.setenv("ENVPOOL_LIBCUDA", path)
    return driver.load()


def test_devices(library: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    path = library()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = load(path, monkeypatch)
        assert load(path, monkeypatch) is found
    assert (found.version, found.path, found.stand_in) == ((12, 4), path, False)
    assert repr(found) == f"<driver for CUDA 12.4, {path}>"
    first, second = found.devices()
    assert (first.number, first.name, first.capability, first.architecture) == (0, "First", (9, 0), "sm_90")
    assert (second.number, second.name, second.capability, second.architecture) == (1, "Second", (12, 0), "sm_120")
    assert (first.total_memory, second.total_memory) == (1 << 40, 2 << 40)
    assert repr(second) == "<cuda:1, Second, compute capability 12.0>"
    assert first.memory() == (5, 1 << 20)


def test_a_stand_in_warns(library: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    path = library("STANDS_IN")
    words = r"^\[envpool.cuda\] .*libfake.so is a stand-in for NVIDIA's driver: kernels run on the CPU"
    with pytest.warns(RuntimeWarning, match=words) as caught:
        found = load(path, monkeypatch)
    assert len(caught) == 1 and caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # Only the first load warns.
        assert load(path, monkeypatch) is found
    assert repr(found) == f"<a stand-in for a driver for CUDA 12.4, {path}>"
    assert all(f"of the stand-in {path}" in repr(device) for device in found.devices())


STOOD_IN = """
import warnings
from envpool.cuda import driver
with warnings.catch_warnings(record=True) as caught:
    found = driver.load()
assert found.stand_in and ["is a stand-in" in str(each.message) for each in caught] == [True]
for device in found.devices():
    assert device.memory().total == device.total_memory
    assert "no GPU" in device.name and "of the stand-in" in repr(device)
"""


@pytest.mark.skipif(not STAND_IN.is_file(), reason="make standin has not built it")
def test_the_stand_in_of_the_tests() -> None:
    # This runs in a subprocess, because the stand-in has the driver's file name, by which other libraries find it.
    env = {**os.environ, "ENVPOOL_LIBCUDA": str(STAND_IN)}
    subprocess.run([sys.executable, "-c", STOOD_IN], env=env, check=True)


def test_a_context_is_released(library: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    path = library()
    counts = ctypes.CDLL(path)
    device = load(path, monkeypatch).devices()[0]
    for _ in range(2):
        assert device.memory() == (5, 1 << 20)  # The library says so only if there is a current context.
        assert [ctypes.c_int.in_dll(counts, name).value for name in ("retained", "depth")] == [0, 0]


def test_a_failure_leaves_no_context(library: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    path = library("MEMORY=999")
    counts = ctypes.CDLL(path)
    device = load(path, monkeypatch).devices()[1]
    with pytest.raises(driver.CudaError) as caught:
        device.memory()
    assert (caught.value.call, caught.value.code) == ("cuMemGetInfo_v2", 999)
    assert [ctypes.c_int.in_dll(counts, name).value for name in ("retained", "depth")] == [0, 0]


MACROS = [
    (
        ["VERSION=11080"],
        r"the NVIDIA driver is too old: expected one for CUDA 12\.0 or newer, got one for CUDA 11\.8 \(/",
    ),
    (["INIT=100"], r"the NVIDIA driver finds no GPU that this process may use; CUDA_VISIBLE_DEVICES is '7'$"),
    (["COUNT=0"], r"the NVIDIA driver finds no GPU that this process may use; CUDA_VISIBLE_DEVICES is '7'$"),
    (["INIT=999"], r"cuInit failed with CUDA_ERROR_UNKNOWN \(999\): unknown error$"),
    (["INIT=803"], r"cuInit failed with an unknown error \(803\): the driver has no description of this error$"),
    (
        ["INIT=34"],
        r"cuDriverGetVersion failed with CUDA_ERROR_STUB_LIBRARY \(34\): /.* is the CUDA toolkit's stub, not a driver$",
    ),
    (["RETAIN=2"], r"cuDevicePrimaryCtxRetain failed with CUDA_ERROR_OUT_OF_MEMORY \(2\): out of memory$"),
]


@pytest.mark.parametrize(("macros", "words"), MACROS, ids=[macros[0] for macros, _ in MACROS])
def test_drivers_that_cannot_be_used(
    macros: list[str], words: str, library: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "7")
    path = library(*macros)
    for _ in range(2):  # Each attempt raises the error again.
        with pytest.raises(driver.DriverError, match=r"^\[envpool\.cuda\] " + words):
            load(path, monkeypatch).devices()[0].memory()


def test_no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ENVPOOL_LIBCUDA", raising=False)
    monkeypatch.setattr(driver, "_LIBRARIES", ("libenvpool-no-such.so.1",))
    driver._load.cache_clear()
    with pytest.raises(driver.DriverError, match=r"found no NVIDIA driver \(libenvpool.*install one for CUDA 12\.0"):
        driver.load()


NOT_LIBRARIES = [
    ("/nowhere/libcuda.so.1", "cannot open shared object file"),
    (__file__, "invalid ELF header|file too short"),
]


@pytest.mark.parametrize(("path", "words"), NOT_LIBRARIES)
def test_files_that_are_not_libraries(path: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = rf"ENVPOOL_LIBCUDA: expected a library of the CUDA driver, got '{path}': .*({words})"
    with pytest.raises(driver.DriverError, match=expected):
        load(path, monkeypatch)


def test_another_library(monkeypatch: pytest.MonkeyPatch) -> None:
    from envpool import _core

    with pytest.raises(driver.DriverError, match=r"ENVPOOL_LIBCUDA: expected .*, got '.*': .* lacks cu[A-Za-z]+$"):
        load(str(_core.__file__), monkeypatch)


FORK = """
import os, sys
from envpool.cuda import driver
first = driver.load().devices()[0]
child = os.fork()
if child == 0:
    for use in (first.memory, lambda: driver.load().devices()):
        try:
            use()
            print("it worked")
        except driver.DriverError as error:
            print(error, flush=True)
    os._exit(0)
os.waitpid(child, 0)
assert first.memory().free == 5
"""


def test_a_fork_is_refused(library: Callable[..., str]) -> None:
    env = {**os.environ, "ENVPOOL_LIBCUDA": library()}
    output = subprocess.run([sys.executable, "-c", FORK], env=env, capture_output=True, text=True, check=True).stdout
    lines = output.splitlines()
    assert len(lines) == 2
    assert all(
        "forked after its parent had started CUDA" in line and "'spawn' or 'forkserver'" in line for line in lines
    )


def test_an_error_can_be_pickled() -> None:
    error = pickle.loads(pickle.dumps(driver.CudaError("cuInit", 2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory")))
    assert (error.call, error.code, error.name, error.text) == (
        "cuInit",
        2,
        "CUDA_ERROR_OUT_OF_MEMORY",
        "out of memory",
    )
    assert str(error) == "[envpool.cuda] cuInit failed with CUDA_ERROR_OUT_OF_MEMORY (2): out of memory"


def test_importing_envpool_opens_no_driver() -> None:
    code = (
        "import sys, envpool; envpool.make('CartPole-v1').reset(); "
        "maps = open('/proc/self/maps').read(); "
        "assert 'libcuda' not in maps and 'nvrtc' not in maps; "
        "assert not [name for name in sys.modules if name.startswith('envpool.cuda')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
