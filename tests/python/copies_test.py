# SPDX-License-Identifier: Apache-2.0
"""Tests snapshots and clones of environments, and copies and deletion of pools."""

import copy
import gc
import pickle
import weakref

import gymnasium
import numpy as np
import pytest

import envpool
from tests.python.interfaces import INTERFACES, make, observation_of


def test_restore_continues_exactly():
    env = envpool.make_gymnasium("AllTypes-v0", num_envs=3)
    space = gymnasium.vector.utils.batch_space(env.action_space, 3)
    space.seed(1)
    actions = [space.sample() for _ in range(60)]
    env.reset(seed=1)
    for action in actions[:30]:
        env.step(action)
    states = [env.snapshot(i) for i in range(3)]
    after = [env.step(action) for action in actions[30:]]
    for i, state in enumerate(states):
        env.restore(i, state)
    for action, want in zip(actions[30:], after, strict=True):
        np.testing.assert_equal(env.step(action), want)
    other = envpool.make_gymnasium("AllTypes-v0", num_envs=1, seed=9)
    other.reset()
    other.restore(0, states[1])
    first = other.step({key: value[1:2] for key, value in actions[30].items()})
    np.testing.assert_equal(first[0], pick_row(after[0][0], 1))


def pick_row(tree, row):
    return {k: pick_row(v, row) for k, v in tree.items()} if isinstance(tree, dict) else tree[row : row + 1]


def test_snapshot_of_a_host_environment():
    env = envpool.make_gymnasium("Faulty-v0", num_envs=2)
    env.reset()
    env.step([0, 0])
    state = env.snapshot(0)
    env.step([0, 0])
    env.restore(0, state)
    assert env.step([0, 0])[0][:, 0].tolist() == [2, 3]


@pytest.mark.parametrize("interface", INTERFACES)
def test_clones_continue_like_their_source(interface):
    env = make(interface, "Counter-v1", num_envs=5, seed=3)
    env.reset()
    for step in range(4):
        env.step((np.arange(5) + step) % 2)
    env.clone(1, [0, 3])
    for _ in range(12):  # includes ends of episodes
        rows = observation_of(env.step(np.zeros(5, np.int32)))
        assert (rows[[0, 3]] == rows[1]).all()
    assert not (rows == rows[1]).all()
    env.clone(2)
    rows = observation_of(env.step(np.zeros(5, np.int32)))
    assert (rows == rows[2]).all()


def test_clones_of_a_host_environment():
    env = envpool.make_gymnasium("Faulty-v0", num_envs=3)
    env.reset()
    env.step([0], [1])
    env.clone(1, (2, 1))
    assert env.step([0, 0, 0])[0][:, 0].tolist() == [1, 2, 2]


def test_clones_with_a_seed():
    def after(seed):
        env = envpool.make_gymnasium("AllTypes-v0", num_envs=4, seed=5)
        space = gymnasium.vector.utils.batch_space(env.action_space, 4)
        space.seed(1)
        env.reset()
        env.clone(0, seed=seed)
        return [env.step(space.sample()) for _ in range(8)], env.reset()

    for seed in (7, [1, 2, 3, 4]):
        np.testing.assert_equal(after(seed), after(seed))
    env = envpool.make_gymnasium("Counter-v0", num_envs=4)
    env.reset()
    env.clone(0)
    assert len(set(env.reset()[1]["luck"].tolist())) == 1  # even the resets are the same
    env.clone(0, seed=7)
    assert env.reset()[1]["luck"].tolist() == env.reset(seed=7)[1]["luck"].tolist()


@pytest.mark.parametrize("interface", [*INTERFACES, "vec"])
@pytest.mark.parametrize("clone", [lambda env: pickle.loads(pickle.dumps(env)), copy.deepcopy, copy.copy])
def test_copies_of_pools_are_constructed_again(interface, clone):
    options = {"num_envs": 2, "seed": 3, "step_reward": 4.0}
    env = envpool.make_vec("Counter-v1", **options) if interface == "vec" else make(interface, "Counter-v1", **options)
    env.reset()
    env.step(np.array([0, 0]))
    again = clone(env)
    assert type(again) is type(env)
    assert again.config == env.config
    np.testing.assert_equal(
        again.reset(), type(env)(env._construction.registration, env._construction.caller_options).reset()
    )


def test_context_manager_and_a_second_close():
    with envpool.make("Counter-v0") as env:
        env.reset()
    assert env.closed
    env.close()


@pytest.mark.parametrize("interface", [*INTERFACES, "vec"])
def test_a_deleted_pool_is_freed_without_garbage_collection(interface):
    env = envpool.make_vec("Counter-v1", 2) if interface == "vec" else make(interface, "Counter-v1", num_envs=2)
    env.reset()
    env.step(np.array([0, 0]))
    pool = weakref.ref(env._pool)
    gc.disable()
    try:
        del env
        assert pool() is None  # no reference cycle keeps threads and environments alive
    finally:
        gc.enable()
