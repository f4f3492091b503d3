# SPDX-License-Identifier: Apache-2.0
"""Where compiled plugins are kept.

A plugin's file is named by all it was made of, is written beside its place and then moved there, and ends with a digest
of itself (after the shared object, where the loader does not look). So any number of processes may read and write at
once, whoever is last wins with the same content, and a file that is cut short is not loaded but made anew.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import os
import shutil
import tempfile
import warnings
from pathlib import Path

_MARK = b"envpool:sha256:"
_warned_of: set[Path | None] = set()  # folders that cannot be written


def cache_folder() -> Path | None:
    """$ENVPOOL_CACHE_DIR, else $XDG_CACHE_HOME/envpool, else ~/.cache/envpool; None where there is no home."""
    own, xdg = os.environ.get("ENVPOOL_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME")
    if own:
        return Path(own).expanduser().absolute()
    if xdg and os.path.isabs(xdg):
        return Path(xdg, "envpool")
    home = os.path.expanduser("~")
    return Path(home, ".cache", "envpool") if os.path.isabs(home) else None


def find(name: str) -> Path | None:
    """Returns the plugin of that name if it is there and whole."""
    for folder in (cache_folder(), _temporary_folder() if _temporary_folder.cache_info().currsize else None):
        path = folder / "plugins" / name if folder else None
        if path and _is_whole(path):
            return path
    return None


def keep(label: str, name: str, plugin: bytes) -> Path:
    """Writes a plugin under that name, and warns, once of a folder, where it can be for this process alone.

    Raises:
        RuntimeError: there is no room for it anywhere.
    """
    content = plugin + _MARK + hashlib.sha256(plugin).digest()
    folder = cache_folder()
    try:
        if folder is None:
            raise FileNotFoundError("there is no home directory")
        return _write(folder, name, content)
    except OSError as error:
        why = error.strerror or str(error)
    try:
        path = _write(_temporary_folder(), name, content)
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


def _is_whole(path: Path) -> bool:
    try:
        content = path.read_bytes()
    except OSError:
        return False
    plugin, mark, digest = content.rpartition(_MARK)
    return bool(mark) and hashlib.sha256(plugin).digest() == digest


def _write(folder: Path, name: str, content: bytes) -> Path:
    path = folder / "plugins" / name
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, beside = tempfile.mkstemp(prefix=f".{name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.chmod(beside, 0o755)
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise
    return path


@functools.cache
def _temporary_folder() -> Path:
    folder = tempfile.mkdtemp(prefix="envpool-")
    owner = os.getpid()  # a fork must not remove it
    atexit.register(lambda: shutil.rmtree(folder, ignore_errors=True) if os.getpid() == owner else None)
    return Path(folder)
