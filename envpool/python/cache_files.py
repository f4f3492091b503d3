# SPDX-License-Identifier: Apache-2.0
"""Files in the user's cache folder, which any number of processes read and write at once.

A file is written beside its place and then moved there, and it ends with a digest of its content. So whoever writes last
wins, nobody reads a half, and a file that was cut short or changed is not used.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import time
from pathlib import Path

_MARK = b"envpool:sha256:"
_ABANDONED = 3600.0  # seconds after which an unfinished file belongs to no running process


def cache_folder() -> Path | None:
    """$ENVPOOL_CACHE_DIR, else $XDG_CACHE_HOME/envpool, else ~/.cache/envpool; None where there is no home."""
    own, xdg = os.environ.get("ENVPOOL_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME")
    if own:
        return Path(own).expanduser().absolute()
    if xdg and os.path.isabs(xdg):
        return Path(xdg, "envpool")
    home = os.path.expanduser("~")
    return Path(home, ".cache", "envpool") if os.path.isabs(home) else None


def read(path: Path) -> bytes | None:
    """Returns the content of a file; None if it is not there, cannot be read, or is not as it was written."""
    try:
        content, mark, digest = path.read_bytes().rpartition(_MARK)
    except OSError:
        return None
    return content if mark and hashlib.sha256(content).digest() == digest else None


def write(path: Path, content: bytes) -> None:
    """Writes a file whole or not at all.

    Raises:
        OSError: the folder cannot be made or written, or the disk is full.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, beside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content + _MARK + hashlib.sha256(content).digest())
        os.chmod(beside, 0o755)
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


def touch(path: Path) -> None:
    """Notes that a file has been used, so that `trim` removes others first. A folder that cannot be written has no notes."""
    with contextlib.suppress(OSError):
        os.utime(path)


def trim(folder: Path, most_bytes: int) -> None:
    """Removes files that have not been used for longest until at most so many bytes are left, and unfinished old files.

    Other processes may remove and add files meanwhile. A file that is open elsewhere stays readable there.
    """
    found: list[tuple[float, int, str]] = []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                if entry.name.startswith(".") and status.st_mtime < time.time() - _ABANDONED:
                    os.unlink(entry.path)
                elif not entry.name.startswith(".") and entry.is_file(follow_symlinks=False):
                    found.append((status.st_mtime, status.st_size, entry.path))
    total = sum(size for _, size, _ in found)
    for _, size, path in sorted(found):
        if total <= most_bytes:
            break
        with contextlib.suppress(OSError):
            os.unlink(path)
        total -= size
