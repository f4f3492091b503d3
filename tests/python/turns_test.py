# SPDX-License-Identifier: Apache-2.0
"""Tests that the interfaces of a pool say the same of players who take turns."""

from __future__ import annotations

import numpy as np
import pytest

import envpool

NAMES = ["ConnectFour-v1", "LeducHoldem-v1"]


@pytest.mark.parametrize("task_id", NAMES)
def test_dm_env_and_gym_return_what_gymnasium_returns(task_id):
    made = {"num_envs": 20, "seed": 5}
    gymnasium, gym = envpool.make_gymnasium(task_id, **made), envpool.make_gym(task_id, **made)
    dm = envpool.make_dm(task_id, **made)
    obs, info = gymnasium.reset()
    gym.reset()
    seen = dm.reset()
    spec = dm.observation_spec()
    assert spec.current_player.num_values == 2 and spec.action_mask.shape == info["action_mask"].shape[1:]
    assert (seen.step_type == 0).all() and (seen.observation.obs == obs).all()
    rng = np.random.default_rng(3)
    ends = 0
    for _ in range(60):
        for name in ("current_player", "action_mask"):
            np.testing.assert_array_equal(getattr(seen.observation, name), info[name])
        action = np.array([rng.choice(np.flatnonzero(mask)) for mask in info["action_mask"]], np.int32)
        obs, reward, terminated, truncated, info = gymnasium.step(action)
        assert not truncated.any()
        ends += terminated.sum()
        seen = dm.step(action)
        theirs = gym.step(action)
        np.testing.assert_array_equal(seen.reward, reward)  # a row for each player
        np.testing.assert_array_equal(seen.step_type == 2, terminated)
        np.testing.assert_array_equal(seen.observation.players.env_id, np.repeat(np.arange(20), 2))
        np.testing.assert_array_equal(theirs[0], obs)
        np.testing.assert_array_equal(theirs[1], reward)
        np.testing.assert_array_equal(theirs[-1]["current_player"], info["current_player"])
        np.testing.assert_array_equal(theirs[-1]["action_mask"], info["action_mask"])
    assert ends > 20


@pytest.mark.parametrize("task_id", ["TicTacToe-v1", "Hanabi-v0"])
def test_actions_of_worlds_may_come_with_the_rows_of_players(task_id):
    env = envpool.make_gymnasium(task_id, num_envs=3)
    _, info = env.reset()
    actions = {
        "action": info["action_mask"].argmax(axis=-1).astype(np.int32).reshape(3, -1)[:, 0],
        "env_id": np.arange(3),
    }
    info = env.step({**actions, "players.env_id": info["players"]["env_id"]})[-1]
    assert info["elapsed_step"].tolist() == [1, 1, 1]
