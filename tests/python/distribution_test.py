# SPDX-License-Identifier: Apache-2.0
"""Tests the name of the distribution, install commands in error texts, and conflicting installations."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import envpool
from envpool.python.distribution import conflict, pip_install

SOURCE = os.environ.get("ENVPOOL_SOURCE_DIR")
PACKAGE = Path(envpool.__file__).parent


def run(*arguments: str, path: str = "", cwd: str = "/") -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONSAFEPATH", "PYTHONPATH")}
    if path:
        env["PYTHONPATH"] = path
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=env, cwd=cwd)


def test_the_name_of_the_distribution() -> None:
    """`pip install envpool` installs the released EnvPool, so no error text may recommend it."""
    installed = importlib.metadata.distribution("envpool-unified")
    assert envpool.__version__ == installed.version
    assert set(importlib.metadata.packages_distributions()["envpool"]) == {"envpool-unified"}
    assert conflict() == ""


@pytest.mark.skipif(SOURCE is None, reason="needs the sources: ENVPOOL_SOURCE_DIR")
def test_install_commands_match_the_extras() -> None:
    tomllib = pytest.importorskip("tomllib")  # new in Python 3.11
    extras = tomllib.loads(Path(SOURCE, "pyproject.toml").read_text())["project"]["optional-dependencies"]
    (jax,), (atari,) = extras["jax"], extras["atari"]
    assert pip_install("jax") == f"pip install '{jax}'"
    assert pip_install("ale-py") == f"pip install {atari}"
    assert pip_install("dm-control", "no_such") == f"pip install {extras['dmc'][1]} no_such"
    wanted: dict[str, str] = {}  # the first requirement of each package: the extra dmc needs an older MuJoCo
    for requirement in (requirement for extra in extras.values() for requirement in extra):
        name, bounds = re.fullmatch(r"([\w.-]+)(.*)", requirement).groups()
        wanted.setdefault(name, bounds)
    for name, bounds in wanted.items():
        assert all(bound in pip_install(name) for bound in bounds.split(","))  # in the order of the metadata


@pytest.fixture
def both(tmp_path: Path) -> str:
    """Returns a path with this package and the metadata of the released EnvPool in the same folder."""
    (tmp_path / "envpool").symlink_to(PACKAGE)
    (tmp_path / "envpool-1.2.5.dist-info").mkdir()
    (tmp_path / "envpool-1.2.5.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: envpool\nVersion: 1.2.5\n"
    )
    return str(tmp_path)


def test_the_released_envpool_in_the_same_folder(both: str) -> None:
    done = run("-c", "import envpool; print(envpool.make('CartPole-v1').reset()[0].shape)", path=both)
    assert done.stdout == "(1, 4)\n"
    assert done.stderr.count("RuntimeWarning") == 1
    for expected in ("envpool 1.2.5", both, "pip uninstall envpool", "envpool-unified"):
        assert expected in done.stderr
    assert run("-W", "error", "-c", "import envpool", path=both).returncode == 1


def test_doctor_reports_the_released_envpool(both: str) -> None:
    pytest.importorskip("typer")
    done = run("-m", "envpool", "doctor", "--json", path=both)
    assert "pip uninstall envpool" in json.loads(done.stdout)["conflict"]
    assert done.returncode == 1
    assert "pip uninstall envpool" in done.stderr


def test_the_released_envpool_elsewhere_is_no_conflict(tmp_path: Path) -> None:
    """In another folder the released EnvPool shares no files with this package."""
    (tmp_path / "envpool-1.2.5.dist-info").mkdir()
    done = run("-W", "error", "-c", "import envpool", path=os.pathsep.join([str(PACKAGE.parent), str(tmp_path)]))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(SOURCE is None, reason="needs the sources: ENVPOOL_SOURCE_DIR")
@pytest.mark.parametrize("arguments", [("-c", "import envpool"), ("-m", "envpool", "doctor"), ("-m", "envpool.cli")])
def test_importing_uncompiled_sources(arguments: tuple[str, ...]) -> None:
    done = run(*arguments, cwd=SOURCE)
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith(f"ImportError: [envpool] import envpool found the uncompiled sources in {SOURCE}/envpool")
    assert f"start Python in a folder other than {SOURCE}" in last
    assert "pip install ." in last
