# SPDX-License-Identifier: Apache-2.0
"""Pools on a GPU: the device that an option names, the program of an environment, and the pool itself."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from envpool.cuda import cache, driver, nvrtc
from envpool.cuda.program import checked_program

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from envpool._core import DevicePool, Table

    Value = bool | int | float | str | bytes


def make_pool(
    device: str,
    *,
    source: str,
    include: str,
    table: Table,
    label: str,
    options: Sequence[Mapping[str, Value]],
    num_envs: int,
    seeds: npt.NDArray[np.uint64],
    streams: npt.NDArray[np.uint32],
    autoreset: int,
    max_episode_steps: Sequence[int],
    outputs: Sequence[str],
) -> DevicePool:
    """Makes a pool on a device.

    Args:
        device: such as "cuda:0".
        source: the header that `envpool.compile` was given, or empty.
        include: folder of the headers of a plugin, or empty.
        table: of the environment.
        label: what errors begin with, its id.
        options: of all environments, or of each.
        num_envs: how many there are.
        seeds: the key of each environment's generator.
        streams: the stream of that key.
        autoreset: the mode's number.
        max_episode_steps: of each environment; 0 is no limit.
        outputs: names of the arrays that the pool returns.

    Raises:
        ValueError: nothing says which header the environment is in.
        DriverError: there is no driver, or no such device.
        NvrtcError: there is no NVRTC, which compiles the environment for the device.
        CompileError: the environment's header does not compile for a GPU.
        CudaError: a call of the driver failed.
        MemoryError: the environments do not fit into the device's memory; the text says how many do.
    """
    from envpool import _core

    loaded = driver.load()
    devices = loaded.devices()
    number = int(device.removeprefix("cuda:"))
    if number >= len(devices):
        names = ", ".join(f"cuda:{each.number} ({each.name})" for each in devices)
        raise driver.DriverError(f"[{label}] device: expected one of {names}, got {device!r}")
    # The stand-in runs PTX and no machine code.
    capability = devices[number].capability
    architecture = (
        "compute_{}{}".format(*capability)
        if loaded.stand_in
        else nvrtc.load().architecture_for(capability, loaded.version)
    )
    facts = table.device
    assert facts is not None, "the caller has checked that the environment is portable"
    facts, includes = _header(label, facts, source, include)
    players = json.loads(table.spec(options[0]))["max_players"]
    written = checked_program(facts, players, each=len(options) > 1)
    name = f"{label}.cu".replace("/", "_")
    image = cache.image(written.source, architecture, label=label, name=name, includes=includes)
    return _core.DevicePool(
        table=table,
        label=label,
        options=options,
        num_envs=num_envs,
        seeds=seeds,
        streams=streams,
        autoreset=autoreset,
        max_episode_steps=max_episode_steps,
        outputs=outputs,
        library=loaded.path,
        number=number,
        image=image,
        threads=written.threads,
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
