# SPDX-License-Identifier: Apache-2.0
"""Makes pools on a GPU: selects the device, compiles the environment's kernel, and constructs the pool."""

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
        source: path of the header that was passed to `envpool.compile`, or empty.
        include: folder of a plugin's headers, or empty.
        in_place: whether every batch is written into the same arrays.
        pool: the result of `Construction.pool_arguments`.

    Raises:
        ValueError: the environment's header is unknown.
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
    if loaded.stand_in:  # it runs PTX, not machine code
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
    """Returns the table's device facts with the header's name filled in, and the folders to search for headers."""
    if facts["header"]:
        return facts, [include] if include else []
    path = os.path.abspath(source)
    if source and os.path.isfile(path):
        return {**facts, "header": os.path.basename(path)}, [os.path.dirname(path)]
    raise ValueError(
        f"[{label}] device: expected an environment whose header a GPU's compiler can read: give envpool.compile the path "
        "of the header, or in a plugin of your own its name to envpool::table and include= to envpool.register"
    )
