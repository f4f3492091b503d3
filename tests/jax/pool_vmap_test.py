# SPDX-License-Identifier: Apache-2.0
"""Tests that several equal pools can be stepped as one, by vmap over their stacked handles."""

from __future__ import annotations

import numpy as np
import pytest

import envpool
import tests.environments.registration  # noqa: F401 (registers Counter, Crowd and Faulty)

jax = pytest.importorskip("jax")
jnp = jax.numpy

SEEDS, NUM_ENVS, STEPS = (3, 4, 9), 4, 25


def pools_of(task_id, **options):
    pools = [envpool.make_gymnasium(task_id, num_envs=NUM_ENVS, seed=seed, **options) for seed in SEEDS]
    for pool in pools:
        pool.async_reset()
        pool.recv()
    return pools, jnp.stack([pool.xla()[0] for pool in pools]), *pools[0].xla()[1:]


@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("CartPole-v1", {}),
        ("CartPole-v1", {"num_threads": 2, "autoreset_mode": "same_step"}),
        ("Counter-v0", {"num_threads": 1}),
        ("Crowd-v0", {}),
    ],
)
def test_results_equal_those_of_each_pool_alone(task_id, options):
    pools, handles, _, _, step = pools_of(task_id, **options)
    others, one_by_one, *_ = pools_of(task_id, **options)
    steps = [other.xla()[-1] for other in others]
    space = envpool.make_spec(task_id).action_space
    players = envpool.make_spec(task_id).config.max_num_players
    generator = np.random.default_rng(0)

    def draw(space):
        shape = (STEPS, len(SEEDS), NUM_ENVS * players, *space.shape)
        if hasattr(space, "n"):
            return jnp.asarray(generator.integers(0, space.n, shape), jnp.int32)
        return jnp.asarray(generator.uniform(-1, 1, shape), jnp.float32)

    actions = {key: draw(part) for key, part in space.items()} if hasattr(space, "items") else draw(space)

    @jax.jit
    def together(handles, actions):
        return jax.lax.scan(lambda handle, action: jax.vmap(step)(handle, action), handles, actions)

    handles_after, results = together(handles, actions)
    np.testing.assert_array_equal(handles_after, handles)
    for k, other_step in enumerate(steps):
        alone = jax.jit(lambda handle, rows, other_step=other_step: jax.lax.scan(other_step, handle, rows))
        _, expected = alone(one_by_one[k], jax.tree.map(lambda rows, k=k: rows[:, k], actions))
        mine = jax.tree.map(lambda rows, k=k: rows[:, k], results)
        jax.tree.map(np.testing.assert_array_equal, mine, expected)
    assert any((np.asarray(leaf)[:, 0] != np.asarray(leaf)[:, 1]).any() for leaf in jax.tree.leaves(results))


def test_send_and_recv_and_nested_vmap():
    pools, handles, recv, send, step = pools_of("CartPole-v1")
    more, more_handles, *_ = pools_of("CartPole-v1")
    actions = jnp.ones((2, len(SEEDS), NUM_ENVS), jnp.int32)
    both = jnp.stack([handles, more_handles])

    @jax.jit
    def run(handles):
        handles = jax.vmap(jax.vmap(send))(handles, actions)
        return jax.vmap(jax.vmap(recv))(handles)

    _, (obs, *_) = run(both)
    assert obs.shape == (2, len(SEEDS), NUM_ENVS, 4)
    np.testing.assert_array_equal(obs[0], obs[1])
    shared = jax.jit(lambda handles: jax.vmap(step, (0, None))(handles, actions[0, 0]))(handles)[1][0]
    assert not (np.asarray(shared)[0] == np.asarray(shared)[1]).all()


def test_an_environment_that_fails_does_not_stop_the_other_pools():
    pools, handles, _, _, step = pools_of("Faulty-v0")
    fine = np.zeros((len(SEEDS), NUM_ENVS), np.int32)
    bad = fine.copy()
    bad[1, 2] = 1
    jitted = jax.jit(jax.vmap(step))
    with pytest.raises(RuntimeError, match=r"\[Faulty-v0\] environment 2: "):
        jax.block_until_ready(jitted(handles, bad))
    assert [pool._pool.under_way for pool in pools] == [0, 0, 0]
    elapsed = np.asarray(jitted(handles, fine)[1][-1]["elapsed_step"])
    assert elapsed.tolist() == [[2] * 4, [2, 2, 1, 2], [2] * 4]


def unlike(**options):
    env = envpool.make_gymnasium(options.pop("task_id", "CartPole-v1"), **{"num_envs": NUM_ENVS, **options})
    env.reset()
    return env, env.xla()[0]


@pytest.mark.parametrize(
    ("options", "got"),
    [
        ({"task_id": "Acrobot-v1"}, "Acrobot-v1 with num_envs=4 and batch_size=4"),
        ({"num_envs": 3}, "CartPole-v1 with num_envs=3 and batch_size=3"),
        ({"batch_size": 2}, "CartPole-v1 with num_envs=4 and batch_size=2"),
        ({"autoreset_mode": "same_step"}, "CartPole-v1 with num_envs=4 and batch_size=4, perhaps with other options"),
    ],
)
def test_pools_that_differ(options, got):
    pools, handles, _, _, step = pools_of("CartPole-v1")
    other, handle = unlike(**options)
    actions = jnp.zeros((len(SEEDS), NUM_ENVS), jnp.int32)
    expected = r"\[CartPole-v1\] handle: expected handles of equal pools, CartPole-v1 with num_envs=4 and batch_size=4, got one of "
    with pytest.raises(RuntimeError, match=expected + got):
        jax.block_until_ready(jax.jit(jax.vmap(step))(handles.at[1].set(handle), actions))
    jax.block_until_ready(jax.jit(jax.vmap(step))(handles, actions))


def test_handles_that_are_wrong():
    pools, handles, _, _, step = pools_of("CartPole-v1")
    actions = jnp.zeros((len(SEEDS), NUM_ENVS), jnp.int32)
    jitted = jax.jit(jax.vmap(step))
    for wrong, text in (
        (handles.at[2].set(handles[0]), "handle: expected handles of different pools, got the same one twice"),
        (handles.at[1].set(7), "handle: expected the handle that .*, got something else"),
    ):
        with pytest.raises(RuntimeError, match=text):
            jax.block_until_ready(jitted(wrong, actions))
    with pytest.raises(RuntimeError, match="action: expected an integer in 0..1, got 5"):
        jax.block_until_ready(jitted(handles, actions.at[1, 2].set(5)))
    assert [pool._pool.under_way for pool in pools] == [0, 0, 0]
    pools[1].close()
    with pytest.raises(RuntimeError, match="closed"):
        jax.block_until_ready(jitted(handles, actions))
    jax.block_until_ready(jax.jit(jax.vmap(step))(handles[::2], actions[::2]))


def episodes_over(pools):
    pools[1].step(np.array([0, 1, 0, 0], np.int32))  # environment 1's episode ends, and is not reset


REFUSED = [
    ({}, lambda pools: pools[1].send(np.zeros(4, np.int32)), [[0, 1], [0, 1], [0, 1]], "0 is under way"),
    ({}, lambda pools: None, [[0, 1], [2, 2], [0, 1]], "expected distinct ids, got 2 twice"),
    ({"autoreset_mode": "disabled"}, episodes_over, [[0, 1], [0, 1], [0, 1]], "environment 1, whose episode is over"),
]


@pytest.mark.parametrize("call", ["send", "step"])
@pytest.mark.parametrize(("options", "prepare", "ids", "text"), REFUSED, ids=["under way", "twice", "over"])
def test_nothing_is_sent_if_a_pool_refuses(options, prepare, ids, text, call):
    pools, handles, recv, send, step = pools_of("Counter-v0", **options)
    prepare(pools)
    called = jax.jit(jax.vmap({"send": send, "step": step}[call]))
    with pytest.raises(RuntimeError, match=text):
        jax.block_until_ready(called(handles, jnp.zeros((3, 2), jnp.int32), jnp.asarray(ids, jnp.int32)))
    if pools[1]._pool.under_way:
        pools[1].recv()
    assert [pool._pool.under_way for pool in pools] == [0, 0, 0]
    for pool in (pools[0], pools[2]):
        assert pool.step(np.zeros(4, np.int32))[0][:, 0].tolist() == [1] * 4
