# SPDX-License-Identifier: Apache-2.0
"""Tests that a trajectory depends only on id, options, seed, the environment's index, and actions.

Tasks run with several numbers of threads and batch sizes, synchronously and asynchronously, with actions that are a
function of environment and step. The hash of all observations, rewards and flags must be the same for all of them. For
most ids it must also equal a constant (support/golden.csv), because a change affects what users train on. That is tested
every day.

The tasks are the ids in ALWAYS (support/trajectories.py), one id of each other portable environment, and two more ids,
which change from day to day. The ids in ALWAYS run with every combination of threads and batch size, the others with a
few combinations. With ENVPOOL_TEST_SAMPLES=whole, all ids run with every combination.
"""

import os
import platform

import pytest

import envpool
from envpool.python.registry import find
from tests.support.samples import WHOLE
from tests.support.trajectories import ALWAYS, NUM_ENVS, STEPS, golden, golden_ids, hash_of, is_here, play, todays_ids

TODAY = todays_ids(whole=WHOLE)
THREADS_AND_BATCHES = [(threads, batch) for threads in (1, 2, 3, 8) for batch in (NUM_ENVS, 1, 5)]
FEW_THREADS_AND_BATCHES = [(1, 1), (2, 5), (3, NUM_ENVS), (8, 1)]
EMULATED = os.environ.get("ENVPOOL_EMULATED") is not None  # by qemu-user, many times slower
# On other processors, the results of MuJoCo's library differ in their last bits.
X86 = platform.machine() == "x86_64"


def test_every_family_is_played() -> None:
    assert {find(task_id).family for task_id in filter(is_here, envpool.list_all_envs())} == {
        find(i).family for i in TODAY
    }
    assert "tag" in {find(i).family for i in ALWAYS}
    assert "ControlSuite" in {find(i).table for i in ALWAYS}


def test_all_portable_tables_have_golden_hashes() -> None:
    assert set(filter(is_here, golden())) == set(golden_ids()), "run `make generated`"


@pytest.mark.every_day
@pytest.mark.parametrize("task_id", [i for i in golden_ids() if X86 or find(i).family != "mujoco"])
def test_trajectories_have_the_golden_hashes(task_id: str) -> None:
    assert golden()[task_id] == hash_of(play(task_id, 1, NUM_ENVS)), f"the trajectories of {task_id} have changed"


@pytest.mark.parametrize("task_id", TODAY)
def test_trajectories_do_not_depend_on_threads_and_batches(task_id: str) -> None:
    want = play(task_id, 1, NUM_ENVS)
    assert [len(rows) for rows in want] == [STEPS + 1] * NUM_ENVS
    slow = find(task_id).family == "vizdoom"  # ViZDoom starts a process for each environment
    ways = (
        THREADS_AND_BATCHES
        if WHOLE or (task_id in ALWAYS and not slow)
        else FEW_THREADS_AND_BATCHES[1:2]
        if slow
        else FEW_THREADS_AND_BATCHES
    )
    if EMULATED:
        ways = FEW_THREADS_AND_BATCHES[1:2]
    for threads, batch_size in ways:
        got = play(task_id, threads, batch_size)
        # The last results of a run are missing if they do not fill a batch.
        assert sum(map(len, got)) > 0.7 * NUM_ENVS * STEPS
        for env_id in range(NUM_ENVS):
            rows = len(got[env_id])
            assert got[env_id] == want[env_id][:rows], (threads, batch_size, env_id)
            assert rows == STEPS + 1 or batch_size == 5


@pytest.mark.parametrize(
    "task_id", [i for i in filter(is_here, ALWAYS) if i not in ("Counter-v1", "TagGridWorld-v0", "atari/pong-v3")]
)  # these three ids draw no random numbers
def test_seeds_matter(task_id: str) -> None:
    first, second = play(task_id, 1, NUM_ENVS, seed=1), play(task_id, 1, NUM_ENVS, seed=2)
    assert first != second
    assert len({tuple(rows) for rows in first}) > 1
