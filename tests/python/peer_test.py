# SPDX-License-Identifier: Apache-2.0
"""Compares this package with the released EnvPool: options, spaces, specs, info, attributes and imports.

Each id that both packages have is described by each package in a process of its own, and the descriptions are compared.
Our description must contain everything in EnvPool's, and may contain more. tests/python/differences.py and the table
of docs/migration.md list the intended differences, each with a reason. ENVPOOL_PEER_PYTHON names the interpreter with
the released EnvPool (`make test-peer`). Without it, only a few ids, of different kinds, are compared with a recording
of EnvPool's descriptions (peer_facts.json).
"""

import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

import envpool
from tests.python import describe
from tests.python.differences import ABSENT, ON_PURPOSE, differences, explain, table

PEER = os.environ.get("ENVPOOL_PEER_PYTHON", "")
FACTS = Path(describe.__file__).with_name("peer_facts.json")
# The ids in the recording, of different kinds. To record the file again, write tell(PEER, *RECORDED) as JSON.
RECORDED = ("CartPole-v1", "Acrobot-v1", "FrozenLake-v1", "CliffWalking-v1", "Pong-v5", "HalfCheetah-v4", "Hopper-v3")
RECORDED += ("CheetahRun-v1", "DogWalk-v1")


def run(python, *arguments):
    displays = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")  # the modes of rendering depend on them
    unset = {*displays, "PYTHONPATH"} if python == PEER else {*displays}
    clean = {key: value for key, value in os.environ.items() if key not in unset}
    done = subprocess.run([python, describe.__file__, *arguments], capture_output=True, text=True, env=clean)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def tell(python, *task_ids):
    """Returns descriptions by id. The description of the package itself is under the key ""."""
    return {"": run(python, "package"), **run(python, "describe", *task_ids)}


def compared(theirs, ours):
    """Returns the unexplained differences, and the explanations that were needed."""
    unexplained, needed = defaultdict(list), set()
    for task_id, record in theirs.items():
        mine = ours[task_id]
        if task_id == "":
            record, mine = in_order(record, mine)
        for path, their, our in differences(record, mine):
            entry = explain(task_id, path, their, our)
            if entry is None:
                unexplained[f"{path}: theirs {their}, ours {our}"].append(task_id)
            else:
                needed.add(entry.what)
    return dict(unexplained), needed


def in_order(theirs, ours):
    """Removes names that only our lists have, to compare the order of the others. Returns both descriptions."""
    key = "order of names"
    kept = {name: [entry for entry in ours[key][name] if entry in set(listed)] for name, listed in theirs[key].items()}
    return theirs, {**ours, key: kept}


@pytest.fixture(scope="module")
def ours_of_recorded():
    return tell(sys.executable, *RECORDED)


def test_recorded_ids(ours_of_recorded):
    theirs = json.loads(FACTS.read_text())
    assert theirs.keys() == {"", *RECORDED}
    assert compared(theirs, ours_of_recorded)[0] == {}


def test_a_new_difference_is_found(ours_of_recorded):
    """Tests that a value that is missing or different in our description is reported, at any depth."""
    theirs = json.loads(FACTS.read_text())
    places = 0
    for task_id in ("CartPole-v1", "Pong-v5"):
        for changed in broken(ours_of_recorded[task_id]):
            places += bool(compared({task_id: theirs[task_id]}, {task_id: changed})[0])
    lacking = json.loads(json.dumps(ours_of_recorded))
    del lacking["CartPole-v1"]["dm"]["attributes"]["async_reset"]
    lacking["Pong-v5"]["gymnasium"]["step"]["4"]["lives"] = "int64 [3]"
    lacking[""]["order of names"]["envpool"].reverse()
    wrong = compared(theirs, lacking)[0]
    assert any(line.startswith("dm/attributes/async_reset: theirs True, ours absent") for line in wrong)
    assert any("step/4/lives: theirs int32 [3], ours int64 [3]" in line for line in wrong)
    assert any(line.startswith("order of names/envpool") for line in wrong)
    assert places > 300


def broken(record, path=()):
    """Yields copies of a description, in each of which one value is changed."""
    for key, value in record.items():
        if isinstance(value, dict):
            for changed in broken(value):
                yield {**record, key: changed}
        else:
            yield {**record, key: "something else"}


def test_explanations():
    assert explain("Pong-v5", "spec/config/stack_num", 4, 3) is None
    assert explain("Pong-v5", "spec/config/num_threads", 0, 2).ours == "the number of threads"
    assert explain("CartPole-v1", "dm/observation_spec/obs", {"shape": [4]}, ABSENT) is None
    assert explain("Hopper-v3", "spec/reward_threshold", 6000.0, 3800.0).reason == "gymnasium has this value"


def test_the_documentation_has_the_table_of_differences():
    source = os.environ.get("ENVPOOL_SOURCE_DIR")
    if not source:
        pytest.skip("ENVPOOL_SOURCE_DIR names no checkout")
    assert table() in Path(source, "docs", "migration.md").read_text()


@pytest.mark.skipif(not PEER, reason="ENVPOOL_PEER_PYTHON names no interpreter with the released EnvPool")
def test_every_shared_id():
    theirs = set(run(PEER, "ids"))
    shared = [task_id for task_id in envpool.list_all_envs() if task_id in theirs]
    assert len(shared) >= 200
    record = tell(PEER, *shared)
    recorded = json.loads(FACTS.read_text())
    assert {task_id: record[task_id] for task_id in recorded} == recorded, "peer_facts.json is stale"
    unexplained, needed = compared(record, tell(sys.executable, *shared))
    assert unexplained == {}
    assert needed == {entry.what for entry in ON_PURPOSE}, "an explanation is no longer needed"
