# SPDX-License-Identifier: Apache-2.0
"""Plays rare positions of Go beside pgx 2.6.0, and games with Chinese rules beside a plain implementation."""

from __future__ import annotations

import os

import numpy as np
import pytest

import envpool
from tests.pgx.games import play_beside_pgx
from tests.pgx.plain_go import BLACK, PlainGo

GAMES = int(os.environ.get("ENVPOOL_TEST_PGX", "150"))
PASS = 81


def points(text):
    """Returns moves on 9 by 9 points: row and column of each, or "pass"."""
    return [PASS if move == "pass" else 9 * int(move[0]) + int(move[1]) for move in text.split()]


KO = "34 35 43 46 54 55 88 44 45"  # Black captures the stone at 44, and White may not capture the one at 45
# Two white stones in the corner, which Black captures. White then captures the black stone.
SEND_TWO = "10 03 11 12 88 01 86 00 02"
ROWS = "30 50 31 51 32 52 33 53 34 54 35 55 36 56 37 57 38 58 pass pass"  # of stones, with an empty row between them

# Moves, what the infos at the end have, and whether Black has won.
ENDS = {
    "ko": (f"{KO} 44", {"is_psk": True, "ko": 41}, True),
    "a repetition by a capture": (f"{SEND_TWO} 01", {"is_psk": True, "ko": -1}, True),
    "a repetition without a capture": (
        "10 03 11 12 88 00 86 01 02 01 pass 00",
        {"is_psk": True, "consecutive_pass_count": 0},
        True,
    ),
    "the suicide of a stone": ("01 88 10 00", {"is_psk": False}, True),
    "the suicide of two stones": ("00 10 88 11 86 02 01", {"is_psk": False, "black_area": 4}, False),
    "a stone on another one": ("00 00", {"is_psk": False}, True),
    "a stone on an own one": ("00 01 00", {"is_psk": True}, False),
    "two passes on an empty board": ("pass pass", {"black_area": 81, "white_area": 81}, False),
    "neutral points": (ROWS, {"black_area": 36, "white_area": 36}, False),
}


@pytest.mark.filterwarnings("ignore")  # pgx warns if it observes for both players
def test_rare_positions_equal_those_of_pgx(monkeypatch):
    scripts = [points(moves) for moves, *_ in ENDS.values()]
    ends = ends_of(scripts, monkeypatch)
    for (name, (_, infos, black_wins)), end in zip(ENDS.items(), ends, strict=True):
        assert {key: end[key] for key in infos} == infos, name
        assert won_by_black(end) == black_wins, name


def ends_of(scripts, monkeypatch, **options):
    """Plays each list of moves in one of as many games, and returns the infos of their ends."""

    def choose(mask, steps):
        moves = [script[step] if step < len(script) else PASS for script, step in zip(scripts, steps, strict=True)]
        return np.array(moves, np.int32)

    ends: dict[int, dict] = {}
    longest = max(map(len, scripts))
    until_then = sum((longest + 1) // (len(script) + 1) for script in scripts)  # each game begins again after its end
    _, all_ends = play_beside_pgx("Go9x9-v1", until_then, len(scripts), monkeypatch, choose, **options)
    for end in all_ends:
        ends.setdefault(end["env_id"], end)
    for i, script in enumerate(scripts):
        assert ends[i]["elapsed_step"] == len(script)
    return [ends[i] for i in range(len(scripts))]


def won_by_black(end):
    black = end["current_player"] ^ (end["elapsed_step"] % 2)
    assert end["reward"][black] == -end["reward"][1 - black] != 0
    return end["reward"][black] == 1


@pytest.mark.filterwarnings("ignore")
def test_the_komi_decides(monkeypatch):
    (end,) = ends_of([points(ROWS)], monkeypatch, komi=-0.5)  # both areas are equal
    assert won_by_black(end)


@pytest.mark.filterwarnings("ignore")
def test_games_end_after_a_number_of_moves(monkeypatch):
    scripts = ["00 pass 22 33 pass 44 55 pass 66", KO, "pass 00 pass 11 pass 22 pass 33 pass"]
    ends = ends_of([points(script) for script in scripts], monkeypatch, max_terminal_steps=9)
    assert ends[1]["ko"] == 40
    assert [won_by_black(end) for end in ends] == [False, False, False]


def in_a_corner(mask, steps, rng, side):
    """Returns random moves that often repeat a position: White throws in stones, which Black captures.

    First both players put stones around three points in a corner. Then White plays at two of these, Black at the third
    one, or they pass.
    """
    around = np.array([[1, 0], [0, 3], [1, 1], [1, 2]]) @ [side, 1]
    may = mask[:, :3] & ((np.arange(3) == 2) ^ (steps % 2 == 1)[:, None]) & (rng.random(len(mask)) < 0.95)[:, None]
    inside = np.where(may.any(axis=1), np.argmax(rng.random(may.shape) * may, axis=1), side * side)
    return np.where(steps < 4, around[np.minimum(steps, 3)], inside).astype(np.int32)


@pytest.mark.filterwarnings("ignore")
def test_games_in_a_corner_equal_those_of_pgx(monkeypatch):
    """Many of these games end with a repetition."""
    rng = np.random.default_rng(1)
    _, ends = play_beside_pgx(
        "Go9x9-v1",
        GAMES,
        min(GAMES, 1000),
        monkeypatch,
        lambda mask, steps: in_a_corner(mask, steps, rng, 9),
    )
    assert sum(bool(end["is_psk"]) for end in ends) > len(ends) // 10


def observed(game, color, side):
    """Returns what a player observes."""
    planes = np.zeros((17, side * side), bool)
    for k, board in enumerate(game.positions[:-9:-1]):
        planes[2 * k] = np.array(board) == color
        planes[2 * k + 1] = np.array(board) == -color
    planes[16] = color != BLACK
    return planes.T.reshape(side, side, 17)


@pytest.mark.parametrize("corner", [False, True], ids=["anywhere", "corner"])
@pytest.mark.parametrize("side, most", [(9, 162), (13, 60), (19, 40)])
def test_chinese_rules(side, most, corner):
    """Compares games with those of a plain implementation; on larger boards, only the first moves."""
    games = max(GAMES // 25, 2) if side == 9 else 20 if corner else 1
    env = envpool.make(f"ChineseGo{side}x{side}-v1", num_envs=games, seed=5)
    obs, info = env.reset()
    plain = [PlainGo(side) for _ in range(games)]
    black = info["current_player"].copy()
    rng = np.random.default_rng(6)
    ends = np.zeros(games, bool)
    banned = 0
    for _ in range(most):
        for i in np.flatnonzero(~ends):
            game = plain[i]
            legal = [game.is_legal(cell) for cell in range(side * side + 1)]
            np.testing.assert_array_equal(info["action_mask"][i], legal)
            banned += sum(
                game.board[cell] == 0 and cell != game.ko and tuple(game.after(cell)[0]) in game.positions
                for cell in range(side * side)
            )
            np.testing.assert_array_equal(info["board"][i].ravel(), game.board)
            assert (info["black_area"][i], info["white_area"][i]) == game.areas()
            assert (info["ko"][i], info["consecutive_pass_count"][i]) == (game.ko, game.passes)
            assert not info["is_psk"][i]
            assert info["current_player"][i] == black[i] ^ (game.mover != BLACK)
            for color in (1, -1):
                player = black[i] ^ (color != BLACK)
                np.testing.assert_array_equal(obs[2 * i + player], observed(game, color, side))
        mask = info["action_mask"]
        action = (
            in_a_corner(mask, info["elapsed_step"], rng, side)
            if corner
            else np.argmax(rng.random(mask.shape) * mask, axis=1)
        )
        action = np.where(rng.random(games) < 0.005, np.argmin(mask, axis=1), action).astype(np.int32)
        legal = mask[np.arange(games), action]
        mover = info["current_player"]
        obs, reward, terminated, _, info = env.step(action)
        for i in np.flatnonzero(~ends):
            result = 0.0
            if not legal[i]:
                result = 1.0 if mover[i] != black[i] else -1.0
            else:
                plain[i].play(int(action[i]))
                over = plain[i].passes == 2 or len(plain[i].positions) == 2 * side * side
                areas = plain[i].areas()
                result = (1.0 if areas[0] - 7.5 > areas[1] else -1.0) if over else 0.0
            assert terminated[i] == (result != 0)
            assert reward[2 * i + black[i]] == result == -reward[2 * i + 1 - black[i]]
            ends[i] = terminated[i]
            if ends[i]:
                assert info["action_mask"][i].all()
    assert banned > 0 or not corner


@pytest.mark.parametrize(
    "option, value",
    [("komi", float("nan")), ("komi", 82.0), ("komi", -82.0), ("max_terminal_steps", -1), ("max_terminal_steps", 163)],
)
def test_bad_options(option, value):
    with pytest.raises(ValueError, match=rf"^\[Go9x9-v1\] {option}: "):
        envpool.make("Go9x9-v1", **{option: value})
