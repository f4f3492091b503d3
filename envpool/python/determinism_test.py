# SPDX-License-Identifier: Apache-2.0
"""A trajectory depends on id, options, seed, environment and actions, and on nothing else.

Tasks are played by every number of threads and batch size, synchronously and asynchronously, with actions that are a
function of environment and step alone. The hash of all observations, rewards and ends is the same for all of them, and
for most it is a constant (testing/golden.csv): whoever changes it changes what users train on.

The list of tasks is made of the registry: one id of each portable table, and the known hard ones of MuJoCo. Of all
other ids two are played, which are others each day. With ENVPOOL_TEST_TRAJECTORIES=whole all ids are played in every
way, else the hard ones are, and the others in a few.
"""

import os

import pytest

import envpool
from envpool.python.registry import find
from envpool.testing.trajectories import ALWAYS, NUM_ENVS, STEPS, golden, golden_ids, hash_of, play, todays_ids

WHOLE = os.environ.get("ENVPOOL_TEST_TRAJECTORIES") == "whole"
TODAY = todays_ids(WHOLE)
WAYS = [(threads, batch) for threads in (1, 2, 3, 8) for batch in (NUM_ENVS, 1, 5)]
FEW_WAYS = [(1, 1), (2, 5), (3, NUM_ENVS), (8, 1)]


def test_every_family_is_played() -> None:
    assert {find(task_id).family for task_id in envpool.list_all_envs()} == {find(i).family for i in TODAY}
    assert "tag" in {find(i).family for i in ALWAYS}
    assert "ControlSuite" in {find(i).table for i in ALWAYS}


def test_golden_hashes_are_of_all_portable_tables() -> None:
    assert golden().keys() == set(golden_ids()), "run `make generated`"


@pytest.mark.parametrize("task_id", TODAY)
def test_every_way_of_playing_gives_the_same(task_id: str) -> None:
    want = play(task_id, 1, NUM_ENVS)
    assert [len(rows) for rows in want] == [STEPS + 1] * NUM_ENVS
    for threads, batch_size in WAYS if WHOLE or task_id in ALWAYS else FEW_WAYS:
        got = play(task_id, threads, batch_size)
        # The last rows cannot fill a batch that does not divide them.
        assert sum(map(len, got)) > 0.7 * NUM_ENVS * STEPS
        for env_id in range(NUM_ENVS):
            rows = len(got[env_id])
            assert got[env_id] == want[env_id][:rows], (threads, batch_size, env_id)
            assert rows == STEPS + 1 or batch_size == 5
    if task_id in golden():
        assert golden()[task_id] == hash_of(want), f"{task_id} is no longer what it was"


@pytest.mark.parametrize("task_id", [i for i in ALWAYS if i not in ("Counter-v1", "TagGridWorld-v0")])  # draw nothing
def test_seeds_matter(task_id: str) -> None:
    first, second = play(task_id, 1, NUM_ENVS, seed=1), play(task_id, 1, NUM_ENVS, seed=2)
    assert first != second
    assert len({tuple(rows) for rows in first}) > 1
