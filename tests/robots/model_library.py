# SPDX-License-Identifier: Apache-2.0
"""Compiles the solver for models (model_library.h), and calls it through ctypes."""

from __future__ import annotations

import ctypes
import importlib
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from tests.support import libraries

SOURCE = os.environ.get("ENVPOOL_SOURCE_DIR")
FLAGS = [
    "-std=c++20",
    "-O1",
    "-ffp-contract=off",
    "-fno-tree-slp-vectorize",
    "-fPIC",
    "-shared",
    "-fvisibility=hidden",
    "-Wno-psabi",
]
LANES = 4
MOST_NUMBERS = 1_000_000  # of an array of a robot's Data

Array = np.ndarray[Any, np.dtype[np.float64]]


def tool(name: str) -> ModuleType:
    """Imports a program in tools/."""
    folder = str(Path(str(SOURCE), "tools"))
    sys.path.insert(0, folder)
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(folder)


def compile_models(
    library: Path,
    headers: Sequence[str],
    names: Sequence[str],
    in_lanes: Sequence[str] = (),
    optimization: str = "-O1",
) -> None:
    """Compiles a library with the solver for models.

    Args:
        library: the file to write.
        headers: the texts of the headers with the models' tables.
        names: the names of the models' structs.
        in_lanes: those of models that are also compiled in lanes.
        optimization: the compiler's level of optimization.
    """
    parts = [*headers, '#include "tests/robots/model_library.h"']
    parts += [f"ROBOTS_MODEL_LIBRARY({name})" for name in names]
    parts += [f"ROBOTS_MODEL_LANES({name})" for name in in_lanes]
    source = library.with_suffix(".cc")
    source.write_text("\n".join(part.replace("#pragma once", "") for part in parts) + "\n")
    subprocess.run(["g++", *FLAGS, optimization, f"-I{SOURCE}", str(source), "-o", str(library)], check=True)


def run_with_our_sine(module: str, argument: str, *, preload: bool = True) -> str:
    """Runs a program of these tests with our sine and cosine (sine.cc) in MuJoCo's library, and returns its output."""
    variables = {"LD_PRELOAD": libraries.library("robots_sine")} if preload else {}
    command = [sys.executable, "-m", module, argument]
    done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


class Motion(NamedTuple):
    """What a step changes; arrays of one robot, or of LANES robots one after the other."""

    qpos: Array
    qvel: Array
    warm_start: Array


class Solver:
    """The solver for one model."""

    def __init__(self, library: ctypes.CDLL, name: str) -> None:
        self._library, self._name = library, name
        self._numbers: Array = np.empty(MOST_NUMBERS)

    def _call(self, function: str, *arguments: Any) -> int:
        return int(getattr(self._library, f"{self._name}_{function}")(*arguments))

    def step(self, motion: Motion, ctrl: Array) -> None:
        """Steps a robot."""
        self._call("step", *(_pointer(array) for array in (*motion, ctrl)))

    def step_lanes(self, motion: Motion, ctrl: Array) -> bool:
        """Steps LANES robots; returns whether there was enough room for their contacts."""
        return self._call("step_lanes", *(_pointer(array) for array in (*motion, ctrl))) != 0

    def forward(self, motion: Motion, ctrl: Array) -> None:
        """Computes the dynamics without a step."""
        self._call("forward", *(_pointer(array) for array in (*motion, ctrl)))

    def read(self, name: str) -> Array:
        """Returns an array of the last evaluation of the dynamics; an array without elements if there is none."""
        count = self._call("read", name.encode(), _pointer(self._numbers))
        return self._numbers[:count].copy()


def _pointer(array: Array) -> ctypes.c_void_p:
    assert array.dtype == np.float64 and array.flags.c_contiguous
    return ctypes.c_void_p(array.ctypes.data)
