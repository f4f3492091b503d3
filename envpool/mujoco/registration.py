# SPDX-License-Identifier: Apache-2.0
"""MuJoCo ids, and where the library and the models come from: packages that are read, but never imported."""

from __future__ import annotations

import ctypes
import functools
import importlib
import importlib.util
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

VERSION = "3.17.0"  # as in pyproject.toml; physics differ from version to version in the last digits


def require(task_id: str) -> None:
    """Loads libmujoco, which the family's shared object is linked to, out of the package mujoco.

    Raises:
        RuntimeError: the package is not installed, or is of another version.
    """
    install = f"pip install mujoco=={VERSION}"
    folder = _folder("mujoco")
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
    """Brings keywords into their declared form: each part of the family knows its own ids."""
    for part in _PARTS:
        if hasattr(part, "translate"):
            given = part.translate(task_id, given)
    return dict(given)


def prepare(task_id: str, options: dict[str, Any]) -> dict[str, Any]:
    """Replaces the name of a model of gymnasium's by its path.

    Raises:
        ValueError: there is no such file.
    """
    source = os.fsdecode(options["xml_file"])
    if source.lstrip().startswith("<"):
        return {**options, "xml_file": source.lstrip()}
    path = Path(source).expanduser()
    if not source.startswith((".", "/", "~")):
        path = (_folder("gymnasium") or Path()) / "envs" / "mujoco" / "assets" / source
    if not path.is_file():
        raise ValueError(f"[{task_id}] xml_file must be a model's file, got {source!r}: there is no file {path}")
    return {**options, "xml_file": str(path.resolve())}


@functools.lru_cache
def _load(library: str) -> ctypes.CDLL:
    return ctypes.CDLL(library)


def _folder(package: str) -> Path | None:
    """Where a package is installed, without importing it."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))


_PARTS = [importlib.import_module(f"envpool.mujoco.{name}") for name in ("gym_registration",)]
