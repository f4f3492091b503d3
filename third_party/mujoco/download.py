# SPDX-License-Identifier: Apache-2.0
"""Unpacks the headers and the library of a release of MuJoCo into a new folder: ``python download.py 4.0.0 FOLDER``.

mujoco.cmake runs it for releases other than the installed one, because a Python environment can hold only one. pip reads
its settings, such as the address of the package index, from its configuration and from the environment.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path


def main(release: str, folder: Path) -> None:
    """Makes the folder, with the headers in include/. Exits with a sentence if the release cannot be downloaded."""
    package = "mujoco" if release.startswith("3.") else "mujoco-core"  # the one that has the library
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
        # The headers and the library are the same for every Python, and MuJoCo 4 has no wheels for Python 3.10.
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        command += ["--python-version=3.12", "--retries=1", "--timeout=15", "--disable-pip-version-check"]
        try:
            done = subprocess.run(
                [*command, f"--dest={temporary}", f"{package}=={release}"], capture_output=True, text=True, timeout=300
            )
        except subprocess.TimeoutExpired:
            sys.exit(f"pip did not download {package} {release} within five minutes")
        if done.returncode:
            last = done.stderr.strip().rpartition("\n")[2]
            sys.exit(f"pip cannot download {package} {release}, which needs a network and the module pip: {last}")
        (wheel,) = Path(temporary).glob("*.whl")
        unpacked = Path(temporary, "unpacked")
        with zipfile.ZipFile(wheel) as archive:
            kept = ("mujoco/include/", "mujoco/libmujoco.so.")
            archive.extractall(unpacked, [name for name in archive.namelist() if name.startswith(kept)])
        Path(unpacked, "mujoco").rename(folder)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
