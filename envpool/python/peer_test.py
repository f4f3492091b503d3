# SPDX-License-Identifier: Apache-2.0
"""What a script written for EnvPool reads: options and their defaults, spaces, specs, info, attributes.

Each id that the released EnvPool has too is described by both packages, in a process each, and compared. Whatever
theirs has, ours must have, and equal; ours may have more. What differs on purpose is named here. The interpreter that
has theirs is named by ENVPOOL_PEER_PYTHON (`make test-peer`).
"""

import json
import os
import subprocess
import sys

import pytest

import envpool
from envpool.testing import describe

PEER = os.environ.get("ENVPOOL_PEER_PYTHON", "")
pytestmark = pytest.mark.skipif(not PEER, reason="ENVPOOL_PEER_PYTHON names no interpreter with the released EnvPool")

ON_PURPOSE = {
    "base_path",  # where their assets lie; ours has none to look for
    "num_threads",  # 0 is theirs to the end; ours tells how many there are
}


@pytest.fixture(scope="module")
def both():
    def run(python, *arguments):
        clean = {key: value for key, value in os.environ.items() if python != PEER or key != "PYTHONPATH"}
        program = [python, describe.__file__, *arguments]
        done = subprocess.run(program, capture_output=True, text=True, env=clean)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    theirs = set(run(PEER, "ids"))
    shared = [task_id for task_id in envpool.list_all_envs() if task_id in theirs]
    assert len(shared) >= 120
    return run(PEER, "describe", *shared), run(sys.executable, "describe", *shared)


def missing(theirs, ours, path=""):
    """Tells what theirs has and ours has not, or has otherwise."""
    if not isinstance(theirs, dict) or not isinstance(ours, dict):
        return [] if theirs == ours else [f"{path}: theirs {theirs}, ours {ours}"]
    told = [f"{path}/{key}: theirs {theirs[key]}, ours has none" for key in theirs if key not in ours]
    for key in theirs.keys() & ours.keys() - ON_PURPOSE:
        told += missing(theirs[key], ours[key], f"{path}/{key}")
    return told


def test_every_shared_id(both):
    theirs, ours = both
    wrong = {task_id: missing(theirs[task_id], ours[task_id]) for task_id in theirs}
    assert {task_id: told for task_id, told in wrong.items() if told} == {}
