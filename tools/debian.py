# SPDX-License-Identifier: Apache-2.0
"""Takes packages from Debian's archive without installing them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from cross_compiling import run


def archive() -> str:
    """Returns the address from which this machine gets Debian's packages."""
    wanted = "$(SITE)\t$(ORIGIN)\t$(RELEASE)"
    lines = subprocess.check_output(["apt-get", "indextargets", "--format", wanted, "Created-By: Packages"], text=True)
    for site, origin, release in (line.split("\t") for line in lines.splitlines()):
        if origin == "Debian" and "-" not in release:
            return site
    sys.exit("apt is not configured for Debian's archive, or apt-get update has not run")


def apt(state: Path, source: str = "", architecture: str = "") -> list[str]:
    """Returns an apt-get command that keeps its state in a folder and has updated its lists of packages.

    ``source`` is a line for sources.list, which replaces the machine's own configuration.
    """
    for folder in (state / "lists" / "partial", state / "cache" / "archives" / "partial"):
        folder.mkdir(parents=True, exist_ok=True)
    (state / "status").touch()
    values: dict[str, str | Path] = {"Dir::State": state, "Dir::State::status": state / "status"}
    values |= {"Dir::Cache": state / "cache", "APT::Sandbox::User": "root"}
    if source:
        (state / "sources.list").write_text(source + "\n")
        values |= {"Dir::Etc::sourcelist": state / "sources.list", "Dir::Etc::sourceparts": "-"}
    if architecture:
        values |= {"APT::Architecture": architecture, "APT::Architectures": architecture}
    command = ["apt-get", "-q=2", *(f"-o{name}={value}" for name, value in values.items())]
    run(*command, "update")
    return command


def unpack(command: list[str], state: Path, packages: tuple[str, ...], folder: Path) -> None:
    """Downloads packages and all that they depend on, and unpacks them into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    run(*command, "install", "-y", "--download-only", "--no-install-recommends", *packages)
    for package in sorted((state / "cache" / "archives").glob("*.deb")):
        run("dpkg-deb", "-x", package, folder)
