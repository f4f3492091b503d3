# SPDX-License-Identifier: Apache-2.0
"""Tests the rows of batches: their order, partial batches, and asynchronous pools."""

import numpy as np
import pytest

import envpool
from tests.python.interfaces import INTERFACES, make, observation_of


@pytest.mark.parametrize("interface", INTERFACES)
def test_rows_have_the_order_of_env_id(interface):
    env = make(interface, "Faulty-v0", num_envs=6, num_threads=3)
    env.reset()
    for ids in ([5, 0, 3], [2], [1, 4], [0, 1, 2, 3, 4, 5]):
        observation = observation_of(env.step(np.full(len(ids), 2), np.array(ids)))
        assert observation[:, 1].tolist() == ids


@pytest.mark.parametrize("interface", INTERFACES)
def test_batches_have_the_order_of_their_sends(interface):
    env = make(interface, "Faulty-v0", num_envs=4, num_threads=2)
    env.reset()
    env.send(np.array([2, 2]), [3, 1])
    env.send(np.array([0]), [0])
    assert observation_of(env.recv())[:, 1].tolist() == [3, 1]
    assert observation_of(env.recv())[:, 1].tolist() == [0]


@pytest.mark.parametrize("interface", INTERFACES)
def test_a_step_or_a_reset_beside_an_earlier_send_is_refused(interface):
    """They would return the rows of that send."""
    env = make(interface, "Faulty-v0", num_envs=4, num_threads=2)
    env.reset()
    env.send(np.array([2, 2]), [3, 1])
    with pytest.raises(RuntimeError, match=r"\] step: results of an earlier send are pending; call recv first"):
        env.step(np.array([2]), np.array([0]))
    with pytest.raises(RuntimeError, match=r"\] reset: results of an earlier send are pending; call recv first"):
        env.reset([0, 2])
    assert observation_of(env.recv())[:, 1].tolist() == [3, 1]
    assert observation_of(env.step(np.array([2, 2]), np.array([0, 1])))[:, 1].tolist() == [0, 1]


@pytest.mark.parametrize("interface", INTERFACES)
def test_a_step_that_cannot_complete_a_batch_sends_nothing(interface):
    env = make(interface, "Faulty-v0", num_envs=4, batch_size=2, num_threads=2)
    env.async_reset()
    env.recv(), env.recv()
    with pytest.raises(RuntimeError, match=r"\] step: a batch needs 2 environments but only 1 are under way"):
        env.step(np.array([2]), np.array([0]))
    assert sorted(observation_of(env.step(np.array([2, 2]), np.array([0, 1])))[:, 1].tolist()) == [0, 1]


def test_a_reset_that_cannot_complete_a_batch_sets_no_options():
    env = envpool.make_gymnasium("CartPole-v1", num_envs=4, batch_size=2, num_threads=2)
    env.async_reset()
    env.recv(), env.recv()
    with pytest.raises(RuntimeError, match=r"\] reset: a batch needs 2 environments but only 1 are under way"):
        env.reset([0], options={"gravity": 3.0})
    assert env.options()["gravity"].tolist() == [9.8] * 4
    env.reset([0, 1], options={"gravity": 3.0})
    assert env.options()["gravity"].tolist() == [3.0, 3.0, 9.8, 9.8]


def test_partial_reset():
    env = envpool.make_gymnasium("Counter-v0", num_envs=4)
    env.reset()
    env.step([0, 0, 0, 0])
    observation, info = env.reset([2, 1])
    assert info["env_id"].tolist() == [2, 1]
    assert observation.tolist() == [[0, 0]] * 2
    assert env.step([0, 0, 0, 0])[0][:, 0].tolist() == [2, 1, 1, 2]
    _, info = env.reset(options={"reset_mask": np.array([True, False, False, True])})
    assert info["env_id"].tolist() == [0, 3]


@pytest.mark.parametrize("task_id", ["Counter-v1", "AllTypes-v0", "Crowd-v0"])
@pytest.mark.parametrize("interface", INTERFACES)
def test_reset_of_no_environment(interface, task_id):
    """Such a reset returns the same arrays as other partial resets, but without rows, and changes no environment."""
    env = make(interface, task_id, num_envs=3)
    env.reset(seed=1)
    before = [env.snapshot(i) for i in range(3)]
    for none in ([], np.zeros(0, np.int64)):
        got = leaves_of(env.reset(none))
        some = leaves_of(make(interface, task_id, num_envs=3).reset(np.array([1])))
        assert [(key, leaf.dtype, leaf.shape[1:]) for key, leaf in got] == [
            (key, leaf.dtype, leaf.shape[1:]) for key, leaf in some
        ]
        assert all(len(leaf) == 0 for _, leaf in got)
    with pytest.raises(TypeError, match=r"seed: expected an int"):
        env.reset([], seed="bad")
    if interface != "dm":
        with pytest.raises(ValueError, match="options: expected .*, got 'nonsense'"):
            env.reset([], options={"nonsense": 1})
    assert [env.snapshot(i) for i in range(3)] == before
    env.close()
    with pytest.raises(RuntimeError, match="closed"):
        env.reset([])


def leaves_of(tree, path=""):
    """Returns the arrays in nested tuples and dicts, with their paths."""
    if isinstance(tree, np.ndarray):
        return [(path, tree)]
    entries = tree.items() if isinstance(tree, dict) else enumerate(tree)
    return [leaf for key, value in entries for leaf in leaves_of(value, f"{path}/{key}")]


@pytest.mark.parametrize("interface", INTERFACES)
def test_async_loop_reaches_every_environment(interface):
    env = make(interface, "Faulty-v0", num_envs=9, batch_size=4, num_threads=3, sleep_ms=1)
    env.async_reset()
    counts = np.zeros(9, int)
    for _ in range(200):
        observation = observation_of(env.recv())
        ids = observation[:, 1].astype(int)
        assert len(set(ids)) == 4
        np.testing.assert_array_equal(observation[:, 0], counts[ids])
        counts[ids] += 1
        env.send(np.where(ids % 3, 0, 2), ids)
    assert counts.min() >= 10


def test_recv_with_reset():
    env = envpool.make_gymnasium("Counter-v0", num_envs=3, batch_size=2)
    env.async_reset()
    observation, info = env.recv(reset=True)
    assert len(info["env_id"]) == 2
    env.send([0, 0], info["env_id"])
    assert env.recv(reset=True, return_info=False).shape == (2, 2)


def test_reset_discards_results_under_way():
    env = envpool.make_gymnasium("Counter-v0", num_envs=4, batch_size=2)
    for _ in range(50):
        env.async_reset()
    assert env.reset()[0].tolist() == [[0, 0]] * 2
    assert len(env.reset()[1]["env_id"]) == 2


def test_the_pool_does_not_write_to_returned_arrays():
    env = envpool.make_gymnasium("Counter-v0", num_envs=2)
    env.reset()
    first = env.step([0, 0])[0]
    first += 100
    second = env.step([0, 0])[0]
    assert first.tolist() == [[101, 101]] * 2
    assert second.tolist() == [[2, 2]] * 2
    action = np.zeros(2, np.int32)
    env.send(action)
    action[:] = 1
    assert not env.recv()[2].any()


@pytest.mark.parametrize("interface", INTERFACES)
def test_arrays_outlive_the_pool(interface):
    env = make(interface, num_envs=2)
    env.reset()
    observation = observation_of(env.step([0, 0]))
    del env
    assert observation.tolist() == [[1, 1]] * 2
