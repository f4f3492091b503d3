# SPDX-License-Identifier: Apache-2.0
"""Tests that bad options of `make` raise errors that name the id, the option, and the allowed values."""

from fractions import Fraction

import numpy as np
import pytest

import envpool
from envpool.python.options import shown
from tests.python.interfaces import INTERFACES, make, observation_of, raises_quickly

pytestmark = pytest.mark.usefixtures("ends_promptly")

NAN, INF = float("nan"), float("inf")


MAKE = [
    # Each case has options, the type of their error, and parts of the error's text.
    ({"num_envs": 0}, ValueError, ["num_envs", "from 1 to", "got 0"]),
    ({"num_envs": -1}, ValueError, ["num_envs", "got -1"]),
    ({"num_envs": True}, TypeError, ["num_envs", "an int", "got True"]),
    ({"num_envs": 1.5}, TypeError, ["num_envs", "an int", "got 1.5"]),
    ({"num_envs": "3"}, TypeError, ["num_envs", "an int", "got '3'"]),
    ({"num_envs": None}, TypeError, ["num_envs", "an int", "got None"]),
    ({"num_envs": 10**9}, ValueError, ["num_envs", "to 1048576", "got 1000000000"]),
    ({"num_envs": 10**30}, ValueError, ["num_envs", "got 1000000000000"]),
    ({"batch_size": 5, "num_envs": 4}, ValueError, ["batch_size", "num_envs = 4", "got 5"]),
    ({"batch_size": 2}, ValueError, ["batch_size", "num_envs = 1", "got 2"]),
    ({"batch_size": -1, "num_envs": 4}, ValueError, ["batch_size", "got -1"]),
    ({"batch_size": 2.0, "num_envs": 4}, TypeError, ["batch_size", "got 2.0"]),
    ({"num_threads": -1}, ValueError, ["num_threads", "from 0 to 1024", "got -1"]),
    ({"num_threads": 10_000}, ValueError, ["num_threads", "from 0 to 1024", "got 10000"]),
    ({"num_threads": 2**40}, ValueError, ["num_threads"]),
    ({"num_threads": "all"}, TypeError, ["num_threads", "got 'all'"]),
    ({"thread_affinity_offset": -2}, ValueError, ["thread_affinity_offset", "got -2"]),
    ({"thread_affinity_offset": "automatic"}, ValueError, ["thread_affinity_offset", "'auto' or", "got 'automatic'"]),
    ({"thread_affinity_offset": None}, TypeError, ["thread_affinity_offset"]),
    ({"seed": -1}, ValueError, ["seed", "0 to 2**64 - 1", "got -1"]),
    ({"seed": 2**64}, ValueError, ["seed", "got 18446744073709551616"]),
    ({"seed": 1.5}, TypeError, ["seed", "got 1.5"]),
    ({"seed": NAN}, TypeError, ["seed", "got nan"]),
    ({"seed": True}, TypeError, ["seed", "got True"]),
    ({"seed": "7"}, TypeError, ["seed", "got '7'"]),
    ({"seed": [1, 2], "num_envs": 3}, ValueError, ["seed", "sequence of 3", "sequence of 2"]),
    ({"seed": {1, 2}, "num_envs": 2}, TypeError, ["seed", "sequence of 2", "got {1, 2}"]),
    ({"seed": [1, -2], "num_envs": 2}, ValueError, ["seed[1]", "got -2"]),
    ({"seed": [1, None], "num_envs": 2}, TypeError, ["seed[1]", "got None"]),
    ({"seed": np.array([0.5, 1]), "num_envs": 2}, TypeError, ["seed[0]"]),
    ({"env_seed": [1], "num_envs": 2}, ValueError, ["env_seed", "sequence of 2"]),
    ({"env_seed": 3}, TypeError, ["env_seed", "got 3"]),
    ({"max_episode_steps": -1}, ValueError, ["max_episode_steps", "got -1"]),
    ({"max_episode_steps": 2**31}, ValueError, ["max_episode_steps"]),
    ({"max_episode_steps": 10.5}, TypeError, ["max_episode_steps", "got 10.5"]),
    ({"max_num_players": 0}, ValueError, ["max_num_players", "got 0"]),
    ({"max_num_players": 2}, ValueError, ["max_num_players", "expected 1", "got 2"]),
    ({"reward_threshold": 10**400}, ValueError, ["reward_threshold: expected a number or None, got 1000000"]),
    ({"num_envs": 10**5000}, ValueError, ["num_envs", "got a value of type int that cannot be printed"]),
    ({"seed": 10**5000}, ValueError, ["seed", "got a value of type int that cannot be printed"]),
    ({"reward_threshold": "high"}, TypeError, ["reward_threshold", "got 'high'"]),
    ({"base_path": 3}, TypeError, ["base_path", "got 3"]),
    ({"render_mode": "ansi"}, ValueError, ["render_mode", "None, 'rgb_array' or 'human'", "got 'ansi'"]),
    ({"render_mode": "human"}, ValueError, ["render_mode", "cannot be rendered", "got 'human'"]),
    ({"render_width": -1}, ValueError, ["render_width", "from 0 to 8192", "got -1"]),
    ({"render_height": 10**6}, ValueError, ["render_height", "from 0 to 8192", "got 1000000"]),
    ({"render_height": 8.5}, TypeError, ["render_height", "an int", "got 8.5"]),
    ({"render_camera_id": "left"}, TypeError, ["render_camera_id", "an int", "got 'left'"]),
    ({"render_mode": 1}, TypeError, ["render_mode", "got 1"]),
    ({"render_mode": "rgb_array"}, ValueError, ["render_mode", "cannot be rendered"]),
    ({"render_env_id": 1}, ValueError, ["render_env_id", "got 1"]),
    ({"render_env_id": "0"}, TypeError, ["render_env_id", "got '0'"]),
    ({"autoreset_mode": "sometimes"}, ValueError, ["autoreset_mode", "'next_step'", "got 'sometimes'"]),
    ({"autoreset_mode": None}, TypeError, ["autoreset_mode", "got None"]),
    ({"step_api": "old"}, ValueError, ["step_api", "'classic'", "got 'old'"]),
    ({"env_options": [{3: 1}]}, TypeError, ["env_options[0]", "unknown option 3"]),
    ({"env_options": {}, "num_envs": 1}, None, []),
    ({"env_options": {"width": 1}}, TypeError, ["env_options", "sequence"]),
    ({"env_options": [{}, {}, {}], "num_envs": 2}, ValueError, ["env_options", "num_envs = 2", "got 3"]),
    ({"env_options": [3]}, TypeError, ["env_options[0]", "got 3"]),
    ({"env_options": [{"width": 3}]}, ValueError, ["env_options[0]", "width", "shape"]),
    ({"env_options": [{"depth": 3}]}, TypeError, ["env_options[0]", "unknown option 'depth'"]),
    ({"env_options": [{"step_reward": "x"}]}, TypeError, ["env_options[0]", "step_reward", "got 'x'"]),
    ({"env_options": [{"max_episode_steps": -1}]}, ValueError, ["env_options[0]", "max_episode_steps"]),
    ({"num_env": 3}, TypeError, ["unknown option 'num_env'", "did you mean 'num_envs'?", "batch_size"]),
    ({"step_rewards": 3}, TypeError, ["did you mean 'step_reward'?"]),
    ({"xyzzy": 3}, TypeError, ["unknown option 'xyzzy'", "Options: num_envs"]),
    ({"step_reward": "1"}, TypeError, ["step_reward", "a number", "got '1'"]),
    ({"step_reward": None}, TypeError, ["step_reward", "got None"]),
    ({"step_reward": NAN}, ValueError, ["step_reward", "got nan"]),
    ({"step_reward": INF}, ValueError, ["step_reward", "got inf"]),
    ({"step_reward": 1001}, ValueError, ["step_reward", "from -1000 to 1000", "got 1001"]),
    ({"step_reward": 10**400}, ValueError, ["step_reward: expected a number from -1000 to 1000, got 1000000"]),
    ({"step_reward": -(10**5000)}, ValueError, ["step_reward", "got a value of type int that cannot be printed"]),
    ({"step_reward": Fraction(10**400, 3)}, ValueError, ["step_reward", "got Fraction(1000000"]),
    ({"step_reward": 13}, ValueError, ["step_reward", "bad luck"]),  # refused in C++
    ({"width": 0}, ValueError, ["width", "from 1 to 1000000", "got 0"]),
    ({"width": 2.0}, TypeError, ["width", "an int", "got 2.0"]),
    ({"width": 10**20}, ValueError, ["width"]),
    ({"colour": "blue"}, ValueError, ["colour", "one of 'red', 'green'", "got 'blue'"]),
    ({"colour": 1}, TypeError, ["colour", "got 1"]),
    ({"colour": "x" * 10_000}, ValueError, ["colour", "..."]),
    ({"loud": 1}, TypeError, ["loud", "True or False", "got 1"]),
    ({"loud": "yes"}, TypeError, ["loud", "got 'yes'"]),
]


@pytest.mark.parametrize("interface", INTERFACES)
@pytest.mark.parametrize(("options", "error", "words"), MAKE, ids=[shown(row[0])[:60] for row in MAKE])
def test_bad_options(interface, options, error, words):
    if error is None:
        make(interface, **options)
        return
    raises_quickly(lambda: make(interface, **options), error, "[Counter-v0]", *words)
    if "step_api" not in options:
        raises_quickly(lambda: envpool.make_spec("Counter-v0", **options), error, *words)
    assert observation_of(make(interface).reset()).shape == (1, 2)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: envpool.make("Conter-v0"), ValueError, ["[Conter-v0]", "task_id", "did you mean", "'Counter-v0'"]),
        (lambda: envpool.make("QQQQ"), ValueError, ["[QQQQ]", "list_all_envs"]),
        (lambda: envpool.make(3), TypeError, ["task_id", "got 3"]),
        (lambda: envpool.make("Counter-v0", "gymnasum"), ValueError, ["env_type", "'gymnasium'", "got 'gymnasum'"]),
        (lambda: envpool.make_spec("Pnog-v5"), ValueError, ["[Pnog-v5]"]),
        (
            lambda: envpool.make_dm("Counter-v0", autoreset_mode="same_step"),
            ValueError,
            ["autoreset_mode", "same_step"],
        ),
        (lambda: envpool.make_dm("Counter-v0", step_api="classic"), ValueError, ["step_api", "make_gym"]),
        (lambda: envpool.make_gymnasium("Counter-v0", step_api="classic"), ValueError, ["step_api", "make_gym"]),
        (
            lambda: envpool.make_gymnasium("Counter-v0", gym_reset_return_info=False),
            ValueError,
            ["gym_reset_return_info", "got False"],
        ),
        (lambda: envpool.make_vec("Counter-v0", 4, batch_size=2), ValueError, ["batch_size", "num_envs = 4", "got 2"]),
        (lambda: envpool.make_vec("Crowd-v0", 4), ValueError, ["players", "make_gymnasium"]),
        (lambda: envpool.make("Counter-v0", num_envs=2**20, width=10**6), MemoryError, ["num_envs", "1048576"]),
        (
            lambda: envpool.make("Faulty-v0", throw_in_constructor=True),
            (ValueError, RuntimeError),
            ["the constructor went wrong at caf\N{REPLACEMENT CHARACTER}"],
        ),
    ],
)
def test_bad_calls_of_make_functions(call, error, words):
    raises_quickly(call, error, *words)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"stack_num": 0}, ["stack_num", "got 0"]),
        ({"frame_skip": 0}, ["frame_skip", "got 0"]),
        ({"img_height": -1}, ["img_height", "got -1"]),
        ({"img_width": -1}, ["img_width", "got -1"]),
        ({"mode": 10**6}, ["mode"]),
        ({"difficulty": 99}, ["difficulty"]),
        ({"task": "pnog"}, ["task", "'pnog'"]),
        ({"repeat_action_probability": 1.5}, ["repeat_action_probability", "got 1.5"]),
    ],
)
def test_bad_atari_options(options, words):
    raises_quickly(lambda: envpool.make("Pong-v5", **options), ValueError, "[Pong-v5]", *words)


def test_default_number_of_threads():
    from envpool._core import usable_cpus

    assert envpool.make_spec("Counter-v0", num_envs=1000).config.num_threads == usable_cpus()
    assert envpool.make_spec("Counter-v0", num_envs=1).config.num_threads == 1
    assert envpool.make_spec("Counter-v0", num_envs=1000, num_threads=0).config.num_threads == usable_cpus()


@pytest.mark.parametrize("number", [10**400, -(10**400), 10**5000], ids=["large", "negative", "unprintable"])
@pytest.mark.parametrize(
    "name",
    ["make", "make_dm", "make_gym", "make_gymnasium", "make_pettingzoo", "make_sb3", "make_spec", "make_vec", "jax"],
)
def test_numbers_that_exceed_the_range_of_a_float(name, number):
    """Tests numbers whose conversion to a float raises OverflowError in Python."""
    if name in ("jax", "make_pettingzoo", "make_sb3"):
        pytest.importorskip({"make_pettingzoo": "pettingzoo", "make_sb3": "stable_baselines3"}.get(name, name))
    function = envpool.jax.make if name == "jax" else getattr(envpool, name)
    function("CartPole-v1", gravity=1e300) if name != "make_pettingzoo" else None
    raises_quickly(
        lambda: function("CartPole-v1", gravity=number), ValueError, "[CartPole-v1] gravity: expected a number"
    )
    if name == "jax":
        params = function("CartPole-v1")[1]
        raises_quickly(lambda: params.replace(gravity=number), ValueError, "[CartPole-v1] gravity: expected a number")
