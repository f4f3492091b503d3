# SPDX-License-Identifier: Apache-2.0
"""Tests the installed CoinHunt-v0. This file does not import coin_hunt, because the package's entry point does."""

import numpy as np

import envpool


def towards_the_coin(obs):
    row, column, coin_row, coin_column = obs.T
    return np.select([coin_row < row, coin_row > row, coin_column > column], [0, 2, 1], 3)


def test_an_agent_that_walks_to_the_coin_finds_ten():
    env = envpool.make("CoinHunt-v0", num_envs=16, seed=1)
    obs, _ = env.reset()
    rewards, running = np.zeros(16), np.ones(16, bool)
    for _ in range(100):
        distance = np.abs(obs[:, :2] - obs[:, 2:]).sum(axis=1)
        obs, reward, terminated, truncated, _ = env.step(towards_the_coin(obs))
        assert np.array_equal(reward[running] == 1, distance[running] == 1)
        rewards += reward * running
        running &= ~(terminated | truncated)
        if not running.any():
            break
    assert not running.any() and (rewards == 10).all()


def test_the_coin_starts_in_any_cell_except_the_walkers():
    obs, _ = envpool.make("CoinHunt-v0", num_envs=20_000, size=2).reset()
    walker, coin = obs[:, 0] * 2 + obs[:, 1], obs[:, 2] * 2 + obs[:, 3]
    counts = np.zeros((4, 4))
    np.add.at(counts, (walker, coin), 1)
    expected = 20_000 / 12 * (1 - np.eye(4))
    assert np.abs(counts - expected).max() < 5 * np.sqrt(20_000 / 12)


def test_it_is_listed():
    assert "CoinHunt-v0" in envpool.list_all_envs()
