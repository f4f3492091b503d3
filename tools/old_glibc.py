# SPDX-License-Identifier: Apache-2.0
"""Lets wheels that are compiled on Debian 12 run on Debian 11 and other systems with glibc 2.31.

The wheels are linked with Debian 11's shared libraries, so that they refer to versions of symbols which those libraries
have. What the headers of GCC 12 need beyond these, such as std::condition_variable::wait, is linked statically from
libstdc++.a. The libraries come from Debian's packages, which are not installed.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from cross_compiling import ROOT, run
from debian import apt, archive, unpack

OUT = ROOT / "build" / "old-glibc"
SHARED = ("libstdc++.so.6", "libm.so.6", "libgcc_s.so.1", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libc.so.6")
LOADER = "ld-2.31.so"
# Inlined code of newer libraries reads this variable, which glibc has since version 2.32. 0 means that there may be
# several threads.
STUB = 'char __libc_single_threaded __attribute__((visibility("hidden"))) = 0;\n'


def libraries() -> Path:
    """Returns a folder with Debian 11's libraries."""
    folder = OUT / "lib"
    if folder.exists():
        return folder
    shutil.rmtree(OUT, ignore_errors=True)
    unpacked, made = OUT / "unpacked", OUT / "made"
    made.mkdir(parents=True)
    state = OUT / "apt"
    command = apt(state, source=f"deb {archive()} bullseye main")
    unpack(command, state, ("libc6-dev", "libstdc++6"), unpacked)
    for name in (*SHARED, LOADER, "libc_nonshared.a"):
        # Links to absolute paths would lead to the libraries of this machine.
        found = [path for path in sorted(unpacked.glob(f"**/{name}*")) if not path.is_symlink()]
        link = [path for path in sorted(unpacked.glob(f"**/{name}")) if path.is_symlink()]
        source = link[0].parent / link[0].readlink() if link else found[0]
        shutil.copy(source, made / name)
    (made / "stub.c").write_text(STUB)
    run("cc", "-O2", "-fPIC", "-c", made / "stub.c", "-o", made / "stub.o")
    made.rename(folder)
    shutil.rmtree(unpacked)
    return folder


def cmake_options() -> list[str]:
    """Returns the options of CMake that link with the old libraries."""
    folder = libraries()
    static = subprocess.check_output(["c++", "-print-file-name=libstdc++.a"], text=True).strip()
    first, *rest = (folder / name for name in SHARED)
    last = (folder / "libc_nonshared.a", folder / LOADER, "-lgcc")
    names = " ".join(map(str, (first, folder / "stub.o", static, *rest, *last)))
    # The symbols of libstdc++.a are hidden, so that they replace nothing in the process.
    flags = "-nodefaultlibs -Wl,--exclude-libs,libstdc++.a"
    return [
        f"-DCMAKE_SHARED_LINKER_FLAGS={flags}",
        f"-DCMAKE_MODULE_LINKER_FLAGS={flags}",
        f"-DCMAKE_CXX_STANDARD_LIBRARIES={names}",
    ]
