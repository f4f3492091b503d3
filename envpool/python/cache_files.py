# SPDX-License-Identifier: Apache-2.0
"""Files in the user's cache folder, which any number of processes may read and write at the same time.

A file is written under a temporary name and then renamed, so that the last writer wins and no reader sees a partial
file. It ends with a digest of its content, so that a truncated or modified file is not used. The files are loaded as
code, so files and folders that another user could have written are not used either (code_files.py).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import time
from pathlib import Path

from envpool.python.code_files import check, create_folders

_MARK = b"envpool:sha256:"
_ABANDONED = 3600.0  # seconds after which a temporary file is assumed to have no running writer


def cache_folder() -> Path | None:
    """Returns $ENVPOOL_CACHE_DIR, else $XDG_CACHE_HOME/envpool, else ~/.cache/envpool; None without a home folder."""
    own, xdg = os.environ.get("ENVPOOL_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME")
    if own:
        return Path(own).expanduser().absolute()
    if xdg and os.path.isabs(xdg):
        return Path(xdg, "envpool")
    home = os.path.expanduser("~")
    return Path(home, ".cache", "envpool") if os.path.isabs(home) else None


def resolved(path: Path) -> Path:
    """Returns the path without symbolic links, which other users could change after a check."""
    return Path(os.path.realpath(path))


def read(path: Path) -> bytes | None:
    """Returns the content of a file; None if it is missing or cannot be read, or if its digest or owner is wrong."""
    path = resolved(path)
    try:
        check(path)
        if not path.is_file():  # reading a named pipe might never return
            return None
        content, mark, digest = path.read_bytes().rpartition(_MARK)
    except OSError:
        return None
    return content if mark and hashlib.sha256(content).digest() == digest else None


def write(path: Path, content: bytes) -> None:
    """Writes a file atomically.

    Raises:
        PermissionError: other users could change the file, or the folder cannot be written.
        OSError: the folder cannot be created, or the disk is full.
    """
    path = resolved(path)
    create_folders(path.parent)
    check(path)
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content + _MARK + hashlib.sha256(content).digest())
        os.chmod(temporary, 0o755)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def touch(path: Path) -> None:
    """Marks a file as recently used for `trim`. Does nothing in a folder that cannot be written."""
    with contextlib.suppress(OSError):
        os.utime(path)


def trim(folder: Path, most_bytes: int) -> None:
    """Removes abandoned temporary files, then the least recently used files until at most `most_bytes` remain.

    Other processes may add and remove files at the same time. A process that has a removed file open can still read it.
    """
    files: list[tuple[float, int, str]] = []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                if entry.name.startswith(".") and status.st_mtime < time.time() - _ABANDONED:
                    os.unlink(entry.path)
                elif not entry.name.startswith(".") and entry.is_file(follow_symlinks=False):
                    files.append((status.st_mtime, status.st_size, entry.path))
    total = sum(size for _, size, _ in files)
    for _, size, path in sorted(files):
        if total <= most_bytes:
            break
        with contextlib.suppress(OSError):
            os.unlink(path)
        total -= size
