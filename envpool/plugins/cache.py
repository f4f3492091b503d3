# SPDX-License-Identifier: Apache-2.0
"""The cache of compiled plugins.

The name of a plugin's file contains a hash of everything that it was compiled from. The file ends with a digest of its
content (envpool/python/cache_files.py), which the dynamic loader ignores.
"""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import tempfile
import warnings
from pathlib import Path

from envpool.python.cache_files import cache_folder, read, resolved, write

_warned_of: set[Path | None] = set()  # folders about which a warning has been issued


def find(name: str) -> Path | None:
    """Returns the path of the plugin with that name; None if it is not in the cache, or cannot be used."""
    for folder in (cache_folder(), _temporary_folder() if _temporary_folder.cache_info().currsize else None):
        path = folder / "plugins" / name if folder else None
        if path and read(path) is not None:
            return resolved(path)
    return None


def store(label: str, name: str, plugin: bytes) -> Path:
    """Writes a plugin under that name, and returns its path.

    If the cache cannot be used, the plugin goes to a temporary folder of this process, with one warning per folder.

    Raises:
        RuntimeError: the temporary folder cannot be written either.
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
            f"[{label}] the cache {folder} cannot be used ({why}), and neither can a temporary folder "
            f"({error.strerror or error}): set ENVPOOL_CACHE_DIR to a folder that only you can write"
        ) from None
    if folder not in _warned_of:
        _warned_of.add(folder)
        warnings.warn(
            f"[{label}] the cache {folder} cannot be used ({why}): the plugin is kept for this process only. Set "
            "ENVPOOL_CACHE_DIR to a folder that only you can write",
            RuntimeWarning,
            stacklevel=4,
        )
    return path


def _write(folder: Path, name: str, plugin: bytes) -> Path:
    path = resolved(folder / "plugins" / name)
    write(path, plugin)
    return path


@functools.cache
def _temporary_folder() -> Path:
    folder = tempfile.mkdtemp(prefix="envpool-")
    owner = os.getpid()  # a forked child must not remove the folder
    atexit.register(lambda: shutil.rmtree(folder, ignore_errors=True) if os.getpid() == owner else None)
    return Path(folder)
