# SPDX-License-Identifier: Apache-2.0
"""Compiles portable environments for a GPU with NVRTC, on a machine without a GPU."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import envpool
import tests.environments.registration  # noqa: F401  (registers Crowd)
from envpool.cuda.nvrtc import FLAGS, Compiled, load, program_path
from envpool.cuda.program import TUNED, checked_program
from envpool.plugins.paths import get_include
from envpool.python.registry import find
from tests.standin.driver import Driver

__all__ = ["FLAGS", "SOURCE", "Compiled", "LoadedProgram", "PortableEnvironment", "compile_source", "environments"]

SOURCE = os.environ.get("ENVPOOL_SOURCE_DIR")


@dataclass(frozen=True)
class PortableEnvironment:
    """A portable environment.

    Attributes:
        family: folder of its sources.
        table: name of its table in registrations.
        device: description of its kernel (_core.Table.device).
    """

    family: str
    table: str
    device: Mapping[str, Any] = field(hash=False)

    @property
    def name(self) -> str:
        """The struct's name."""
        return str(self.device["type"]).rpartition("::")[2]

    @property
    def header(self) -> str:
        return str(self.device["header"])

    @property
    def world(self) -> bool:
        """Whether it has several players. If so, each block of the kernel steps one environment."""
        return bool(self.device["world"])

    @property
    def kernel(self) -> str:
        """The source of the kernel, for the largest number of players."""
        return checked_program(self.device, 1024 if self.world else 1).source

    @property
    def tuned_kernel(self) -> str:
        """The same for calls of pure functions with columns of options."""
        return TUNED + self.kernel


def environments() -> list[PortableEnvironment]:
    """Returns all registered portable environments. Of the test environments, only Crowd is included."""
    found: dict[tuple[str, str], PortableEnvironment] = {}
    for task_id in envpool.list_all_envs():
        registration = find(task_id)
        if not registration.family and task_id != "Crowd-v0":
            continue  # Another test may have registered it, and its plugin may no longer exist.
        key = registration.family or "testing", registration.table
        device = registration.load().device
        if device is not None:
            found[key] = PortableEnvironment(*key, device)
    return [found[key] for key in sorted(found)]


def compile_source(source: str, flags: Sequence[str]) -> Compiled:
    """Compiles for a virtual architecture ("compute_80", without a cubin) or a real one ("sm_80").

    Finds the installed headers, and those of test environments in the source folder.
    """
    return load().compile(source, [*flags, f"-I{get_include()}", f"-I{SOURCE}"], program_path())


class LoadedProgram:
    """A module of CUDA C, compiled into PTX and loaded by a driver."""

    def __init__(self, driver: Driver, source: str) -> None:
        flags = ["--gpu-architecture=compute_80", "-std=c++20", "--fmad=false"]
        self.driver, self.ptx = driver, compile_source(source, flags).ptx
        self.module = driver.module(self.ptx)

    def reload(self) -> None:
        """Loads the module again. This is necessary after a reset of the context."""
        self.module = self.driver.module(self.ptx)

    def __call__(
        self, name: str, *arguments: np.ndarray | int, grid: Any = 1, block: Any = 32, shared: int = 0
    ) -> None:
        """Launches a kernel and waits for it. Arguments are arrays, which the kernel may change, or 32-bit numbers."""
        places = {i: self.driver.upload(array) for i, array in enumerate(arguments) if isinstance(array, np.ndarray)}
        given = [
            places[i].to_bytes(8, "little")
            if isinstance(value, np.ndarray)
            else int(value).to_bytes(4, "little", signed=value < 0)
            for i, value in enumerate(arguments)
        ]
        self.driver.launch(self.driver.function(self.module, name), grid, block, given, shared=shared)
        self.driver.synchronize()
        for i, array in enumerate(arguments):
            if isinstance(array, np.ndarray):
                self.driver.download(places[i], array)
