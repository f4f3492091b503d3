# SPDX-License-Identifier: Apache-2.0
"""Compares the missions of all ids with those of the released EnvPool (`make test-peer`).

The released EnvPool runs in the interpreter that ENVPOOL_PEER_PYTHON names. It draws levels with another generator, so
the test compares the set of all missions, each as a pair of its sentence and its number.
"""

import json
import os
import subprocess
import sys

import pytest

import envpool

PEER = os.environ.get("ENVPOOL_PEER_PYTHON", "")
SCRIPT = """
import json, sys
import envpool
mission_ids = {}
for task_id in sys.argv[1:]:
    observation, info = envpool.make_gymnasium(task_id, num_envs=600, num_threads=1).reset()
    missions = [bytes(row).rstrip(b"\\0").decode() for row in observation["mission"]]
    mission_ids[task_id] = sorted(set(zip(missions, info["mission_id"].tolist())))
print(json.dumps(mission_ids))
"""
# One id for each set of missions.
TASKS = [
    *("Fetch-5x5-N2", "Fetch-8x8-N3", "GoToDoor-6x6", "GoToObject-8x8-N2", "PutNear-6x6-N2", "PutNear-8x8-N3"),
    *("Empty-5x5", "DoorKey-8x8", "LavaGapS5", "FourRooms", "LockedRoom", "MemoryS7", "KeyCorridorS3R1", "Playground"),
    *("RedBlueDoors-6x6", "MultiRoom-N2-S4", "ObstructedMaze-1Dl", "Unlock", "UnlockPickup", "BlockedUnlockPickup"),
]
TASKS = [f"MiniGrid-{name}-v0" for name in TASKS] + ["BabyAI-GoToRedBlueBall-v0", "BabyAI-OpenRedDoor-v0"]

pytestmark = pytest.mark.skipif(not PEER, reason="ENVPOOL_PEER_PYTHON names no interpreter with the released EnvPool")


def run(python, *arguments):
    clean = {key: value for key, value in os.environ.items() if python != PEER or key != "PYTHONPATH"}
    done = subprocess.run([python, *arguments], capture_output=True, text=True, env=clean)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_missions_have_the_numbers_of_envpool():
    theirs, ours = run(PEER, "-c", SCRIPT, *TASKS), run(sys.executable, "-c", SCRIPT, *TASKS)
    for task_id in TASKS:
        theirs_of, ours_of = dict(theirs[task_id]), dict(ours[task_id])
        both = theirs_of.keys() & ours_of.keys()
        assert len(both) > 0.6 * len(theirs_of), task_id
        assert {mission: theirs_of[mission] for mission in both} == {mission: ours_of[mission] for mission in both}


def test_every_id_of_envpool_is_there():
    code = "import envpool, json; print(json.dumps(envpool.list_all_envs()))"
    theirs = {task_id for task_id in run(PEER, "-c", code) if task_id.startswith(("MiniGrid-", "BabyAI-"))}
    missing = theirs - set(envpool.list_all_envs())
    assert {task_id for task_id in missing if not task_id.startswith("MiniGrid-WFC-")} == set()
