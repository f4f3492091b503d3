# SPDX-License-Identifier: Apache-2.0
"""Tests pools on a GPU inside `jit`. XLA's CPU backend calls the handlers for GPUs, on the stand-in in its flat mode.

`make test-jax-device` runs these tests. tests/jax/cuda_pool_test.py tests the same handlers with device memory that the
host cannot read.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import envpool
import tests.environments.registration  # noqa: F401 (registers Crowd)

jax = pytest.importorskip("jax")
jnp = jax.numpy
lax = jax.lax

from tests.cuda.device_comparison import tasks  # noqa: E402
from tests.jax.pool_test import INTERFACES, actions_of, assert_same, at, scanned  # noqa: E402
from tests.support.samples import DAY  # noqa: E402

pytestmark = [
    pytest.mark.skipif(
        not os.environ.get("ENVPOOL_STANDIN_XLA"), reason="needs the flat stand-in; make test-jax-device"
    ),
    pytest.mark.filterwarnings("ignore:.*is a stand-in"),
]

NUM_ENVS, LIMIT = 5, 13
SOURCE = os.environ.get("ENVPOOL_SOURCE_DIR", "")
ALWAYS = ("EveryType-v0", "CartPole-v1", "Pendulum-v1", "TagGridWorld-v0")


@pytest.fixture(scope="module", autouse=True)
def every_type() -> None:
    envpool.compile(Path(SOURCE, "tests", "environments", "all_types.h"), "EveryType-v0")


def ids() -> list[str]:
    """Returns ids with rare features, and two others chosen by the date."""
    from envpool.python.registry import find

    others = [name for name in tasks() if name not in ALWAYS and find(name).family not in ("", "atari")]
    return [*ALWAYS, *(others[(2 * DAY + k) % len(others)] for k in range(2))]


def on_host(tree):
    """Copies the arrays of a pool's result to the host."""
    return jax.tree.map(lambda array: array.numpy() if hasattr(array, "numpy") else array, tree)


@pytest.mark.parametrize(
    "task_id,interface",
    [
        (task_id, interface)
        for task_id in ids()
        for interface in INTERFACES
        if interface == "same_step" or task_id in ("EveryType-v0", "CartPole-v1")
    ],
)
def test_steps_are_those_of_a_pool_on_the_cpu(task_id, interface):
    options = {"num_envs": NUM_ENVS, "seed": 11, "max_episode_steps": LIMIT, **INTERFACES[interface]}
    options |= {"episode_statistics": True} if task_id == "CartPole-v1" else {}
    plain, traced = envpool.make(task_id, num_threads=1, **options), envpool.make(task_id, device="cuda", **options)
    plain.reset(), traced.reset()
    actions = actions_of(task_id, 40, NUM_ENVS * plain.spec.arrays.actors)
    batches = scanned(traced, actions)
    for t in range(40):
        ours, theirs = at(batches, t), plain.step(at(actions, t))
        if interface == "same_step" and "final_obs" in (info := theirs[-1]):
            # In rows whose episode goes on, the last observation and info equal those of the step.
            ours_last, theirs_now = jax.tree.leaves(ours[-1]["final_obs"]), jax.tree.leaves(theirs[0])
            for last, now in zip(ours_last, theirs_now, strict=True):
                if len(last) == NUM_ENVS:
                    goes_on = ~info["_final_obs"]
                    np.testing.assert_array_equal(last[goes_on], now[goes_on].astype(last.dtype))
        assert_same(ours, theirs, f"step {t}")


def test_normalized_last_observations():
    """Last observations of rows whose episode goes on are those of the step, also if they are in an array of their own."""
    options = {"num_envs": NUM_ENVS, "seed": 11, "max_episode_steps": 4, "autoreset_mode": "same_step"}
    pools = [
        envpool.make_gymnasium("InvertedPendulum-v5", device="cuda", normalize_obs=True, **options) for _ in range(2)
    ]
    for pool in pools:
        pool.reset()
    actions = actions_of("InvertedPendulum-v5", 12, NUM_ENVS)
    batches = scanned(pools[1], actions)
    for t in range(12):
        obs, *_, info = at(batches, t)
        plain = on_host(pools[0].step(at(actions, t)))
        np.testing.assert_array_equal(obs, plain[0])
        ended = plain[2] | plain[3]
        np.testing.assert_array_equal(info["final_obs"][ended], plain[-1]["final_obs"][ended])
        np.testing.assert_array_equal(info["final_obs"][~ended], obs[~ended])


def test_a_varying_number_of_players():
    """Results have the same rows as the pool's own recv, which returns a row for each possible player."""
    plain, traced = (envpool.make_gymnasium("Crowd-v0", num_envs=3, seed=2, device="cuda") for _ in range(2))
    plain.reset(), traced.reset()
    actions = actions_of("Crowd-v0", 30, 3 * plain.config["max_num_players"])
    batches = scanned(traced, actions)
    for t in range(30):
        assert_same(at(batches, t), on_host(plain.step(at(actions, t))), f"step {t}")


def test_with_64_bit_arrays():
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    command += ["-k", "steps_are and EveryType and (gymnasium or same_step)"]
    environment = {**os.environ, "JAX_ENABLE_X64": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def cartpoles(num_envs=4, **options):
    env = envpool.make_gymnasium("CartPole-v1", num_envs=num_envs, seed=1, device="cuda", **options)
    env.reset()
    return env, *env.xla()


STAY = np.zeros(4, np.int32)


def elapsed(result):
    return np.asarray(result[-1]["elapsed_step"]).tolist()


def test_calls_inside_and_outside_jit_alternate():
    env, handle, recv, send, step = cartpoles()
    program = jax.jit(step)
    for t in (1, 3):
        handle, result = program(handle, STAY)
        assert elapsed(result) == [t] * 4
        assert env.step(STAY)[-1]["elapsed_step"].numpy().tolist() == [t + 1] * 4
    jax.block_until_ready(jax.jit(send)(handle, STAY))
    assert env.recv()[-1]["elapsed_step"].numpy().tolist() == [5] * 4
    env.send(STAY)
    assert elapsed(jax.jit(recv)(handle)[1]) == [6] * 4
    state = env.snapshot(0)
    jax.block_until_ready(program(handle, STAY))
    env.restore(0, state)
    assert elapsed(program(handle, STAY)[1]) == [7, 8, 8, 8]
    env.states()["elapsed_step"].assign(20)
    assert elapsed(program(handle, STAY)[1]) == [21] * 4


def test_some_environments():
    env, handle, recv, send, step = cartpoles()
    some = np.array([3, 1])
    handle, result = jax.jit(lambda handle: step(handle, STAY[:2], some))(handle)
    assert np.asarray(result[-1]["env_id"]).tolist() == [3, 1, -1, -1] and elapsed(result) == [1, 1, 0, 0]
    assert not np.asarray(result[0])[2:].any() and np.asarray(result[0])[:2].any()
    handle, result = jax.jit(step)(handle, STAY, np.arange(4))
    assert elapsed(result) == [1, 2, 1, 2]

    @jax.jit
    def halves(handle):
        handle = send(handle, STAY[:2], np.array([0, 1]))
        handle = send(handle, STAY[:2], np.array([2, 3]))
        handle, first = recv(handle)
        return handle, first, recv(handle)[1]

    for _ in range(2):
        handle, first, second = halves(handle)
        assert np.asarray(first[-1]["env_id"]).tolist() == [0, 1, -1, -1]
        assert np.asarray(second[-1]["env_id"]).tolist() == [2, 3, -1, -1]


def test_asynchronous_batches_have_the_same_trajectories():
    num_envs, batch, steps = 6, 2, 30
    options = {"num_envs": num_envs, "seed": 5, "max_episode_steps": LIMIT}
    env = envpool.make_gymnasium("CartPole-v1", batch_size=batch, device="cuda", **options)
    handle, recv, send, _ = env.xla()
    env.async_reset()

    def turn(handle, key):
        handle, (obs, reward, _, _, info) = recv(handle)
        action = (obs[:, 2] > 0).astype(jnp.int32)
        return send(handle, action, info["env_id"]), (info["env_id"], obs, reward, action)

    rows = jax.jit(lambda handle: lax.scan(turn, handle, None, length=3 * steps))(handle)[1]
    env_ids, obs, reward, action = (np.asarray(part).reshape(steps, num_envs, *part.shape[2:]) for part in rows)
    assert (env_ids == np.arange(num_envs)).all()
    plain = envpool.make_gymnasium("CartPole-v1", num_threads=1, **options)
    theirs = plain.reset()[0]
    np.testing.assert_array_equal(obs[0], theirs)
    for t in range(1, steps):
        theirs, rewards, *_ = plain.step(action[t - 1])
        np.testing.assert_array_equal(obs[t], theirs)
        np.testing.assert_array_equal(reward[t], rewards)


def fails(call, *arguments, text):
    with pytest.raises(RuntimeError, match=text):
        jax.block_until_ready(jax.jit(call)(*arguments))


def test_bad_calls():
    env, handle, recv, send, step = cartpoles()
    bad = [
        (
            lambda a: step(handle, a + 7),
            r"\[CartPole-v1\] action: expected an integer in 0..1, got another value in row [0-3]",
        ),
        (lambda a: recv(handle), "recv: nothing is under way"),
        (lambda a: send(send(handle, a), a), "send: environment 0 is under way; receive its result first"),
        (
            lambda a: step(handle, a, jnp.array([0, 1, 3, 2]) + a),
            "env_id: .*, got another id in row [23] of an earlier step",
        ),
        (lambda a: jax.vmap(lambda a: step(handle, a))(a[None]), "step: there is no vmap of a pool"),
    ]
    for call, text in bad:
        env.reset()  # an episode has only about nine steps
        fails(call, jnp.asarray(STAY), text=text)
        if env._pool.under_way:
            env.recv()
        before = env.step(STAY)[-1]["elapsed_step"].numpy()
        assert elapsed(jax.jit(step)(handle, STAY)[1]) == (before + 1).tolist()
    jax_id = jnp.array([4])  # known while tracing
    for call, text in (
        (
            lambda a: step(handle, a[:2], jnp.array([0, 1]) + a[:2]),
            "env_id: expected the 4 ids of a batch, or ids that",
        ),
        (lambda a: step(handle, a[:2], np.array([0, 4])), "env_id: expected ids in 0..3, got 4"),
        (lambda a: step(handle, a[:1], jax_id), "env_id: expected ids in 0..3, got 4"),
        (lambda a: step(handle, a[:2], np.array([0, -1])), "env_id: expected ids without padding"),
        (lambda a: step(handle, a[:3]), r"action: expected shape \(4,\)"),
    ):
        with pytest.raises(ValueError, match=text):
            jax.jit(call)(jnp.asarray(STAY))


def test_a_closed_pool():
    env, handle, recv, send, step = cartpoles()
    program = jax.jit(step).lower(handle, STAY).compile()
    jax.block_until_ready(program(handle, STAY))
    env.close()
    with pytest.raises(RuntimeError, match=r"\[CartPole-v1\] step: the pool is closed"):
        jax.block_until_ready(program(handle, STAY))
    with pytest.raises(RuntimeError, match="the pool is closed"):
        env.xla()
    env, handle, recv, send, step = cartpoles()
    program = jax.jit(step).lower(handle, STAY).compile()
    del env, recv, send, step
    jax.clear_caches()
    gc.collect()
    with pytest.raises(RuntimeError, match=r"\[CartPole-v1\] step: the pool is closed"):
        jax.block_until_ready(program(handle, STAY))


def test_a_handle_of_a_pool_on_a_gpu_among_handles_of_pools_on_the_cpu():
    pools = [envpool.make_gymnasium("CartPole-v1", num_envs=2, device=device) for device in ("cpu", "cuda")]
    for pool in pools:
        pool.reset()
    handles = jnp.stack([pool.xla()[0] for pool in pools])
    with pytest.raises(RuntimeError, match="handle: expected handles of pools on the CPU, got one of a pool on cuda"):
        jax.block_until_ready(jax.jit(jax.vmap(pools[0].xla()[-1]))(handles, jnp.zeros((2, 2), jnp.int32)))
