# SPDX-License-Identifier: Apache-2.0
"""The part of `envpool doctor` about GPUs: the driver, the devices, and NVRTC."""

from __future__ import annotations

import warnings
from typing import Any

NOTE = "docs/gpu.md says what has been run on a GPU, and what only on a stand-in for the CUDA driver."


def examine() -> dict[str, Any]:
    """Returns the report as plain values. A missing part is empty, and its `why` says how to install it."""
    return {"driver": driver_facts(), "nvrtc": _nvrtc(), "pools": True, "note": NOTE}


def driver_facts() -> dict[str, Any]:
    """Returns the driver's version, path and devices as plain values; `why` says what is missing."""
    from envpool.cuda import driver

    facts: dict[str, Any] = {"version": "", "path": "", "stand_in": False, "devices": [], "why": ""}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # The report itself says whether the driver is a stand-in.
            loaded = driver.load()
        facts.update(version=".".join(map(str, loaded.version)), path=loaded.path, stand_in=loaded.stand_in)
        facts["devices"] = [_device(device) for device in loaded.devices()]
    except driver.DriverError as error:
        facts["why"] = _plain(error)
    return facts


def _device(device: Any) -> dict[str, Any]:
    from envpool.cuda.driver import CudaError

    facts = {
        "number": device.number,
        "name": device.name,
        "capability": ".".join(map(str, device.capability)),
        "memory": device.total_memory,
        "free_memory": None,
        "why": "",
    }
    try:
        facts["free_memory"] = device.memory().free
    except CudaError as error:
        facts["why"] = _plain(error)
    return facts


def _nvrtc() -> dict[str, Any]:
    from envpool.cuda import nvrtc

    try:
        loaded = nvrtc.load()
    except nvrtc.NvrtcError as error:
        return {"version": "", "path": "", "why": _plain(error)}
    return {"version": ".".join(map(str, loaded.version)), "path": loaded.path, "why": ""}


def _plain(error: Exception) -> str:
    return str(error).removeprefix("[envpool.cuda] ")


def rows(facts: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Returns the report as rows to print, each with a mark, a name and a text."""
    driver, compiler = facts["driver"], facts["nvrtc"]
    lines = []
    if driver["version"]:
        lines.append(("ok", "driver", f"for CUDA {driver['version']} ({driver['path']})"))
    if driver["stand_in"]:
        lines.append(("bad", "driver", "is a stand-in without a GPU"))
    if driver["why"]:
        lines.append(("no", "driver", driver["why"]))
    for device in driver["devices"]:
        memory = f"{device['memory'] / 2**30:.1f} GiB of memory"
        free = "" if device["free_memory"] is None else f", {device['free_memory'] / 2**30:.1f} GiB free"
        text = f"{device['name']}, compute capability {device['capability']}, {memory}{free}"
        lines.append(("no" if device["why"] else "ok", f"cuda:{device['number']}", text))
        if device["why"]:
            lines.append(("", "", device["why"]))
    if compiler["version"]:
        lines.append(("ok", "NVRTC", f"{compiler['version']} ({compiler['path']})"))
    else:
        lines.append(("no", "NVRTC", compiler["why"]))
    return [*lines, ("", "", facts["note"])]
