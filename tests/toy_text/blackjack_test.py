# SPDX-License-Identifier: Apache-2.0
"""Compares Blackjack with gymnasium's: the outcomes of sticking and hitting, and the distribution of the deal."""

import collections
import itertools

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.toy_text import blackjack

from tests.support.chi_square import ChiSquare
from tests.toy_text.engine import STATES, Engine, merged

CARD = {card: (4 if card == 10 else 1) / 13 for card in range(1, 11)}


def state_of(player, dealer):
    hand = lambda cards: (sum(cards), 1 in cards, len(cards))  # noqa: E731
    return np.array((hand(player), hand(dealer), dealer[0]), STATES["Blackjack"])


class NoCardsLeft(Exception):
    """Raised when the game draws more cards than the test gave it."""


@pytest.fixture
def deal(monkeypatch):
    """Returns a function that steps gymnasium's game from given hands, and makes it draw given cards."""
    env = gymnasium.make("Blackjack-v1").unwrapped
    env.reset(seed=0)

    def step(player, dealer, action, cards, **options):
        remaining = list(cards)

        def draw(_):
            if not remaining:
                raise NoCardsLeft
            return remaining.pop(0)

        monkeypatch.setattr(blackjack, "draw_card", draw)
        env.player, env.dealer = list(player), list(dealer)
        env.natural, env.sab = options.get("natural", False), options.get("sab", True)
        obs, reward, terminated, *_ = env.step(action)
        return tuple(map(int, obs)), float(reward), terminated, tuple(env.dealer)

    return step


def dealer_outcomes(deal, dealer):
    """Returns the probability of each (final score, natural) of gymnasium's dealer, and cards that lead to it."""
    ends, drawn, pending = collections.defaultdict(float), {}, [((), 1.0)]
    while pending:
        cards, probability = pending.pop()
        try:
            *_, hand = deal((10, 10), dealer, 0, cards)
        except NoCardsLeft:
            pending += [((*cards, card), probability * chance) for card, chance in CARD.items()]
            continue
        end = blackjack.score(list(hand)), blackjack.is_natural(list(hand))
        ends[end] += probability
        drawn[end] = cards
    return ends, drawn


HANDS = list(itertools.combinations_with_replacement(range(1, 11), 2))
LONGER_HANDS = [(1, 1, 1), (1, 1, 9), (1, 5, 5), (1, 10, 10), (2, 2, 2), (2, 9, 10), (4, 7, 10), (5, 5, 5), (6, 7, 8)]


@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize("options", [{"sab": s, "natural": n} for s in (False, True) for n in (False, True)], ids=str)
def test_sticking_has_the_outcomes_of_gymnasium(deal, options):
    engine, samples, fit = Engine("Blackjack", **options), 200, ChiSquare()
    cases = []
    for dealer in HANDS[::-1]:  # The dealer shows the higher card.
        dealer = dealer[::-1]
        ends, drawn = dealer_outcomes(deal, dealer)
        for player in HANDS + LONGER_HANDS:
            outcomes = ((deal(player, dealer, 0, drawn[end], **options)[1], chance) for end, chance in ends.items())
            cases.append((player, dealer, merged(outcomes)))
    states = np.repeat(np.array([state_of(player, dealer) for player, dealer, _ in cases]), samples)
    before = engine.observe(states)[0]
    rewards, terminated = engine.step(states, 0)
    assert terminated.all()
    np.testing.assert_array_equal(engine.observe(states)[0], before)
    for index, (_, _, expected) in enumerate(cases):
        fit.add(collections.Counter(rewards[index * samples : (index + 1) * samples].tolist()), expected)
    fit.check()
    assert (rewards.max() == 1.5) == (options["natural"] and not options["sab"])


def test_hitting_has_the_outcomes_of_gymnasium(deal):
    engine, samples, fit = Engine("Blackjack"), 500, ChiSquare()
    players = [hand for hand in HANDS + LONGER_HANDS if not blackjack.is_bust(list(hand))]
    states = np.repeat(np.array([state_of(player, (7, 8)) for player in players]), samples)
    first = engine.observe(states)[0][::samples]
    rewards, ends = engine.step(states, 1)
    obs = engine.observe(states)[0].tolist()
    for index, player in enumerate(players):
        total, ace = blackjack._hand_sum_and_usable_ace(list(player))
        assert first[index].tolist() == [total, 7, ace]
        rows = range(index * samples, (index + 1) * samples)
        seen = collections.Counter((tuple(obs[i]), float(rewards[i]), bool(ends[i])) for i in rows)
        fit.add(seen, merged((deal(player, (7, 8), 1, [card])[:3], chance) for card, chance in CARD.items()))
    fit.check()


def test_the_deal_has_the_distribution_of_gymnasium():
    engine = Engine("Blackjack")
    states = engine.reset(200000)
    hands = merged(
        ((blackjack._hand_sum_and_usable_ace([a, b]), shown), CARD[a] * CARD[b] * CARD[shown])
        for a, b, shown in itertools.product(CARD, CARD, CARD)
    )
    hidden = merged(
        ((shown, shown + other), CARD[shown] * CARD[other]) for shown, other in itertools.product(CARD, CARD)
    )
    fit = ChiSquare()
    fit.add(collections.Counter(((int(t), int(ace)), int(d)) for t, d, ace in engine.observe(states)[0]), hands)
    fit.add(collections.Counter(zip(states["shown"].tolist(), states["dealer"]["hard"].tolist(), strict=True)), hidden)
    fit.check()
    env = gymnasium.make("Blackjack-v1")
    env.reset(seed=5)
    theirs = ChiSquare()
    theirs.add(
        collections.Counter(((int(t), int(ace)), int(d)) for t, d, ace in (env.reset()[0] for _ in range(20000))), hands
    )
    theirs.check()  # This confirms that the expected probabilities are gymnasium's.
