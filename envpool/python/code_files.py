# SPDX-License-Identifier: Apache-2.0
"""Tells whether a file that this process would load as code could come from another user.

The rule is that of ssh for its keys: the file, its folder and the folders above it must belong to this user or to root,
and no other user may write to them. A shared folder such as /tmp may be above, because its sticky bit protects the
folders of each user. A user who could change what Python itself imports is trusted as well.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

_ROOT = 0


def is_imported_from(path: str | os.PathLike[str]) -> bool:
    """Returns whether a file is in one of the folders from which Python imports modules."""
    real = Path(os.path.realpath(path))
    return any(Path(folder) in real.parents for folder in _import_folders())


def distrust(path: str | os.PathLike[str]) -> str:
    """Returns why another user could have written this file; "" if none could.

    Symbolic links are resolved first, so the caller must use the resolved path. A file or folder that does not exist is
    skipped. Windows has other permissions, which are not checked.
    """
    if not hasattr(os, "geteuid"):
        return ""
    real, user = Path(os.path.realpath(path)), os.geteuid()
    owners, home = {user, _ROOT, *_import_owners()}, os.path.realpath(os.path.expanduser("~"))
    for part in (real, *real.parents):
        try:
            status = part.lstat()
        except FileNotFoundError:
            continue
        except OSError as error:
            return f"{part}: {error.strerror or error}"
        if status.st_uid not in owners:
            return f"{part} belongs to user {status.st_uid}"
        if status.st_mode & stat.S_ISVTX and part not in (real, real.parent):
            continue
        if status.st_mode & stat.S_IWOTH:
            return f"every user may write to {part}"
        if status.st_mode & stat.S_IWGRP and not _is_private(status.st_gid, user):
            return f"group {status.st_gid} may write to {part}"
        if os.fspath(part) == home:  # The owner of a home folder decides who may rename it.
            break
    return ""


def create_folders(path: Path) -> None:
    """Creates a folder and those above it that are missing, so that only this user may use them.

    Raises:
        OSError: a folder cannot be created.
    """
    for folder in reversed((path, *path.parents)):
        if not folder.is_dir():
            folder.mkdir(mode=0o700, exist_ok=True)


def check(path: str | os.PathLike[str]) -> None:
    """Raises PermissionError if another user could have written this file."""
    if why := distrust(path):
        raise PermissionError(errno.EPERM, why)


def _is_private(group: int, user: int) -> bool:
    """Returns whether a group is the one that some systems create for each user, without other members."""
    import grp
    import pwd

    try:
        own, found = pwd.getpwuid(user), grp.getgrgid(group)
    except KeyError:
        return False
    return own.pw_gid == group and found.gr_name == own.pw_name and set(found.gr_mem) <= {own.pw_name}


def _import_folders() -> list[str]:
    return [os.path.realpath(folder) for folder in sys.path if isinstance(folder, str)]


def _import_owners() -> Iterator[int]:
    for folder in _import_folders():
        try:
            yield os.stat(folder).st_uid
        except OSError:
            continue
