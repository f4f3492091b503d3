# SPDX-License-Identifier: Apache-2.0
"""Tests the time to import envpool and to make a pool.

Both are measured in CPU time, because other programs may share the machine. The limits are multiples of the time that
the import of NumPy takes, so that they suit any machine.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

# NumPy's import takes 100 ms of CPU time on a fast machine, where these limits are 150 ms and 50 ms.
IMPORT_RATIO, MAKE_RATIO = 1.5, 0.5

IMPORT = """
import time
start = time.process_time()
import {0}
print(time.process_time() - start)
"""
MAKE = """
import json, time
import gymnasium.vector  # its import time is not ours
import envpool
from envpool.python.registry import find
envpool.make("CartPole-v1").close()
took = {}
for task_id in envpool.list_all_envs():
    registration = find(task_id)
    if registration.family in ("", "atari"):
        continue
    try:
        portable = registration.load().flags & 1
    except RuntimeError:  # its package is not installed
        continue
    if portable:
        start = time.process_time()
        env = envpool.make(task_id)
        took[task_id] = time.process_time() - start
        env.close()
print(json.dumps(took))
"""


def answer(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def numpy_seconds() -> float:
    return min(float(answer(IMPORT.format("numpy"))) for _ in range(3))


def test_import(numpy_seconds: float) -> None:
    ours = min(float(answer(IMPORT.format("envpool"))) for _ in range(3))
    assert ours < IMPORT_RATIO * numpy_seconds


def test_make(numpy_seconds: float) -> None:
    first, second = (json.loads(answer(MAKE)) for _ in range(2))
    took = {task_id: min(first[task_id], second[task_id]) for task_id in first}
    assert len(took) > 40
    assert {task_id: seconds for task_id, seconds in took.items() if seconds > MAKE_RATIO * numpy_seconds} == {}


def test_importing_envpool_imports_nothing_large() -> None:
    code = "import envpool, sys; print(*({'numpy', 'gymnasium', 'gym', 'dm_env', 'jax', 'torch'} & {*sys.modules}))"
    assert answer(code).split() == []
