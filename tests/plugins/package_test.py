# SPDX-License-Identifier: Apache-2.0
"""Tests third-party packages: the example is built and installed as users do it; broken packages do no harm."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import envpool

SOURCE = os.environ.get("ENVPOOL_SOURCE_DIR")
# The folder of the envpool that these tests belong to.
ENVPOOL_PATH = str(Path(envpool.__file__).parent.parent)
needs_source = pytest.mark.skipif(SOURCE is None, reason="needs the sources: ENVPOOL_SOURCE_DIR")


def run(*command: str | Path, path: Path | None = None, **options):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([*([str(path)] if path else []), ENVPOOL_PATH])}
    env["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), env["PATH"]])
    return subprocess.run([*map(str, command)], env=env, capture_output=True, text=True, timeout=600, **options)


@needs_source
@pytest.mark.sampled(one_in=2)
def test_the_package_in_examples(tmp_path):
    """Builds a copy, because a build may write into its folder."""
    for tool in ("scikit_build_core", "pip"):
        pytest.importorskip(tool)
    package = tmp_path / "package"
    shutil.copytree(Path(SOURCE, "examples", "plugin_package"), package)
    site = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-deps", "--no-index"]
    built = run(*install, "--disable-pip-version-check", "--target", site, package)
    assert built.returncode == 0, built.stdout + built.stderr
    installed = {entry.name for entry in (site / "coin_hunt").iterdir()} - {"__pycache__"}
    assert installed == {"__init__.py", "coin_hunt.h", "coin_hunt.so"}
    tests = run(
        sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "coin_hunt_test.py", path=site, cwd=package
    )
    assert tests.returncode == 0, tests.stdout + tests.stderr
    checked = run(sys.executable, "-m", "envpool", "check", "--import", "coin_hunt", path=site, cwd=tmp_path)
    assert checked.stdout.startswith("CoinHunt-v0: no mistake found in "), checked.stderr
    facts = run(sys.executable, "-m", "envpool", "info", "--import", "coin_hunt", "--json", path=site, cwd=tmp_path)
    assert json.loads(facts.stdout)["gpu"], facts.stderr


@needs_source
def test_cmake_alone(tmp_path):
    """CMake finds the package in a folder that the user passes to it, and needs no Python."""
    cmake = shutil.which("cmake", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    if cmake is None:
        pytest.skip("there is no cmake")
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.21)\n"
        "project(one CXX)\n"
        "find_package(envpool CONFIG REQUIRED)\n"
        f'envpool_add_plugin(one "{SOURCE}/examples/plugin_package/src/coin_hunt/plugin.cc")\n'
        "get_target_property(flags envpool::headers INTERFACE_COMPILE_OPTIONS)\n"
        'message(STATUS "flags: ${flags}, type: ${CMAKE_BUILD_TYPE}")\n'
    )
    configured = run(cmake, "-S", tmp_path, "-B", tmp_path / "build", f"-Denvpool_DIR={envpool.get_cmake_dir()}")
    assert configured.returncode == 0, configured.stderr
    flags = "-ffp-contract=off;$<$<CXX_COMPILER_ID:GNU>:-fno-tree-slp-vectorize>"
    assert f"flags: {flags}, type: Release" in configured.stdout


def fake_package(site: Path, name: str, entry_point: str, code: str) -> None:
    (site / f"{name}.py").write_text(textwrap.dedent(code))
    info = site / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[envpool.plugins]\n{name} = {entry_point}\n")


def test_broken_plugins_cause_one_warning_each(tmp_path):
    fake_package(tmp_path, "alpha", "alpha", "raise RuntimeError('no alpha today')")
    fake_package(tmp_path, "beta", "beta:start", "")
    fake_package(tmp_path, "gamma", "gamma:start", "import sys\ndef start(): sys.exit(3)")
    fake_package(
        tmp_path,
        "delta",
        "delta:start",
        """
        import envpool
        def start():
            envpool.register("Delta-v0", __file__, "Delta")
            envpool.register("CartPole-v1", __file__, "Delta")
        """,
    )
    fake_package(tmp_path, "omega", "omega", "import envpool\nenvpool.register('Omega-v0', __file__, 'Omega')")
    fake_package(
        tmp_path, "sigma", "sigma", "import envpool\nenvpool.register('Sigma-v0', '/nowhere/sigma.so', 'Sigma')"
    )
    code = """
        import warnings
        import envpool

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            envpool.make("CartPole-v1").reset()
            for _ in range(2):
                for name in ("Nothing-v0", "Omega-v1"):
                    try:
                        envpool.make(name)
                    except ValueError as error:
                        print(error)
            assert {"Delta-v0", "Omega-v0", "CartPole-v1"} <= set(envpool.list_all_envs())
        for warning in caught:
            assert warning.category is RuntimeWarning
            print(warning.message)
        try:
            envpool.make("Omega-v0")
        except RuntimeError as error:
            print(error)
    """
    done = run(sys.executable, "-c", textwrap.dedent(code), path=tmp_path)
    assert done.returncode == 0, done.stderr
    for name, words in {
        "alpha": "of alpha (alpha) cannot be loaded: RuntimeError: no alpha today",
        "beta": "of beta (beta:start) cannot be loaded: AttributeError",
        "gamma": "of gamma (gamma:start) cannot be loaded: SystemExit: 3",
        "sigma": "of sigma (sigma) cannot be loaded: FileNotFoundError: [Sigma-v0] plugin: expected a shared object",
        "delta": "of delta (delta:start) cannot be loaded: ValueError: [CartPole-v1] task_id: expected an id that is not registered yet",
    }.items():
        assert done.stdout.count(f"[envpool] the plugin '{name}' {words}") == 1, done.stdout
    assert "'Omega-v0'" in done.stdout
    assert f"[Omega-v0] cannot load the plugin {tmp_path}/omega" in done.stdout


def test_a_plugin_cannot_take_the_id_of_a_family():
    """All families are registered before a plugin is; otherwise the plugin would take the id of a family."""
    code = """
        import envpool
        try:
            envpool.register("CartPole-v1", "/nowhere/x.so", "X")
        except ValueError as error:
            print(error)
        envpool.make("CartPole-v1").reset()
    """
    done = run(sys.executable, "-c", textwrap.dedent(code))
    assert done.returncode == 0, done.stderr
    assert "[CartPole-v1] task_id: expected an id that is not registered yet" in done.stdout


@pytest.mark.parametrize("task_id", ["a b", "", "a/b/c", "x\ty", "a:b-v0"])
def test_invalid_ids(task_id):
    with pytest.raises(ValueError, match=r"^\[.*\] task_id: expected letters"):
        envpool.register(task_id, "/nowhere/x.so", "X")
