# SPDX-License-Identifier: Apache-2.0
"""Tests states and parameters: pytrees of one array with named parts that can be pickled, copied and donated."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import envpool

jax = pytest.importorskip("jax")
jnp = jax.numpy

ENV, PARAMS = envpool.jax.make("CartPole-v1", max_episode_steps=9)
STATES = ENV.reset_batch(jax.random.key(0), 3, PARAMS)[1]
LEFT = np.zeros(3, np.int32)


def test_rows_are_pytrees_of_one_array():
    ((path, leaf),) = jax.tree_util.tree_leaves_with_path(STATES)
    assert leaf is STATES.raw and jax.tree_util.keystr(path) == ".raw" and leaf.dtype == jnp.uint32
    assert type(jax.tree.map(lambda array: array, STATES)) is type(STATES)
    several = jax.tree.map(lambda *arrays: jnp.stack(arrays), STATES, STATES)
    assert several.position.shape == (2, 3) and several.raw.shape == (2, *STATES.raw.shape)
    assert jax.tree.structure(STATES) == jax.tree.structure(several) != jax.tree.structure(PARAMS)
    other = envpool.jax.make("Pendulum-v1")[0].reset(jax.random.key(0))[1]
    assert jax.tree.structure(STATES) != jax.tree.structure(other)


def test_reading_parts_of_rows():
    names = ["elapsed_step", "episode", "over", "position", "velocity", "angle", "angular_velocity"]
    assert [name for name in dir(STATES) if name in names] == sorted(names) and "parts: " + ", ".join(names) in repr(
        STATES
    )
    assert STATES.position.shape == STATES.over.shape == STATES.time.shape == (3,)
    assert STATES.over.dtype == jnp.bool_ and STATES.episode.dtype == jnp.int32
    np.testing.assert_array_equal(jax.jit(lambda s: s.angle)(STATES), STATES.angle)
    np.testing.assert_array_equal(jax.vmap(lambda s: s.angle)(STATES), STATES.angle)
    one = jax.tree.map(lambda array: array[1], STATES)
    assert one.angle.shape == () and one.angle == STATES.angle[1]
    moved = STATES.replace(position=[1.0, 2.0, 3.0], over=True)
    assert moved.position.tolist() == [1, 2, 3] and moved.over.all() and (STATES.position != moved.position).all()
    with pytest.raises(
        AttributeError, match="height: expected one of elapsed_step, episode, over, position.*, got an unknown name"
    ):
        _ = STATES.height


def test_pickled_and_copied_rows():
    ours = ENV.step_batch(None, STATES, LEFT, PARAMS)
    for again in (lambda row: pickle.loads(pickle.dumps(row)), copy.deepcopy, copy.copy):
        states, params = again(STATES), again(PARAMS)
        assert states.format == STATES.format and params.format == PARAMS.format
        jax.tree.map(np.testing.assert_array_equal, ENV.step_batch(None, states, LEFT, params), ours)
        assert params.replace(gravity=5.0).gravity == 5


FLAX = """
import sys, jax
FIRST
import envpool.jax
env, params = envpool.jax.make("CartPole-v1")
state = env.reset(jax.random.key(7), params)[1]
import flax.serialization
tree = {"state": state, "params": params.replace(gravity=5.0)}
loaded = flax.serialization.from_bytes({"state": env.reset(jax.random.key(8))[1], "params": params}, flax.serialization.to_bytes(tree))
assert (loaded["state"].raw == state.raw).all() and loaded["params"].gravity == 5
env.step(None, loaded["state"], 0, loaded["params"])
"""


@pytest.mark.parametrize("first", ["", "import flax.serialization", "import flax"])
def test_flax_is_imported_before_or_after(first):
    pytest.importorskip("flax")
    subprocess.run([sys.executable, "-c", FLAX.replace("FIRST", first)], check=True, timeout=200)


def test_flax_saves_states_and_parameters():
    serialization = pytest.importorskip("flax.serialization")
    params = PARAMS.replace(gravity=5.0)
    tree = {"states": STATES, "params": params, "steps": np.int32(3)}
    _, fresh = ENV.reset_batch(jax.random.key(9), 3, PARAMS)
    loaded = serialization.from_bytes({"states": fresh, "params": PARAMS, "steps": 0}, serialization.to_bytes(tree))
    assert loaded["params"].gravity == 5 and loaded["steps"] == 3
    ours = ENV.step_batch(None, loaded["states"], LEFT, loaded["params"])
    jax.tree.map(np.testing.assert_array_equal, ours, ENV.step_batch(None, STATES, LEFT, params))
    with pytest.raises(
        ValueError, match=r"^\[CartPole-v1\] from_state_dict: expected saved rows of 20 words .uint32., got"
    ):
        serialization.from_bytes(STATES, serialization.to_bytes(PARAMS))
    with pytest.raises(ValueError, match=r"from_state_dict: expected saved rows of 20 words .uint32., got \[1, 1, "):
        serialization.from_state_dict(STATES, {"raw": [1] * 20})


def test_keys_of_four_words():
    """The generator rbg keeps the two words of a key twice. The key of a seed gives the same episode as threefry's."""
    for new in (jax.random.key, jax.random.PRNGKey):
        four, two = new(7, impl="rbg"), new(7, impl="threefry2x32")
        jax.tree.map(np.testing.assert_array_equal, ENV.reset(four, PARAMS), ENV.reset(two, PARAMS))
        stepped = ENV.step_batch(four, STATES, LEFT, PARAMS)
        jax.tree.map(np.testing.assert_array_equal, stepped, ENV.step_batch(two, STATES, LEFT, PARAMS))
    states = jax.vmap(ENV.reset, (0, None))(jax.random.split(jax.random.key(7, impl="rbg"), 4), PARAMS)[1]
    assert len({*np.asarray(states.position).tolist()}) == 4


def test_an_assignment_says_what_to_call():
    with pytest.raises(AttributeError, match=r"^\[CartPole-v1\] gravity: expected replace\(gravity=\.\.\.\), which"):
        PARAMS.gravity = 3.0
    with pytest.raises(AttributeError, match=r"^\[CartPole-v1\] position: expected replace\(position="):
        STATES.position = 0.5


ELSEWHERE = """
import pickle, sys, jax, numpy as np, envpool, envpool.jax
envpool.jax.make("Pendulum-v1")  # Later models now get other numbers than in the parent process.
states, params, reward = pickle.loads(sys.stdin.buffer.read())
assert states.position.shape == (3,) and params.max_episode_steps == 9
env, mine = envpool.jax.make("CartPole-v1")
assert (env.step_batch(None, states, np.zeros(3, int), params)[2] == reward).all()
assert jax.tree.map(float, params.replace(gravity=5.0)).gravity == 5 and params.masscart == mine.masscart
"""


def test_rows_in_another_process():
    reward = np.asarray(ENV.step_batch(None, STATES, LEFT, PARAMS)[2])
    content = pickle.dumps((STATES, PARAMS, reward))
    subprocess.run([sys.executable, "-c", ELSEWHERE], check=True, env=os.environ, input=content)


ATARI_ELSEWHERE = """
import pickle, sys, jax, numpy as np, envpool, envpool.jax
states, params, reward = pickle.loads(sys.stdin.buffer.read())
env, mine = envpool.jax.make("Pong-v5")
assert (env.step_batch(None, states, np.ones(2, int), params)[2] == reward).all()
assert (env.step_batch(None, states, np.ones(2, int), mine)[2] == reward).all()
"""


@pytest.mark.parametrize("native", ["1", "0"])
def test_atari_states_in_another_process(native):
    pytest.importorskip("ale_py")
    env, params = envpool.jax.make("Pong-v5")
    states = env.reset_batch(jax.random.key(0), 2, params)[1]
    reward = np.asarray(env.step_batch(None, states, np.ones(2, int), params)[2])
    environment = {**os.environ, "ENVPOOL_ATARI_NATIVE": native}
    content = pickle.dumps((states, params, reward))
    subprocess.run([sys.executable, "-c", ATARI_ELSEWHERE], check=True, env=environment, input=content)


def test_replacing_atari_options():
    pytest.importorskip("ale_py")
    env, params = envpool.jax.make("Pong-v5")
    changed = params.replace(frame_skip=2, repeat_action_probability=0.25, max_episode_steps=5)
    assert changed.frame_skip == 2 and changed.max_episode_steps == 5
    state = env.reset_batch(jax.random.key(0), 2, changed)[1]
    env.step_batch(None, state, np.ones(2, int), changed)
    with pytest.raises(
        TypeError, match=r"got 'stack_num', which is an argument of make: envpool.jax.make\('Pong-v5', "
    ):
        params.replace(stack_num=2)


def test_a_donated_state_is_stepped_in_place():
    states = jax.tree.map(jnp.array, STATES)
    expected = ENV.step_batch(None, states, LEFT, PARAMS)
    at = states.raw.unsafe_buffer_pointer()
    given = jax.jit(ENV.step_batch, donate_argnums=1)(None, states, LEFT, PARAMS)
    jax.tree.map(np.testing.assert_array_equal, given, expected)
    assert given[1].raw.unsafe_buffer_pointer() == at
    with pytest.raises((RuntimeError, ValueError), match="deleted|donated"):
        ENV.step_batch(None, states, LEFT, PARAMS)


def test_a_state_that_is_not_donated_is_not_modified():
    before = np.array(STATES.raw)
    jax.block_until_ready(jax.jit(ENV.step_batch)(None, STATES, LEFT, PARAMS))
    np.testing.assert_array_equal(STATES.raw, before)
