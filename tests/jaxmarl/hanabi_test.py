# SPDX-License-Identifier: Apache-2.0
"""Hanabi beside JaxMARL's: every array of every step, with the same cards."""

from __future__ import annotations

import collections
import functools
import itertools
import os

import numpy as np
import pytest

import envpool

pytest.importorskip("jaxmarl", reason="JaxMARL is not installed")
import jax
import jax.numpy as jnp
from jaxmarl.environments.hanabi.hanabi import HanabiEnv

from tests.support.chi_square import ChiSquare

GAMES = int(os.environ.get("ENVPOOL_TEST_JAXMARL", "8")) * 4
STEPS = 120  # by then, almost all games of random moves have ended

CASES = {
    "2": {},
    "3 shuffled": {"num_players": 3, "shuffle_player_order": True},
    "4": {"num_players": 4},
    "5 shuffled": {"num_players": 5, "shuffle_player_order": True},
    "small": {"num_colors": 2, "num_ranks": 3, "hand_size": 2, "num_cards_of_rank": [2, 1, 1], "max_info_tokens": 3},
    "six colors": {"num_players": 3, "num_colors": 6, "max_life_tokens": 9},
    "one rank": {"num_colors": 4, "num_ranks": 1, "hand_size": 3, "num_cards_of_rank": [4], "max_life_tokens": 5},
    "no deck": {"num_colors": 2, "num_ranks": 1, "hand_size": 2, "num_cards_of_rank": [2]},
}


def ours_of(options):
    """Returns the options of Hanabi-v0, whose array has a number for each of five ranks."""
    ranks = options.get("num_cards_of_rank", [3, 2, 2, 2, 1])
    return {**options, "num_cards_of_rank": [*ranks, *[1] * (5 - len(ranks))]}


@functools.cache
def reference_of(case):
    options = dict(CASES[case])
    if "num_cards_of_rank" in options:
        options["num_cards_of_rank"] = np.array(options["num_cards_of_rank"])
    return HanabiEnv(num_agents=options.pop("num_players", 2), **options)


def hands_of(obs, reference):
    """Returns the kinds of the cards in the other players' hands, beginning with the next seat; -1 is no card."""
    size, kinds = reference.hand_size, reference.num_colors * reference.num_ranks
    others = reference.num_agents - 1
    cards = obs[..., : others * size * kinds].reshape(*obs.shape[:-1], others, size, kinds)
    return np.where(cards.any(-1), cards.argmax(-1), -1)


def record(case, policy, games):
    """Plays games, and returns the arrays of the steps."""
    players = reference_of(case).num_agents
    env = envpool.make("Hanabi-v0", num_envs=games, seed=1, **ours_of(CASES[case]))
    assert env.action_space.n == reference_of(case).num_moves

    def seen(obs, info):
        return {
            "obs": np.reshape(obs, (games, players, -1)).copy(),
            "mask": info["action_mask"].copy(),
            "player": info["current_player"].copy(),
        }

    steps = [seen(*env.reset())]
    for _ in range(STEPS):
        action = policy(steps[-1]["mask"])
        obs, reward, terminated, truncated, info = env.step(action)
        assert not truncated.any()
        rewards = reward.reshape(games, players).copy()
        steps.append({**seen(obs, info), "action": action, "reward": rewards, "done": terminated.copy()})
    return {key: np.stack([step[key] for step in steps if key in step]) for key in steps[1]}


def decks_of(run, case):
    """Returns the players of the seats, the cards as they were dealt, and the lengths of the games."""
    reference = reference_of(case)
    players, size = reference.num_agents, reference.hand_size
    done = run["done"]
    lengths = np.where(done.any(0), done.argmax(0) + 1, len(done))
    orders = np.zeros((len(lengths), players), int)
    decks = np.zeros((len(lengths), int(reference.deck_size)), int)
    for game, length in enumerate(lengths):
        moved = dict.fromkeys(run["player"][: length + 1, game].tolist())  # a game may end before all have moved
        orders[game] = [*moved, *(player for player in range(players) if player not in moved)]
        # The player before a seat sees it as the next one.
        observers = np.roll(orders[game], 1)
        hands = hands_of(run["obs"][:, game], reference)[:, observers, 0]
        dealt = hands[0].ravel().tolist()
        for step in range(length):
            action = run["action"][step, game]
            card = hands[step + 1, step % players, -1]
            if card >= 0 and (action < 2 * size or action == reference.num_moves - 1):
                dealt.append(card)
        decks[game, : len(dealt)] = dealt
    return orders, decks, lengths


@functools.cache
def player_of(case):
    """Returns a compiled function that plays games of JaxMARL with seats, decks and actions."""
    reference = reference_of(case)

    def results(state, obs):
        legal = reference.get_legal_moves(state)
        player = state.seat_order[jnp.argmax(state.cur_player_idx)]
        masks = jnp.stack([legal[agent] for agent in reference.agents])
        return jnp.stack([obs[agent] for agent in reference.agents]), masks[player], player

    def step(state, action):
        actions = dict.fromkeys(reference.agents, action)
        obs, state, reward, done, _ = reference.step_env(jax.random.key(0), state, actions)
        return state, (results(state, obs), reward["__all__"], done["__all__"])

    def play(order, deck, actions):
        pairs = jnp.stack([deck // reference.num_ranks, deck % reference.num_ranks], axis=-1)
        state = reference.reset_game_from_deck_of_pairs(pairs).replace(seat_order=order)
        first = results(state, reference.get_obs(state, state, reference.num_moves - 1))
        return first, jax.lax.scan(step, state, actions)[1]

    return jax.jit(jax.vmap(play))


def compare(case, policy, games):
    """Compares games to their ends, and returns their arrays and lengths."""
    run = record(case, policy, games)
    orders, decks, lengths = decks_of(run, case)
    first, (others, rewards, dones) = jax.tree.map(np.asarray, player_of(case)(orders, decks, run["action"].T))
    for index, length in enumerate(lengths):
        for field, one, rest in zip(("obs", "mask", "player"), first, others, strict=True):
            expected = np.concatenate([one[index][None], rest[index, :length]])
            if field == "obs":  # JaxMARL divides by zero if an illegal move has played a card that does not exist
                expected = np.where(np.isfinite(expected), expected, 0)
            np.testing.assert_array_equal(run[field][: length + 1, index], expected, f"{field} of game {index}")
        for player in range(run["reward"].shape[2]):
            np.testing.assert_array_equal(run["reward"][:length, index, player], rewards[index, :length])
        np.testing.assert_array_equal(run["done"][:length, index], dones[index, :length])
    return run, lengths


def policy_of(seed, illegal):
    rng = np.random.default_rng(seed)

    def choose(mask):
        any_move = (rng.random(len(mask)) < illegal)[:, None] | ~mask.any(1, keepdims=True)
        return np.argmax(rng.random(mask.shape) * (mask | any_move), axis=1).astype(np.int32)

    return choose


@pytest.mark.parametrize("case", CASES)
def test_games_equal_those_of_jaxmarl(case):
    run, lengths = compare(case, policy_of(5, np.where(np.arange(GAMES) % 2, 0.1, 0)), GAMES)
    print(case, "games", GAMES, "steps", lengths.sum())
    assert run["done"].any(0).mean() > 0.9


def cautious(mask, size, rng):
    """Discards or gives hints, so that games last until the deck is empty, and plays sometimes."""
    weight = np.ones(mask.shape)
    weight[:, size : 2 * size] = 0.02
    return np.argmax((rng.random(mask.shape) ** (1 / weight)) * mask + 1e-300 * mask, axis=1).astype(np.int32)


@pytest.mark.parametrize("case", ["2", "3 shuffled", "5 shuffled"])
def test_games_to_the_end_of_the_deck_equal_those_of_jaxmarl(case):
    rng = np.random.default_rng(3)
    size = reference_of(case).hand_size
    run, _ = compare(case, lambda mask: cautious(mask, size, rng), GAMES)
    first = run["done"].argmax(0)
    alive = [run["reward"][first[i], i, 0] >= 0 for i in range(GAMES)]
    assert any(alive)


def test_cards_and_seats_have_equal_probabilities():
    env = envpool.make("Hanabi-v0", num_envs=20_000, seed=9, num_players=3, shuffle_player_order=True)
    reference = reference_of("3 shuffled")
    obs, info = env.reset()
    hands = hands_of(obs.reshape(20_000, 3, -1)[:, 0], reference)
    fit = ChiSquare()
    fit.add(collections.Counter(info["current_player"].tolist()), dict.fromkeys(range(3), 1 / 3))
    copies = [3, 2, 2, 2, 1]
    chances = {kind: copies[kind % 5] / 50 for kind in range(25)}
    for hand, place in itertools.product(range(2), range(5)):
        fit.add(collections.Counter(hands[:, hand, place].tolist()), chances)
    pairs = {
        (a, b): chances[a] * (copies[b % 5] - (a == b)) / 49
        for a, b in itertools.product(range(25), repeat=2)
        if copies[b % 5] > (a == b)
    }
    fit.add(collections.Counter(map(tuple, hands[:, 0, :2].tolist())), pairs)
    fit.check()


BAD = [
    ({"num_players": 1}, "num_players"),
    ({"num_players": 6}, "num_players"),
    ({"num_colors": 7}, "num_colors"),
    ({"num_ranks": 6}, "num_ranks"),
    ({"hand_size": 7}, "hand_size"),
    ({"max_info_tokens": 0}, "max_info_tokens"),
    ({"max_life_tokens": 0}, "max_life_tokens"),
    ({"num_cards_of_rank": [0, 1, 1, 1, 1]}, "num_cards_of_rank"),
    ({"num_colors": 1, "num_players": 5}, "hand_size: expected at most 10 cards in all hands, got 20"),
]


@pytest.mark.parametrize(("options", "words"), BAD, ids=[words[:20] + str(i) for i, (_, words) in enumerate(BAD)])
def test_bad_options(options, words):
    with pytest.raises(ValueError, match=words):
        envpool.make("Hanabi-v0", **options)
