# SPDX-License-Identifier: Apache-2.0
"""Tests that results do not depend on the compiler or the optimization level.

Builds each family with several compilers and compares the trajectories of its environments with those of the installed
build. The registry names the families and environments.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import envpool
from envpool import _core
from envpool.plugins import compiling
from envpool.python.construction import Construction
from envpool.python.registry import find
from envpool.python.spaces import ArraySpecs
from tests.support.trajectories import OPTIONS, representatives

SOURCE = os.environ.get("ENVPOOL_SOURCE_DIR")
FLAGS = ["-std=c++20", "-ffp-contract=off", "-fPIC", "-shared", "-fvisibility=hidden", "-fno-sanitize=all"]
# This clang cannot link __builtin_cpu_supports, so it builds without AVX2. Its scalar code is compared with vector code.
COMPILERS = {
    "gcc": ["g++"],
    "clang": [sys.executable, "-m", "ziglang", "c++", "-DENVPOOL_AVX2=0"],
    # As a GPU compiler sees the source: with a switch instead of computed gotos, fewer inlined functions, no vector
    # code.
    "device": ["g++", "-D__CUDACC__", "-D__host__=", "-D__device__="],
}
# The installed build, which is the reference, is g++ -O3, or clang++ -O3 with vector code.
BUILDS = [("gcc", "-O1"), ("clang", "-O1"), ("clang", "-O3"), ("device", "-O1")]
NUM_ENVS, STEPS = 6, 120
# The tests use one id of each portable table, and these further ids, which cover other code paths. MuJoCo is left out,
# because its library is not built here.
MORE = {
    "atari": ["Breakout-v5", "MsPacman-v5"],
    "toy_text": ["CliffWalkingSlippery-v1"],
    "minatar": ["Freeway-MinAtar"],
}
ROLLOUTS = {
    family: ids + MORE.get(family, [])
    for family, ids in representatives().items()
    if family not in ("", "mujoco", "vizdoom")
}

pytestmark = pytest.mark.skipif(SOURCE is None, reason="needs the sources: ENVPOOL_SOURCE_DIR")


def rollout(table: _core.Table, task_id: str) -> str:
    """Returns a hash of the observations, rewards and end flags of a few episodes."""
    *_, (options,) = Construction(find(task_id), OPTIONS.get(task_id, {})).core_task
    spec = envpool.make_spec(task_id, **OPTIONS.get(task_id, {}))
    space, rows = spec.gymnasium_action_space, NUM_ENVS * spec.arrays.actors
    observations = [field.name for field in ArraySpecs.from_json(table.spec(options)).observations]
    outputs = [*observations, "reward", "terminated", "truncated"]
    pool = _core.Pool(
        tasks=[(table, task_id, NUM_ENVS, [options])],
        label=task_id,
        batch_size=0,
        num_threads=1,
        thread_cpus=[],
        seeds=[5] * NUM_ENVS,
        streams=list(range(NUM_ENVS)),
        autoreset=0,
        max_episode_steps=[50] * NUM_ENVS,
        outputs=outputs,
        statistics={"episode_return": False, "obs_name": "", "obs": None, "reward": None},
    )
    random = np.random.default_rng(0)
    digest = hashlib.sha256()
    pool.reset()
    arrays = pool.recv()
    for _ in range(STEPS):
        for array in arrays:
            digest.update(array.tobytes())
        if hasattr(space, "n"):
            action = random.integers(0, space.n, rows)
        elif hasattr(space, "nvec"):
            action = random.integers(0, space.nvec, (rows, *space.shape))
        else:
            action = random.uniform(space.low, space.high, (rows, *space.shape))
        arrays = pool.step(action)
    pool.close()
    return digest.hexdigest()


@pytest.mark.sampled(one_in=11)
@pytest.mark.parametrize(
    ("family", "compiler", "optimisation"), [(family, *build) for family in ROLLOUTS for build in BUILDS]
)
def test_every_compiler_produces_the_same_bits(
    family: str, compiler: str, optimisation: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = COMPILERS[compiler]
    if command[0] == "g++" and shutil.which("g++") is None:
        pytest.skip("needs g++")
    folder = Path(SOURCE, "envpool", family)
    sources = [folder / "plugin.cc", *folder.glob("*/*.cc")]
    library = tmp_path / f"{compiler}{optimisation}.so"
    subprocess.run([*command, *FLAGS, optimisation, f"-I{SOURCE}", *map(str, sources), "-o", str(library)], check=True)
    built = {table.name: table for table in _core.load_plugin(str(library))}
    for task_id in ROLLOUTS[family]:
        shipped = find(task_id).load()
        expected = rollout(shipped, task_id)
        if compiler == "device":  # devices do not run ROMs as native code either
            monkeypatch.setenv("ENVPOOL_ATARI_NATIVE", "0")
        assert rollout(built[shipped.name], task_id) == expected, task_id
        monkeypatch.undo()


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_the_flags_keep_roundings_to_f32(tmp_path: Path) -> None:
    """GCC 12 stores x and y unrounded if its SLP vectorizer is on."""
    source, library = tmp_path / "round.cc", tmp_path / "round.so"
    source.write_text('extern "C" void round_two(double* o, double x, double y) { o[0] = float(x), o[1] = float(y); }')
    subprocess.run(["g++", *compiling.FLAGS, "-fvisibility=default", "-shared", source, "-o", library], check=True)
    rounded = (ctypes.c_double * 2)()
    ctypes.CDLL(str(library)).round_two(rounded, ctypes.c_double(0.1), ctypes.c_double(0.3))
    assert list(rounded) == [np.float32(0.1), np.float32(0.3)]
