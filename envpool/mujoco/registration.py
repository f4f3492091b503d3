# SPDX-License-Identifier: Apache-2.0
"""MuJoCo ids, and where the library and the models come from: packages that are read, but never imported."""

from __future__ import annotations

import ctypes
import functools
import importlib
from collections.abc import Mapping
from typing import Any

from envpool.mujoco import render_options
from envpool.mujoco.packages import folder_of
from envpool.python.import_paths import Home

VERSION = "3.17.0"  # as in pyproject.toml; physics differ from version to version in the last digits


def require(task_id: str) -> None:
    """Loads libmujoco, which the family's shared object is linked to, out of the package mujoco.

    Raises:
        RuntimeError: the package is not installed, or is of another version.
    """
    install = f"pip install mujoco=={VERSION}"
    folder = folder_of("mujoco")
    if folder is None:
        raise RuntimeError(f"[{task_id}] needs MuJoCo: install it with: {install}")
    library = folder / f"libmujoco.so.{VERSION}"
    if not library.exists():
        found = (
            " and ".join(file.name.removeprefix("libmujoco.so.") for file in folder.glob("libmujoco.so.*")) or "none"
        )
        raise RuntimeError(f"[{task_id}] needs MuJoCo {VERSION}, found {found}: install it with: {install}")
    try:
        _load(str(library))
    except OSError as error:
        raise RuntimeError(f"[{task_id}] cannot load {library}: {error}") from None


def translate(task_id: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Brings keywords into their declared form, as the part that has the id does it."""
    part, options = _part_of(task_id), render_options.translate(task_id, dict(given))
    return dict(part.translate(task_id, options)) if hasattr(part, "translate") else options


def prepare(task_id: str, options: dict[str, Any]) -> dict[str, Any]:
    """Finds the model, as the part that has the id does it.

    Raises:
        ValueError: there is no such file.
        RuntimeError: the package that holds it is not installed.
    """
    prepared: dict[str, Any] = _part_of(task_id).prepare(task_id, options)
    return prepared


def reference(task_id: str) -> str:
    """Where the dynamics of an id come from."""
    return f"MuJoCo {VERSION}, {_part_of(task_id).REFERENCE}"


def homes(task_id: str) -> list[Home]:
    """Where EnvPool's scripts find the classes of an id: those that end with Pixel have pictures as observations."""
    part = _part_of(task_id)
    module = part.__name__.rpartition(".")[0]
    name = part.class_of(task_id)
    return [Home(module, name, {"from_pixels": False}), Home(module, name + "Pixel", {"from_pixels": True})]


def _part_of(label: str) -> Any:
    task_id = label.split("]")[0]  # in errors it may be followed by whose option it is
    return next(part for part in _PARTS if task_id in part.TASK_IDS)


@functools.lru_cache
def _load(library: str) -> ctypes.CDLL:
    return ctypes.CDLL(library)


# Each is a module with TASK_IDS, REFERENCE, `class_of`, `prepare` and perhaps `translate`.
_PARTS = [importlib.import_module(f"envpool.mujoco.{name}.registration") for name in ("gym", "dmc", "generic")]
