# SPDX-License-Identifier: Apache-2.0
"""Tests that a pool of several Ray actors equals one pool bit for bit, and survives lost workers.

The tests run on a cluster of three nodes on this machine.
"""

from __future__ import annotations

import os
import signal
import time
import warnings

import numpy as np
import pytest

ray = pytest.importorskip("ray")

import envpool  # noqa: E402
import envpool.ray  # noqa: E402
from envpool.ray.worker import Worker  # noqa: E402


@pytest.fixture(scope="module")
def cluster():
    """Starts three nodes on this machine. Each of them can fail independently of the others."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(
        initialize_head=True,
        head_node_args={
            "num_cpus": 2,
            "object_store_memory": 200 << 20,
            "_system_config": {"health_check_period_ms": 500, "health_check_failure_threshold": 3},
        },
    )
    for _ in range(2):
        cluster.add_node(num_cpus=2, object_store_memory=200 << 20)
    ray.init(address=cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def same(ours, theirs):
    for a, b in zip(ours[:-1], theirs[:-1], strict=True):
        np.testing.assert_array_equal(a, b)
        assert a.dtype == b.dtype
    for key in ("env_id", "elapsed_step"):
        np.testing.assert_array_equal(ours[-1][key], theirs[-1][key])


@pytest.mark.parametrize(("num_envs", "num_workers"), [(7, 1), (7, 3), (8, 4)])
def test_rows_are_those_of_one_pool(cluster, num_envs, num_workers):
    task = "CartPole-v1"
    with (
        envpool.ray.make(task, num_envs, num_workers, seed=3) as many,
        envpool.make_gymnasium(task, num_envs=num_envs, seed=3) as one,
    ):
        same(many.reset(), one.reset())
        rng = np.random.default_rng(0)
        for step in range(60):
            actions = rng.integers(2, size=num_envs)
            same(many.step(actions), one.step(actions))
            if step == 20:
                same(many.reset(seed=9), one.reset(seed=9))
        some = np.array([num_envs - 1, 0, num_envs // 2])
        same(many.step(actions[some], some), one.step(actions[some], some))
        same(many.reset([2, 1]), one.reset([2, 1]))


def test_masks_of_resets_are_those_of_one_pool(cluster):
    with envpool.ray.make("CartPole-v1", 7, 3, seed=3) as many, envpool.make("CartPole-v1", num_envs=7, seed=3) as one:
        same(many.reset(), one.reset())
        for env in (many, one):
            env.step(np.ones(7, int))
        mask = np.array([False, True, False, True, False, False, True])
        for options in ({"reset_mask": mask}, {}, {"reset_mask": ~mask}):
            ours = many.reset(options=options)
            same(ours, one.reset(options=options))
        assert ours[1]["env_id"].tolist() == [0, 2, 4, 5]
        for options, error, text in (
            ({"low": 0.1}, ValueError, "options: expected only 'reset_mask' in a pool on Ray, got 'low'"),
            ({"reset_mask": [True] * 7}, TypeError, r"options\['reset_mask'\]: expected an array of bool"),
            ({"reset_mask": mask[:3]}, ValueError, r"options\['reset_mask'\]: expected shape \(7,\), got \(3,\)"),
            ({"reset_mask": mask & False}, ValueError, r"options\['reset_mask'\]: expected at least one True"),
            (3, TypeError, "options: expected a mapping, got 3"),
        ):
            with pytest.raises(error, match=r"^\[CartPole-v1\] " + text):
                many.reset(options=options)
        same(many.step(np.ones(7, int)), one.step(np.ones(7, int)))


@pytest.mark.parametrize("batch_size", [None, 3])
def test_states_of_all_workers(cluster, batch_size):
    """A state moves between workers, and between a pool on Ray and another one."""
    with (
        envpool.ray.make("Acrobot-v1", 6, 2, batch_size=batch_size, seed=5, render_mode="rgb_array") as many,
        envpool.make("Acrobot-v1", num_envs=6, seed=5, render_mode="rgb_array") as one,
    ):
        one.reset()
        if batch_size is None:
            many.reset()
        else:
            many.async_reset()
            with pytest.raises(RuntimeError, match=r"env_id: environment 1 is under way"):
                many.snapshot(1)
            for _ in range(2):
                many.recv()
        saved = many.snapshot(1)
        assert saved == one.snapshot(1)
        for _ in range(3):
            one.step(np.array([0, 1, 2, 0, 1, 2]))
        many.restore(5, one.snapshot(4))
        one.restore(5, one.snapshot(4))
        one.restore(4, saved)
        many.restore(4, saved)
        same(many.observe([5, 4]), one.observe([5, 4]))
        np.testing.assert_array_equal(many.render([5, 4]), one.render([5, 4]))
        assert many.render().shape == one.render().shape == (1, *one.render().shape[1:])
        for seed in (None, 9, [4, 5, 6]):
            many.clone(5, [0, 2, 3], seed)
            one.clone(5, [0, 2, 3], seed)
            for env_id in (0, 2, 3, 4, 5):
                assert many.snapshot(env_id) == one.snapshot(env_id)
        many.clone(0)
        assert len({many.snapshot(env_id) for env_id in range(6)}) == 1
        if batch_size is None:
            one.clone(0)
            many.clone(0, seed=1)
            one.clone(0, seed=1)
            for _ in range(20):
                same(many.step(np.arange(6) % 3), one.step(np.arange(6) % 3))
        for call, error, text in (
            (lambda: many.snapshot(6), ValueError, "env_id"),
            (lambda: many.snapshot("a"), TypeError, "env_id: expected an int from 0 to 5"),
            (lambda: many.restore(0, 3), TypeError, "state: expected the bytes that snapshot returned, got 3"),
            (lambda: many.restore(0, b"abc"), ValueError, ""),
            (lambda: many.clone(0, [1, 1]), ValueError, "env_ids: expected each environment once"),
            (lambda: many.clone(0, [1, 5], [1]), ValueError, "seed: expected"),
            (lambda: many.render([7]), ValueError, "env_ids"),
        ):
            with pytest.raises(error, match=r"^\[Acrobot-v1\] " + text):
                call()


def test_a_pool_without_images(cluster):
    with envpool.ray.make("CartPole-v1", 2, 2) as env:
        env.reset()
        with pytest.raises(
            RuntimeError, match=r"^\[CartPole-v1\] render: expected a pool made with render_mode='rgb_array'"
        ):
            env.render()


def test_recv_returns_the_oldest_send(cluster):
    with envpool.ray.make("CartPole-v1", 6, 2) as env:
        env.reset()
        env.send(np.zeros(2, int), [5, 0])
        env.send(np.ones(4, int), [1, 2, 3, 4])
        with pytest.raises(RuntimeError, match=r"environment 5 is under way"):
            env.send(np.zeros(1, int), [5])
        assert env.recv()[-1]["env_id"].tolist() == [5, 0]
        assert env.recv()[-1]["env_id"].tolist() == [1, 2, 3, 4]
        with pytest.raises(RuntimeError, match="nothing is under way"):
            env.recv()


def test_asynchronous_batches_hold_the_trajectories_of_one_pool(cluster):
    num_envs, task = 8, "Acrobot-v1"
    with (
        envpool.ray.make(task, num_envs, 2, batch_size=2, seed=5) as env,
        envpool.make_gymnasium(task, num_envs=num_envs, seed=5) as one,
    ):
        env.async_reset()
        seen = [[] for _ in range(num_envs)]
        for _ in range(200):
            obs, reward, _, _, info = env.recv()
            assert len(obs) == 2
            assert not info["lost"].any()
            for row, env_id in enumerate(info["env_id"]):
                seen[env_id].append((obs[row].tobytes(), float(reward[row])))
            env.send(info["env_id"] % 3, info["env_id"])
        obs, _ = one.reset()
        for step in range(max(map(len, seen))):
            for env_id in range(num_envs):
                if step < len(seen[env_id]):
                    assert seen[env_id][step][0] == obs[env_id].tobytes()
            obs = one.step(np.arange(num_envs) % 3)[0]
        assert min(map(len, seen)) >= 10


def test_arrays_of_one_worker_are_not_copied(cluster):
    with envpool.ray.make("CartPole-v1", 20_000, 1) as env:
        obs, _ = env.reset()
        assert not obs.flags.writeable  # The array is in Ray's memory, not a copy.
        kept = obs.copy()
        for _ in range(5):
            env.step(np.zeros(20_000, int))
        np.testing.assert_array_equal(obs, kept)


def kill_worker(env, index):
    """Kills the process of a worker."""
    actor = env._shards.all[index].actor
    pid = ray.get(actor.__ray_call__.remote(lambda worker: os.getpid()))
    os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("batch_size", [None, 3])
def test_a_killed_worker_is_replaced(cluster, batch_size):
    with envpool.ray.make("CartPole-v1", 6, 2, batch_size=batch_size) as env:
        if batch_size is None:
            first = env.reset()[0].copy()
            control = envpool.make_gymnasium("CartPole-v1", num_envs=6)
            control.reset()
        else:
            env.async_reset()
        kill_worker(env, 1)
        started, lost = time.monotonic(), set()
        with pytest.warns(RuntimeWarning, match=r"worker 1 \(environments 3 to 5\) was lost"):
            while lost < {3, 4, 5} and time.monotonic() - started < 60:
                if batch_size is None:
                    ours = env.step(np.zeros(6, int))
                    theirs = control.step(np.zeros(6, int))
                    np.testing.assert_array_equal(ours[0][:3], theirs[0][:3])  # Worker 0 is not affected.
                    info = ours[-1]
                else:
                    *ours, info = env.recv()
                    env.send(np.zeros(3, int), info["env_id"])
                now = info["env_id"][info["lost"]].tolist()
                assert not lost & set(now), "an environment was lost twice"
                assert (info["elapsed_step"][info["lost"]] == 0).all()
                lost |= set(now)
        assert lost == {3, 4, 5}
        if batch_size is None:
            assert not (ours[0][3:] == first[3:]).all(), "the replacement repeated the first episodes"


def test_a_snapshot_of_a_lost_worker(cluster):
    with envpool.ray.make("CartPole-v1", 4, 2) as env:
        env.reset()
        state = env.snapshot(3)
        kill_worker(env, 0)
        with (
            pytest.warns(RuntimeWarning, match="worker 0 .* was lost and is replaced"),
            pytest.raises(RuntimeError, match=r"^\[CartPole-v1\] snapshot: worker 0 \(environments 0 to 1\) was lost"),
        ):
            env.snapshot(1)
        env.clone(3)
        assert env.snapshot(0) == env.snapshot(3) == state


def test_a_lost_node_is_detected(cluster):
    node = cluster.add_node(num_cpus=0, resources={"doomed": 1}, object_store_memory=100 << 20)
    with envpool.ray.make("CartPole-v1", 4, 2) as env:
        env.reset()
        doomed = ray.remote(Worker).options(resources={"doomed": 0.5}, num_cpus=0)
        ray.kill(env._shards.all[0].actor)
        env._shards.all[0].actor = doomed.remote(
            env._registration, {**env._shards._options, "num_envs": 2, "first_stream": 0, "batch_size": 2}
        )
        env.step(np.zeros(4, int))
        cluster.remove_node(node, allow_graceful=False)
        started = time.monotonic()
        with warnings.catch_warnings(record=True) as records:
            warnings.simplefilter("always")
            while not (lost := env.step(np.zeros(4, int))[-1]["lost"]).any() and time.monotonic() - started < 60:
                time.sleep(0.05)  # The process may end shortly after its node.
        assert lost.tolist() == [True, True, False, False]
        assert any("worker 0" in str(warning.message) for warning in records)


BAD = [
    ({"num_workers": 0}, ValueError, r"num_workers: expected an int from 1 to num_envs = 4, got 0"),
    ({"num_workers": 5}, ValueError, r"num_workers: expected an int from 1 to num_envs = 4, got 5"),
    ({"num_workers": 2.0}, TypeError, r"num_workers: expected an int"),
    ({"num_envs": 0}, ValueError, r"num_envs: expected"),
    ({"batch_size": 3}, ValueError, r"batch_size: expected num_envs = 4 or at most the 2"),
    ({"seed": -1}, ValueError, r"seed: expected"),
    ({"cpus_per_worker": "2"}, TypeError, r"cpus_per_worker: expected a number"),
    ({"render_mode": "human"}, ValueError, r"render_mode: expected None or 'rgb_array' in a pool on Ray, got 'human'"),
    ({"first_stream": 3}, TypeError, r"first_stream: expected an option of envpool.ray.make"),
    ({"thread_affinity_offset": "auto"}, ValueError, r"thread_affinity_offset: expected an int, .* got 'auto'"),
    ({"gravitas": 3}, TypeError, r"unknown option 'gravitas'"),
    ({"normalize_obs": True}, ValueError, r"normalize_obs: expected False in a pool on Ray, .* got True"),
]


@pytest.mark.parametrize(("given", "error", "text"), BAD)
def test_bad_arguments(given, error, text):
    with pytest.raises(error, match=text):
        envpool.ray.make("CartPole-v1", **{"num_envs": 4, "num_workers": 2, **given})


def test_a_cluster_without_free_cpus(cluster):
    with pytest.raises(RuntimeError, match=r"num_workers: \d+ of 40 workers of 1 CPUs did not start within 3.0 s"):
        envpool.ray.make("CartPole-v1", 40, 40, start_timeout=3)


def test_environments_of_several_players_are_refused():
    with pytest.raises(ValueError, match="several players"):
        envpool.ray.make("TagGridWorld-v0", 4, 2)


def test_bad_calls_leave_the_pool_usable(cluster):
    env = envpool.ray.make("CartPole-v1", 4, 2)
    env.reset()
    for call, error, text in [
        (
            lambda: env.step(np.zeros(3, int)),
            ValueError,
            r"action: expected shape \(4,\), one row per environment, got \(3,\)",
        ),
        (lambda: env.step(np.full(4, 2)), ValueError, r"action: expected an integer in 0..1, got 2 in row 0"),
        (lambda: env.step(np.full(4, 0.5)), ValueError, "action: expected an integer in 0..1, got 0.5 in row 0"),
        (lambda: env.step([0], [4]), ValueError, "env_id: expected"),
        (lambda: env.step([0, 0], [1, 1]), ValueError, "env_id: expected each environment once"),
        (lambda: env.reset(seed="a"), TypeError, "seed: expected"),
        (lambda: env.recv(timeout=-1), ValueError, "timeout: expected"),
    ]:
        with pytest.raises(error, match=text):
            call()
    assert len(env.step(np.zeros(4, int))[0]) == 4
    env.close()
    env.close()
    for call in (lambda: env.step(np.zeros(4, int)), env.reset, env.recv, env.async_reset):
        with pytest.raises(RuntimeError, match="the pool is closed"):
            call()
    assert repr(env).endswith("closed)")
