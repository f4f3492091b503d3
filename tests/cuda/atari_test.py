# SPDX-License-Identifier: Apache-2.0
"""Compares a few frames of Atari games on a GPU and a CPU: a sample of games, or all with ENVPOOL_TEST_DEVICE=whole.

The GPU is the stand-in in its flat mode, which is fast because it does not check memory accesses. pool_test.py compares
ten games for longer, and checks memory accesses.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import envpool
from envpool.atari.registration import MULTIPLAYER
from envpool.python.registry import find
from tests.cuda.nvrtc import SOURCE
from tests.standin.driver import STANDIN
from tests.support.samples import DAY

pytest.importorskip("ale_py")

WHOLE = os.environ.get("ENVPOOL_TEST_DEVICE") == "whole"
GAMES = [
    task_id for task_id in envpool.list_all_envs() if task_id.startswith("ALE/") and find(task_id).family == "atari"
]

PROGRAM = """
import sys, warnings
warnings.simplefilter("ignore")
from tests.cuda.device_comparison import compare, pools
for task_id in sys.argv[1:]:
    both = pools(task_id, "next_step", 2)
    found, _ = compare(both, 2, 4)
    assert found.words > 100 and not found.different, (task_id, found)
    both.device.close()
    print(task_id, found.words, flush=True)
"""


@pytest.mark.skipif(SOURCE is None, reason="ENVPOOL_SOURCE_DIR does not say where the sources are")
def test_games_match_the_cpu() -> None:
    several = list(MULTIPLAYER)
    games = [*GAMES, *several] if WHOLE else [*GAMES[::40], several[DAY % len(several)]]
    environment = {**os.environ, "ENVPOOL_LIBCUDA": str(STANDIN), "ENVPOOL_STANDIN_MODE": "flat"}
    command = [sys.executable, "-c", PROGRAM, *games]
    made = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    assert len(made.stdout.splitlines()) == len(games) >= 4
