# SPDX-License-Identifier: Apache-2.0
"""Tests the interfaces with old and new packages, for each Python of this machine: ``python tools/matrix.py [PYTHON ...]``.

Each Python is tested with three sets of packages: the oldest supported versions that have wheels for this Python,
versions in between, and the newest. The package is compiled for each Python, faster if ccache is installed. A table is
printed at the end.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from wheels import ROOT, VERSIONS, compiler_cache, find_pythons

OUT = ROOT / "build" / "matrix"
INTERFACES = [
    f"tests.python.{name}_test" for name in ["registry", "specs", "interfaces", "batches", "episodes", "copies"]
]
JAX = "CartPole or offsets or inside or equal_calls or errors or refused or succeed or lifetime"

# The oldest versions with wheels for a Python; the Pythons not listed use those of 3.10.
OLDEST = {
    "3.10": {"numpy": "1.26.4", "gymnasium": "1.0.0", "jax": "0.4.38"},
    "3.13": {"numpy": "2.1.3", "gymnasium": "1.0.0", "jax": "0.4.38"},
    "3.14": {"numpy": "2.3.5", "gymnasium": "1.0.0", "jax": "0.8.0"},
}
BETWEEN = {"numpy": "2.2.6", "gymnasium": "1.2.3", "jax": "0.6.2"}
NEWEST = {"numpy": "", "gymnasium": "", "jax": ""}


def rows(version: str) -> dict[str, dict[str, str]]:
    """Returns the sets of package versions with which a Python is tested; "" is the newest version."""
    between = {} if version == "3.14" else {"between": BETWEEN}
    return {"oldest": OLDEST.get(version, OLDEST["3.10"]), **between, "newest": NEWEST}


def run(log: Path, *command: str | Path, env: dict[str, str] | None = None, cwd: Path = ROOT) -> bool:
    """Runs a command with its output in a file; returns whether it succeeded."""
    with log.open("a") as output:
        done = subprocess.run(
            list(map(str, command)), stdout=output, stderr=output, env={**os.environ, **(env or {})}, cwd=cwd
        )
    return done.returncode == 0


def compile_for(version: str, python: Path) -> Path | None:
    """Returns the wheel for a Python, built with the libraries for tests, or None if it cannot be built."""
    folder, log = OUT / f"wheel-{version}", OUT / f"wheel-{version}.log"
    shutil.rmtree(folder, ignore_errors=True)
    built = run(
        log, python, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, f"--config-settings=build-dir={OUT / 'cmake'}", ROOT,
        env={"ENVPOOL_TESTING": "1", **compiler_cache()},
    )  # fmt: skip
    return next(folder.glob("*.whl")) if built else None


def test(version: str, python: Path, wheel: Path, name: str, packages: dict[str, str]) -> str:
    """Runs the tests in an environment; returns "passed" or what failed, and the installed versions."""
    folder, log = OUT / f"venv-{version}-{name}", OUT / f"{version}-{name}.log"
    shutil.rmtree(folder, ignore_errors=True)
    inside = folder / "bin" / "python"
    pins = [f"{package}=={pin}" if pin else package for package, pin in packages.items()]
    installed = run(log, python, "-m", "venv", folder) and run(
        log,
        inside,
        "-m",
        "pip",
        "install",
        "-q",
        "--only-binary=numpy,jaxlib,ale-py",
        *pins,
        f"{wheel}[atari]",
        "pytest==9.2.0",
    )
    if not installed:
        return f"cannot be installed: see {log}"
    versions = "import importlib.metadata as m, sys; print(*(f'{p} {m.version(p)}' for p in sys.argv[1:]), sep=', ')"
    found = subprocess.check_output([inside, "-c", versions, *packages], text=True).strip()
    site = next((folder / "lib").glob("python3*")) / "site-packages"
    (site / "tests").symlink_to(ROOT / "tests")
    pytest: list[str | Path] = [
        inside,
        "-m",
        "pytest",
        "-c",
        ROOT / "pyproject.toml",
        f"--rootdir={site}",
        "-q",
        "-p",
        "no:cacheprovider",
        "-W",
        "ignore",
    ]
    env = {
        "ENVPOOL_TEST_LIB_DIR": str(OUT / "cmake" / "test_libs"),
        "ENVPOOL_SOURCE_DIR": str(ROOT),
        "PYTHONSAFEPATH": "1",
    }
    suites = {"interfaces": INTERFACES, "jax": ["tests.jax", "-k", JAX]}
    failed = [
        suite for suite, chosen in suites.items() if not run(log, *pytest, "--pyargs", *chosen, env=env, cwd=site)
    ]
    return f"{found}: {'failed: ' + ', '.join(failed) + f', see {log}' if failed else 'passed'}"


def main(arguments: list[str]) -> None:
    """Tests every environment; exits with status 1 if any failed."""
    OUT.mkdir(parents=True, exist_ok=True)
    pythons, lines = find_pythons(), []
    for version in arguments or ["{}.{}".format(*pair) for pair in VERSIONS]:
        if version not in pythons:
            lines.append(f"Python {version}: not installed here")
        elif (wheel := compile_for(version, pythons[version])) is None:
            lines.append(f"Python {version}: failed to compile, see {OUT / f'wheel-{version}.log'}")
        else:
            for name, packages in rows(version).items():
                lines.append(f"Python {version}, {name}: {test(version, pythons[version], wheel, name, packages)}")
                print(lines[-1], flush=True)
    print("\n".join(["", *lines]))
    sys.exit(any("failed" in line or "cannot" in line for line in lines))


if __name__ == "__main__":
    main(sys.argv[1:])
