# SPDX-License-Identifier: Apache-2.0
"""Tests that models and entries of pools live exactly as long as a Python object or a compiled program refers to them.

Further tests copy and pickle environments, parameters and states, and send them to other processes.
"""

from __future__ import annotations

import copy
import gc
import os
import pickle
import subprocess
import sys
import weakref

import numpy as np
import pytest

import envpool
from envpool import _core

jax = pytest.importorskip("jax")
jnp = jax.numpy

KEY = jax.random.PRNGKey(0)
MANY = 200


def live():
    gc.collect()
    return _core.live_models()


def numbers():
    """Returns an option's value that has not been used before, so that each environment has its own model."""
    numbers.last += 1
    return 1 + numbers.last / 4096


numbers.last = 0


def test_unreferenced_environments_are_freed():
    before = live()
    for _ in range(MANY):
        env, params = envpool.jax.make("CartPole-v1", gravity=numbers())
    assert live() <= before + 1
    gravity = params.gravity
    del env
    assert live() <= before + 1  # JAX may keep its latest trace alive.
    assert params.replace(masscart=2.0).gravity == gravity  # The parameters need no model.
    del params
    assert live() <= before + 1  # JAX may keep its latest trace alive.


def test_environments_that_were_stepped_are_freed():
    before, references = live(), []
    for _ in range(12):
        env, params = envpool.jax.make("CartPole-v1", gravity=numbers())
        references.append(weakref.ref(env))
        _, state = env.reset(KEY, params.replace(masscart=2.0))
        jax.jit(lambda state, env=env: env.step(None, state, 0)[1])(state)
        jax.vmap(env.reset)(jax.random.split(KEY, 2))
        del env, params, state
    assert live() <= before + 3
    assert sum(reference() is not None for reference in references) <= 3


@pytest.mark.parametrize("native", [True, False])
def test_atari_games_are_freed(native):
    pytest.importorskip("ale_py")
    code = f"""
import os
os.environ["ENVPOOL_ATARI_NATIVE"] = "{int(native)}"
import gc, envpool
from envpool import _core
from tests.support.memory import allocated_bytes
for limit in range(1, {MANY} + 1):
    env, params = envpool.jax.make("Pong-v5", max_episode_steps=limit)
    if limit == {MANY} // 4:
        gc.collect()
        early = allocated_bytes()
gc.collect()
grown = allocated_bytes() - early
assert _core.live_models() == 1, _core.live_models()
assert grown < 8 << 20, grown
"""
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ, timeout=300)


def test_a_compiled_program_keeps_its_model():
    before = live()
    env, params = envpool.jax.make("CartPole-v1", gravity=numbers())
    _, state = env.reset(KEY, params)
    expected = env.step(None, state, 1)[0]
    program = jax.jit(lambda state, env=env: env.step(None, state, 1)[0]).lower(state).compile()
    del env, params
    assert live() > before
    np.testing.assert_array_equal(program(state), expected)
    del program
    assert live() <= before + 2


def test_compiling_a_program_after_its_environment_is_freed():
    env, _ = envpool.jax.make("CartPole-v1", gravity=numbers())
    _, state = env.reset(KEY)
    expected = env.step(None, state, 1)[0]
    lowered = jax.jit(lambda state, env=env: env.step(None, state, 1)[0]).lower(state)
    del env
    gc.collect()
    try:
        obs = lowered.compile()(state)
    except RuntimeError as error:
        assert "the environment of this program was deleted before the program was compiled" in str(error)
    else:
        np.testing.assert_array_equal(obs, expected)


def test_rows_outlive_their_environment():
    gravity = numbers()
    env, params = envpool.jax.make("CartPole-v1", gravity=gravity)
    _, state = env.reset(KEY, params)
    saved = pickle.dumps((params, state))
    del env, params, state
    gc.collect()
    params, state = pickle.loads(saved)
    assert params.gravity == np.float32(gravity)
    env, own = envpool.jax.make("CartPole-v1", gravity=gravity)
    assert env.step(None, state, 0, params.replace(masscart=2.0))[2] == 1
    assert own.format == params.format


# ---- pools ----


def test_ports_are_freed():
    before = _core.live_pool_entries()
    for _ in range(MANY):
        env = envpool.make_gymnasium("CartPole-v1", num_envs=1, num_threads=1)
        env.xla()
        env.close()
        del env
    gc.collect()
    assert _core.live_pool_entries() == before


def test_running_a_program_after_its_pool_is_freed():
    env = envpool.make_gymnasium("CartPole-v1", num_envs=2)
    env.reset()
    handle, _, _, step = env.xla()
    program = jax.jit(step).lower(handle, np.zeros(2, np.int32)).compile()
    jax.block_until_ready(program(handle, np.zeros(2, np.int32)))
    del env, step
    gc.collect()
    for _ in range(2):
        with pytest.raises(RuntimeError, match=r"\[CartPole-v1\] step: the pool is closed"):
            jax.block_until_ready(program(handle, np.zeros(2, np.int32)))


# ---- copies, and other processes ----


def same(one, other):
    jax.tree.map(np.testing.assert_array_equal, one, other)


def test_copies():
    env, params = envpool.jax.make("CartPole-v1", gravity=numbers(), step_values=6)
    _, state = env.reset(KEY, params)
    expected = env.step(KEY, state, 0, params)
    for made in (copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))):
        other = made(env)
        assert repr(other) == "Environment('CartPole-v1')" and other.name == env.name
        same(other.default_params, env.default_params)
        got = other.step(KEY, made(state), 0, made(params))
        assert len(got) == 6
        same(got, expected)
        same(made(params).replace(masscart=3.0), params.replace(masscart=3.0))


OTHER_PROCESS = """
import pickle, sys, jax
env, params, state = pickle.load(sys.stdin.buffer)
obs, state, reward, done, info = env.step(None, state, 1, params)
out = jax.tree.map(jax.device_get, (obs, state, params.replace(max_episode_steps=9)))
pickle.dump(out, sys.stdout.buffer)
"""


@pytest.mark.parametrize("task_id", ["CartPole-v1", "Breakout-MinAtar"])
def test_another_process_continues(task_id):
    """The other process unpickles environment, parameters and state; the state that it returns is stepped here."""
    env, params = envpool.jax.make(task_id, max_episode_steps=77)
    params = params.replace(max_episode_steps=99)
    _, state = env.reset(KEY, params)
    expected = env.step(None, state, 1, params)
    given = pickle.dumps((env, params, jax.tree.map(jax.device_get, state)))
    done = subprocess.run([sys.executable, "-c", OTHER_PROCESS], input=given, capture_output=True, env=os.environ)
    assert done.returncode == 0, done.stderr.decode()
    obs, theirs, changed = pickle.loads(done.stdout)
    same(obs, expected[0])
    same(theirs.raw, expected[1].raw)
    assert changed.max_episode_steps == 9
    same(env.step(None, theirs, 0, params)[0], env.step(None, expected[1], 0, params)[0])
