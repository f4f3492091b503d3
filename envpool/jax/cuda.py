# SPDX-License-Identifier: Apache-2.0
"""Compiles environments for the XLA handlers on NVIDIA GPUs. The handlers call this module when a program starts.

The module also says how much memory arrays may take on the device that JAX uses.
"""

from __future__ import annotations

import os

import jax

from envpool import _core
from envpool.cuda import driver
from envpool.cuda.pool import image_for
from envpool.cuda.program import checked_program, header_of
from envpool.python.construction import Construction


def register() -> None:
    """Tells the handlers which functions of this module to call."""
    _core.set_device_compiler(library=_library, image=_image)


def program_of(construction: Construction) -> tuple[str, list[str], int, int]:
    """Returns the arguments of `Construction.make_pure_model`, which say how to compile the environment for a GPU."""
    registration, facts = construction.registration, construction.table.device
    if facts is None:
        return "", [], 1, 1
    try:
        facts, includes = header_of(
            construction.label, facts, registration.source, registration.include, registration.flags
        )
    except ValueError:
        return "", [], 1, 1  # the handlers for GPUs raise this error
    program = checked_program(facts, construction.arrays.max_players)
    return program.source, includes, program.threads, program.envs


def stand_in_runs_on_cpu() -> bool:
    """Returns whether XLA's CPU backend should call the handlers for GPUs, as $ENVPOOL_STANDIN_XLA requests in tests.

    Raises:
        RuntimeError: the driver is not the tests' stand-in, or its device memory is not the host's memory.
    """
    if not os.environ.get("ENVPOOL_STANDIN_XLA"):
        return False
    if os.environ.get("ENVPOOL_STANDIN_MODE") != "flat" or not driver.load().stand_in:
        raise RuntimeError(
            "[envpool.jax] ENVPOOL_STANDIN_XLA: expected a stand-in driver with ENVPOOL_STANDIN_MODE=flat"
        )
    return True


def usable_memory() -> tuple[float, str]:
    """Returns how many bytes new arrays may take, and the words that name their device (an empty string for a CPU).

    On a GPU, memory that is now in use counts as usable, because it may be free when the program runs.
    """
    device = jax.config.jax_default_device or jax.local_devices()[0]
    if isinstance(device, str):
        device = jax.local_devices(backend=device)[0]
    if device.platform == "cpu":
        return _core.usable_memory(), ""
    limit = (device.memory_stats() or {}).get("bytes_limit")
    return float("inf") if limit is None else limit, f" on {device}"


def _library() -> str:
    return driver.load().path


def _image(label: str, source: str, includes: list[str], device: int) -> bytes:
    return image_for(driver.load().devices()[device], label, source, includes)
