# SPDX-License-Identifier: Apache-2.0
"""Plays games of chess with rare moves and ends, and compares them with pgx 2.6.0 ply by ply."""

from __future__ import annotations

import os

import numpy as np
import pytest

import envpool
from tests.pgx.games import Reference

# Moves such as e2e4 and a7b8n. "!e1g1" is a move that is not legal next, and "?e6e7" one that is not, and is made.
# Random moves follow.
LONG_GAMES = int(os.environ.get("ENVPOOL_TEST_PGX", "150")) // 5
JUMPS = [(-2, -1), (-2, 1), (-1, -2), (-1, 2), (2, -1), (2, 1), (1, -2), (1, 2)]
OTHERS = {column + row for column in "acdefh" for row in "18"}  # squares of pieces that are not knights
SHUFFLE, KINGS = "g1f3 g8f6 f3g1 f6g8", "e1e2 e8d7 e2e1 d7e8"
GAMES = {
    "castle": "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1g1 e8g8",
    "castle to the left": "d2d4 d7d5 b1c3 b8c6 c1f4 c8f5 d1d2 d8d7 e1c1 e8c8",
    "the king would pass an attacked square": "e2e4 b7b6 g1f3 c8b7 g2g3 a7a5 f1h3 b7a6 !e1g1 d2d3 a5a4 e1g1",
    "the king is in check": "g1f3 e7e6 g2g3 a7a6 f1g2 a6a5 d2d4 f8b4 !e1g1 c2c3 b4e7 e1g1",
    "the rook has moved": "g1f3 a7a6 h1g1 a6a5 g1h1 a5a4 g2g3 h7h6 f1h3 h6h5 !e1g1 e1f1",
    "the king has moved": "e2e4 e7e5 e1e2 e8e7 e2e1 e7e8 g1f3 g8f6 f1c4 f8c5 !e1g1 a2a3 !e8g8",
    "the rook is captured": "g2g4 b7b6 a2a3 c8b7 a3a4 b7h1 g1f3 h1f3 f1h3 f3e2 !e1g1",
    "en passant": "e2e4 a7a6 e4e5 d7d5 e5d6",
    "en passant by black": "a2a3 d7d5 a3a4 d5d4 e2e4 d4e3",
    "en passant too late": "e2e4 a7a6 e4e5 d7d5 a2a3 h7h6 !e5d6",
    **{
        f"promotion to {piece} {way}": f"{moves}{piece}"
        for piece in ("", "r", "b", "n")
        for way, moves in {
            "to the right": "a2a4 b7b5 a4b5 a7a6 b5a6 h7h6 a6a7 h6h5 a7b8",
            "to the left": "h2h4 g7g5 h4g5 h7h6 g5h6 a7a6 h6h7 a6a5 h7g8",
            "straight": "h2h4 g7g5 h4g5 h7h6 g5h6 g8f6 h6h7 h8g8 h7h8",
            "by black": "a2a3 g7g5 a3a4 g5g4 h2h3 g4h3 a4a5 h3h2 a5a6 h2g1",
        }.items()
    },
    "three times the first position": f"{SHUFFLE} {SHUFFLE}",
    "another position three times": f"e2e4 e7e5 {SHUFFLE} {SHUFFLE} g1f3",
    "with and without rights": f"e2e4 a7a6 e4e5 d7d5 {KINGS} {KINGS} e1e2 e8d7",
    "an illegal move restores a position": "a2a3 e7e6 g1f3 b8c6 f3g1 c6b8 ?e6e7",
    "an illegal move restores an old position": f"a2a3 e7e6 {SHUFFLE} e2e3 a7a6 {SHUFFLE} ?a6a7",
    "mate": "f2f3 e7e5 g2g4 d8h4",
    "mate by white": "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7",
    "stalemate": "e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 f7g6 c8e6",
}
ENDS = {  # the number of plies, and the reward of white
    "three times the first position": (8, 0),
    "another position three times": (11, 0),
    "with and without rights": (14, 0),  # which belong to a position
    "an illegal move restores a position": (7, -1),
    "an illegal move restores an old position": (13, -1),
    "mate": (4, -1),
    "mate by white": (7, 1),
    "stalemate": (19, 0),
}


def fifty_moves():
    """Returns 100 moves of knights which capture nothing, give no check and repeat no position."""
    rng = np.random.default_rng(1)
    knights, moves, seen = [{"b1", "g1"}, {"b8", "g8"}], [], set()
    while len(moves) < 100:
        player = len(moves) % 2
        taken = set().union(OTHERS, *knights)
        ways = []
        for knight in sorted(knights[player]):
            column, row = "abcdefgh".index(knight[0]), int(knight[1])
            to = ["abcdefgh"[column + right] + str(row + up) for right, up in JUMPS if 0 <= column + right < 8]
            for square in to:
                after = knights[player] - {knight} | {square}
                position = (player, frozenset(after), frozenset(knights[1 - player]))
                if square[1:] in ("134", "865")[player] and square not in taken and position not in seen:
                    ways.append((knight + square, after, position))
        move, knights[player], position = ways[rng.integers(len(ways))]
        seen.add(position)
        moves.append(move)
    return " ".join(moves)


def action_of(move, turn):
    """Returns the action of a move by white (0) or black (1)."""
    squares = [("abcdefgh".index(move[i]), int(move[i + 1]) - 1) for i in (0, 2)]
    (column, row), (to_column, to_row) = [(c, 7 - r if turn else r) for c, r in squares]
    right, up = to_column - column, to_row - row
    promotion = "rbn".find(move[4]) if len(move) == 5 else -1
    if promotion >= 0:
        plane = 3 * promotion + {0: 0, 1: 1, -1: 2}[right]
    elif 0 in (right, up) or abs(right) == abs(up):
        ways = [(0, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (1, 1), (-1, 1), (1, -1)]
        way, distance = ways.index((np.sign(right), np.sign(up))), max(abs(right), abs(up))
        plane = 9 + 7 * way + (distance - 1 if way % 2 else 7 - distance)
    else:
        plane = 65 + JUMPS.index((right, up))
    return (8 * column + row) * 73 + plane


@pytest.mark.filterwarnings("ignore")  # pgx warns if it observes for both players
def test_rare_moves_equal_those_of_pgx(monkeypatch):
    games = {**GAMES, "fifty moves": fifty_moves()}
    ends = {**ENDS, "fifty moves": (100, 0)}
    names = list(games)
    scripts = [game.split() for game in games.values()]
    num_envs = len(games)
    reference = Reference("Chess-v1", num_envs, monkeypatch)
    env = envpool.make("Chess-v1", num_envs=num_envs, seed=2)
    rng = np.random.default_rng(1)
    obs, info = env.reset()
    reward, terminated = None, np.zeros(num_envs, bool)
    action = np.zeros(num_envs, np.int32)
    plies, over = np.zeros(num_envs, int), np.zeros(num_envs, bool)
    seen = {}
    for _ in range(104):
        reference.check(action, obs, reward, terminated, info)
        mask = info["action_mask"]
        for i in np.flatnonzero(terminated & ~over):
            white = info["current_player"][i] ^ info["turn"][i]
            seen[names[i]] = (plies[i], reward.reshape(-1, 2)[i, white])
        over |= terminated
        for i, script in enumerate(scripts):
            while not over[i] and script and script[0].startswith("!"):
                assert not mask[i, action_of(script.pop(0)[1:], info["turn"][i])], names[i]
            if over[i] or not script:
                action[i] = rng.choice(np.flatnonzero(mask[i]))
                continue
            move = script.pop(0)
            action[i] = action_of(move.strip("?"), info["turn"][i])
            assert mask[i, action[i]] != move.startswith("?"), (names[i], move)
        plies += 1
        obs, reward, terminated, _, info = env.step(action)
    assert {name: seen.get(name) for name in ends} == ends
    assert not any(scripts), [name for name, script in zip(names, scripts, strict=True) if script]


@pytest.mark.filterwarnings("ignore")  # pgx warns if it observes for both players
@pytest.mark.parametrize(("task_id", "plies", "longest"), [("Chess-v1", 520, 512), ("GardnerChess-v1", 260, 150)])
def test_long_games_equal_those_of_pgx(task_id, plies, longest, monkeypatch):
    """Plays legal moves only, with which games last until a mate, a draw or the last move that pgx allows."""
    reference = Reference(task_id, LONG_GAMES, monkeypatch)
    env = envpool.make(task_id, num_envs=LONG_GAMES, seed=5)
    rng = np.random.default_rng(7)
    obs, info = env.reset()
    action, reward, terminated = np.zeros(LONG_GAMES, np.int32), None, np.zeros(LONG_GAMES, bool)
    lengths, repeated, wins = [], 0, 0
    for _ in range(plies):
        theirs = reference.check(action, obs, reward, terminated, info)
        lengths += info["elapsed_step"][terminated].tolist()
        repeated += (theirs["obs"][..., 13] > 0).any()
        wins += reward is not None and (reward > 0).sum()
        action = np.argmax(rng.random(theirs["mask"].shape) * theirs["mask"], axis=1).astype(np.int32)
        obs, reward, terminated, _, info = env.step(action)
    assert max(lengths) >= longest
    assert repeated > 0
    assert wins > 0
