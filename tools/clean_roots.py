# SPDX-License-Identifier: Apache-2.0
"""Installs a wheel into clean Debian systems without a network: ``python tools/clean_roots.py WHEEL [SYSTEM ...]``.

SYSTEM is debian12 or debian11, by default both. Each system has only Debian's essential packages and Python. Debian 11
has glibc 2.31 and no Python that is new enough, so the script compiles Debian 12's Python there, in a second copy of the
system, and copies the result. `pip install WHEEL[atari]` and the first program of the README run in the system, and then a
program that prints a checksum of trajectories, which must be equal in all systems. The packages that the wheel requires
are downloaded before, for the glibc of the system.

The script needs Debian, its package mmdebstrap, and root, for chroot. It takes the address of Debian's packages from the
configuration of apt. The systems are in build/roots.
"""

from __future__ import annotations

import email
import os
import shlex
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

from cross_compiling import ROOT, require, run
from debian import apt, archive
from first_minutes import blocks
from packaging.requirements import Requirement

OUT = ROOT / "build" / "roots"
PYTHON = "3.11"  # Debian 12's
PROGRAMS = {"mmdebstrap": "mmdebstrap", "unshare": "util-linux", "apt-get": "apt"}
CHECKSUM = """
import hashlib
import envpool
import numpy as np

digest = hashlib.sha256()
for task_id in ("Pong-v5", "CartPole-v1", "MiniGrid-DoorKey-8x8-v0"):
    env = envpool.make_gymnasium(task_id, num_envs=8, seed=7)
    env.reset()
    actions = np.random.Generator(np.random.PCG64(7)).integers(0, 2, (200, 8))
    for action in actions:
        obs, reward, *_ = env.step(action)
        for array in (*obs.values(), reward) if isinstance(obs, dict) else (obs, reward):
            digest.update(np.ascontiguousarray(array).tobytes())
print(digest.hexdigest())
"""


@dataclass
class System:
    """A Debian release, and how it gets Python."""

    release: str
    glibc: int  # the minor version of glibc 2
    packages: tuple[str, ...]  # the packages that Python needs, or Python itself
    compilers: tuple[str, ...] = ()  # the packages with which Python is compiled, if the release has no new one
    python: str = "/usr/bin/python3"


SYSTEMS = {
    "debian12": System("bookworm", 36, ("python3", "python3-venv")),
    "debian11": System("bullseye", 31, ("libffi7", "zlib1g", "libexpat1"),
                       ("gcc", "libc6-dev", "make", "libffi-dev", "zlib1g-dev"), f"/opt/python/bin/python{PYTHON}"),
}  # fmt: skip


def bootstrap(folder: Path, release: str, packages: tuple[str, ...]) -> None:
    """Makes a system with packages."""
    if (folder / "etc" / "envpool-ready").exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    run("mmdebstrap", "-q", "--mode=root", "--variant=minbase", f"--include={','.join(packages)}",
        release, folder, f"deb {archive()} {release} main")  # fmt: skip
    (folder / "etc" / "envpool-ready").touch()


def inside(root: Path, command: str) -> list[str]:
    """Returns the command line that runs a command in a system, without a network."""
    environment = ["env", "-i", "HOME=/root", "LANG=C.UTF-8", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"]
    at = shlex.quote(str(root))
    # Without /dev/shm, Python is compiled without semaphores.
    start = (
        f"mount -t proc proc {at}/proc && mkdir -p {at}/dev/shm && mount -t tmpfs tmpfs {at}/dev/shm"
        f' && exec chroot {at} "$@"'
    )
    return ["unshare", "--net", "--mount", "--pid", "--fork", "sh", "-c", start, "sh",
            *environment, "sh", "-euc", command]  # fmt: skip


def python_sources(folder: Path) -> Path:
    """Returns the sources of Debian 12's Python."""
    if not folder.exists():
        work = folder.with_suffix(".apt")
        shutil.rmtree(work, ignore_errors=True)
        command = apt(work, source=f"deb-src {archive()} bookworm main")
        # Debian's changes are left out, because they move parts of Python, such as ensurepip, to other packages.
        run(*command, "source", "--download-only", "--tar-only", f"python{PYTHON}", cwd=work)
        (sources,) = work.glob("*.orig.tar.*")
        shutil.unpack_archive(sources, work / "unpacked")
        (unpacked,) = (work / "unpacked").iterdir()
        unpacked.rename(folder)
        shutil.rmtree(work)
    return folder


def compile_python(system: System) -> Path:
    """Compiles Python in a copy of the system; returns the folder that contains it."""
    builder = OUT / f"{system.release}-builder"
    bootstrap(builder, system.release, (*system.packages, *system.compilers))
    made = builder / "opt" / "python"
    if not (made / ".made").exists():
        sources = python_sources(OUT / f"python{PYTHON}")
        target = builder / "opt" / "sources"
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(sources, target, symlinks=True)
        jobs = os.environ.get("JOBS") or str(len(os.sched_getaffinity(0)))
        log = OUT / "python.log"
        with log.open("w") as output:
            command = f"cd /opt/sources && ./configure --prefix=/opt/python && make -j{jobs} && make install"
            done = subprocess.run(inside(builder, command), stdout=output, stderr=output, check=False)
        if done.returncode:
            sys.exit(f"clean_roots: Python does not compile, see {log}")
        (made / ".made").touch()
    return made


def requirements(wheel: Path) -> list[str]:
    """Returns the packages that the wheel with the extra `atari` requires."""
    with zipfile.ZipFile(wheel) as contents:
        (name,) = (name for name in contents.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = email.message_from_bytes(contents.read(name))
    required = [Requirement(text) for text in metadata.get_all("Requires-Dist", [])]
    environment = {"extra": "atari", "python_version": PYTHON}
    return [f"{one.name}{one.specifier}" for one in required if one.marker is None or one.marker.evaluate(environment)]


def download(wheel: Path, system: System, folder: Path) -> None:
    """Copies the wheel, and downloads the packages that it requires, for the glibc of a system."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(wheel, folder)
    tags = [f"--platform=manylinux_2_{minor}_x86_64" for minor in range(system.glibc, 4, -1)]
    tags += [f"--platform=manylinux{year}_x86_64" for year in (2014, 2010, 1)]
    run(sys.executable, "-m", "pip", "download", "-q", "-d", folder, "--only-binary=:all:", "--implementation=cp",
        f"--python-version={PYTHON}", *tags, *requirements(wheel))  # fmt: skip


def try_wheel(wheel: Path, name: str) -> str:
    """Installs the wheel in a clean system and runs the programs; returns the checksum, or "" if pip refuses."""
    system, root = SYSTEMS[name], OUT / name
    bootstrap(root, system.release, system.packages)
    if system.compilers and not (root / "opt" / "python").exists():
        shutil.copytree(compile_python(system), root / "opt" / "python", symlinks=True)
    work = root / "work"
    download(wheel, system, work / "wheels")
    (work / "first.py").write_text(next(code for code in blocks("README.md", "python")))
    (work / "checksum.py").write_text(CHECKSUM)
    command = f"""
        cd /work && rm -rf env && {system.python} -m venv env
        env/bin/pip install -q --no-index --find-links=wheels '/work/wheels/{wheel.name}[atari]'
        env/bin/python first.py
        env/bin/python checksum.py
        ldd --version | head -n 1
        env/bin/python --version"""
    done = subprocess.run(inside(root, command), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    lines = done.stdout.strip().splitlines()
    if done.returncode and "is not a supported wheel on this platform" in done.stdout:
        print(f"{name}: pip refuses the wheel, whose name says that it needs a newer glibc than 2.{system.glibc}")
        return ""
    if done.returncode:
        sys.exit(f"{name}: failed with status {done.returncode}:\n{done.stdout}")
    checksum, glibc, python = lines[-3:]
    print(f"{name}: {python}, {glibc}: installed {wheel.name}; the first program ran; checksum {checksum[:16]}")
    return checksum


def main(arguments: list[str]) -> None:
    """Tries the wheel in each system; exits with status 1 unless it ran in one, and with equal checksums."""
    wheels = [Path(argument) for argument in arguments if argument.endswith(".whl")]
    names = [argument for argument in arguments if not argument.endswith(".whl")] or list(SYSTEMS)
    if len(wheels) != 1 or not set(names) <= set(SYSTEMS):
        sys.exit(f"clean_roots: expected a wheel and names of {', '.join(SYSTEMS)}, got {' '.join(arguments)}")
    if f"-cp{PYTHON.replace('.', '')}-" not in wheels[0].name:
        sys.exit(f"clean_roots: expected a wheel for Python {PYTHON}, got {wheels[0].name}")
    if os.geteuid() != 0:
        sys.exit("clean_roots: run this as root, because it calls mmdebstrap and chroot")
    require(PROGRAMS)
    checksums = {checksum for name in names if (checksum := try_wheel(wheels[0].resolve(), name))}
    sys.exit(len(checksums) != 1)


if __name__ == "__main__":
    main(sys.argv[1:])
