# SPDX-License-Identifier: Apache-2.0
"""Hanabi beside open_spiel's, which is DeepMind's program of the Hanabi challenge, with the same cards.

It has the same numbers of moves, and observations with the same beginning: all but what is known of cards.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

import envpool

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed")

GAMES = int(os.environ.get("ENVPOOL_TEST_JAXMARL", "8")) * 4
COLORS = RANKS = 5
KINDS = COLORS * RANKS


class Game:
    """A game of open_spiel with the cards of one of ours."""

    def __init__(self, players: int, hands: np.ndarray) -> None:
        self.state = pyspiel.load_game("hanabi", {"players": players}).new_initial_state()
        for card in hands.ravel():
            self.state.apply_action(int(card))

    def step(self, action: int, hands: np.ndarray) -> None:
        """Makes a move. If a card is dealt then, it is the last one in the player's hand."""
        player = self.state.current_player()
        self.state.apply_action(action)
        if self.state.is_chance_node():
            self.state.apply_action(int(hands[player, -1]))


def hands_of(obs: np.ndarray, size: int) -> np.ndarray:
    """Returns the kinds of all cards, of shape (games, players, size), from all players' observations; -1: no card."""
    games, players, _ = obs.shape
    cards = obs[..., : (players - 1) * size * KINDS].reshape(games, players, players - 1, size, KINDS)
    seen = np.where(cards.any(-1), cards.argmax(-1), -1)
    return np.stack([seen[:, player - 1, 0] for player in range(players)], axis=1)  # as the player before sees them


def choose(mask: np.ndarray, hands: np.ndarray, built: np.ndarray, skill: float, random: np.random.Generator) -> int:
    """Returns a legal move, with the probability `skill` one that plays a card which fits or gives a hint."""
    size, legal = len(hands), np.flatnonzero(mask)
    if random.random() < skill:
        fits = [i for i, card in enumerate(hands) if card >= 0 and built[card // RANKS] == card % RANKS]
        if fits:
            return size + fits[0]
        others = legal[(legal < size) | (legal >= 2 * size)]
        # Cards that have been played already are discarded first.
        useless = [i for i in others if i < size and hands[i] >= 0 and built[hands[i] // RANKS] > hands[i] % RANKS]
        return int(random.choice(useless or others))
    return int(random.choice(legal))


@pytest.mark.parametrize("skill", [0, 0.9, 1])
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_games_equal_those_of_open_spiel(players, skill):
    size, random = 5 if players < 4 else 4, np.random.default_rng(players)
    env = envpool.make("Hanabi-v0", num_envs=GAMES, seed=3, num_players=players)
    obs, info = env.reset()
    obs = np.reshape(obs, (GAMES, players, -1))
    hands = hands_of(obs, size)
    games = [Game(players, hand) for hand in hands]
    over, built, scores = np.zeros(GAMES, bool), np.zeros((GAMES, COLORS), int), np.zeros(GAMES)
    # Then come what is known of cards: kinds, hinted color and hinted rank.
    known = players * size * (KINDS + COLORS + RANKS)
    hints = np.tile(np.repeat([False, True], [KINDS, COLORS + RANKS]), players * size)
    steps = 0
    while not over.all():
        for i in np.flatnonzero(~over):
            state, mask = games[i].state, info["action_mask"][i]
            assert state.current_player() == info["current_player"][i]
            np.testing.assert_array_equal(np.flatnonzero(mask), state.legal_actions())
            for player in range(players):
                theirs = np.array(state.observation_tensor(player), np.float32)
                assert theirs.shape == obs[i, player].shape
                np.testing.assert_array_equal(obs[i, player, :-known], theirs[:-known], f"player {player}")
                np.testing.assert_array_equal(obs[i, player, -known:][hints], theirs[-known:][hints])
                # Probabilities are 0 where the hints exclude a kind.
                assert not obs[i, player, -known:][~hints][theirs[-known:][~hints] == 0].any()
        movers = info["current_player"].copy()
        action = np.array([
            choose(info["action_mask"][i], hands[i, movers[i]], built[i], skill, random) for i in range(GAMES)
        ])  # fmt: skip
        before = hands
        obs, reward, terminated, truncated, info = env.step(action.astype(np.int32))
        obs, reward = np.reshape(obs, (GAMES, players, -1)), reward.reshape(GAMES, players)
        hands = hands_of(obs, size)
        for i in np.flatnonzero(~over):
            games[i].step(int(action[i]), hands[i])
            state = games[i].state
            np.testing.assert_array_equal(reward[i], state.rewards())
            assert terminated[i] == state.is_terminal() and not truncated[i]
            scores[i] += reward[i, 0]
            if state.is_terminal():
                np.testing.assert_array_equal(np.full(players, scores[i]), state.returns())
            if reward[i, 0] == 1:
                built[i, before[i, movers[i], action[i] - size] // RANKS] += 1
            steps += 1
        over |= terminated
    print(
        f"{players} players, skill {skill}: {GAMES} games, {steps} moves, mean score {scores.mean():.1f}, {scores.max()}"
    )
    assert (scores.max() == 0) == (skill == 0) and scores.max() <= COLORS * RANKS
