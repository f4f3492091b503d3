# SPDX-License-Identifier: Apache-2.0
"""Makes pools on a GPU: selects the device, compiles the environment's kernel, and constructs the pool."""

from __future__ import annotations

from collections.abc import Sequence

from envpool._core import DevicePool
from envpool.cuda import cache, driver, nvrtc
from envpool.cuda.program import RESULTS, STATISTICS, Program, checked_program, header_of
from envpool.python.construction import Construction


def make_pool(construction: Construction, outputs: list[str]) -> DevicePool:
    """Makes a pool on the device that its options name.

    Args:
        construction: the checked options.
        outputs: names of the arrays that the pool returns, in order.

    Raises:
        ValueError: the environment's header is unknown.
        DriverError: there is no driver, or no such device.
        NvrtcError: NVRTC, which compiles the environment for the device, is missing.
        CompileError: the environment's header does not compile for a GPU.
        CudaError: a call to the driver failed.
        MemoryError: the environments do not fit into the device's memory. The text says how many would fit.
    """
    from envpool import _core

    pool = construction.device_arguments(outputs)
    device, label = _device(construction), construction.label
    written, includes = _program(construction, each=len(pool["options"]) > 1)
    image = image_for(device, label, written.source, includes)
    has_statistics = any(pool["statistics"][name] for name in ("episode_return", "obs", "reward"))
    return _core.DevicePool(
        **pool,
        statistics_image=image_for(device, label, STATISTICS, []) if has_statistics else b"",
        library=driver.load().path,
        number=device.number,
        image=image,
        threads=written.threads,
        envs=written.envs,
        in_place=construction.common.in_place,
    )


def give_each_parameters(pool: DevicePool, construction: Construction) -> None:
    """Gives each environment of a pool its own parameters, so that options can change. The first call compiles a kernel.

    Raises:
        RuntimeError: CUDA graphs contain steps of the pool without such parameters.
        MemoryError: the parameters do not fit into the device's memory.
    """
    if not pool.has_params_of_each:
        written, includes = _program(construction, each=True)
        pool.use_params_of_each(image_for(_device(construction), construction.label, written.source, includes))


def _device(construction: Construction) -> driver.Device:
    devices = driver.load().devices()
    name = construction.common.device
    number = int(name.removeprefix("cuda:"))
    if number >= len(devices):
        names = ", ".join(f"cuda:{each.number} ({each.name})" for each in devices)
        raise driver.DriverError(f"[{construction.label}] device: expected one of {names}, got {name!r}")
    return devices[number]


def _program(construction: Construction, *, each: bool) -> tuple[Program, list[str]]:
    """Returns the program of a pool, and the folders of its headers. `each`: environments have their own parameters."""
    made, table = construction.registration, construction.table
    assert table.device is not None  # `Construction` refuses other environments
    facts, includes = header_of(construction.label, table.device, made.source, made.include, made.flags)
    return checked_program(facts, construction.arrays.max_players, each=each), includes


def results_image(label: str, device: str) -> bytes:
    """Returns the program that copies a pool's results into the arrays of jitted code, compiled for a device."""
    return image_for(driver.load().devices()[int(device.removeprefix("cuda:"))], label, RESULTS, [])


def image_for(device: driver.Device, label: str, source: str, includes: Sequence[str]) -> bytes:
    """Compiles a program for a device, or takes the compiled program from the cache.

    Raises:
        NvrtcError: NVRTC, which compiles the program, is missing.
        CompileError: the program does not compile for a GPU.
    """
    name = f"{label}.cu".replace("/", "_")
    return cache.image(source, architecture_of(device), label=label, name=name, includes=includes)


def architecture_of(device: driver.Device) -> str:
    """Returns the architecture for which programs are compiled.

    Raises:
        NvrtcError: NVRTC is missing, or supports no architecture that the device runs.
    """
    loaded = driver.load()
    if loaded.stand_in:  # The stand-in runs PTX, not machine code.
        return "compute_{}{}".format(*device.capability)
    return nvrtc.load().architecture_for(device.capability, loaded.version)
