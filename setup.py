# SPDX-License-Identifier: Apache-2.0
"""Supports tools that still call setup.py: passes each command on to pip and the backend in pyproject.toml."""

from __future__ import annotations

import os
import subprocess
import sys

COMMANDS = {
    "install": ["install", "."],
    "develop": ["install", "--editable", "."],
    "bdist_wheel": ["wheel", "--no-deps", "--wheel-dir", "dist", "."],
}


def main(arguments: list[str]) -> int:
    """Runs the command; returns its exit status."""
    os.chdir(os.path.dirname(os.path.abspath(__file__)))
    if arguments == ["sdist"]:
        command = [sys.executable, "-m", "build", "--sdist", "--outdir", "dist"]
    elif len(arguments) == 1 and arguments[0] in COMMANDS:
        command = [sys.executable, "-m", "pip", *COMMANDS[arguments[0]]]
    else:
        names = ", ".join(["sdist", *COMMANDS])
        sys.exit(f"setup.py: expected one of {names}, got {' '.join(arguments) or 'nothing'}; use pip instead")
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
