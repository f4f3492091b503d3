# SPDX-License-Identifier: Apache-2.0
"""Makes a Python for Windows that runs in Wine, and the headers for Python extensions of other systems.

The package index has no Python for Windows, but Panda3D's wheels contain CPython's own DLL and extension modules, with
which Panda3D packages games. The rest of the standard library is the same on every system, and is copied from the
running Python, whose version must be the same. third_party/cpython/README.md says more.
"""

from __future__ import annotations

import shutil
import sys
import sysconfig
import zipfile
from collections.abc import Sequence
from pathlib import Path

from cross_compiling import ROOT, run

PANDA3D = "panda3d==1.10.16"
COMPILER = "x86_64-w64-mingw32-g++-posix"
VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
NUMBER = VERSION.replace(".", "")
DLL = f"python{NUMBER}.dll"
IMPORT_LIBRARY = f"libpython{NUMBER}.a"
EXTENSION = f".cp{NUMBER}-win_amd64.pyd"
PROGRAM = '#include "Python.h"\nint wmain(int count, wchar_t** words) { return Py_Main(count, words); }\n'


def headers(folder: Path) -> Path:
    """Returns a copy of Python's headers, for extensions of Windows and macOS."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(sysconfig.get_path("include"), folder)
    shutil.copy2(ROOT / "third_party" / "cpython" / "pyconfig.h", folder / "pyconfig.h")
    return folder


def make(folder: Path, include: Path, packages: Sequence[str]) -> Path:
    """Returns a folder with python.exe, the standard library, and packages in Lib/site-packages.

    The folder also has the import library, to which extensions are linked.
    """
    ready = folder / f".{NUMBER}"
    if ready.exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    downloads = folder / "downloads"
    run(sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--dest", downloads, "--only-binary=:all:",
        "--platform=win_amd64", "--implementation=cp", f"--python-version={VERSION}", PANDA3D)  # fmt: skip
    (wheel,) = downloads.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.startswith("deploy_libs/") and name.endswith((".dll", ".pyd")) and "api-ms-" not in name:
                (folder / Path(name).name).write_bytes(archive.read(name))
    shutil.rmtree(downloads)
    ignored = shutil.ignore_patterns("site-packages", "lib-dynload", "test", "tests", "__pycache__", "config-*")
    shutil.copytree(sysconfig.get_path("stdlib"), folder / "Lib", ignore=ignored)
    run("gendef", DLL, cwd=folder)
    run("x86_64-w64-mingw32-dlltool", "-d", f"python{NUMBER}.def", "-l", IMPORT_LIBRARY, cwd=folder)
    program = folder / "python.cc"
    program.write_text(PROGRAM)
    run(COMPILER, "-municode", "-static", "-I", include, program, folder / IMPORT_LIBRARY, "-o", folder / "python.exe")
    site = folder / "Lib" / "site-packages"
    run(sys.executable, "-m", "pip", "install", "-q", "--target", site, "--only-binary=:all:", "--platform=win_amd64",
        "--implementation=cp", f"--python-version={VERSION}", *packages)  # fmt: skip
    ready.touch()
    return folder
