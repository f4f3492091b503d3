# SPDX-License-Identifier: Apache-2.0
"""Where compiled plugins are kept.

A plugin's file is named by all it was made of. It ends with a digest of itself, after the shared object, where the
loader does not look (envpool/python/cache_files.py).
"""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import tempfile
import warnings
from pathlib import Path

from envpool.python.cache_files import cache_folder, read, write

_warned_of: set[Path | None] = set()  # folders that cannot be written


def find(name: str) -> Path | None:
    """Returns the plugin of that name if it is there and whole."""
    for folder in (cache_folder(), _temporary_folder() if _temporary_folder.cache_info().currsize else None):
        path = folder / "plugins" / name if folder else None
        if path and read(path) is not None:
            return path
    return None


def keep(label: str, name: str, plugin: bytes) -> Path:
    """Writes a plugin under that name, and warns, once of a folder, where it can be for this process alone.

    Raises:
        RuntimeError: there is no room for it anywhere.
    """
    folder = cache_folder()
    try:
        if folder is None:
            raise FileNotFoundError("there is no home directory")
        return _write(folder, name, plugin)
    except OSError as error:
        why = error.strerror or str(error)
    try:
        path = _write(_temporary_folder(), name, plugin)
    except OSError as error:
        raise RuntimeError(
            f"[{label}] the cache {folder} cannot be written ({why}), nor can a temporary folder "
            f"({error.strerror or error}): set ENVPOOL_CACHE_DIR to a folder that can"
        ) from None
    if folder not in _warned_of:
        _warned_of.add(folder)
        warnings.warn(
            f"[{label}] the cache {folder} cannot be written ({why}): compiled for this process alone. "
            "Set ENVPOOL_CACHE_DIR to a folder that can",
            RuntimeWarning,
            stacklevel=4,
        )
    return path


def _write(folder: Path, name: str, plugin: bytes) -> Path:
    path = folder / "plugins" / name
    write(path, plugin)
    return path


@functools.cache
def _temporary_folder() -> Path:
    folder = tempfile.mkdtemp(prefix="envpool-")
    owner = os.getpid()  # a fork must not remove it
    atexit.register(lambda: shutil.rmtree(folder, ignore_errors=True) if os.getpid() == owner else None)
    return Path(folder)
