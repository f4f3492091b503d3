# SPDX-License-Identifier: Apache-2.0
"""Pools on a GPU: the device that an option names, the program of an environment, and the pool itself."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from envpool.cuda import cache, driver, nvrtc
from envpool.cuda.program import checked_program

if TYPE_CHECKING:
    from envpool._core import DevicePool


def make_pool(device: str, *, source: str, include: str, in_place: bool, **pool: Any) -> DevicePool:
    """Makes a pool on a device.

    Args:
        device: such as "cuda:0".
        source: the header that `envpool.compile` was given, or empty.
        include: folder of the headers of a plugin, or empty.
        in_place: whether every batch is written into the same arrays.
        pool: what `Construction.pool_arguments` returns.

    Raises:
        ValueError: nothing says which header the environment is in.
        DriverError: there is no driver, or no such device.
        NvrtcError: there is no NVRTC, which compiles the environment for the device.
        CompileError: the environment's header does not compile for a GPU.
        CudaError: a call of the driver failed.
        MemoryError: the environments do not fit into the device's memory; the text says how many do.
    """
    from envpool import _core

    table, label = pool["table"], pool["label"]
    loaded = driver.load()
    devices = loaded.devices()
    number = int(device.removeprefix("cuda:"))
    if number >= len(devices):
        names = ", ".join(f"cuda:{each.number} ({each.name})" for each in devices)
        raise driver.DriverError(f"[{label}] device: expected one of {names}, got {device!r}")
    capability = devices[number].capability
    if loaded.stand_in:  # which runs PTX and no machine code
        architecture = "compute_{}{}".format(*capability)
    else:
        architecture = nvrtc.load().architecture_for(capability, loaded.version)
    facts, includes = _header(label, table.device, source, include)
    players = json.loads(table.spec(pool["options"][0]))["max_players"]
    written = checked_program(facts, players, each=len(pool["options"]) > 1)
    name = f"{label}.cu".replace("/", "_")
    image = cache.image(written.source, architecture, label=label, name=name, includes=includes)
    return _core.DevicePool(
        **pool,
        library=loaded.path,
        number=number,
        image=image,
        threads=written.threads,
        envs=written.envs,
        in_place=in_place,
    )


def _header(label: str, facts: Mapping[str, Any], source: str, include: str) -> tuple[Mapping[str, Any], list[str]]:
    """Returns what the table says, with the header's name, and the folders that are searched for headers."""
    if facts["header"]:
        return facts, [include] if include else []
    path = os.path.abspath(source)
    if source and os.path.isfile(path):
        return {**facts, "header": os.path.basename(path)}, [os.path.dirname(path)]
    raise ValueError(
        f"[{label}] device: expected an environment whose header a GPU's compiler can read: give envpool.compile the path "
        "of the header, or in a plugin of your own its name to envpool::table and include= to envpool.register"
    )
