# SPDX-License-Identifier: Apache-2.0
"""Tests ids, episodes, time limits, autoreset, invalid options and golden hashes of toy text."""

import collections

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.toy_text.frozen_lake import generate_random_map

import envpool
from envpool.python.options import shown
from tests.support.capi import golden_hash
from tests.support.refusals import assert_refused
from tests.toy_text.engine import Engine, only_env

# Facts about EnvPool 1.2.5: observation, number of actions, time limit, reward threshold, and options.
ENVPOOLS = {
    "Catch-v0": (("f4", (10, 5), 0, 1), 3, None, None, {"height": 10, "width": 5}),
    "FrozenLake-v1": (16, 4, 100, 0.7, {"size": 4}),
    "FrozenLake8x8-v1": (64, 4, 200, 0.85, {"size": 8}),
    "Taxi-v3": (500, 6, 200, 8.0, {}),
    "NChain-v0": (5, 2, 1000, None, {}),
    "CliffWalking-v0": (48, 4, None, None, {"is_slippery": False}),
    "CliffWalking-v1": (48, 4, None, None, {"is_slippery": False}),
    "tabular/CliffWalking-v0": (48, 4, None, None, {"is_slippery": False}),
    "CliffWalkingSlippery-v1": (48, 4, None, None, {"is_slippery": True}),
    "Blackjack-v1": (("i4", (3,), 0, 31), 2, None, None, {"natural": False, "sab": True}),
    "tabular/Blackjack-v0": (("i4", (3,), 0, 31), 2, None, None, {"natural": False, "sab": True}),
}
NO_LIMIT = 2**31 - 1
CURRENT = {"Taxi-v3": "Taxi-v4", "CliffWalking-v0": "CliffWalking-v1"}  # gymnasium only makes the newest versions.


@pytest.mark.parametrize("task_id", ENVPOOLS)
def test_ids_match_envpool(task_id):
    observation, actions, limit, threshold, options = ENVPOOLS[task_id]
    ours = envpool.make_spec(task_id)
    if isinstance(observation, int):
        assert ours.observation_space == gymnasium.spaces.Discrete(observation)
    else:
        dtype, shape, low, high = observation
        assert ours.observation_space == gymnasium.spaces.Box(low, high, shape, np.dtype(dtype).type)
    assert ours.action_space == gymnasium.spaces.Discrete(actions)
    assert ours.config.max_episode_steps == (limit or NO_LIMIT)
    assert ours.reward_threshold == threshold
    assert options.items() <= ours.config._asdict().items()
    pool = envpool.make_gymnasium(task_id, num_envs=2)
    obs, info = pool.reset()
    assert obs.dtype == (np.int32 if isinstance(observation, int) else np.dtype(observation[0]))
    assert ("prob" in info) == task_id.startswith(("Frozen", "Taxi", "Cliff", "tabular/Cliff"))
    pool.close()


@pytest.mark.parametrize(
    "task_id",
    [*("FrozenLake-v1", "FrozenLake8x8-v1", "Taxi-v3", "Taxi-v4", "CliffWalking-v0", "CliffWalking-v1")]
    + ["CliffWalkingSlippery-v1", "Blackjack-v1"],
)
def test_ids_match_gymnasium(task_id):
    ours, current = envpool.make_spec(task_id), CURRENT.get(task_id, task_id)
    spec, reference = gymnasium.spec(current), gymnasium.make(current)
    assert ours.config.max_episode_steps == (spec.max_episode_steps or NO_LIMIT)
    assert ours.reward_threshold == spec.reward_threshold
    assert ours.action_space == reference.action_space
    if task_id != "Blackjack-v1":  # gymnasium's observation is a tuple; ours is an array, as in EnvPool.
        assert ours.observation_space == reference.observation_space


@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("FrozenLake-v1", {"is_slippery": False}),
        ("FrozenLake8x8-v1", {"is_slippery": False, "reward_schedule": (2, -1, -0.25)}),
        ("FrozenLake-v1", {"desc": generate_random_map(6, seed=4), "is_slippery": False}),
        ("CliffWalking-v1", {}),
        ("Taxi-v3", {}),
        ("Taxi-v4", {"max_episode_steps": 37}),
    ],
    ids=str,
)
def test_episodes_equal_those_of_gymnasium(task_id, options):
    """With these options, only resets are random. So whole episodes can be compared, including their ends and infos."""
    pool = envpool.make_gymnasium(task_id, num_envs=1, seed=5, **options)
    reference = gymnasium.make(CURRENT.get(task_id, task_id), **options)
    rng, step = np.random.default_rng(0), only_env(pool)
    obs, info = pool.reset()
    ends = collections.Counter()

    def restart(obs, info):
        their_obs, their_info = reference.reset()
        if task_id.startswith("Taxi"):
            their_obs = reference.unwrapped.s = int(obs)
            their_info["action_mask"] = reference.unwrapped.action_mask(their_obs)
        compare((obs, info), (their_obs, their_info))

    def compare(ours, theirs):
        assert ours[0] == theirs[0]
        assert ours[1]["prob"][0] == np.float32(theirs[1]["prob"])
        if "action_mask" in theirs[1]:
            np.testing.assert_array_equal(ours[1]["action_mask"][0], theirs[1]["action_mask"].astype(bool))

    obs = obs[0]
    restart(obs, info)
    for _ in range(6000):
        if task_id.startswith("Taxi"):
            useful = np.flatnonzero(info["action_mask"][0])
        else:  # The agent walks along the cliff to its end.
            useful = [0] if obs == 36 else [1] if obs % 12 < 11 else [2]
        random = rng.random() < (1 if task_id.startswith("Frozen") else 0.1)
        action = int(rng.integers(reference.action_space.n) if random else rng.choice(useful))
        obs, *ours, info = step(action)
        their_obs, *theirs, their_info = reference.step(action)
        compare((obs, info), (their_obs, their_info))
        assert ours == theirs
        if ours[1] or ours[2]:
            ends[ours[1], ours[2]] += 1
            obs, reward, *over, info = step(action)
            assert (reward, *over, info["elapsed_step"][0]) == (0, False, False, 0)
            restart(obs, info)
    print(task_id, options, dict(ends))
    assert sum(ends.values()) > 3
    if task_id == "Taxi-v4":
        assert ends[False, True] > 100


@pytest.mark.parametrize(
    ("task_id", "options", "action", "limit"),
    [
        ("FrozenLake-v1", {"is_slippery": False}, 0, 100),
        ("FrozenLake8x8-v1", {"is_slippery": False}, 0, 200),
        ("FrozenLake-v1", {"is_slippery": False, "max_episode_steps": 7}, 0, 7),
        ("Taxi-v3", {}, 5, 200),
        ("Taxi-v4", {"is_rainy": True, "fickle_passenger": True}, 5, 200),
        ("NChain-v0", {}, 1, 1000),
        ("CliffWalking-v1", {}, 3, None),
        ("CliffWalkingSlippery-v1", {"max_episode_steps": 3}, 3, 3),
    ],
)
def test_time_limits(task_id, options, action, limit):
    pool = envpool.make_gymnasium(task_id, num_envs=1, **options)
    step = only_env(pool)
    pool.reset()
    for elapsed in range(1, (limit or 3000) + 1):
        _, _, terminated, truncated, _ = step(action)
        assert (terminated, truncated) == (False, elapsed == limit)
    _, reward, terminated, truncated, info = step(action)
    if limit:
        assert (reward, terminated, truncated, info["elapsed_step"][0]) == (0, False, False, 0)


def test_reaching_the_goal_at_the_time_limit_terminates_and_truncates():
    pool = envpool.make_gymnasium("FrozenLake-v1", desc=["SFG"], is_slippery=False, max_episode_steps=2)
    step = only_env(pool)
    pool.reset()
    step(2)
    assert step(2)[1:4] == (1, True, True)


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
def test_autoreset(mode):
    pool = envpool.make_gymnasium("Catch-v0", num_envs=30, seed=3, autoreset_mode=mode, height=4, width=3)
    first, _ = pool.reset()
    for _ in range(2):
        pool.step(np.ones(30, int))
    obs, reward, terminated, truncated, info = pool.step(np.ones(30, int))
    assert terminated.all()
    assert not truncated.any()
    middle = first[:, 0, 1] == 1
    np.testing.assert_array_equal(reward, np.where(middle, 1, -1))
    last = info["final_obs"] if mode == "same_step" else obs
    np.testing.assert_array_equal(last[:, 3].sum(1), np.where(middle, 1, 2))
    if mode == "next_step":
        obs, reward, terminated, *_ = pool.step(np.zeros(30, int))
        assert not reward.any()
        assert not terminated.any()
    if mode != "disabled":
        assert (obs[:, 0].sum(1) == 1).all()
        assert (obs != first).any()


INVALID = [
    ("FrozenLake-v1", {"desc": ["FFF", "FFG"]}, ValueError, ["desc", "a start S", "none"]),
    ("FrozenLake-v1", {"desc": ["SFF", "FFF"]}, ValueError, ["desc", "a goal G", "none"]),
    (
        "FrozenLake-v1",
        {"desc": ["SFF", "FG"]},
        ValueError,
        ["desc", "equal length", "2 letters in row 1 after 3 in row 0"],
    ),
    ("FrozenLake-v1", {"desc": ["SFF", "FXG"]}, ValueError, ["desc", "S, F, H and G", "'X' in row 1, column 1"]),
    ("FrozenLake-v1", {"desc": "S\u00e9\nFG"}, ValueError, ["desc", "S, F, H and G", "byte 195 in row 0, column 1"]),
    ("FrozenLake-v1", {"desc": ["SFF", "", "FFG"]}, ValueError, ["desc", "equal length", "0 letters in row 1"]),
    ("FrozenLake-v1", {"desc": "\n"}, ValueError, ["desc", "cells", "an empty row"]),
    ("FrozenLake-v1", {"desc": []}, ValueError, ["desc", "rows of letters", "got []"]),
    ("FrozenLake-v1", {"desc": ["SF\nHG"]}, ValueError, ["desc", "rows of letters", "got ['SF"]),
    ("FrozenLake-v1", {"desc": 5}, TypeError, ["desc", "rows of letters", "got 5"]),
    ("FrozenLake-v1", {"desc": [["S", 1]]}, TypeError, ["desc", "rows of letters", "['S', 1]"]),
    ("FrozenLake-v1", {"desc": 10**5000}, TypeError, ["desc", "rows of letters", "cannot be printed"]),
    ("FrozenLake-v1", {"desc": [[10**5000]]}, TypeError, ["desc", "rows of letters", "cannot be printed"]),
    ("FrozenLake-v1", {"map_name": "5x5"}, ValueError, ["map_name", "'4x4', '8x8'", "got '5x5'"]),
    ("FrozenLake-v1", {"map_name": None}, ValueError, ["map_name", "'4x4', '8x8'", "got None"]),
    ("FrozenLake-v1", {"map_name": ["4x4"]}, ValueError, ["map_name", "'4x4', '8x8'", "got ['4x4']"]),
    ("FrozenLake-v1", {"map_name": "8x8", "size": 4}, ValueError, ["size", "'8x8'", "got 4"]),
    ("FrozenLake-v1", {"map_name": "8x8", "size": 10**5000}, ValueError, ["size", "'8x8'", "cannot be printed"]),
    ("FrozenLake-v1", {"map_name": 10**5000}, ValueError, ["map_name", "'4x4', '8x8'", "cannot be printed"]),
    ("FrozenLake-v1", {"size": 5}, ValueError, ["size", "4 or 8", "got 5"]),
    ("FrozenLake-v1", {"size": "4"}, TypeError, ["size", "an int", "got '4'"]),
    ("FrozenLake-v1", {"success_rate": 1.5}, ValueError, ["success_rate", "from 0 to 1", "got 1.5"]),
    ("FrozenLake-v1", {"success_rate": float("nan")}, ValueError, ["success_rate", "from 0 to 1", "got nan"]),
    ("FrozenLake-v1", {"is_slippery": 1}, TypeError, ["is_slippery", "True or False", "got 1"]),
    ("FrozenLake-v1", {"reward_schedule": (1, 0)}, ValueError, ["reward_schedule", "three numbers", "got (1, 0)"]),
    ("FrozenLake-v1", {"reward_schedule": 1}, ValueError, ["reward_schedule", "three numbers", "got 1"]),
    ("FrozenLake-v1", {"reward_schedule": (10**5000,)}, ValueError, ["reward_schedule", "cannot be printed"]),
    ("FrozenLake-v1", {"reward_schedule": (1, "a", 0)}, TypeError, ["hole_reward", "a number", "got 'a'"]),
    ("NChain-v0", {"n": 0}, ValueError, ["n: expected", "from 1 to", "got 0"]),
    ("NChain-v0", {"n": 2**31}, ValueError, ["n: expected", "from 1 to", "got 2147483648"]),
    ("NChain-v0", {"slip": -0.1}, ValueError, ["slip", "from 0 to 1", "got -0.1"]),
    ("NChain-v0", {"slip": 1.1}, ValueError, ["slip", "from 0 to 1", "got 1.1"]),
    ("NChain-v0", {"slip": "0.1"}, TypeError, ["slip", "a number", "got '0.1'"]),
    ("Taxi-v4", {"rainy_probability": 2}, ValueError, ["rainy_probability", "from 0 to 1", "got 2"]),
    ("Taxi-v4", {"fickle_probability": -1}, ValueError, ["fickle_probability", "from 0 to 1", "got -1"]),
    ("Taxi-v4", {"is_rainy": "yes"}, TypeError, ["is_rainy", "True or False", "got 'yes'"]),
    ("Taxi-v4", {"map_name": "4x4"}, TypeError, ["unknown option 'map_name'"]),
    ("Catch-v0", {"height": 1}, ValueError, ["height", "from 2 to 1024", "got 1"]),
    ("Catch-v0", {"width": 0}, ValueError, ["width", "from 1 to 1024", "got 0"]),
    ("Blackjack-v1", {"sab": None}, TypeError, ["sab", "True or False", "got None"]),
    ("CliffWalking-v1", {"is_slippery": 0.5}, TypeError, ["is_slippery", "True or False", "got 0.5"]),
]


@pytest.mark.parametrize("make", [envpool.make_spec, envpool.make_gymnasium])
@pytest.mark.parametrize(("task_id", "options", "error", "words"), INVALID, ids=shown)
def test_invalid_options(make, task_id, options, error, words):
    assert_refused(make, task_id, options, error, words)


# Hashes of 300 steps of 64 environments, which are the same on every machine. If a hash changes, users get other
# trajectories than before.
GOLDEN = {
    "Blackjack": "aad5f7fa0bf1e277",
    "Catch": "94499e6b2c140310",
    "CliffWalking": "76d1c03221b676c7",
    "FrozenLake": "921635531c094787",
    "NChain": "118dc43ab4ca9c71",
    "Taxi": "b560ad16ec080651",
}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_bits(name):
    options = {"CliffWalking": {"is_slippery": True}, "Taxi": {"is_rainy": True, "fickle_passenger": True}}
    engine = Engine(name, **options.get(name, {}))
    categories = {"Blackjack": 2, "Catch": 3, "CliffWalking": 4, "FrozenLake": 4, "NChain": 2, "Taxi": 6}[name]
    assert golden_hash(engine, lambda bits: bits % categories, engine.observe) == GOLDEN[name]
