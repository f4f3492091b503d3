# SPDX-License-Identifier: Apache-2.0
"""Compares whole episodes with gymnax 0.0.9, and tests ids, options and invalid states of this family."""

import itertools
import warnings

import gymnasium
import numpy as np
import pytest

import envpool
import envpool.jax
from envpool.python.options import shown
from tests.misc.reference import IDS, UNFUSED, Reference, jax, jnp
from tests.support.refusals import assert_refused


def episode(pool, actions):
    """Yields the observations, rewards and ends of a pool's only environment, until its episode ends."""
    for action in actions:
        obs, reward, terminated, truncated, _ = pool.step(np.asarray(action)[None])
        yield obs[0], reward[0], bool(terminated[0]), bool(truncated[0])
        if terminated[0] or truncated[0]:
            return


@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize(
    ("task_id", "ours", "params"),
    [
        (
            "FourRooms-misc",
            {"fail_prob": 0.0, "resample_init_pos": True, "resample_goal_pos": True},
            {"fail_prob": 0.0},
        ),
        ("Pong-misc", {"rounding": "towards_zero"}, {}),
        ("Pong-misc", {"rounding": "towards_zero", "use_ai_policy": False}, {"use_ai_policy": False}),
        ("Swimmer-misc", {}, {}),
    ],
    ids=str,
)
def test_episodes_equal_those_of_gymnax(task_id, ours, params):
    """Only resets are random in these environments. At the time limit, gymnax terminates the episode."""
    reference, limit = Reference(task_id, params), IDS[task_id]
    step = jax.jit(reference.env.step_env, compiler_options=UNFUSED)
    rng, lengths = np.random.default_rng(0), []
    with envpool.make_gymnasium(task_id, num_envs=1, seed=3, **ours) as pool, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(3):
            first = pool.reset()[0][0]
            state = reference.initial
            if task_id == "FourRooms-misc":
                state = state.replace(pos=first[:2].astype("i4"), goal=first[2:].astype("i4"))
            if task_id == "Swimmer-misc":
                urchins, (xy, velocity, goal) = first[:10].reshape(5, 2), first[10:].reshape(3, 2)
                state = state.replace(urchin_xys=urchins, xy=xy, xy_vel=velocity, goal_xy=goal)
            if task_id == "Pong-misc":  # The paddle follows the ball.
                actions = itertools.repeat(None)
            elif task_id == "Swimmer-misc":
                actions = rng.uniform(-1, 1, (limit, 2)).astype("f4")
            else:
                actions = rng.integers(0, 4, limit)
            length, last = 0, first
            for action in actions:
                if action is None:
                    ball, paddle = np.argwhere(last[..., 1])[0, 0], np.argwhere(last[:, 0, 0]).mean()
                    action = int(rng.choice([2 if ball > paddle else 1, 0, 1, 2], p=[0.85, 0.05, 0.05, 0.05]))
                ((last, reward, terminated, truncated),) = episode(pool, [action])
                obs, state, their_reward, done, _ = step(
                    jax.random.key(0), state, jnp.asarray(action), reference.params
                )
                length += 1
                np.testing.assert_allclose(last, obs, rtol=0, atol=2e-4 if task_id == "Swimmer-misc" else 0)
                assert truncated == (length == limit)
                assert (terminated or truncated) == bool(done)
                if not (truncated and task_id == "Pong-misc"):
                    assert abs(reward - float(their_reward)) <= (2e-4 if task_id == "Swimmer-misc" else 0)
                if terminated or truncated:
                    break
            lengths.append(length)
    print(task_id, lengths)
    assert max(lengths) > 20


CONSTRUCTORS = {
    "FourRooms-misc": {"use_visual_obs": False, "goal_fixed": [8, 9], "pos_fixed": [4, 1]},
    "MetaMaze-misc": {"maze_size": 9, "rf_size": 3},
    "Pong-misc": {"width": 40, "height": 30, "paddle_half_height": 2},
    "Reacher-misc": {"num_joints": 2},
    "Swimmer-misc": {"num_urchins": 5},
}


@pytest.mark.parametrize("task_id", IDS)
def test_ids_match_gymnax(task_id):
    spec, reference = envpool.make_spec(task_id), Reference(task_id)
    assert spec.config.max_episode_steps == IDS[task_id] == reference.params.max_steps_in_episode
    config = spec.config._asdict()
    for name, value in vars(reference.params).items():
        if name != "max_steps_in_episode":
            assert config[name] == value, name
            assert isinstance(config[name], type(value)), name
    for name, value in CONSTRUCTORS.get(task_id, {}).items():
        if isinstance(value, list):
            value = tuple(value)
            assert (config[f"{name}_row"], config[f"{name}_column"]) == value
        else:
            assert config[name] == value
        assert envpool.make_spec(task_id, **{name: value}).config == spec.config
    theirs = reference.env.observation_space(reference.params)
    assert spec.observation_space.shape == theirs.shape and spec.observation_space.dtype == theirs.dtype
    theirs = reference.env.action_space(reference.params)
    assert spec.action_space.shape == theirs.shape
    if isinstance(spec.action_space, gymnasium.spaces.Discrete):
        assert spec.action_space.n == theirs.n
    else:
        np.testing.assert_array_equal(spec.action_space.low, theirs.low)
        np.testing.assert_array_equal(spec.action_space.high, theirs.high)
    with envpool.make_gymnasium(task_id, num_envs=3, max_episode_steps=4) as pool:
        obs, _ = pool.reset()
        assert pool.observation_space.contains(obs[0])
        for _ in range(3):
            truncated = pool.step(np.array([pool.action_space.sample() for _ in range(3)]))[3]
            assert not truncated.any()


INVALID = [
    ("FourRooms-misc", {"goal_fixed": (0, 3)}, ValueError, ["goal_fixed_row", "from 1 to 11", "got 0"]),
    ("FourRooms-misc", {"goal_fixed": [6, 6]}, ValueError, ["goal_fixed", "without a wall", "row 6, column 6"]),
    ("FourRooms-misc", {"pos_fixed": (1, 6)}, ValueError, ["pos_fixed", "without a wall", "row 1, column 6"]),
    ("FourRooms-misc", {"pos_fixed": (1, 2, 3)}, ValueError, ["pos_fixed", "two ints", "got (1, 2, 3)"]),
    ("FourRooms-misc", {"pos_fixed": 5}, TypeError, ["pos_fixed", "two ints", "got 5"]),
    ("FourRooms-misc", {"pos_fixed": "ab"}, TypeError, ["pos_fixed", "two ints", "got 'ab'"]),
    ("FourRooms-misc", {"pos_fixed": (10**5000,)}, ValueError, ["pos_fixed", "two ints", "that cannot be printed"]),
    ("FourRooms-misc", {"pos_fixed": (10**5000, 1)}, ValueError, ["pos_fixed_row", "that cannot be printed"]),
    ("FourRooms-misc", {"fail_prob": 0.8}, ValueError, ["fail_prob", "from 0 to 0.75", "got 0.8"]),
    ("MetaMaze-misc", {"maze_size": 8}, ValueError, ["maze_size", "odd", "got 8"]),
    ("MetaMaze-misc", {"rf_size": 1}, ValueError, ["rf_size", "from 3 to", "got 1"]),
    ("MetaMaze-misc", {"rf_size": 4}, ValueError, ["rf_size", "odd", "got 4"]),
    ("MetaMaze-misc", {"goal_fixed": (1, 1)}, TypeError, ["unknown option 'goal_fixed'"]),
    ("BernoulliBandit-misc", {"reward_prob": 1.5}, ValueError, ["reward_prob", "from 0 to 1", "got 1.5"]),
    ("BernoulliBandit-misc", {"t_max": 0}, ValueError, ["t_max", "from 1 to", "got 0"]),
    ("GaussianBandit-misc", {"sigma_l": -1}, ValueError, ["sigma_l", "from 0 to", "got -1"]),
    ("PointRobot-misc", {"max_force": 0}, ValueError, ["max_force", "got 0"]),
    ("PointRobot-misc", {"dense_reward": 1}, TypeError, ["dense_reward", "True or False", "got 1"]),
    ("Reacher-misc", {"num_joints": 0}, ValueError, ["num_joints", "from 1 to", "got 0"]),
    ("Swimmer-misc", {"num_urchins": -1}, ValueError, ["num_urchins", "from 0 to", "got -1"]),
    (
        "Pong-misc",
        {"paddle_half_height": 15},
        ValueError,
        ["paddle_half_height", "at most 14", "height of 30", "got 15"],
    ),
    ("Pong-misc", {"paddle_half_height": 0}, ValueError, ["paddle_half_height", "from 1 to", "got 0"]),
    ("Pong-misc", {"rounding": "up"}, ValueError, ["rounding", "'nearest', 'towards_zero'", "got 'up'"]),
    ("Pong-misc", {"ball_x_speed": 1.5}, TypeError, ["ball_x_speed", "an int", "got 1.5"]),
]


@pytest.mark.parametrize(("task_id", "options", "error", "words"), INVALID, ids=shown)
def test_invalid_options(task_id, options, error, words):
    assert_refused(envpool.make_spec, task_id, options, error, words)


def test_params_have_the_names_of_gymnax():
    env, params = envpool.jax.make("FourRooms-misc")
    changed = params.replace(fail_prob=0.0, resample_goal_pos=True, max_steps_in_episode=3)
    keys = jax.random.split(jax.random.key(0), 50)
    _, state = jax.vmap(env.reset, (0, None))(keys, changed)
    assert len({*map(tuple, np.asarray(state.goal).tolist())}) > 20
    for _ in range(3):
        obs, state, _, done, info = jax.vmap(env.step_env, (0, 0, None, None))(keys, state, 1, changed)
    assert info["truncated"].all() and done.all()
    np.testing.assert_array_equal(obs[:, :2], np.broadcast_to([4, 4], (50, 2)))


def test_steps_from_invalid_states_are_memory_safe():
    """For any values in a state, steps and observations stay within their arrays."""
    for task_id, parts in {
        "FourRooms-misc": {"pos": [2**31 - 1, -(2**31)], "goal": [-5, 99]},
        "MetaMaze-misc": {"pos": [-100, 2**30], "goal": [-5, 99]},
        "Pong-misc": {"ball_position": [np.nan, np.inf], "paddle_centers": [2**30, -(2**30)]},
        "BernoulliBandit-misc": {"last_action": 99, "reward_probs": [np.nan, np.inf]},
    }.items():
        for options in ({}, {"use_visual_obs": True}) if task_id == "FourRooms-misc" else ({},):
            env, params = envpool.jax.make(task_id, **options)
            _, state = env.reset(jax.random.key(0), params)
            obs, *_ = env.step(jax.random.key(1), state.replace(**parts), 0, params)
            assert obs.shape == env.observation_space(params).shape
