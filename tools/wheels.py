# SPDX-License-Identifier: Apache-2.0
"""Builds the sdist, and from it a wheel for each Python of this machine: ``python tools/wheels.py [PYTHON ...]``.

Without arguments, it uses every python3.10 to python3.14 on the path or installed by pyenv, and names those that are
missing. `auditwheel` makes each wheel fit for other Linux systems, `twine` checks its metadata, and check_wheel.py checks
its size and tries it in an empty environment. One wheel is also built without a network, in an environment that contains
only the build requirements which the sdist declares, with the release of MuJoCo that the build downloads in a folder. The
results are in build/wheels.

With the argument --glibc=2.31, the wheels also run on systems as old as Debian 11, see old_glibc.py. This needs Debian 12.
"""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import old_glibc

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "wheels"
VERSIONS = [(3, minor) for minor in range(10, 15)]
OTHERS_LIBRARIES = ("libmujoco.so.3.17.0", "libmujoco.so.4.0.0")  # installed by another package
CHECKED_IDS = os.environ.get("WHEELS_CHECKED_IDS", "Pong")  # check_wheel.py tries the ids that contain this


def run(*command: str | Path, log: str, env: dict[str, str] | None = None, cwd: Path = ROOT) -> None:
    """Runs a command with its output in build/wheels/<log>.log; prints that and exits if the command fails."""
    file = OUT / f"{log}.log"
    with file.open("a") as output:
        status = subprocess.run(list(map(str, command)), stdout=output, stderr=output, env=env, cwd=cwd).returncode
    if status:
        sys.exit(f"{file.read_text()[-4000:]}\nfailed: {' '.join(map(str, command))}")


def find_pythons() -> dict[str, Path]:
    """Returns the interpreter of each version that is installed, such as {"3.10": Path("/usr/bin/python3.10")}."""
    found = {}
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    for version in VERSIONS:
        name = "python{}.{}".format(*version)
        candidates = [shutil.which(name), *sorted(map(str, pyenv.glob(f"*/bin/{name}")), reverse=True)]
        for candidate in filter(None, candidates):
            program = "import sys, ensurepip; print(sys.executable, *sys.version_info[:2])"
            output = subprocess.run([candidate, "-c", program], capture_output=True, text=True).stdout.split()
            if output[1:] == list(map(str, version)):
                found["{}.{}".format(*version)] = Path(output[0])
                break
    return found


def new_environment(python: Path, folder: Path, *packages: str | Path, log: str) -> Path:
    """Makes a virtual environment with packages; returns its interpreter."""
    shutil.rmtree(folder, ignore_errors=True)
    run(python, "-m", "venv", folder, log=log)
    inside = folder / "bin" / "python"
    run(inside, "-m", "pip", "install", "-q", "pip>=25.1", log=log)
    run(inside, "-m", "pip", "install", "-q", "--prefer-binary", *packages, log=log)
    return inside


def compiler_cache() -> dict[str, str]:
    """Returns variables that let CMake use ccache, if it is installed: families are the same for all Pythons."""
    return {f"CMAKE_{language}_COMPILER_LAUNCHER": "ccache" for language in ("C", "CXX") if shutil.which("ccache")}


def download_mujoco() -> None:
    """Downloads what third_party/mujoco/download.py downloads: it runs without a network in the build that has none."""
    options = ["-q", "--no-deps", "--only-binary=:all:", "--python-version=3.12", f"--dest={OUT / 'mujoco'}"]
    run(sys.executable, "-m", "pip", "download", *options, "mujoco-core==4.0.0", log="mujoco")


def make_sdist() -> tuple[Path, Path]:
    """Returns the sdist, and the folder into which it is unpacked."""
    run(sys.executable, "-m", "build", "--sdist", "-o", OUT, ".", log="sdist")
    (sdist,) = OUT.glob("*.tar.gz")
    source = OUT / "source"
    with tarfile.open(sdist) as archive:
        if hasattr(tarfile, "data_filter"):
            archive.extraction_filter = tarfile.data_filter
        archive.extractall(OUT)
    (OUT / sdist.name.removesuffix(".tar.gz")).rename(source)
    return sdist, source


def build(version: str, python: Path, source: Path, offline: bool, options: list[str]) -> Path:
    """Builds and returns a wheel for one Python. If `offline`, the build has no network."""
    log, made = f"cp{version}", OUT / "made"
    requirements = build_requirements(source)
    # The build backend asks for CMake and Ninja if the system has none.
    inside = new_environment(python, OUT / f"venv-{version}", *requirements, "cmake>=3.21", "ninja>=1.11", log=log)
    env = {
        **os.environ,
        **compiler_cache(),
        "PIP_FIND_LINKS": str(OUT / "mujoco"),
        "PATH": f"{inside.parent}{os.pathsep}{os.environ['PATH']}",
    }
    command: list[str | Path] = [inside, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-w", made, source]
    if offline:
        command = ["unshare", "--map-root-user", "--net", *command, "--no-index"]
    definitions = [f"-Ccmake.define.{option.removeprefix('-D')}" for option in options]
    run(*command, f"-Cbuild-dir={OUT / 'cmake'}", *definitions, log=log, env=env)
    (wheel,) = made.glob(f"*-cp{version.replace('.', '')}-*.whl")
    repair: list[str | Path] = [
        sys.executable,
        "-m",
        "auditwheel",
        "repair",
        *(f"--exclude={library}" for library in OTHERS_LIBRARIES),
        "-w",
        OUT,
        wheel,
    ]
    tools = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    run(*repair, log=log, env=tools)
    (repaired,) = OUT.glob(f"*-cp{version.replace('.', '')}-*.whl")
    return repaired


def build_requirements(source: Path) -> list[str]:
    """Returns what the sdist declares in [build-system]."""
    lines = [line for line in (source / "pyproject.toml").read_text().splitlines() if line.startswith("requires = [")]
    return list(ast.literal_eval(lines[0].removeprefix("requires = ")))


def main(arguments: list[str]) -> None:
    """Builds and checks everything; exits with status 1 after the first failure."""
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    options = old_glibc.cmake_options() if "--glibc=2.31" in arguments else []
    arguments = [argument for argument in arguments if argument != "--glibc=2.31"]
    pythons = find_pythons()
    if arguments:
        pythons = {version: python for version, python in pythons.items() if version in arguments}
    missing = [version for version in (arguments or ["{}.{}".format(*v) for v in VERSIONS]) if version not in pythons]
    download_mujoco()
    sdist, source = make_sdist()
    print(f"{sdist.name}: {sdist.stat().st_size / 1e6:.2f} MB", flush=True)
    can_isolate = subprocess.run(["unshare", "--map-root-user", "--net", "true"], capture_output=True).returncode == 0
    for number, (version, python) in enumerate(pythons.items()):
        started, offline = time.perf_counter(), number == 0 and can_isolate
        wheel = build(version, python, source, offline, options)
        run(sys.executable, "-m", "twine", "check", "--strict", wheel, sdist, log="twine")
        inside = new_environment(python, OUT / f"empty-{version}", f"{wheel}[atari]", log=f"cp{version}")
        check: list[str | Path] = [
            inside,
            ROOT / "tools" / "check_wheel.py",
            f"--wheel={wheel}",
            f"--only={CHECKED_IDS}",
        ]
        run(*check, log=f"cp{version}", env={**os.environ, "PYTHONSAFEPATH": "1"}, cwd=OUT)
        size, seconds = wheel.stat().st_size / 1e6, time.perf_counter() - started
        print(
            f"{wheel.name}: {size:.2f} MB, {seconds:.0f} s{', built without a network' if offline else ''}", flush=True
        )
    for version in missing:
        print(f"no wheel for Python {version}, which is not installed here")
    sys.exit(not pythons)


if __name__ == "__main__":
    main(sys.argv[1:])
