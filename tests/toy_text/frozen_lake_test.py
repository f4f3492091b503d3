# SPDX-License-Identifier: Apache-2.0
"""Tests the maps of FrozenLake."""

import gymnasium
import numpy as np
import pytest

import envpool
from tests.toy_text.engine import CUSTOM_MAP, only_env


def test_episodes_start_on_every_start_of_the_map():
    pool = envpool.make_gymnasium("FrozenLake-v1", num_envs=200, desc=CUSTOM_MAP)
    starts = {0: 2, 1: 5, 2: 12}
    seen = [pool.reset()[0] for _ in range(3)]
    assert set(np.concatenate(seen)) == set(starts.values())
    assert (seen[0] != seen[1]).any()


@pytest.mark.parametrize(
    "desc",
    [
        CUSTOM_MAP,
        tuple(CUSTOM_MAP),
        [row.encode() for row in CUSTOM_MAP],
        [list(row) for row in CUSTOM_MAP],
        np.asarray(CUSTOM_MAP, dtype="c"),
        "\n".join(CUSTOM_MAP),
        "\n".join(CUSTOM_MAP).encode() + b"\n",
    ],
    ids=lambda desc: type(desc).__name__,
)
def test_a_map_may_have_any_form_that_gymnasium_accepts(desc):
    for more in ({}, {"map_name": None}, {"map_name": "4x4"}):
        spec = envpool.make_spec("FrozenLake-v1", desc=desc, **more)
        assert spec.observation_space == gymnasium.spaces.Discrete(18)
    again = envpool.make_spec("FrozenLake-v1", **spec.config._asdict())
    assert again.config == spec.config


def test_maps_by_name():
    assert envpool.make_spec("FrozenLake-v1", map_name="8x8", desc=None).observation_space.n == 64
    assert envpool.make_spec("FrozenLake8x8-v1", map_name="4x4").observation_space.n == 16
    assert envpool.make_spec("FrozenLake8x8-v1").observation_space.n == 64


@pytest.mark.parametrize(
    ("options", "limit"),
    [
        ({}, 100),
        ({"map_name": "8x8"}, 200),
        ({"size": 8}, 200),
        ({"map_name": "8x8", "max_episode_steps": 7}, 7),
        ({"desc": ["S" * 8, *["F" * 8] * 6, "G" * 8]}, 200),
        ({"desc": b"SFFFFFFF\n" + b"FFFFFFFG\n" * 7}, 200),
        ({"desc": ["S" * 8, *["F" * 8] * 5, "G" * 8]}, 100),
        ({"desc": ["SG"], "map_name": "8x8"}, 100),
    ],
)
def test_time_limits_of_gymnaxs_id(options, limit):
    spec = envpool.make_spec("FrozenLake-misc", **options)
    assert spec.config.max_episode_steps == limit
    assert envpool.make_spec("FrozenLake-misc", **spec.config._asdict()).config == spec.config
    with envpool.make_gymnasium("FrozenLake-misc", num_envs=2, env_options=[{}, {"is_slippery": False}]) as pool:
        pool.reset()
        info = pool.step(np.array([0, 0]))[-1]
    assert "prob" not in info
    np.testing.assert_array_equal(info["p"], np.array([1 / 3, 1], np.float32))


def test_a_map_of_a_million_cells():
    rows = ["S" + "F" * 999, *["F" * 1000] * 998, "F" * 999 + "G"]
    pool = envpool.make_gymnasium("FrozenLake-v1", desc=rows, is_slippery=False, max_episode_steps=0)
    step = only_env(pool)
    pool.reset()
    assert pool.observation_space.n == 10**6
    for _ in range(999):
        step(1)
    obs, *_ = step(2)
    assert obs == 999 * 1000 + 1


def test_options_may_differ_between_environments():
    pool = envpool.make_gymnasium(
        "FrozenLake-v1", num_envs=2, env_options=[{"is_slippery": False}, {"reward_schedule": (0, -1, -1)}]
    )
    pool.reset()
    _, reward, _, _, info = pool.step(np.array([0, 0]))
    assert reward.tolist() == [0, -1]
    np.testing.assert_array_equal(info["prob"], np.array([1, 1 / 3], np.float32))


@pytest.mark.parametrize(
    ("task_id", "one", "other"),
    [
        ("FrozenLake-v1", {"size": 8}, {"size": 4}),
        ("FrozenLake-v1", {"desc": "SF\nFG"}, {"desc": "SH\nFG"}),
        ("Catch-v0", {"height": 80, "width": 80}, {"height": 3, "width": 3}),
    ],
)
def test_restore_refuses_a_snapshot_of_another_map(task_id, one, other):
    pools = [envpool.make_gymnasium(task_id, num_envs=1, **options) for options in (one, other, one)]
    for pool in pools:
        pool.reset()
    state = pools[0].snapshot(0)
    with pytest.raises(ValueError, match=rf"\[{task_id}\] restore: state: expected a snapshot"):
        pools[1].restore(0, state)
    pools[2].restore(0, state)
