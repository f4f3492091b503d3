# SPDX-License-Identifier: Apache-2.0
"""Compares the games with pgx 2.6.0, ply by ply to the end, and the distributions of their deals, tiles and dice."""

from __future__ import annotations

import collections
import itertools
import os

import numpy as np
import pytest

import envpool
from tests.pgx.games import NAMES, jax, play_beside_pgx, sparrow_mahjong
from tests.support.chi_square import ChiSquare

GAMES = int(os.environ.get("ENVPOOL_TEST_PGX", "150"))
ILLEGAL = 0.01  # the part of the moves that are illegal, if there are such moves
FEWER = {
    "Go13x13-v1": 5,
    "Go19x19-v1": 20,
    "Shogi-v1": 5,
}  # the games of these ids are as many times fewer, because pgx takes long
# The player who moves second sees the board of these games with the other colors, or from the other side.
TURNED = ("AnimalShogi-v1", "Chess-v1", "GardnerChess-v1", "Hex-v1", "Othello-v1", "Shogi-v1")


def chosen(mask, rng, illegal=ILLEGAL):
    """Returns a random legal move of each row, or sometimes an illegal one."""
    wanted = mask ^ (rng.random(len(mask)) < illegal)[:, None]
    wanted = np.where(wanted.any(axis=1, keepdims=True), wanted, mask)
    return np.argmax(rng.random(mask.shape) * wanted, axis=1).astype(np.int32)


@pytest.mark.filterwarnings("ignore")  # pgx warns if it observes for both players
@pytest.mark.parametrize("task_id", NAMES)
def test_games_equal_those_of_pgx(task_id, monkeypatch):
    wanted = max(GAMES // FEWER.get(task_id, 1), 2)
    num_envs = min(wanted, 1000)
    if task_id.startswith("Go"):
        num_envs = max(num_envs // 10, 2)
    # Long games would mostly end early by illegal moves: only one in two or ten environments makes them.
    one_in = 2 if task_id.startswith("Go") else 10 if task_id == "Backgammon-v1" else 1
    illegal_part = np.where(np.arange(num_envs) % one_in == 0, ILLEGAL, 0)
    rng = np.random.default_rng(0)
    illegal, _ = play_beside_pgx(
        task_id, wanted, num_envs, monkeypatch, lambda mask, steps: chosen(mask, rng, illegal_part)
    )
    assert illegal > 0 or task_id == "KuhnPoker-v1"


def first_infos(task_id, num_envs):
    """Returns the infos of the first states of many games."""
    with envpool.make(task_id, num_envs=num_envs, seed=9) as env:
        return env.reset()[1]


@pytest.mark.parametrize("task_id", [name for name in NAMES if name not in ("Play2048-v1", "SparrowMahjong-v1")])
def test_deals_and_first_players_have_equal_probabilities(task_id):
    info = first_infos(task_id, 1000 if "Chess" in task_id else 20_000)  # a world of chess has 66 kB
    deals = {"KuhnPoker-v1": itertools.permutations(range(3), 2), "LeducHoldem-v1": itertools.permutations(range(6), 3)}
    deals["Backgammon-v1"] = itertools.permutations(range(6), 2)  # the dice
    fit = ChiSquare()
    probabilities = collections.Counter()
    for deal in deals.get(task_id, [()]):
        cards = tuple(card // 2 for card in deal) if task_id == "LeducHoldem-v1" else deal
        probabilities.update({(player, *cards): 1.0 for player in range(2)})
    total = sum(probabilities.values())
    cards = info.get("cards", info.get("dice", np.zeros((len(info["current_player"]), 0), np.int32)))
    seen = collections.Counter(map(tuple, np.column_stack([info["current_player"], cards]).tolist()))
    fit.add(seen, {outcome: count / total for outcome, count in probabilities.items()})
    fit.check()


def test_dice_of_backgammon_have_equal_probabilities():
    """Compares the dice of consecutive turns, and counts how often the players have black."""
    env = envpool.make("Backgammon-v1", num_envs=2000, seed=6)
    _, info = env.reset()
    rng = np.random.default_rng(4)
    fit = ChiSquare()
    rolls, sums = collections.Counter(), collections.Counter()
    for _ in range(60):
        player, dice = info["current_player"], info["dice"]
        assert info["elapsed_step"].any() or set((player ^ info["turn"]).tolist()) == {0, 1}
        action = np.argmax(rng.random((2000, 156)) * info["action_mask"], axis=1).astype(np.int32)
        *_, info = env.step(action)
        new = np.flatnonzero(info["current_player"] != player)
        rolls.update(map(tuple, info["dice"][new].tolist()))
        sums.update(((info["dice"][new].sum(axis=1) + dice[new].sum(axis=1)) % 6).tolist())
    fit.add(rolls, dict.fromkeys(itertools.product(range(6), repeat=2), 1 / 36))
    fit.add(sums, dict.fromkeys(range(6), 1 / 6))  # of two independent rolls
    fit.check()


def test_walls_and_seats_of_sparrow_mahjong_have_equal_probabilities():
    """The dealer has no complete hand; so few deals are thus excluded that the others seem to be equally likely."""
    info = first_infos("SparrowMahjong-v1", 20_000)
    wall, players = info["wall"], info["shuffled_players"]
    assert (np.sort(wall, axis=1) == np.arange(44)).all()
    assert not np.asarray(jax.vmap(sparrow_mahjong._is_completed)(info["hands"][:, 0])).any()  # 1 in 102 would have one
    np.testing.assert_array_equal(info["current_player"], players[:, 0])
    fit = ChiSquare()
    fit.add(collections.Counter(map(tuple, players.tolist())), dict.fromkeys(itertools.permutations(range(3)), 1 / 6))
    for place in range(44):
        fit.add(collections.Counter(wall[:, place].tolist()), dict.fromkeys(range(44), 1 / 44))
        between = (wall[:, place] - wall[:, place - 1]) % 44
        fit.add(collections.Counter(between.tolist()), dict.fromkeys(range(1, 44), 1 / 43))
    fit.check()


def test_tiles_of_2048_have_the_probabilities_of_pgx():
    boards = first_infos("Play2048-v1", 20_000)["board"].reshape(-1, 16)
    assert (np.count_nonzero(boards, axis=1) == 2).all()
    fit = ChiSquare()
    cells = collections.Counter(tuple(np.flatnonzero(board).tolist()) for board in boards)
    fit.add(cells, dict.fromkeys(itertools.combinations(range(16), 2), 1 / 120))
    fit.add(collections.Counter(boards[boards > 0].tolist()), {1: 0.9, 2: 0.1})

    # A move of one tile: the new one is in any of the other cells.
    env = envpool.make("Play2048-v1", num_envs=20_000, seed=4)
    _, info = env.reset()
    action = np.argmax(info["action_mask"], axis=1).astype(np.int32)
    _, reward, *_, after = env.step(action)
    two = np.flatnonzero((after["board"].reshape(-1, 16) > 0).sum(axis=1) == 2)
    assert (reward[two] > 0).all()  # the two tiles became one
    merged = reward[two].astype(int)
    new = collections.Counter(
        int(board[board > 0].sum() - np.log2(made)) for board, made in zip(after["board"][two], merged, strict=True)
    )
    fit.add(new, {1: 0.9, 2: 0.1})
    fit.check()


@pytest.mark.parametrize("task_id", NAMES)
def test_images_show_what_infos_say(task_id):
    env = envpool.make(task_id, num_envs=40, seed=1, render_mode="rgb_array")
    rng = np.random.default_rng(2)
    _, info = env.reset()
    images: dict[bytes, bytes] = {}
    for _ in range(12):
        # Players who move second have the other color, and see chess from the other side.
        names = ("board", "hand", "cards", "pot", "chips", "first_player", "round", "dice", "playable_dice")
        names += ("hands", "n_red_in_hands", "rivers", "is_red_in_river", "shuffled_players", "dora")
        parts = [info[name] for name in names if name in info]
        if task_id in ("Backgammon-v1", "SparrowMahjong-v1"):
            parts.append(info["turn"])
        for i, image in enumerate(env.render()):
            steps = info["elapsed_step"][i] % 2 if task_id in TURNED else 0
            state = b"".join(np.ascontiguousarray(part[i]).tobytes() for part in parts) + bytes([steps])
            assert images.setdefault(state, image.tobytes()) == image.tobytes()
        action = np.array([rng.choice(np.flatnonzero(mask)) for mask in info["action_mask"]], np.int32)
        *_, info = env.step(action)
    assert len(set(images.values())) > 5


def test_actions_belong_to_worlds():
    """A batch has an action for each world, not for each player."""
    env = envpool.make("ConnectFour-v1", num_envs=3)
    env.reset()
    for bad in (np.zeros(6, np.int32), np.zeros((3, 2), np.int32), np.array([0, 7, 0]), np.array([0, -1, 0])):
        with pytest.raises(ValueError, match=r"^\[ConnectFour-v1\] action: "):
            env.step(bad)
    *_, info = env.step({"action": np.array([1, 2]), "env_id": np.array([2, 0])})
    assert info["env_id"].tolist() == [2, 0]
    assert info["players"]["env_id"].tolist() == [2, 2, 0, 0]
    assert (info["board"][[0, 1], 5, [1, 2]] == 0).all()
