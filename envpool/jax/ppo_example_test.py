# SPDX-License-Identifier: Apache-2.0
"""Tests that a killed and resumed training run of examples/ppo_jax.py has the same results as an uninterrupted one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import envpool
from envpool.testing.kill_while_saving import KILL_WHILE_SAVING

for package in ("jax", "optax", "tqdm", "matplotlib"):
    pytest.importorskip(package)
SOURCE = os.environ.get("ENVPOOL_SOURCE_DIR")
if SOURCE is None:
    pytest.skip("ENVPOOL_SOURCE_DIR does not say where the sources are", allow_module_level=True)
EXAMPLE = Path(SOURCE, "examples", "ppo_jax.py")
UPDATES = 10
OPTIONS = ["--num_envs=4", "--num_steps=32", f"--total_timesteps={4 * 32 * UPDATES}", "--gamma=0.9,0.99", "--seeds=2"]
OPTIONS += ["--width=8", "--eval_episodes=2", "--video="]


@pytest.fixture
def train(tmp_path):
    """Returns a function that runs the example, compiled once and without optimisation."""
    environ = {
        **os.environ,
        "JAX_COMPILATION_CACHE_DIR": str(tmp_path / "compiled"),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "XLA_FLAGS": "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true",
        "PYTHONPATH": os.pathsep.join([str(EXAMPLE.parent), str(Path(envpool.__file__).parent.parent)]),
    }

    def run(out, *options, program=(EXAMPLE,)):
        command = [sys.executable, *program, *OPTIONS, f"--out={out}", *options]
        return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=300)

    return run


def arrays(path):
    with np.load(path) as file:
        return {name: (file[name].dtype, file[name].shape, file[name].tobytes()) for name in file.files}


def updates(out):
    with np.load(out / "checkpoint.npz") as file:
        return int(file["arr_0"])


def test_killed_and_resumed(train, tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    alone = train(whole, "--save_every=3")
    assert alone.returncode == 0, alone.stderr

    killed = train(parts, "--save_every=3", program=("-c", KILL_WHILE_SAVING, EXAMPLE))
    assert killed.returncode == -9, killed.stderr
    assert (parts / "checkpoint.new").exists()
    assert updates(parts) == 6

    other = train(parts, "--resume", "--num_envs=8")
    assert other.returncode == 1
    assert other.stderr.strip() == f"--resume: {parts}/checkpoint.npz has num_envs 4, not 8"

    whole_file = (parts / "checkpoint.npz").read_bytes()
    for damaged in (b"", b"PK", whole_file[:-100], whole_file[:3000] + bytes(100) + whole_file[3100:]):
        (parts / "checkpoint.npz").write_bytes(damaged)
        refused = train(parts, "--resume")
        assert refused.returncode == 1
        assert refused.stderr.startswith(f"--resume: {parts}/checkpoint.npz is damaged"), refused.stderr
    (parts / "checkpoint.npz").write_bytes(whole_file)

    resumed = train(parts, "--resume", "--save_every=2")  # with another number of updates per compiled call
    assert resumed.returncode == 0, resumed.stderr
    assert updates(parts) == UPDATES
    for name in ("checkpoint.npz", "curves.npz"):
        assert arrays(parts / name) == arrays(whole / name), name
    assert resumed.stdout.splitlines()[1:] == alone.stdout.splitlines()[1:]  # the first line has times
