# SPDX-License-Identifier: Apache-2.0
"""Makes pools on a GPU: selects the device, compiles the environment's kernel, and constructs the pool."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from envpool._core import DevicePool
from envpool.cuda import cache, driver, nvrtc
from envpool.cuda.program import RESULTS, STATISTICS, checked_program, header_of


def make_pool(
    device: str, *, source: str, include: str, flags: Sequence[str], in_place: bool, **pool: Any
) -> DevicePool:
    """Makes a pool on a device.

    Args:
        device: the device's name, such as "cuda:0".
        source: path of the header that was passed to `envpool.compile`, or an empty string.
        include: folder of a plugin's headers, or an empty string.
        flags: the flags that were passed to `envpool.compile`.
        in_place: whether every batch is written into the same arrays.
        pool: the result of `Construction.device_arguments`.

    Raises:
        ValueError: the environment's header is unknown.
        DriverError: there is no driver, or no such device.
        NvrtcError: NVRTC, which compiles the environment for the device, is missing.
        CompileError: the environment's header does not compile for a GPU.
        CudaError: a call to the driver failed.
        MemoryError: the environments do not fit into the device's memory. The text says how many would fit.
    """
    from envpool import _core

    table, label = pool["table"], pool["label"]
    loaded = driver.load()
    devices = loaded.devices()
    number = int(device.removeprefix("cuda:"))
    if number >= len(devices):
        names = ", ".join(f"cuda:{each.number} ({each.name})" for each in devices)
        raise driver.DriverError(f"[{label}] device: expected one of {names}, got {device!r}")
    facts, includes = header_of(label, table.device, source, include, flags)
    players = json.loads(table.spec(pool["options"][0]))["max_players"]
    written = checked_program(facts, players, each=len(pool["options"]) > 1)
    image = image_for(devices[number], label, written.source, includes)
    has_statistics = any(pool["statistics"][name] for name in ("episode_return", "obs", "reward"))
    return _core.DevicePool(
        **pool,
        statistics_image=image_for(devices[number], label, STATISTICS, []) if has_statistics else b"",
        library=loaded.path,
        number=number,
        image=image,
        threads=written.threads,
        envs=written.envs,
        in_place=in_place,
    )


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
