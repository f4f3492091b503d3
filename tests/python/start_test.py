# SPDX-License-Identifier: Apache-2.0
"""Tests the time to import envpool and to make a pool.

Both are measured in CPU time, because other programs may share the machine. The limits are multiples of the time that
the import of NumPy takes, so that they suit any machine. Other programs also delay accesses to memory, so each time is
the shortest of several.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys

import pytest

# NumPy's import takes 100 ms of CPU time on a fast machine, where these limits are 150 ms and 50 ms.
IMPORT_RATIO, MAKE_RATIO = 1.5, 0.5
ATTEMPTS = 10  # the most measurements of a time that is above its limit

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


def output_of(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def numpy_seconds() -> float:
    return min(float(output_of(IMPORT.format("numpy"))) for _ in range(3))


def test_import(numpy_seconds: float) -> None:
    ours = math.inf
    for _ in range(ATTEMPTS):
        ours = min(ours, float(output_of(IMPORT.format("envpool"))))
        if ours < IMPORT_RATIO * numpy_seconds:
            return
    pytest.fail(f"{ours:.3f} s, while NumPy takes {numpy_seconds:.3f} s")


def test_make(numpy_seconds: float) -> None:
    slow: dict[str, float] = {}
    for attempt in range(ATTEMPTS):
        took = json.loads(output_of(MAKE))
        assert len(took) > 40
        above = {task_id: seconds for task_id, seconds in took.items() if seconds > MAKE_RATIO * numpy_seconds}
        slow = above if attempt == 0 else {task_id: slow[task_id] for task_id in slow.keys() & above.keys()}
        if not slow:
            return
    assert slow == {}


def test_importing_envpool_imports_nothing_large() -> None:
    code = "import envpool, sys; print(*({'numpy', 'gymnasium', 'gym', 'dm_env', 'jax', 'torch'} & {*sys.modules}))"
    assert output_of(code).split() == []
