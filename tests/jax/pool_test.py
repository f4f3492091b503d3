# SPDX-License-Identifier: Apache-2.0
"""Tests that a pool returns the same bits inside `jit` as outside, and executes each call once and in order."""

from __future__ import annotations

import gc
import os
import subprocess
import sys

import numpy as np
import pytest

import envpool
import tests.environments.registration  # noqa: F401 (registers AllTypes, Crowd and Faulty)
from tests.support.samples import WHOLE, of_today
from tests.support.trajectories import is_here

jax = pytest.importorskip("jax")
jnp = jax.numpy
lax = jax.lax

LIMIT, NUM_ENVS, STEPS = 13, 5, 60
INTERFACES = {
    "gymnasium": {"env_type": "gymnasium"},
    "same_step": {"env_type": "gymnasium", "autoreset_mode": "same_step"},
    "classic": {"env_type": "gym", "step_api": "classic", "autoreset_mode": "same_step"},
    "dm": {"env_type": "dm"},
}
SLOW = ("Pong-v5", "Breakout-v5", "Pusher-v5", "SimplerBasic-v1")
WITH_EVERY_INTERFACE = ("Counter-v0", "AllTypes-v0", "Crowd-v0", "CartPole-v1", "Pong-v5")


def ids() -> list[str]:
    from envpool.python.registry import find

    slow = ("atari", "mujoco", "vizdoom")
    every = [task_id for task_id in filter(is_here, envpool.list_all_envs()) if find(task_id).family not in slow]
    return [*(task_id for task_id in every if task_id != "Faulty-v0"), *SLOW]


def actions_of(task_id: str, steps: int, rows: int):
    """Returns random actions: an array or a dict of arrays, each of shape (steps, rows, ...)."""
    space = envpool.make_spec(task_id).action_space
    rng = np.random.default_rng(rows)

    def draw(space):
        shape = (steps, rows, *space.shape)
        if hasattr(space, "nvec"):
            return rng.integers(0, np.broadcast_to(space.nvec, space.shape), shape).astype(np.int32)
        if hasattr(space, "n"):
            return rng.integers(0, space.n, shape).astype(np.int32)
        low, high = (np.clip(np.broadcast_to(end, space.shape), -5, 5) for end in (space.low, space.high))
        # Jitted code has 32-bit actions, so the other pool gets the same rounded values.
        return rng.uniform(low, high, shape).astype(np.float32).astype(space.dtype)

    return {name: draw(part) for name, part in space.items()} if hasattr(space, "items") else draw(space)


def at(tree, index):
    return jax.tree.map(lambda array: np.asarray(array)[index], tree)


def flat(tree):
    """Returns the leaves of a tree by path."""
    return {jax.tree_util.keystr(path): np.asarray(leaf) for path, leaf in jax.tree_util.tree_leaves_with_path(tree)}


def assert_same(ours, theirs, where: str = ""):
    """Compares the results of a program, which may have padding rows, with the results of the pool itself."""
    ours, theirs = flat(ours), flat(theirs)
    final = [path for path in ours if "final_" in path]
    if not any("final_" in path for path in theirs):
        for path in final:
            del ours[path]
    assert list(ours) == list(theirs), where
    done = next((theirs[path] for path in theirs if "_final_obs" in path), None)
    owners = next((theirs[path] for path in theirs if "players" in path and "env_id" in path), None)
    for path, right in theirs.items():
        left = ours[path]
        assert left.dtype == jax.dtypes.canonicalize_dtype(right.dtype), (where, path)
        rows = len(right)
        padding = left[rows:]
        assert (padding == (-1 if "env_id" in path else 0)).all(), (where, path)
        left = left[:rows]
        if "final_" in path and "_final_" not in path:
            ended = done if rows == len(done) else done[owners]
            left, right = left[ended], right[ended]
        np.testing.assert_array_equal(left, right.astype(left.dtype), f"{where} {path}")


def scanned(env, actions):
    """Returns the batches of all steps, which run in one program."""
    handle, _, _, step = env.xla()
    return jax.jit(lambda handle: lax.scan(step, handle, actions))(handle)[1]


@pytest.mark.parametrize(
    "task_id,interface",
    [
        (task_id, interface)
        for task_id in (ids() if WHOLE else of_today(ids(), 10, (*SLOW, *WITH_EVERY_INTERFACE)))
        for interface in INTERFACES
        if interface == "same_step" or task_id in WITH_EVERY_INTERFACE
    ],
)
def test_steps_of(task_id, interface):
    options = {"num_envs": NUM_ENVS, "num_threads": 2, "seed": 11, "max_episode_steps": LIMIT, **INTERFACES[interface]}
    steps = 20 if task_id in SLOW else STEPS
    plain, traced = (envpool.make(task_id, **options) for _ in range(2))
    plain.reset(), traced.reset()
    actions = actions_of(task_id, steps, NUM_ENVS * plain.spec.arrays.actors)
    batches = scanned(traced, actions)
    for t in range(steps):
        rows = int(plain.players().sum()) if plain.spec.arrays.actors > 1 else NUM_ENVS
        action = jax.tree.map(lambda array, t=t, n=rows: array[t][:n], actions)
        assert_same(at(batches, t), plain.step(action), f"step {t}")


@pytest.mark.sampled(one_in=2)
def test_with_64_bit_arrays():
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    command += ["-k", "steps_of and (AllTypes or Counter or Crowd or Pendulum)"]
    environment = {**os.environ, "JAX_ENABLE_X64": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_denormal_numbers_are_kept():
    env = envpool.make_gymnasium("AllTypes-v0", num_envs=3)
    env.reset()
    tiny = np.float32(1e-40)
    actions = {"move": np.ones((1, 3), np.int32), "turn": np.full((1, 3, 2), tiny)}
    assert (np.asarray(scanned(env, actions)[0]["body"]["speed"]) == tiny).all()


# ---- number and order of calls ----


def counter(num_envs=4, **options):
    """Returns the functions of a pool whose observation counts steps."""
    env = envpool.make_gymnasium("Counter-v0", num_envs=num_envs, **options)
    env.reset()
    return env, env.xla(), np.zeros(num_envs, np.int32)


def count_of(env):
    """Returns the number of steps before this call."""
    return int(env.step(np.zeros(len(env), np.int32))[0][0, 0]) - 1


def test_scan_loops_and_single_calls_are_the_same():
    env, (handle, _, _, step), stay = counter()

    def counted(_, carry):
        handle, obs = carry
        handle, (new, *_) = step(handle, stay)
        return handle, obs + new[:, 0]

    carry = (handle, jnp.zeros(4))
    _, by_for = jax.jit(lambda carry: lax.fori_loop(0, 10, counted, carry))(carry)
    np.testing.assert_array_equal(by_for, np.full(4, sum(range(1, 11))))
    handle, by_while = jax.jit(
        lambda carry: lax.while_loop(lambda carry: carry[1][0] < 20 + 11, lambda carry: counted(0, carry), carry)
    )(carry)
    np.testing.assert_array_equal(by_while, np.full(4, 11 + 12 + 13))
    for t in range(14, 17):
        handle, (obs, *_) = step(handle, stay)
        assert (np.asarray(obs) == t).all()


def test_calls_with_unused_results_are_executed():
    env, (handle, recv, send, step), stay = counter()
    jax.block_until_ready(jax.jit(lambda handle: step(step(step(handle, stay)[0], stay)[0], stay)[0])(handle))
    assert count_of(env) == 3

    def in_vain(handle):
        step(handle, stay)
        return 1

    jax.block_until_ready(jax.jit(in_vain)(handle))
    jax.effects_barrier()
    while env._pool.under_way:
        pass
    assert count_of(env) == 5


def test_equal_calls_are_not_merged():
    _, (handle, recv, send, _), stay = counter()
    half = stay[:2]

    @jax.jit
    def run(handle):
        handle = send(handle, half, np.array([0, 1]))
        handle = send(handle, half, np.array([2, 3]))
        handle, first = recv(handle)
        handle, second = recv(handle)
        return first, second

    for _ in range(3):
        first, second = run(handle)
        np.testing.assert_array_equal(first[-1]["env_id"], [0, 1, -1, -1])
        np.testing.assert_array_equal(second[-1]["env_id"], [2, 3, -1, -1])


def equations(jaxpr):
    for equation in jaxpr.eqns:
        yield equation
        for value in equation.params.values():
            if hasattr(value, "jaxpr"):
                yield from equations(value.jaxpr)


def test_results_of_calls_are_behind_a_barrier():
    # Without the barrier, XLA repeats calls on a GPU. tools/gpu_proof.py counts the steps there.
    env, params = envpool.jax.make("CartPole-v1")
    state, actions = env.reset_batch(jax.random.key(0), 3, params)[1], jnp.zeros(3, jnp.int32)
    pure = jax.make_jaxpr(lambda actions: env.step_batch(None, state, actions, params))(actions)
    with envpool.make_gymnasium("CartPole-v1", num_envs=3) as pool:
        handle, _, _, step = pool.xla()
        stepped = jax.make_jaxpr(step)(handle, actions)
    for traced in (pure, stepped):
        listed = list(equations(traced.jaxpr))
        calls = [equation for equation in listed if equation.primitive.name == "ffi_call"]
        barriers = [equation.invars for equation in listed if equation.primitive.name == "optimization_barrier"]
        assert calls and [equation.outvars for equation in calls] == barriers


def test_alternating_calls_inside_and_outside_jit():
    env, (handle, recv, send, step), stay = counter()
    program = jax.jit(step)
    for t in range(1, 20, 2):
        handle, (obs, *_) = program(handle, stay)
        assert (np.asarray(obs) == t).all()
        assert (env.step(stay)[0] == t + 1).all()
    jax.block_until_ready(jax.jit(send)(handle, stay))
    assert (env.recv()[0] == t + 2).all()
    env.send(stay)
    assert (np.asarray(jax.jit(recv)(handle)[1][0]) == t + 3).all()
    env.reset()
    assert (np.asarray(program(handle, stay)[1][0]) == 1).all()
    state = env.snapshot(0)
    jax.block_until_ready(program(handle, stay))
    env.restore(0, state)
    np.testing.assert_array_equal(program(handle, stay)[1][0][:, 0], [2, 3, 3, 3])


def test_the_first_batch_may_be_received_inside():
    for options in ({}, {"batch_size": 4}):
        env = envpool.make_dm("Counter-v0", num_envs=4, **options)
        handle, recv, *_ = env.xla()
        env.async_reset()
        timestep = jax.jit(recv)(handle)[1]
        assert type(timestep).__name__ == "TimeStep" and (np.asarray(timestep.step_type) == 0).all()


# ---- asynchronous pools ----


@pytest.mark.parametrize("interface", ["gymnasium", "dm", "same_step"])
@pytest.mark.parametrize("task_id", ["CartPole-v1", "Pendulum-v1", "FrozenLake-v1", "Pong-v5"])
def test_asynchronous_batches_hold_the_same_trajectories(task_id, interface):
    num_envs, batch, steps = 7, 3, 40
    options = {"num_envs": num_envs, "seed": 5, "max_episode_steps": LIMIT, **INTERFACES[interface]}
    one = actions_of(task_id, 30 * num_envs, 1)[:, 0].reshape(30, num_envs, *actions_of(task_id, 1, 1).shape[2:])

    def parts(result):
        """Returns the arrays that have a row per environment, including the ids."""
        if interface == "dm":
            return {"id": result.observation.env_id, "obs": result.observation.obs, "type": result.step_type}
        obs, reward, terminated, truncated, info = result
        rows = {"id": info["env_id"], "obs": obs, "reward": reward, "ends": terminated, "cut": truncated}
        return {**rows, "elapsed": info["elapsed_step"]}

    env = envpool.make(task_id, batch_size=batch, num_threads=2, **options)
    handle, recv, send, _ = env.xla()

    def turn(carry, _):
        handle, counts = carry
        handle, result = recv(handle)
        rows = parts(result)
        turns = counts[rows["id"]]
        handle = send(handle, jnp.asarray(one)[turns % 30, rows["id"]], rows["id"])
        return (handle, counts.at[rows["id"]].add(1)), rows

    env.async_reset()
    rows = jax.jit(lambda handle: lax.scan(turn, (handle, jnp.zeros(num_envs, int)), length=steps))(handle)[1]
    rows = {name: np.asarray(array).reshape(-1, *array.shape[2:]) for name, array in rows.items()}
    assert len(rows["id"]) == batch * steps

    plain = envpool.make(task_id, **options)
    plain.async_reset()
    history = [parts(plain.recv())]
    for t in range(max(np.bincount(rows["id"]))):
        history.append(parts(plain.step(one[t % 30])))
    for env_id in range(num_envs):
        mine = rows["id"] == env_id
        for name, array in rows.items():
            theirs = np.stack([batch[name][env_id] for batch in history[: mine.sum()]])
            np.testing.assert_array_equal(array[mine], theirs, name)


def test_send_and_recv_with_the_same_handle():
    env = envpool.make_dm("CartPole-v1", num_envs=8, batch_size=4)
    handle, recv, send, step = env.xla()

    def actor_step(_, loop_var):
        handle0, states = loop_var
        action = jnp.zeros(states.observation.obs.shape[0], jnp.int32)
        send(handle0, action, states.observation.env_id)
        return recv(handle0)

    env.async_reset()
    handle, states = recv(handle)
    _, states = jax.jit(lambda carry: lax.fori_loop(0, 50, actor_step, carry))((handle, states))
    assert len(set(np.asarray(states.observation.env_id).tolist())) == 4


# ---- padding rows ----


def test_fewer_environments_than_a_batch():
    env, (handle, recv, send, step), stay = counter()
    handle, (obs, reward, _, _, info) = jax.jit(step)(handle, stay[:2], np.array([3, 1]))
    np.testing.assert_array_equal(info["env_id"], [3, 1, -1, -1])
    np.testing.assert_array_equal(info["players"]["env_id"], [3, 1, -1, -1])
    np.testing.assert_array_equal(obs[:, 0], [1, 1, 0, 0])
    np.testing.assert_array_equal(reward, [1, 1, 0, 0])
    handle, (obs, *_, info) = jax.jit(step)(handle, np.array([0, 0, 99, -99]), info["env_id"])
    np.testing.assert_array_equal(info["env_id"], [3, 1, -1, -1])
    np.testing.assert_array_equal(obs[:, 0], [2, 2, 0, 0])
    assert (env.step(stay)[0][:, 0] == [1, 3, 1, 3]).all()


@pytest.mark.parametrize("batch_size", [5, 2])
def test_varying_numbers_of_players_with_padding(batch_size):
    """Environments have 1 to 4 players, and the actions of players are sent in any order of environments."""
    env = envpool.make_gymnasium("Crowd-v0", num_envs=5, batch_size=batch_size, seed=3)
    handle, recv, send, _ = env.xla()

    def turn(handle, key):
        handle, (obs, reward, *_, info) = recv(handle)
        owner = info["players"]["env_id"]
        order = jax.random.permutation(key, len(owner))
        move = jnp.where(owner == -1, 77, info["players"]["id"] % 3)  # The values of padding rows are ignored.
        ids = info["env_id"]
        # The players of one environment must be in order; the environments may be mixed.
        order = order[jnp.argsort(info["players"]["id"][order], stable=True)]
        action = {"action": move[order], "players.env_id": owner[order], "env_id": ids}
        return send(handle, action), (obs, reward, info)

    env.async_reset()
    keys = jax.random.split(jax.random.key(0), 50)
    obs, reward, info = jax.jit(lambda handle: lax.scan(turn, handle, keys))(handle)[1]
    owner, player = np.asarray(info["players"]["env_id"]), np.asarray(info["players"]["id"])
    first = np.asarray(info["elapsed_step"])
    for t in range(50):
        begins = dict(zip(np.asarray(info["env_id"][t]).tolist(), (first[t] == 0).tolist(), strict=True))
        for row in range(batch_size * 4):
            if owner[t, row] == -1:
                assert reward[t, row] == 0 and (np.asarray(obs[t, row]) == 0).all()
                assert (owner[t, row:] == -1).all()
            elif not begins[owner[t, row]]:
                assert reward[t, row] == player[t, row] % 3 - 1


# ---- lifetime ----


def test_the_functions_keep_the_pool_alive():
    env, (handle, recv, send, step), stay = counter()
    del env
    gc.collect()
    assert (np.asarray(jax.jit(step)(handle, stay)[1][0]) == 1).all()


def test_compiled_code_does_not_keep_the_pool_alive():
    env, (handle, recv, send, step), stay = counter()
    compiled = jax.jit(step).lower(handle, stay).compile()
    jax.block_until_ready(compiled(handle, stay))
    del env, recv, send, step
    jax.clear_caches()
    gc.collect()
    with pytest.raises(RuntimeError, match=r"\[Counter-v0\] step: the pool is closed"):
        jax.block_until_ready(compiled(handle, stay))


def test_the_handle_is_the_same_each_time():
    env, (handle, *_), _ = counter()
    assert handle.dtype == np.uint8 and handle.shape == (8,)
    np.testing.assert_array_equal(handle, env.xla()[0])
    assert (handle != counter()[1][0]).any()


# ---- a script written for EnvPool ----


def test_a_script_of_cleanrl_runs():
    envs = envpool.make("Pong-v5", env_type="gym", num_envs=4, episodic_life=True, reward_clip=True, seed=1)
    envs.num_envs, envs.single_action_space = 4, envs.action_space
    envs.is_vector_env = True
    handle, recv, send, step_env = envs.xla()

    def rollout(carry, key):
        returns, handle, obs = carry
        action = jax.random.randint(key, (4,), 0, envs.single_action_space.n)
        handle, (next_obs, reward, *ends, info) = step_env(handle, action)
        done = ends[0] if len(ends) == 1 else ends[0] | ends[1]
        returns = (returns + info["reward"]) * (1 - info["terminated"]) * (1 - done)
        return (returns, handle, next_obs), (obs, action, reward, done, info["elapsed_step"])

    obs = envs.reset()
    obs = obs[0] if isinstance(obs, tuple) else obs
    run = jax.jit(lambda *carry, keys: lax.scan(rollout, carry, keys))
    carry = (jnp.zeros(4), handle, jnp.asarray(obs))
    for update in range(2):
        carry, (obs, *_, elapsed) = run(*carry, keys=jax.random.split(jax.random.key(update), 16))
    assert obs.shape == (16, 4, 4, 84, 84) and obs.dtype == np.uint8
    np.testing.assert_array_equal(elapsed[-1], 32)
