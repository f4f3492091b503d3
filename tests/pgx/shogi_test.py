# SPDX-License-Identifier: Apache-2.0
"""Plays games of shogi with rare moves and ends, and compares them with pgx 2.6.0 ply by ply."""

from __future__ import annotations

import os

import numpy as np
import pytest

import envpool
from tests.pgx.games import Reference

GAMES = int(os.environ.get("ENVPOOL_TEST_PGX", "150")) // 3


@pytest.mark.filterwarnings("ignore")  # pgx warns if it observes for both players
def test_repetitions_in_animal_shogi_equal_those_of_pgx(monkeypatch):
    """Plays with habits, so that many positions occur again, and games end with all kinds of draws."""
    reference = Reference("AnimalShogi-v1", GAMES, monkeypatch)
    env = envpool.make("AnimalShogi-v1", num_envs=GAMES, seed=5)
    rng = np.random.default_rng(7)
    habits = rng.random((GAMES, 132)) ** 2
    whims = 0.5 ** rng.integers(0, 6, (GAMES, 1))
    obs, info = env.reset()
    action, reward, terminated = np.zeros(GAMES, np.int32), None, np.zeros(GAMES, bool)
    once, draws, longest, wins = 0, 0, 0, 0
    for _ in range(520):
        theirs = reference.check(action, obs, reward, terminated, info)
        once += (theirs["obs"][..., 23] > 0).sum()
        draws += (terminated & (info["elapsed_step"] < 256) & ~theirs["reward"].any(axis=1)).sum()
        longest += (terminated & (info["elapsed_step"] == 256)).sum()
        wins += (theirs["reward"] > 0).sum()
        habits[terminated] = rng.random((terminated.sum(), 132)) ** 2
        wanted = habits + whims * rng.random((GAMES, 132)) + 1
        action = np.argmax(wanted * theirs["mask"], axis=1).astype(np.int32)
        obs, reward, terminated, _, info = env.step(action)
    assert min(once, draws, longest, wins) > 0, (once, draws, longest, wins)
