# SPDX-License-Identifier: Apache-2.0
"""Where the headers and the CMake config lie: in an installed package, or in the sources it runs from."""

from __future__ import annotations

from pathlib import Path

from envpool.python.distribution import package_folders

_HEADER = Path("envpool", "core", "plugin.h")


def get_include() -> str:
    """Returns the folder to compile against: `-I` of it makes `#include "envpool/core/api.h"` work.

    Raises:
        RuntimeError: the headers are not where they were installed.
    """
    packages = [Path(path) for path in package_folders()]
    for folder in (*(package / "include" for package in packages), *(package.parent for package in packages)):
        if (folder / _HEADER).is_file():
            return str(folder)
    raise RuntimeError(f"[envpool] {packages[0] / 'include' / _HEADER} is missing: install envpool again")


def get_cmake_dir() -> str:
    """Returns the folder of envpool-config.cmake, which CMake's `find_package(envpool)` takes as envpool_DIR.

    Raises:
        RuntimeError: it is not where it was installed.
    """
    packages = [Path(path) for path in package_folders()]
    installed = [package / "share" / "cmake" / "envpool" for package in packages]
    for folder in (*installed, *(package.parent / "cmake" for package in packages)):
        if (folder / "envpool-config.cmake").is_file():
            return str(folder)
    raise RuntimeError(f"[envpool] {installed[0] / 'envpool-config.cmake'} is missing: install envpool again")
