# SPDX-License-Identifier: Apache-2.0
"""The supported releases of MuJoCo. Loads the library in the package mujoco without importing that package."""

from __future__ import annotations

import ctypes
import functools
from pathlib import Path

# Imported by its full name, because attributes of the package are looked up among the registered ids.
import envpool.mujoco.packages as packages
from envpool.python.errors import MissingPackageError, missing_package

# As in pyproject.toml and third_party/mujoco/mujoco.cmake. Results differ between releases, from their last digits on.
SUPPORTED: tuple[str, ...] = ("3.17.0", "4.0.0")


def install(release: str = SUPPORTED[0]) -> str:
    """Returns the command that installs a release."""
    return f"pip install mujoco=={release}"


@functools.lru_cache(maxsize=1)
def installed() -> tuple[str, Path]:
    """Returns the installed release and the path of its library.

    A process keeps the release that it has found first, even if another one is installed later.

    Raises:
        MissingPackageError: The package is not installed, or has a release that is not supported.
    """
    folder = packages.folder_of("mujoco")
    if folder is None:
        raise missing_package("mujoco", "MuJoCo", install())
    for release in SUPPORTED:
        if (library := folder / f"libmujoco.so.{release}").exists():
            return release, library
    known = [file.name.removeprefix("libmujoco.so.") for file in folder.glob("libmujoco.so.*")]
    raise wrong_release(SUPPORTED, " and ".join(known) or "none")


def wrong_release(expected: tuple[str, ...], found: str) -> MissingPackageError:
    """Returns an error that says which releases are expected, and how to install the first of them.

    Args:
        expected: the expected releases.
        found: the release that is installed, which may be followed by a clause that says why it does not suffice.
    """
    text = f"needs MuJoCo {' or '.join(expected)}, found {found}: install it with: {install(expected[0])}"
    return MissingPackageError(text, name="mujoco")


def load() -> None:
    """Loads the installed library, which our shared object of that release is linked to, once per process.

    Raises:
        MissingPackageError: The package is not installed, or has a release that is not supported.
        RuntimeError: The library cannot be loaded, or the process has loaded that of another release.
    """
    release, library = installed()
    # A library of another release that was loaded with RTLD_GLOBAL would take precedence over this one, and MuJoCo would
    # end the process.
    if loaded := _global_release():
        if loaded != release:
            raise RuntimeError(f"cannot load MuJoCo {release}, because this process has loaded MuJoCo {loaded}")
        return
    try:
        _load(str(library))
    except OSError as error:
        raise RuntimeError(f"cannot load {library}: {error}") from None


def _global_release() -> str:
    """Returns the release of the library whose symbols all libraries of the process can use; an empty string if none."""
    try:
        version = ctypes.CDLL(None).mj_versionString
    except AttributeError:
        return ""
    version.restype = ctypes.c_char_p
    return str(version().decode())


@functools.lru_cache
def _load(library: str) -> ctypes.CDLL:
    return ctypes.CDLL(library)
