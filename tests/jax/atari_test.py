# SPDX-License-Identifier: Apache-2.0
"""Tests Atari games as pure functions: replaced parameters, and states from other processes."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import envpool

jax = pytest.importorskip("jax")
pytest.importorskip("ale_py")

KEY = jax.random.PRNGKey(0)


def same(one, other):
    jax.tree.map(np.testing.assert_array_equal, one, other)


SAVE = """
import pickle, sys, jax, envpool
env, params = envpool.jax.make("Pong-v5", max_episode_steps={limit})
_, state = env.reset(jax.random.PRNGKey(0), params)
for action in (1, 2, 3):
    obs, state, *_ = env.step(None, state, action, params)
pickle.dump(jax.tree.map(jax.device_get, (params, state)), sys.stdout.buffer)
"""


@pytest.mark.parametrize("native", ["0", "1"])
def test_states_of_processes_with_and_without_native_code(native):
    code = SAVE.format(limit=50)
    environ = {**os.environ, "ENVPOOL_ATARI_NATIVE": native}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environ, check=True)
    params, state = pickle.loads(done.stdout)
    env, own = envpool.jax.make("Pong-v5", max_episode_steps=50)
    _, mine = env.reset(KEY, own)
    for action in (1, 2, 3):
        _, mine, *_ = env.step(None, mine, action, own)
    same(env.step(None, state, 2, params)[0], env.step(None, mine, 2, own)[0])


@pytest.mark.parametrize(
    "changes",
    [
        {"repeat_action_probability": 0.25},
        {"frame_skip": 2},
        {"reward_clip": True},
        {"max_episode_steps": 5},
    ],
)
def test_replacing_parameters_of_a_game(changes):
    env, params = envpool.jax.make("Pong-v5")
    changed = params.replace(**changes)
    for name, value in changes.items():
        assert getattr(changed, name) == value
    made, given = envpool.jax.make("Pong-v5", **changes)
    same(changed, given)
    _, state = env.reset(KEY, changed)
    same(env.step(KEY, state, 2, changed)[0], made.step(KEY, made.reset(KEY)[1], 2)[0])


def test_terminated_in_info_is_the_games_own():
    """With episodic_life, a lost life ends the episode, and `info["terminated"]` tells whether the game is over."""
    options = {"episodic_life": True, "frame_skip": 16}
    env, params = envpool.jax.make("Breakout-v5", step_values=6, **options)
    _, state = env.reset_batch(jax.random.key(3), 1, params)
    step = jax.jit(lambda state: env.step_batch(None, state, np.array([1], np.int32), params)[1:])
    lives = games = 0
    with envpool.make("Breakout-v5", num_envs=1, seed=3, autoreset_mode="same_step", **options) as pool:
        pool.reset()
        while not games:
            *_, terminated, _, theirs = pool.step(np.array([1], np.int32))
            state, _, ended, _, info = step(state)
            final = theirs.get("final_info", theirs)
            assert info["terminated"].dtype == np.int32 and info["terminated"] == final["terminated"]
            assert ended == terminated and info["discount"] == 1 - ended
            lives += int(ended[0])
            games += int(info["terminated"][0])
    assert lives == 5


@pytest.mark.parametrize("task_id", ["Pong-v5", "ALE/Pong-v5"])
def test_every_parameter_can_be_replaced(task_id):
    """Options that change a game's first state or the plan of its resizes are arguments of make."""
    _, params = envpool.jax.make(task_id)
    names = params.format.names
    assert {"mode", "difficulty", "use_inter_area_resize", "img_height"}.isdisjoint(names)
    for name in ("mode", "img_height") if task_id == "Pong-v5" else ("difficulty", "full_action_space"):
        with pytest.raises(
            TypeError, match=rf"got '{name}', which is an argument of make: envpool.jax.make\('{task_id}'"
        ):
            params.replace(**{name: 1})
    for name in names:
        option = params.format.options[name]
        value = not option.default if option.kind == "bool" else min(option.default + 8, option.high)
        replaced = params.replace(**{name: value})
        assert getattr(replaced, name) == value
