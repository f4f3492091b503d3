# SPDX-License-Identifier: Apache-2.0
"""Tests that environments of several players inside `jit` equal the pool bit for bit, with an axis of players."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import envpool
import tests.environments.registration  # noqa: F401 (registers Crowd)
from tests.jax.same_bits_test import (
    assert_operands_can_be_mapped_alone,
    assert_same,
    assert_same_tree,
    key_of,
    params_of_each,
)

jax = pytest.importorskip("jax")
jnp = jax.numpy

WORLDS = {
    "five": ("TagContinuous-v0", {"num_taggers": 2, "num_runners": 3, "episode_length": 17, "tagging_distance": 0.2}),
    "pair": ("TagContinuous-v0", {"num_taggers": 1, "num_runners": 1, "episode_length": 11, "tagging_distance": 0.1}),
    "nearest of 100": (
        "TagContinuous-v0",
        {
            "num_taggers": 20,
            "num_runners": 80,
            "use_full_observation": False,
            "num_other_agents_observed": 10,
            "episode_length": 9,
        },
    ),
    "grid of two": ("TagGridWorld-v0", {"num_taggers": 1, "grid_length": 3, "random_start": True}),
    "grid of five": ("TagGridWorld-v0", {"num_taggers": 4, "grid_length": 4, "random_start": True}),
    "grid of 100": ("TagGridWorld-v0", {"num_taggers": 99, "use_full_observation": False, "random_start": True}),
    "crowd": ("Crowd-v0", {"fewest": 0, "length": 7}),
    "WarpDrive's 1,000 agents": ("WarpDrive/TagContinuous-1000-v0", {"episode_length": 12}),
    "players who take turns": ("ConnectFour-v1", {}),
    "players who see the others' cards": ("Hanabi-v0", {"num_players": 3, "shuffle_player_order": True}),
    "cooks": ("Overcooked-v0", {"layout": "asymm_advantages", "random_reset": True}),
    "WarpDrive's grid": ("WarpDrive/TagGridWorldWithResetPool-v0", {"episode_length": 11}),
}
NUM_ENVS, STEPS, LIMIT = 4, 40, 13


def actions_of(task_id, options, seed, *extents):
    """Returns random actions of shape (*extents, players, ...), or (*extents, ...) if players take turns."""
    spec = envpool.make_spec(task_id, **options)
    high = np.asarray(getattr(spec.action_space, "nvec", getattr(spec.action_space, "n", None)))
    players = [spec.arrays.max_players] * (spec.arrays.actors > 1)
    return np.random.default_rng(seed).integers(0, high, (*extents, *players, *high.shape), np.int32)


def batch_of(tree, present):
    """Returns the rows of the present players, as a pool does. `present` has the shape (num_envs, players)."""
    return jax.tree.map(lambda array: np.asarray(array)[present] if np.ndim(array) > 1 else np.asarray(array), tree)


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize("name", WORLDS)
def test_a_batch_equals_the_pool(name):
    task_id, options = WORLDS[name]
    options = {**options, "max_episode_steps": LIMIT}
    env, params = envpool.jax.make(task_id, **options)

    @jax.jit
    def rollout(key, actions):
        first, state = env.reset_batch(key, NUM_ENVS, params)

        def step(state, action):
            obs, next_state, reward, done, info = env.step_batch(None, state, action, params)
            return next_state, (obs, reward, done, info, state.players, next_state.players)

        return first, jax.lax.scan(step, state, actions)[1]

    lengths = set()
    for seed in (0, 42, 2**40 + 3):
        actions = actions_of(task_id, options, seed % 1000, STEPS, NUM_ENVS)
        first, outputs = rollout(key_of(seed), actions)
        with envpool.make(
            task_id, num_envs=NUM_ENVS, num_threads=1, seed=seed, autoreset_mode="same_step", **options
        ) as pool:
            theirs = pool.reset()
            players = np.arange(env.num_players)
            assert_same(batch_of(first, players < pool.players()[:, None]), theirs[0], "first")
            for t in range(STEPS):
                obs, reward, done, info, before, after = jax.tree.map(lambda array, t=t: np.asarray(array[t]), outputs)
                present = players < before[:, None]
                np.testing.assert_array_equal(info["players"]["present"], present)
                asked = players < pool.players()[:, None]
                owners = np.nonzero(asked)[0].astype(np.int32)
                takes_turns = env.num_actors == 1
                theirs = pool.step(
                    actions[t] if takes_turns else {"action": actions[t][asked], "players.env_id": owners}
                )
                widest = present | (
                    players < after[:, None]
                )  # The pool has rows for the players of either episode, padded with zeros.
                assert pool.players().tolist() == widest.sum(1).tolist()
                assert_same(batch_of(obs, widest), theirs[0], f"obs at {t}")
                assert_same(batch_of(reward, widest), theirs[1], f"reward at {t}")
                assert_same(done, theirs[2] | theirs[3], f"done at {t}")
                assert_same(info["terminated"], theirs[2], f"terminated at {t}")
                assert_same(info["truncated"], theirs[3], f"truncated at {t}")
                for array in (obs, reward, info["discount"], info["final_observation"]):
                    assert not array[~widest].any()
                np.testing.assert_array_equal(info["discount"], present & ~info["terminated"][:, None])
                going_on = batch_of(info["final_observation"], widest & ~done[:, None])
                assert_same(going_on, batch_of(obs, widest & ~done[:, None]), f"last obs at {t}")
                check_players(info["players"], theirs[4]["players"], widest, ~done)
                if done.any():
                    final, ended = theirs[4]["final_obs"], done[np.nonzero(widest)[0]]
                    final = np.stack(final[ended]) if final.dtype == object else final[ended]
                    assert_same(batch_of(info["final_observation"], widest)[ended], final, f"final_obs at {t}")
                    check_players(info["players"], theirs[4]["final_info"]["players"], widest, done)
                lengths |= {*info["elapsed_step"][done].tolist()}
    assert max(lengths) == min(LIMIT, options.get("episode_length", options.get("length", LIMIT)))
    assert len(lengths) > 1 or name in ("nearest of 100", "crowd", "cooks") or "WarpDrive" in name


def check_players(ours, theirs, widest, worlds):
    """Compares the info of each player in these environments."""
    chosen = worlds[np.nonzero(widest)[0]]
    assert ours.keys() - theirs.keys() == {"present"} and len(ours) > 1
    for key in ours.keys() & theirs.keys():
        own = batch_of(ours[key], widest)
        assert_same(own[chosen], np.asarray(theirs[key])[chosen].astype(own.dtype), f"info.players.{key}")


def play(env, params, keys, actions):
    """Returns all outputs and the last state of one environment, with one call per step."""
    outputs = []
    _, state = env.reset(keys[0], params)
    for key, action in zip(keys[1:], actions, strict=True):
        obs, state, reward, done, info = env.step(key, state, action, params)
        outputs.append((obs, reward, done, info))
    return jax.tree.map(lambda *steps: jnp.stack(steps), *outputs), state.raw


def scanned(env, params, keys, actions):
    _, state = env.reset(keys[0], params)

    def step(state, given):
        obs, state, reward, done, info = env.step(given[0], state, given[1], params)
        return state, (obs, reward, done, info)

    state, outputs = jax.lax.scan(step, state, (keys[1:], actions))
    return outputs, state.raw


@pytest.mark.parametrize("name", ["five", "crowd"])
def test_nested_vmap_and_params_equal_a_plain_loop(name):
    task_id, options = WORLDS[name]
    env, params = envpool.jax.make(task_id, **options)
    keys = jax.random.split(jax.random.key(3), (2, 3, 16))
    actions = actions_of(task_id, options, 5, 2, 3, 15)
    several = params_of_each(params, max_episode_steps=[4, 6])
    nested = jax.jit(jax.vmap(jax.vmap(lambda p, k, a: scanned(env, p, k, a), (None, 0, 0)), (0, 0, 0)))
    outputs = nested(several, keys, actions)
    for i, limit in enumerate((4, 6)):
        one, of_one = envpool.jax.make(task_id, **options, max_episode_steps=limit)
        for j in range(3):
            loop = play(one, of_one, keys[i, j], actions[i, j])
            assert_same_tree(jax.tree.map(lambda array, i=i, j=j: array[i, j], outputs), loop)


def test_each_operand_may_be_mapped_alone():
    task_id, options = WORLDS["five"]
    env, params = envpool.jax.make(task_id, **options)
    keys = jax.random.split(jax.random.key(1), 3)
    _, states = jax.vmap(env.reset, (0, None))(keys, params)
    several = params_of_each(params, max_speed=[0.5, 1.0, 2.0])
    mapped = {"key": keys, "state": states, "action": actions_of(task_id, options, 2, 3), "params": several}
    assert_operands_can_be_mapped_alone(env, mapped, fixed=1)


def test_large_worlds_on_several_threads():
    options = {"num_taggers": 100, "num_runners": 900, "use_full_observation": False, "episode_length": 4}
    env, params = envpool.jax.make("TagContinuous-v0", **options)
    step = jax.jit(env.step_batch)
    _, state = env.reset_batch(key_of(3), 3, params)
    with envpool.make("TagContinuous-v0", num_envs=3, seed=3, autoreset_mode="same_step", **options) as pool:
        pool.reset()
        for t in range(10):
            actions = actions_of("TagContinuous-v0", options, t, 3)
            obs, state, reward, done, _ = step(None, state, actions, params)
            theirs = pool.step(actions.reshape(3000, 2))
            assert_same(obs.reshape(3000, -1), theirs[0], f"obs at {t}")
            assert_same(reward.reshape(3000), theirs[1], f"reward at {t}")
            assert_same(done, theirs[2], f"done at {t}")


def test_step_env_and_get_obs():
    env, params = envpool.jax.make("TagGridWorld-v0", num_taggers=2, max_episode_steps=2)
    obs, state = env.reset(jax.random.key(0), params)
    assert obs.shape == (3, 13) and state.players == 3
    np.testing.assert_array_equal(env.get_obs(state, params), obs)
    for t in range(3):
        before = obs
        obs, state, reward, done, info = env.step_env(None, state, jnp.array([1, 3, 0]), params)
        assert reward.shape == (3,) and done.shape == () and info["players"]["present"].all()
        np.testing.assert_array_equal(env.get_obs(state, params), obs)
        assert bool(done) == bool(env.is_terminal(state)) == (t > 0)
    np.testing.assert_array_equal(obs, before)
    assert not reward.any() and not info["discount"].any()
    assert state.episode == 1 and state.elapsed_step == 2


def test_six_values():
    env, params = envpool.jax.make("TagGridWorld-v0", step_values=6, num_taggers=2, max_episode_steps=1)
    _, state = env.reset(jax.random.key(0), params)
    _, _, reward, terminated, truncated, info = env.step(None, state, jnp.zeros(3, int), params)
    assert reward.shape == info["discount"].shape == (3,) and not terminated and truncated


def test_spaces_are_of_one_player():
    env, params = envpool.jax.make("TagContinuous-v0", num_taggers=2, num_runners=3, num_turn_levels=4)
    assert env.num_players == 5 and env.num_actions == 2
    obs, _ = env.reset(jax.random.key(0), params)
    assert env.observation_space(params).shape == obs.shape[1:] == (29,)
    space = env.action_space(params)
    assert space.shape == (2,) and space.dtype == jnp.int32
    drawn = jax.jit(jax.vmap(space.sample))(jax.random.split(jax.random.key(0), 500))
    assert drawn.dtype == jnp.int32
    assert drawn.min(0).tolist() == [0, 0] and drawn.max(0).tolist() == [10, 4]
    assert space.contains(jnp.array([10, 4])) and not space.contains(jnp.array([4, 10]))
    grid, _ = envpool.jax.make("TagGridWorld-v0")
    assert grid.num_players == 11 and grid.num_actions == grid.action_space().n == 5
    assert envpool.jax.make("CartPole-v1")[0].num_players == 1


TAG, PARAMS = envpool.jax.make("TagContinuous-v0", num_taggers=1, num_runners=2)
KEY = jax.random.PRNGKey(0)
STATE = TAG.reset(KEY, PARAMS)[1]
STAY = np.zeros((3, 2), np.int32)
GRID, GRID_PARAMS = envpool.jax.make("TagGridWorld-v0", num_taggers=2, use_full_observation=False)
WIDER, _ = envpool.jax.make("TagGridWorld-v0", num_taggers=90, use_full_observation=False)

CALLS = [
    (lambda: TAG.step(KEY, STATE, 0), ValueError, r"action: expected shape \(3, 2\), got \(\)"),
    (lambda: TAG.step(KEY, STATE, STAY[0]), ValueError, r"action: expected shape \(3, 2\), got \(2,\)"),
    (lambda: TAG.step(KEY, STATE, STAY[:2]), ValueError, r"action: expected shape \(3, 2\), got \(2, 2\)"),
    (lambda: TAG.step(KEY, STATE, STAY + 0.5), TypeError, "action: expected integers .int32., got float64"),
    (lambda: TAG.step(KEY, STATE, STAY + 11), ValueError, r"action: expected an integer in 0\.\.10, got"),
    (lambda: TAG.step(KEY, STATE, STAY - 1), ValueError, r"action: expected an integer in 0\.\.10, got"),
    (
        lambda: TAG.step_batch(KEY, TAG.reset_batch(KEY, 2)[1], STAY),
        ValueError,
        r"action: expected shape \(2, 3, 2\), one row per environment, got \(3, 2\)",
    ),
    (
        lambda: TAG.step(KEY, GRID.reset(KEY)[1], STAY),
        ValueError,
        "state: expected a state of TagContinuous, got a state of",
    ),
    (
        lambda: GRID.step(KEY, WIDER.reset(KEY)[1], np.zeros(3, int)),
        ValueError,
        "state: expected a state of TagGridWorld, got a state of TagGridWorld with other options",
    ),
]


@pytest.mark.parametrize("call,error,text", CALLS, ids=range(len(CALLS)))
def test_errors_before_execution(call, error, text):
    with pytest.raises(error, match=text):
        call()
    assert TAG.step(KEY, STATE, STAY)[2].shape == (3,)


def test_errors_inside_jit():
    def act(level):
        return TAG.step(KEY, STATE, jnp.zeros((3, 2), int).at[2, 1].set(level))[0]

    with pytest.raises(
        RuntimeError, match="action: expected an integer in 0..10, got (11|another) of player 2 in row 1"
    ):
        jax.block_until_ready(jax.jit(jax.vmap(act))(jnp.array([0, 11, 1])))
    with pytest.raises(TypeError, match="got 'num_taggers', which is an argument of make"):
        jax.block_until_ready(jax.jit(lambda n: GRID_PARAMS.replace(num_taggers=n).grid_length)(90))
    with pytest.raises(RuntimeError, match="state: expected rows of TagContinuous .* in row 0"):
        garbage = jax.tree.map(lambda raw: raw * 3, STATE)
        jax.block_until_ready(jax.jit(lambda: TAG.step(KEY, garbage, STAY)[0])())


def test_each_element_of_an_action_has_its_own_range():
    env, params = envpool.jax.make("TagContinuous-v0", num_taggers=1, num_runners=1, num_turn_levels=4)
    _, state = env.reset(KEY, params)
    step = jax.jit(lambda a: env.step(None, state, a, params)[0])
    jax.block_until_ready(step(jnp.array([[10, 4], [10, 4]])))
    with pytest.raises(
        (RuntimeError, ValueError), match="action: expected an integer in 0..4, got (5|another) of player 1 in row 0"
    ):
        jax.block_until_ready(step(jnp.array([[10, 4], [5, 5]])))
    with pytest.raises(ValueError, match="action: expected an integer in 0..4, got (5|another) of player 1 in row 0"):
        env.step(None, state, np.array([[10, 4], [5, 5]]), params)


DEVICES = """
import jax, jax.numpy as jnp, numpy as np, envpool, envpool.jax
assert jax.device_count() == 4
env, params = envpool.jax.make("TagGridWorld-v0", num_taggers=2, random_start=True, episode_length=5)

def rollout(key, actions):
    _, state = env.reset(key, params)
    def step(state, action):
        obs, state, reward, done, info = env.step(None, state, action, params)
        return state, (obs, reward, done, info)
    return jax.lax.scan(step, state, actions)[1]

keys = jax.random.key_data(jax.random.split(jax.random.key(3), 4))
actions = jax.random.randint(jax.random.key(4), (4, 12, 3), 0, 5)
apart, together = jax.pmap(rollout)(keys, actions), jax.jit(jax.vmap(rollout))(keys, actions)
jax.tree.map(np.testing.assert_array_equal, apart, together)
assert together[2].any()
"""


def test_on_several_devices_of_the_host():
    environment = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=4"}
    subprocess.run([sys.executable, "-c", DEVICES], check=True, env=environment)


def test_visible_parts_of_the_state():
    env, params = envpool.jax.make("TagContinuous-v0", num_taggers=1, num_runners=4, tagging_distance=1.0)
    _, state = env.reset(KEY, params)
    assert state.runners == 4 and state.players == 5
    _, state, _, done, _ = env.step_env(None, state, np.zeros((5, 2), int), params)
    assert state.runners == 0 and done
    assert state.players.dtype == np.int32
    assert state.replace(players=65535).players == 65535  # The visible part is a copy; the step ignores it.
    with pytest.raises(ValueError, match=r"players: expected integers from 0 to 65535, got 65536"):
        state.replace(players=65536)
    other, _, _, _, info = env.step(None, state.replace(players=65535), np.zeros((5, 2), int), params)
    assert other.shape == (5, 29) and info["players"]["present"].all()


def test_states_do_not_contain_the_index_of_nearest_players():
    """The index at the end of a world depends on the rest of the world and on the device, but states are equal on all
    devices."""
    task_id, options = WORLDS["nearest of 100"]
    env, params = envpool.jax.make(task_id, **options)
    state = env.reset_batch(key_of(1), 3, params)[1]
    for action in actions_of(task_id, options, 0, 12, 3):
        assert not np.asarray(state.raw)[:, -4 * env.num_players :].any()
        state = env.step_batch(None, state, action, params)[1]
