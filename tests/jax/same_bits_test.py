# SPDX-License-Identifier: Apache-2.0
"""Tests that trajectories inside `jit` equal the pool's bit for bit, also under scan, while_loop, vmap and sharding."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import envpool
import tests.environments.registration  # noqa: F401 (registers Counter and AllTypes)
from envpool.python.registry import find
from tests.support.samples import WHOLE, of_today
from tests.support.trajectories import is_here

jax = pytest.importorskip("jax")
jnp = jax.numpy

LIMIT, NUM_ENVS, STEPS = 23, 13, 120
# The families whose ids are not all tested here. One Atari game represents all games, and a few ids represent MiniGrid.
# MuJoCo and ViZDoom are not portable. worlds_test.py tests "tag", "pgx" and "jaxmarl", whose environments
# have several players.
OTHERS = ("", "atari", "minigrid", "mujoco", "vizdoom", "tag", "pgx", "jaxmarl")
MINIGRID: dict[str, dict[str, object]] = {  # options by id
    "MiniGrid-DoorKey-8x8-v0": {},
    "MiniGrid-Dynamic-Obstacles-8x8-v0": {"observation": "symbolic"},
    "MiniGrid-LavaGapS7-v0": {"observation": "rgb_full", "tile_size": 4, "image_only": True},
    "MiniGrid-Fetch-8x8-N3-v0": {"observation": "flat"},
    "BabyAI-GoTo-v0": {"observation": "rgb_partial", "tile_size": 3},
}

# One in five ids is tested each day, and always these.
ALWAYS = ("Acrobot-v1", "AllTypes-v0", "LunarLander-v3", "Pong-v5")

ON_STANDIN = bool(os.environ.get("ENVPOOL_STANDIN_XLA"))  # XLA's CPU backend calls the handlers for GPUs


def portable_ids() -> list[str]:
    ids = [task_id for task_id in filter(is_here, envpool.list_all_envs()) if find(task_id).family not in OTHERS]
    wide = [] if ON_STANDIN else ["Counter-v1", "AllTypes-v0"]  # these have 64-bit fields and no kernels
    return [*ids, *MINIGRID, *wide, "Pong-v5", "Play2048-v1"]


def key_of(seed: int):
    return jax.random.wrap_key_data(np.array([seed >> 32, seed & 0xFFFFFFFF], np.uint32))


def actions_of(task_id: str, seed: int, steps: int, num_envs: int):
    """Returns random actions for the pool: an array or a dict of arrays, each of shape (steps, num_envs, ...)."""
    space = envpool.make_spec(task_id).action_space
    rng = np.random.default_rng(seed)

    def draw(space):
        shape = (steps, num_envs, *space.shape)
        if hasattr(space, "n"):
            return rng.integers(0, space.n, shape).astype(np.int32)
        if hasattr(space, "nvec"):
            return rng.integers(0, space.nvec, shape).astype(np.int32)
        low, high = np.broadcast_to(space.low, space.shape), np.broadcast_to(space.high, space.shape)
        return rng.uniform(low, high, shape).astype(np.float32)

    return {name: draw(part) for name, part in space.items()} if hasattr(space, "items") else draw(space)


def assert_same(ours, theirs, where: str):
    """Compares trees of arrays. Where the pool's arrays have 64-bit elements, JAX's have 32-bit elements."""
    if isinstance(theirs, dict):
        assert set(ours) == set(theirs), where
        for name in theirs:
            assert_same(ours[name], theirs[name], f"{where}.{name}")
        return
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(ours, theirs.astype(ours.dtype), where)


def at(tree, index):
    return jax.tree.map(lambda array: np.asarray(array)[index], tree)


@pytest.mark.parametrize("task_id", portable_ids() if WHOLE else of_today(portable_ids(), 5, ALWAYS))
def test_a_batch_equals_the_pool(task_id):
    steps = 30 if task_id == "Pong-v5" else STEPS
    options = {"max_episode_steps": LIMIT, **MINIGRID.get(task_id, {})}
    env, params = envpool.jax.make(task_id, **options)

    @jax.jit
    def rollout(key, actions):
        obs, state = env.reset_batch(key, NUM_ENVS, params)

        def step(state, action):
            obs, state, reward, done, info = env.step_batch(None, state, action, params)
            return state, (obs, reward, done, info)

        return obs, jax.lax.scan(step, state, actions)[1]

    for seed in (0, 42, 2**40 + 3):
        actions = actions_of(task_id, seed % 1000, steps, NUM_ENVS)
        first, (obs, reward, done, info) = rollout(key_of(seed), actions)
        with envpool.make(
            task_id, num_envs=NUM_ENVS, num_threads=1, seed=seed, autoreset_mode="same_step", **options
        ) as pool:
            assert_same(first, pool.reset()[0], "first")
            ends = 0
            for t in range(steps):
                theirs = pool.step(jax.tree.map(lambda array, t=t: array[t], actions))
                assert_same(at(obs, t), theirs[0], f"obs at {t}")
                assert_same(reward[t], theirs[1], f"reward at {t}")
                assert_same(info["terminated"][t], theirs[2], f"terminated at {t}")
                assert_same(info["truncated"][t], theirs[3], f"truncated at {t}")
                ended = theirs[2] | theirs[3]
                assert_same(done[t], ended, f"done at {t}")
                ends += ended.sum()
                assert_same(at(info["final_observation"], (t, ~ended)), at(theirs[0], ~ended), f"last obs at {t}")
                if ended.any():
                    final = theirs[4]["final_obs"]
                    if not isinstance(final, dict):
                        final = np.stack(final[ended]) if final.dtype == object else final[ended]
                        assert_same(at(info["final_observation"], (t, ended)), final, f"final_obs at {t}")
            assert ends >= NUM_ENVS


def test_a_multithreaded_call_equals_the_pool():
    count, steps = 4099, 25  # The batch is large enough for several threads.
    env, params = envpool.jax.make("Acrobot-v1", max_episode_steps=11)
    limits = params_of_each(params, max_episode_steps=np.full(count, 11))  # one row of parameters per environment
    actions = actions_of("Acrobot-v1", 1, steps, count)
    step = jax.jit(env.step_batch)
    for given in (params, limits):
        obs, state = env.reset_batch(key_of(7), count, given)
        with envpool.make(
            "Acrobot-v1", num_envs=count, seed=7, autoreset_mode="same_step", max_episode_steps=11
        ) as pool:
            assert_same(obs, pool.reset()[0], "first")
            for t in range(steps):
                obs, state, reward, _, info = step(None, state, actions[t], given)
                theirs = pool.step(actions[t])
                assert_same(obs, theirs[0], f"obs at {t}")
                assert_same(reward, theirs[1], f"reward at {t}")
                assert_same(info["truncated"], theirs[3], f"truncated at {t}")


CARTPOLE = envpool.jax.make("CartPole-v1", max_episode_steps=9)


def plain_loop(env, params, keys, actions):
    """Returns the outputs of each step of one environment, with one call per step, and its final state."""
    outputs = []
    _, state = env.reset(keys[0], params)
    for key, action in zip(keys[1:], actions, strict=True):
        obs, state, reward, done, _ = env.step(key, state, action, params)
        outputs.append((obs, reward, done))
    return jax.tree.map(lambda *steps: jnp.stack(steps), *outputs), state


def scanned(env, params, keys, actions):
    _, state = env.reset(keys[0], params)

    def step(state, given):
        obs, state, reward, done, _ = env.step(given[0], state, given[1], params)
        return state, (obs, reward, done)

    state, outputs = jax.lax.scan(step, state, (keys[1:], actions))
    return outputs, state


def whiled(env, params, keys, actions):
    """Returns the final state of a while_loop."""
    _, state = env.reset(keys[0], params)

    def step(carry):
        t, state = carry
        return t + 1, env.step(keys[t + 1], state, actions[t], params)[1]

    return jax.lax.while_loop(lambda carry: carry[0] < len(actions), step, (0, state))[1]


def given(shape, steps=25, task_id="CartPole-v1"):
    keys = jax.random.split(jax.random.key(3), (*shape, steps + 1))
    actions = actions_of(task_id, 5, steps, int(np.prod(shape)))
    return keys, np.moveaxis(actions, 0, 1).reshape(*shape, steps, *actions.shape[2:])


@pytest.mark.parametrize("task_id", ["CartPole-v1", "Pendulum-v1", "Acrobot-v1"])
def test_scan_while_and_nested_vmap_equal_a_plain_loop(task_id):
    env, params = envpool.jax.make(task_id, max_episode_steps=9)
    keys, actions = given((2, 3), task_id=task_id)
    nested = jax.jit(jax.vmap(jax.vmap(lambda k, a: scanned(env, params, k, a))))(keys, actions)
    state = jax.jit(jax.vmap(jax.vmap(lambda k, a: whiled(env, params, k, a))))(keys, actions)
    for i in range(2):
        for j in range(3):
            loop = plain_loop(env, params, keys[i, j], actions[i, j])
            assert_same_tree(jax.tree.map(lambda a, i=i, j=j: a[i, j], nested), loop)
            np.testing.assert_array_equal(state.raw[i, j], loop[1].raw)


def assert_same_tree(ours, theirs):
    jax.tree.map(np.testing.assert_array_equal, ours, theirs)


def params_of_each(params, **values):
    """Returns parameters whose leaves all have an axis of environments, with these values for some options."""
    return jax.vmap(lambda row: params.replace(**row))({name: jnp.asarray(value) for name, value in values.items()})


def assert_operands_can_be_mapped_alone(env, operands, fixed):
    """Steps with vmap over each operand alone, and compares the results with those of a loop over single steps.

    Args:
        env: the environment.
        operands: batches of the arguments of `step`, by name, in order.
        fixed: the index of the row that is passed for an operand that is not mapped.
    """
    rows = {name: jax.tree.map(lambda array: array[fixed], batch) for name, batch in operands.items()}
    for mapped in operands:
        axes = tuple(0 if name == mapped else None for name in operands)
        values = [operands[name] if name == mapped else rows[name] for name in operands]
        together = jax.vmap(env.step, axes)(*values)
        for i in range(len(operands["key"])):
            one = [jax.tree.map(lambda a, i=i: a[i], v) if x == 0 else v for v, x in zip(values, axes, strict=True)]
            assert_same_tree(jax.tree.map(lambda array, i=i: array[i], together), env.step(*one))


def test_vmap_over_params_alone_and_crossed_with_states():
    env, params = CARTPOLE
    keys, actions = given((3,))
    several = params_of_each(params, gravity=np.array([5.0, 9.8]), max_episode_steps=np.array([6, 11]))
    crossed = jax.jit(
        jax.vmap(jax.vmap(lambda p, k, a: scanned(env, p, k, a), in_axes=(None, 0, 0)), in_axes=(0, None, None))
    )(several, keys, actions)
    for i, (gravity, limit) in enumerate([(5.0, 6), (9.8, 11)]):
        one, of_one = envpool.jax.make("CartPole-v1", gravity=gravity, max_episode_steps=limit)
        for j in range(3):
            loop = plain_loop(one, of_one, keys[j], actions[j])
            assert_same_tree(jax.tree.map(lambda a, i=i, j=j: a[i, j], crossed[0]), loop[0])


@pytest.mark.parametrize("task_id", ["CartPole-v1", "FrozenLake-v1"])
def test_rows_of_one_call_keep_their_own_params(task_id):
    """Each row keeps its own time limit in all its episodes."""
    env, params = envpool.jax.make(task_id)
    limits = np.array([3, 7, 5, 2, 9])
    several = params_of_each(params, max_episode_steps=limits)
    _, states = jax.vmap(env.reset)(jax.random.split(jax.random.key(1), 5), several)
    step = jax.jit(jax.vmap(env.step, (None, 0, 0, 0)))
    ended = set()
    for t in range(30):
        before, action = states.elapsed_step, np.full(5, t % 2, np.int32)
        _, states, _, _, info = step(None, states, action, several)
        np.testing.assert_array_equal(info["elapsed_step"], before + 1)
        np.testing.assert_array_equal(info["truncated"], info["elapsed_step"] >= limits)
        ended |= {*np.flatnonzero(info["truncated"]).tolist()}
    assert len(ended) >= 4


def test_every_single_axis_may_be_mapped():
    env, params = CARTPOLE
    keys = jax.random.split(jax.random.key(1), 4)
    _, states = jax.vmap(env.reset, (0, None))(keys, params)
    several = params_of_each(params, force_mag=np.array([1.0, 2.0, 3.0, 4.0]))
    mapped = {"key": keys, "state": states, "action": np.array([0, 1, 1, 0]), "params": several}
    assert_operands_can_be_mapped_alone(env, mapped, fixed=0)


def test_a_step_draws_from_its_key():
    env, params = envpool.jax.make("Acrobot-v1", torque_noise_max=0.5)
    _, state = env.reset(jax.random.key(0), params)
    first, again, other = (env.step(jax.random.key(seed), state, 1, params)[0] for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (np.asarray(first) != np.asarray(other)).any()
    held, same = (env.step(None, state, 1, params)[0] for _ in range(2))
    np.testing.assert_array_equal(held, same)


def test_legacy_keys_equal_new_keys():
    env, params = CARTPOLE
    np.testing.assert_array_equal(env.reset(jax.random.key(5), params)[0], env.reset(jax.random.PRNGKey(5), params)[0])


def test_step_env_after_the_end_of_an_episode():
    env, params = envpool.jax.make("CartPole-v1", max_episode_steps=2)
    _, state = env.reset(jax.random.key(0), params)
    for t in range(4):
        obs, state, reward, done, info = env.step_env(None, state, 1, params)
        if t == 1:
            ended = obs
            assert info["truncated"] and not info["terminated"] and info["discount"] == 1 and reward == 1
        if t > 1:
            np.testing.assert_array_equal(obs, ended)
            assert done and reward == 0
    restarted, state, *_ = env.step(None, state, 1, params)
    assert state.elapsed_step == 0 and (np.asarray(restarted) != np.asarray(ended)).any()


def test_six_values():
    env, params = envpool.jax.make("CartPole-v1", step_values=6, max_episode_steps=1)
    _, state = env.reset(jax.random.key(0))
    _, _, _, terminated, truncated, info = env.step(jax.random.key(1), state, 0)
    assert not terminated and truncated and info["elapsed_step"] == 1


def test_parts_of_states_and_params_read_and_change():
    env, params = CARTPOLE
    _, state = jax.vmap(env.reset, (0, None))(jax.random.split(jax.random.key(0), 3), params)
    assert state.position.shape == (3,) and params.gravity == np.float32(9.8) and params.max_steps_in_episode == 9
    moved = jax.jit(lambda s, x: s.replace(position=x, angle=0.0))(state, jnp.array([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(moved.position, [1, 2, 3])
    np.testing.assert_array_equal(moved.angle, [0, 0, 0])
    np.testing.assert_array_equal(moved.velocity, state.velocity)
    changed = jax.jit(jax.vmap(lambda g: params.replace(gravity=g)))(jnp.array([5.0, 6.0]))
    np.testing.assert_array_equal(changed.gravity, [5, 6])
    np.testing.assert_array_equal(changed.tau, np.float32([0.02, 0.02]))
    assert params.replace(kinematics_integrator="semi-implicit").kinematics_integrator == 1
    assert env._params(params.replace(gravity=9.8)) == ((), [])  # The value is the one that make() got.


def test_a_finished_episode_is_recorded_in_the_state():
    env, params = CARTPOLE
    _, state = env.reset(jax.random.key(0), params)
    for _ in range(9):
        _, state, _, done, _ = env.step(None, state, 0, params)
        if done:
            break
    assert state.episode == 2 and state.elapsed_step == 0 and not state.over


DOUBLE = """
import jax, numpy as np, envpool, envpool.jax
jax.config.update("jax_enable_x64", True)
env, params = envpool.jax.make("CartPole-v1")
_, state = jax.jit(env.reset)(jax.random.key(3), params)
assert state.position.dtype == np.float64 and params.gravity == 9.8
position, velocity = float(state.position), float(state.velocity)
_, state, *_ = jax.jit(env.step)(None, state, 1, params)
assert float(state.position) == position + 0.02 * velocity, (position, velocity, state.position)
assert float(state.replace(position=np.pi).position) == np.pi
assert params.replace(gravity=np.float64(1) / 3).gravity == 1 / 3
assert jax.jit(lambda g: params.replace(gravity=g))(1 / 3).gravity == 1 / 3
"""


def test_with_64_bit_arrays():
    subprocess.run([sys.executable, "-c", DOUBLE], check=True, env=os.environ)


DEVICES = """
import jax, jax.numpy as jnp, numpy as np, envpool, envpool.jax
from jax.sharding import Mesh, NamedSharding, PartitionSpec
try:
    from jax import shard_map
except ImportError:
    from jax.experimental.shard_map import shard_map
assert jax.device_count() == 4
env, params = envpool.jax.make("CartPole-v1", max_episode_steps=9)

def rollout(keys, actions):
    _, state = jax.vmap(env.reset, (0, None))(keys, params)
    def step(state, action):
        obs, state, reward, done, _ = jax.vmap(env.step, (None, 0, 0, None))(None, state, action, params)
        return state, (obs, reward, done)
    return jax.lax.scan(step, state, actions.T)[1]

keys = jax.random.key_data(jax.random.split(jax.random.key(3), 8))
actions = jax.random.randint(jax.random.key(4), (8, 30), 0, 2)
expected = jax.jit(rollout)(keys, actions)

def same(ours, what):
    jax.tree.map(lambda a, b: np.testing.assert_array_equal(np.asarray(a).reshape(b.shape), b, what), ours, expected)

parts = jax.pmap(rollout)(keys.reshape(4, 2, 2), actions.reshape(4, 2, 30))  # (4, 30, 2, ...)
same(jax.tree.map(lambda a: jnp.moveaxis(a, 0, 1), parts), "pmap")
mesh = Mesh(np.array(jax.devices()), ("x",))
rows, columns = PartitionSpec("x"), PartitionSpec(None, "x")
for check in ("check_vma", "check_rep"):
    try:
        sharded = jax.jit(shard_map(rollout, mesh=mesh, in_specs=(rows, rows), out_specs=columns, **{check: False}))
        break
    except TypeError:
        continue
same(sharded(keys, actions), "shard_map")
apart = [jax.device_put(array, NamedSharding(mesh, rows)) for array in (keys, actions)]
same(jax.jit(rollout)(*apart), "jit of sharded arrays")
"""


def test_on_several_devices_of_the_host():
    environment = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=4"}
    subprocess.run([sys.executable, "-c", DEVICES], check=True, env=environment)
