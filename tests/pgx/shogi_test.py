# SPDX-License-Identifier: Apache-2.0
"""Plays games of shogi with rare moves and ends, and compares them with pgx 2.6.0 ply by ply."""

from __future__ import annotations

import ctypes
import os

import numpy as np
import pytest

import envpool
from tests.pgx.games import Reference, jax
from tests.support import libraries
from tests.support.capi import pointer

shogi = pytest.importorskip("pgx._src.games.shogi")
GAMES = int(os.environ.get("ENVPOOL_TEST_PGX", "150")) // 3
PAWN, LANCE, BISHOP, ROOK, GOLD, KING, OPP = 0, 1, 4, 5, 6, 7, 14  # pgx's numbers
SLIDING = [LANCE, BISHOP, ROOK, BISHOP + 8, ROOK + 8]
# Kings next to the corner to which a dropped pawn gives mate. pgx sees one if the opposite corner is attacked.
MATES = [
    {1: OPP + KING, 20: BISHOP, 3: GOLD, 17: ROOK, 44: KING},
    {1: OPP + KING, 20: BISHOP, 3: GOLD, 17: ROOK, 44: KING, 80: LANCE},
    {9: OPP + KING, 11: GOLD, 8: ROOK, 26: ROOK, 44: KING},
    {9: OPP + KING, 11: GOLD, 8: ROOK, 26: ROOK, 44: KING, 80: LANCE},
]


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


def near(rng, square, distance):
    """Returns a random square at most so many rows and columns from another one."""
    column, row = (np.array(divmod(square, 9)) + rng.integers(-distance, distance + 1, 2)).clip(0, 8)
    return 9 * column + row


def random_position(rng):
    """Returns a board and hands, with more pieces than usual near the kings, and these often at the border."""
    board = np.full(81, -1)
    hands = rng.integers(0, 3, (2, 7)) * (rng.random((2, 7)) < 0.5)
    kings = rng.permutation(81)[:2]
    if rng.random() < 0.6:
        kings[0] = rng.choice([0, 1, 2, 7, 9, 10, 18, 36, 63, 72, 73])
        kings[1] = rng.choice(np.flatnonzero(np.arange(81) != kings[0]))
    board[kings] = [OPP + KING, KING]
    pieces, sliding = rng.integers(2, 30), 8
    if rng.random() < 0.2:
        corner = MATES[rng.integers(len(MATES))]
        board[:] = -1
        board[list(corner)] = list(corner.values())
        kings = np.flatnonzero(np.isin(board, [KING, OPP + KING]))
        hands[0, PAWN] = 1
        pieces, sliding = rng.integers(4), 5
    for _ in range(pieces):
        place = near(rng, rng.choice(kings), rng.integers(1, 4)) if rng.random() < 0.7 else rng.integers(81)
        piece = rng.choice([*range(KING), *range(KING + 1, OPP)])
        if board[place] < 0 and (piece not in SLIDING or sliding > 0):  # pgx considers eight sliding pieces
            sliding -= piece in SLIDING
            board[place] = piece + OPP * (rng.random() < 0.5)
    return board, hands


def test_random_positions_equal_those_of_pgx():
    rng = np.random.default_rng(3)
    count = 20 * GAMES
    boards, hands = map(np.array, zip(*(random_position(rng) for _ in range(count)), strict=True))
    boards, hands = boards.astype(np.int32), hands.astype(np.int32)

    @jax.jit
    @jax.vmap
    def expected(board, hand):
        state = shogi.GameState()._replace(board=board, hand=hand)
        return shogi._legal_action_mask(state), shogi._observe(state, flip=True), *shogi._is_drop_pawn_mate(state)

    masks, observations = np.zeros((count, 27 * 81), bool), np.zeros((count, 9, 9, 119), bool)
    library = ctypes.CDLL(libraries.library("pgx_testing"))
    arrays = [pointer(array) for array in (boards, hands, masks, observations)]
    library.shogi_positions(*arrays, ctypes.c_int64(count))
    mates = 0
    for first in range(0, count, 100):
        some = slice(first, first + 100)
        mask, observation, mate, below = map(np.asarray, expected(boards[some], hands[some]))
        np.testing.assert_array_equal(masks[some], mask)
        np.testing.assert_array_equal(observations[some], observation)
        silver = mask[np.arange(100), 23 * 81 + below % 81]  # may be dropped there
        mates += (mate & silver & (hands[some, 0, PAWN] > 0) & (below % 9 > 0)).sum()
    assert mates > 0  # of dropped pawns
