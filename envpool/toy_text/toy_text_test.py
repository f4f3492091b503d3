# SPDX-License-Identifier: Apache-2.0
"""Toy text against gymnasium: every state and action, the distributions of resets, and the pool's ends.

What needs no pool goes through testing/functions.h, which calls an environment's functions on arrays of states. What is
random is counted and compared with the reference's probabilities by chi-square, with fixed seeds.
"""

import collections
import ctypes
import hashlib
import itertools

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.toy_text import blackjack
from gymnasium.envs.toy_text.frozen_lake import generate_random_map
from scipy import stats

import envpool
from envpool.testing import libraries
from envpool.testing.capi import Functions

# An environment's State as it lies in memory.
HAND = [(name, "u1") for name in ("hard", "ace", "cards")]
STATES = {
    "Blackjack": np.dtype([("player", HAND), ("dealer", HAND), ("shown", "u1")]),
    "Catch": np.dtype([(name, "i4") for name in ("ball_row", "ball_column", "paddle")]),
    "CliffWalking": np.dtype([("row", "i4"), ("column", "i4"), ("probability", "f4")]),
    "FrozenLake": np.dtype([("row", "i4"), ("column", "i4"), ("probability", "f4")]),
    "NChain": np.dtype([("at", "i4")]),
    "Taxi": np.dtype(
        [(name, "i4") for name in ("row", "column", "passenger", "destination")]
        + [("probability", "f4"), ("fickle", "u1")],
        align=True,
    ),
}
# What it observes: dtype and shape of each field.
PROB = ("f4", ())
FIELDS = {
    "Blackjack": [("i4", (3,))],
    "Catch": [("f4", (10, 5))],
    "CliffWalking": [("i4", ()), PROB],
    "FrozenLake": [("i4", ()), PROB],
    "NChain": [("i4", ())],
    "Taxi": [("i4", ()), PROB, ("?", (6,))],
}
SMALLEST_P = 1e-3  # of each chi-square below; seeds are fixed, so what passes once passes always


class Engine(Functions):
    def __init__(self, library, name, **options):
        super().__init__(library, name, STATES[name], **options)

    def observe(self, states, shape=None):
        fields = [
            np.empty((len(states), *(field_shape if shape is None else shape)), dtype)
            for dtype, field_shape in FIELDS[self.name]
        ]
        self.observe_into(states, *fields)
        return fields


@pytest.fixture(scope="module")
def library():
    return ctypes.CDLL(libraries.library("toy_text_testing"))


class Fit:
    """Chi-square over many distributions at once: counts seen beside probabilities expected."""

    def __init__(self):
        self.statistic, self.freedom = 0.0, 0

    def add(self, seen, probabilities):
        """Both are dicts by outcome. An outcome that cannot be fails at once."""
        assert set(seen) <= set(probabilities), (seen, probabilities)
        assert sum(probabilities.values()) == pytest.approx(1)
        total = sum(seen.values())
        for outcome, probability in probabilities.items():
            expected = total * probability
            self.statistic += (seen.get(outcome, 0) - expected) ** 2 / expected
        self.freedom += len(probabilities) - 1

    def check(self):
        pvalue = stats.chi2.sf(self.statistic, self.freedom) if self.freedom else 1.0
        print(f"chi-square {self.statistic:.1f} of {self.freedom} degrees of freedom, p = {pvalue:.4f}")
        assert pvalue > SMALLEST_P
        assert self.freedom == 0 or stats.chi2.cdf(self.statistic, self.freedom) > SMALLEST_P  # nor too good


def merged(pairs):
    """A dict of probabilities, from outcomes of which some may be equal."""
    total = collections.defaultdict(float)
    for outcome, probability in pairs:
        if probability > 0:
            total[outcome] += probability
    return dict(total)


def alone(pool, env_id=0):
    """The one environment of a pool, as a function of an action."""

    def step(action):
        obs, reward, terminated, truncated, info = pool.step(np.array([action]))
        return obs[env_id], reward[env_id], bool(terminated[env_id]), bool(truncated[env_id]), info

    return step


# ---- every state and action of those that gymnasium has a table of ----


def put(name, state, columns):
    """Our State of gymnasium's number of a state."""
    ours = np.zeros((), STATES[name])
    if name == "Taxi":
        rest, ours["destination"] = divmod(state, 4)
        rest, ours["passenger"] = divmod(rest, 5)
        ours["row"], ours["column"] = divmod(rest, 5)
    else:
        ours["row"], ours["column"] = divmod(state, columns)
    return ours


ISLAND = ["FFSFHS", "GFHFFF", "SFFHFG"]
TABLES = [
    ("FrozenLake", {"is_slippery": False}, {"is_slippery": False}),
    ("FrozenLake", {}, {}),
    ("FrozenLake", {"size": 8}, {"map_name": "8x8"}),
    ("FrozenLake", {"size": 8, "is_slippery": False}, {"map_name": "8x8", "is_slippery": False}),
    ("FrozenLake", {"success_rate": 0.75}, {"success_rate": 0.75}),
    (
        "FrozenLake",
        {"desc": "\n".join(ISLAND), "goal_reward": 5.0, "hole_reward": -2.5, "frozen_reward": -0.5},
        {"desc": ISLAND, "reward_schedule": (5, -2.5, -0.5)},
    ),
    ("CliffWalking", {}, {}),
    ("CliffWalking", {"is_slippery": True}, {"is_slippery": True}),
    ("Taxi", {}, {}),
    ("Taxi", {"is_rainy": True}, {"is_rainy": True}),
    ("Taxi", {"is_rainy": True, "rainy_probability": 0.5}, {"is_rainy": True, "rainy_probability": 0.5}),
]
REFERENCES = {"FrozenLake": "FrozenLake-v1", "CliffWalking": "CliffWalking-v1", "Taxi": "Taxi-v4"}


@pytest.mark.parametrize(("name", "ours", "theirs"), TABLES, ids=str)
def test_every_state_and_action(library, name, ours, theirs):
    reference = gymnasium.make(REFERENCES[name], **theirs).unwrapped
    engine = Engine(library, name, **ours)
    # In a hole and on the goal there is nothing to step: the episode is over.
    over = b"".join(reference.desc.ravel()) if name == "FrozenLake" else b""
    pairs = [(s, a) for s, of in reference.P.items() for a in of if not over or over[s] not in b"GH"]
    stochastic = any(len(reference.P[s][a]) > 1 for s, a in pairs)
    samples = 400 if stochastic else 1
    columns = getattr(reference, "ncol", 12)
    states = np.repeat(np.array([put(name, s, columns) for s, _ in pairs]), samples)
    assert (engine.observe(states)[0] == np.repeat([s for s, _ in pairs], samples)).all()

    rewards, ends = engine.step(states, np.repeat([a for _, a in pairs], samples))
    after, probability = engine.observe(states)[:2]
    fit = Fit()
    for index, (s, a) in enumerate(pairs):
        rows = slice(index * samples, (index + 1) * samples)
        seen = collections.Counter(
            zip(
                after[rows].tolist(),
                rewards[rows].tolist(),
                ends[rows].tolist(),
                probability[rows].tolist(),
                strict=True,
            )
        )
        expected = (((int(n), float(r), bool(t), float(np.float32(p))), p) for p, n, r, t in reference.P[s][a])
        fit.add(seen, merged(expected))
    assert stochastic == (fit.freedom > 0)
    fit.check()


def test_certain_and_impossible_success(library):
    for name, rate in (("FrozenLake", "success_rate"), ("Taxi", "rainy_probability")):
        rain = {"is_rainy": True} if name == "Taxi" else {"size": 8}
        states = np.repeat(put(name, 2 * 8 + 1 if name == "FrozenLake" else 248, 8), 1000)
        sure, never = states.copy(), states.copy()
        Engine(library, name, **rain, **{rate: 1.0}).step(sure, 1)
        Engine(library, name, **rain, **{rate: 0.0}).step(never, 1)
        row, column = states["row"][0], states["column"][0]
        assert (sure["row"] == row + (1 if name == "FrozenLake" else -1)).all()
        assert (sure["column"] == column).all()
        assert (never["row"] == row).all()
        assert set(never["column"]) == {column - 1, column + 1}


# ---- Taxi ----


def test_taxi_tells_what_changes_something(library):
    reference = gymnasium.make("Taxi-v4").unwrapped
    states = np.array([put("Taxi", s, 5) for s in range(500)])
    _, probability, masks = Engine(library, "Taxi").observe(states)
    assert not probability.any()
    np.testing.assert_array_equal(masks, [reference.action_mask(s).astype(bool) for s in range(500)])


@pytest.mark.parametrize("rainy", [False, True])
def test_a_fickle_passenger_changes_the_destination_once(library, rainy):
    options = {"is_rainy": rainy, "fickle_passenger": True}
    engine, samples = Engine(library, "Taxi", **options), 300
    steps = list(itertools.product(range(500), range(6)))
    states = np.repeat(np.array([put("Taxi", s, 5) for s, _ in steps]), samples)
    states["fickle"] = 1
    before = states.copy()
    actions = np.repeat([a for _, a in steps], samples)
    rewards, _ = engine.step(states, actions)

    moved = (states["row"] != before["row"]) | (states["column"] != before["column"])
    changes = moved & (before["passenger"] == 4)
    assert changes.any()
    assert not states["fickle"][changes].any()
    assert states["fickle"][~changes].all()
    assert (states["destination"] != before["destination"])[changes].all()
    assert (states["destination"] == before["destination"])[~changes].all()
    assert (rewards[changes] == -1).all()
    fit = Fit()
    for old in range(4):
        seen = collections.Counter(states["destination"][changes & (before["destination"] == old)].tolist())
        fit.add(seen, {new: 1 / 3 for new in range(4) if new != old})
    fit.check()

    # But for the destination, it is the drive that it would have been.
    plain = before.copy()
    plain["fickle"] = 0
    same_rewards, _ = Engine(library, "Taxi", **options).step(plain, actions)
    np.testing.assert_array_equal(rewards, same_rewards)
    for field in ("row", "column", "passenger", "probability"):
        np.testing.assert_array_equal(states[field], plain[field])
    assert (plain["destination"] == before["destination"])[before["passenger"] == 4].all()


def test_a_fickle_passenger_beside_gymnasiums(library):
    reference = gymnasium.make("Taxi-v4", fickle_passenger=True).unwrapped
    reference.reset(seed=3)
    start, count = reference.encode(2, 2, 4, 1), 3000
    theirs = collections.Counter()
    for _ in range(count):
        reference.s, reference.fickle_step = start, True
        theirs[reference.step(0)[0]] += 1
        assert not reference.fickle_step
    states = np.repeat(put("Taxi", start, 5), count)
    states["fickle"] = 1
    engine = Engine(library, "Taxi", fickle_passenger=True)
    engine.step(states, 0)
    ours = collections.Counter(engine.observe(states)[0].tolist())
    assert set(ours) == set(theirs)
    assert stats.chi2_contingency([[c[s] for s in sorted(ours)] for c in (ours, theirs)]).pvalue > SMALLEST_P


# ---- distributions of resets ----


@pytest.mark.parametrize(
    ("name", "ours", "theirs"),
    [
        ("FrozenLake", {}, {}),
        ("FrozenLake", {"size": 8}, {"map_name": "8x8"}),
        ("FrozenLake", {"desc": "\n".join(ISLAND)}, {"desc": ISLAND}),
        ("CliffWalking", {}, {}),
        ("Taxi", {}, {}),
        ("Taxi", {"fickle_passenger": True}, {"fickle_passenger": True}),
    ],
    ids=str,
)
def test_resets_are_distributed_as_gymnasiums(library, name, ours, theirs):
    reference = gymnasium.make(REFERENCES[name], **theirs).unwrapped
    engine = Engine(library, name, **ours)
    for seed in (0, 1):
        states = engine.reset(60000, seed)
        cells, probability = engine.observe(states)[:2]
        assert (probability == 1).all()
        fit = Fit()
        fit.add(collections.Counter(cells.tolist()), merged(enumerate(reference.initial_state_distrib.tolist())))
        if name == "Taxi":
            assert set(states["fickle"]) == ({0, 1} if "fickle_passenger" in ours else {0})
        if "fickle_passenger" in ours:
            fit.add(collections.Counter(states["fickle"].tolist()), {0: 0.7, 1: 0.3})
        fit.check()


def test_frozen_lake_starts_anywhere_there_is_an_s():
    pool = envpool.make_gymnasium("FrozenLake-v1", num_envs=200, desc=ISLAND)
    starts = {0: 2, 1: 5, 2: 12}
    seen = [pool.reset()[0] for _ in range(3)]
    assert set(np.concatenate(seen)) == set(starts.values())
    assert (seen[0] != seen[1]).any()


# ---- Blackjack ----

CARD = {card: (4 if card == 10 else 1) / 13 for card in range(1, 11)}


def put_hands(player, dealer):
    hand = lambda cards: (sum(cards), 1 in cards, len(cards))  # noqa: E731
    return np.array((hand(player), hand(dealer), dealer[0]), STATES["Blackjack"])


class Fed(Exception):
    """All cards of a plan are dealt."""


@pytest.fixture
def deal(monkeypatch):
    """Steps gymnasium's game from given hands, with given cards."""
    env = gymnasium.make("Blackjack-v1").unwrapped
    env.reset(seed=0)

    def step(player, dealer, action, cards, **options):
        left = list(cards)

        def draw(_):
            if not left:
                raise Fed
            return left.pop(0)

        monkeypatch.setattr(blackjack, "draw_card", draw)
        env.player, env.dealer = list(player), list(dealer)
        env.natural, env.sab = options.get("natural", False), options.get("sab", True)
        obs, reward, terminated, *_ = env.step(action)
        return tuple(map(int, obs)), float(reward), terminated, tuple(env.dealer)

    return step


def dealers_ends(deal, dealer):
    """How gymnasium's dealer may end: probabilities of score and natural, and cards that lead there."""
    ends, ways, plans = collections.defaultdict(float), {}, [((), 1.0)]
    while plans:
        cards, probability = plans.pop()
        try:
            *_, hand = deal((10, 10), dealer, 0, cards)
        except Fed:
            plans += [((*cards, card), probability * chance) for card, chance in CARD.items()]
            continue
        end = blackjack.score(list(hand)), blackjack.is_natural(list(hand))
        ends[end] += probability
        ways[end] = cards
    return ends, ways


HANDS = list(itertools.combinations_with_replacement(range(1, 11), 2))
LONGER_HANDS = [(1, 1, 1), (1, 1, 9), (1, 5, 5), (1, 10, 10), (2, 2, 2), (2, 9, 10), (4, 7, 10), (5, 5, 5), (6, 7, 8)]


@pytest.mark.parametrize("options", [{"sab": s, "natural": n} for s in (False, True) for n in (False, True)], ids=str)
def test_blackjack_sticks_as_gymnasiums(library, deal, options):
    engine, samples, fit = Engine(library, "Blackjack", **options), 200, Fit()
    cases = []
    for dealer in HANDS[::-1]:  # the dealer shows the higher card, or an ace
        dealer = dealer[::-1]
        ends, ways = dealers_ends(deal, dealer)
        for player in HANDS + LONGER_HANDS:
            outcomes = ((deal(player, dealer, 0, ways[end], **options)[1], chance) for end, chance in ends.items())
            cases.append((player, dealer, merged(outcomes)))
    states = np.repeat(np.array([put_hands(player, dealer) for player, dealer, _ in cases]), samples)
    before = engine.observe(states)[0]
    rewards, terminated = engine.step(states, 0)
    assert terminated.all()
    np.testing.assert_array_equal(engine.observe(states)[0], before)
    for index, (_, _, expected) in enumerate(cases):
        fit.add(collections.Counter(rewards[index * samples : (index + 1) * samples].tolist()), expected)
    fit.check()
    assert (rewards.max() == 1.5) == (options["natural"] and not options["sab"])


def test_blackjack_hits_as_gymnasiums(library, deal):
    engine, samples, fit = Engine(library, "Blackjack"), 500, Fit()
    players = [hand for hand in HANDS + LONGER_HANDS if not blackjack.is_bust(list(hand))]
    states = np.repeat(np.array([put_hands(player, (7, 8)) for player in players]), samples)
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


def test_blackjack_deals_as_gymnasiums(library):
    engine = Engine(library, "Blackjack")
    states = engine.reset(200000)
    hands = merged(
        ((blackjack._hand_sum_and_usable_ace([a, b]), shown), CARD[a] * CARD[b] * CARD[shown])
        for a, b, shown in itertools.product(CARD, CARD, CARD)
    )
    hidden = merged(
        ((shown, shown + other), CARD[shown] * CARD[other]) for shown, other in itertools.product(CARD, CARD)
    )
    fit = Fit()
    fit.add(collections.Counter(((int(t), int(ace)), int(d)) for t, d, ace in engine.observe(states)[0]), hands)
    fit.add(collections.Counter(zip(states["shown"].tolist(), states["dealer"]["hard"].tolist(), strict=True)), hidden)
    fit.check()
    env = gymnasium.make("Blackjack-v1")
    env.reset(seed=5)
    theirs = Fit()
    theirs.add(
        collections.Counter(((int(t), int(ace)), int(d)) for t, d, ace in (env.reset()[0] for _ in range(20000))), hands
    )
    theirs.check()  # that what we compare with is what gymnasium deals


# ---- Catch and NChain, whose rules are short enough to be written here once more ----


@pytest.mark.parametrize(("height", "width"), [(10, 5), (2, 1), (3, 4), (7, 2)])
def test_catch_everywhere(library, height, width):
    engine = Engine(library, "Catch", height=height, width=width)
    cases = list(itertools.product(range(height - 1), range(width), range(width), range(3)))
    states = np.array([case[:3] for case in cases], "i4").view(STATES["Catch"])[:, 0]
    rewards, ends = engine.step(states, [case[3] for case in cases])
    (boards,) = engine.observe(states, (height, width))
    for index, (row, column, paddle, action) in enumerate(cases):
        paddle = min(max(paddle + action - 1, 0), width - 1)
        board = np.zeros((height, width), np.float32)
        board[row + 1, column] = board[-1, paddle] = 1
        np.testing.assert_array_equal(boards[index], board)
        assert ends[index] == (row + 2 == height)
        assert rewards[index] == (0 if not ends[index] else 1 if paddle == column else -1)

    states = engine.reset(20000)
    assert not states["ball_row"].any()
    assert (states["paddle"] == width // 2).all()
    fit = Fit()
    fit.add(collections.Counter(states["ball_column"].tolist()), dict.fromkeys(range(width), 1 / width))
    fit.check()


@pytest.mark.parametrize(
    "options", [{}, {"n": 1}, {"n": 9, "slip": 0.0}, {"slip": 1.0}, {"n": 3, "slip": 0.45, "small": -1.0, "large": 2.5}]
)
def test_nchain_everywhere(library, options):
    engine, samples, fit = Engine(library, "NChain", **options), 4000, Fit()
    n, slip, small, large = ({"n": 5, "slip": 0.2, "small": 2.0, "large": 10.0} | options).values()
    for at, action in itertools.product(range(n), range(2)):
        states = np.full(samples, at, "i4").view(STATES["NChain"])
        rewards, ends = engine.step(states, action, seed=2 * at + action)
        assert not ends.any()
        forward = (at, large) if at == n - 1 else (at + 1, 0.0)
        back = (0, small)
        seen = collections.Counter(zip(engine.observe(states)[0].tolist(), rewards.tolist(), strict=True))
        chosen, other = (back, forward) if action == 1 else (forward, back)
        fit.add(seen, merged([(chosen, 1 - slip), (other, slip)]))
    fit.check()
    assert not engine.reset(10)["at"].any()


# ---- ids, through the pool ----

# EnvPool 1.2.5, of whose toy text these are: observation, actions, time limit, threshold, and options.
ENVPOOLS = {
    "Catch-v0": (("f4", (10, 5), 0, 1), 3, None, None, {"height": 10, "width": 5}),
    "FrozenLake-v1": (16, 4, 100, 0.7, {"size": 4}),
    "FrozenLake8x8-v1": (64, 4, 200, 0.85, {"size": 8}),
    "Taxi-v3": (500, 6, 200, 8.0, {}),
    "NChain-v0": (5, 2, 1000, None, {}),
    "CliffWalking-v0": (48, 4, None, None, {"is_slippery": False}),
    "CliffWalking-v1": (48, 4, None, None, {"is_slippery": False}),
    "tabular/CliffWalking-v0": (48, 4, None, None, {"is_slippery": False}),
    "CliffWalkingSlippery-v1": (48, 4, None, None, {"is_slippery": True}),
    "Blackjack-v1": (("i4", (3,), 0, 31), 2, None, None, {"natural": False, "sab": True}),
    "tabular/Blackjack-v0": (("i4", (3,), 0, 31), 2, None, None, {"natural": False, "sab": True}),
}
NO_LIMIT = 2**31 - 1
CURRENT = {"Taxi-v3": "Taxi-v4", "CliffWalking-v0": "CliffWalking-v1"}  # gymnasium makes the newest version alone


@pytest.mark.parametrize("task_id", ENVPOOLS)
def test_an_id_is_envpools(task_id):
    observation, actions, limit, threshold, options = ENVPOOLS[task_id]
    ours = envpool.make_spec(task_id)
    if isinstance(observation, int):
        assert ours.observation_space == gymnasium.spaces.Discrete(observation)
    else:
        dtype, shape, low, high = observation
        assert ours.observation_space == gymnasium.spaces.Box(low, high, shape, np.dtype(dtype).type)
    assert ours.action_space == gymnasium.spaces.Discrete(actions)
    assert ours.config.max_episode_steps == (limit or NO_LIMIT)
    assert ours.reward_threshold == threshold
    assert options.items() <= ours.config._asdict().items()
    pool = envpool.make_gymnasium(task_id, num_envs=2)
    obs, info = pool.reset()
    assert obs.dtype == (np.int32 if isinstance(observation, int) else np.dtype(observation[0]))
    assert ("prob" in info) == task_id.startswith(("Frozen", "Taxi", "Cliff", "tabular/Cliff"))
    pool.close()


@pytest.mark.parametrize(
    "task_id",
    [*("FrozenLake-v1", "FrozenLake8x8-v1", "Taxi-v3", "Taxi-v4", "CliffWalking-v0", "CliffWalking-v1")]
    + ["CliffWalkingSlippery-v1", "Blackjack-v1"],
)
def test_an_id_is_gymnasiums(task_id):
    ours, current = envpool.make_spec(task_id), CURRENT.get(task_id, task_id)
    spec, reference = gymnasium.spec(current), gymnasium.make(current)
    assert ours.config.max_episode_steps == (spec.max_episode_steps or NO_LIMIT)
    assert ours.reward_threshold == spec.reward_threshold
    assert ours.action_space == reference.action_space
    if task_id != "Blackjack-v1":  # a tuple there, an array here as EnvPool has it
        assert ours.observation_space == reference.observation_space


@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("FrozenLake-v1", {"is_slippery": False}),
        ("FrozenLake8x8-v1", {"is_slippery": False, "reward_schedule": (2, -1, -0.25)}),
        ("FrozenLake-v1", {"desc": generate_random_map(6, seed=4), "is_slippery": False}),
        ("CliffWalking-v1", {}),
        ("Taxi-v3", {}),
        ("Taxi-v4", {"max_episode_steps": 37}),
    ],
    ids=str,
)
def test_free_runs_are_gymnasiums(task_id, options):
    """Where nothing but the reset is random, a whole run is equal, and so are its ends and infos."""
    pool = envpool.make_gymnasium(task_id, num_envs=1, seed=5, **options)
    reference = gymnasium.make(CURRENT.get(task_id, task_id), **options)
    rng, step = np.random.default_rng(0), alone(pool)
    obs, info = pool.reset()
    ends = collections.Counter()

    def restart(obs, info):
        their_obs, their_info = reference.reset()
        if task_id.startswith("Taxi"):
            their_obs = reference.unwrapped.s = int(obs)
            their_info["action_mask"] = reference.unwrapped.action_mask(their_obs)
        compare((obs, info), (their_obs, their_info))

    def compare(ours, theirs):
        assert ours[0] == theirs[0]
        assert ours[1]["prob"][0] == np.float32(theirs[1]["prob"])
        if "action_mask" in theirs[1]:
            np.testing.assert_array_equal(ours[1]["action_mask"][0], theirs[1]["action_mask"].astype(bool))

    obs = obs[0]
    restart(obs, info)
    for _ in range(6000):
        if task_id.startswith("Taxi"):
            promising = np.flatnonzero(info["action_mask"][0])
        else:  # gets to the other end of a cliff
            promising = [0] if obs == 36 else [1] if obs % 12 < 11 else [2]
        blind = rng.random() < (1 if task_id.startswith("Frozen") else 0.1)
        action = int(rng.integers(reference.action_space.n) if blind else rng.choice(promising))
        obs, *ours, info = step(action)
        their_obs, *theirs, their_info = reference.step(action)
        compare((obs, info), (their_obs, their_info))
        assert ours == theirs
        if ours[1] or ours[2]:
            ends[ours[1], ours[2]] += 1
            obs, reward, *over, info = step(action)
            assert (reward, *over, info["elapsed_step"][0]) == (0, False, False, 0)
            restart(obs, info)
    print(task_id, options, dict(ends))
    assert sum(ends.values()) > 3
    if task_id == "Taxi-v4":
        assert ends[False, True] > 100


@pytest.mark.parametrize(
    ("task_id", "options", "action", "limit"),
    [
        ("FrozenLake-v1", {"is_slippery": False}, 0, 100),
        ("FrozenLake8x8-v1", {"is_slippery": False}, 0, 200),
        ("FrozenLake-v1", {"is_slippery": False, "max_episode_steps": 7}, 0, 7),
        ("Taxi-v3", {}, 5, 200),
        ("Taxi-v4", {"is_rainy": True, "fickle_passenger": True}, 5, 200),
        ("NChain-v0", {}, 1, 1000),
        ("CliffWalking-v1", {}, 3, None),
        ("CliffWalkingSlippery-v1", {"max_episode_steps": 3}, 3, 3),
    ],
)
def test_time_limits(task_id, options, action, limit):
    pool = envpool.make_gymnasium(task_id, num_envs=1, **options)
    step = alone(pool)
    pool.reset()
    for elapsed in range(1, (limit or 3000) + 1):
        _, _, terminated, truncated, _ = step(action)
        assert (terminated, truncated) == (False, elapsed == limit)
    _, reward, terminated, truncated, info = step(action)
    if limit:
        assert (reward, terminated, truncated, info["elapsed_step"][0]) == (0, False, False, 0)


def test_reaching_the_goal_on_the_last_step_allowed_is_both():
    pool = envpool.make_gymnasium("FrozenLake-v1", desc=["SFG"], is_slippery=False, max_episode_steps=2)
    step = alone(pool)
    pool.reset()
    step(2)
    assert step(2)[1:4] == (1, True, True)


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
def test_autoreset(mode):
    pool = envpool.make_gymnasium("Catch-v0", num_envs=30, seed=3, autoreset_mode=mode, height=4, width=3)
    first, _ = pool.reset()
    for _ in range(2):
        pool.step(np.ones(30, int))
    obs, reward, terminated, truncated, info = pool.step(np.ones(30, int))
    assert terminated.all()
    assert not truncated.any()
    middle = first[:, 0, 1] == 1
    np.testing.assert_array_equal(reward, np.where(middle, 1, -1))
    last = info["final_obs"] if mode == "same_step" else obs
    np.testing.assert_array_equal(last[:, 3].sum(1), np.where(middle, 1, 2))
    if mode == "next_step":
        obs, reward, terminated, *_ = pool.step(np.zeros(30, int))
        assert not reward.any()
        assert not terminated.any()
    if mode != "disabled":
        assert (obs[:, 0].sum(1) == 1).all()
        assert (obs != first).any()


# ---- options ----

WRONG = [
    ("FrozenLake-v1", {"desc": ["FFF", "FFG"]}, ValueError, ["desc", "an S to start from", "none"]),
    ("FrozenLake-v1", {"desc": ["SFF", "FFF"]}, ValueError, ["desc", "a G to go to", "none"]),
    (
        "FrozenLake-v1",
        {"desc": ["SFF", "FG"]},
        ValueError,
        ["desc", "one length", "2 letters in row 1 after 3 in row 0"],
    ),
    ("FrozenLake-v1", {"desc": ["SFF", "FXG"]}, ValueError, ["desc", "S, F, H and G", "'X' in row 1, column 1"]),
    ("FrozenLake-v1", {"desc": "S\u00e9\nFG"}, ValueError, ["desc", "S, F, H and G", "byte 195 in row 0, column 1"]),
    ("FrozenLake-v1", {"desc": ["SFF", "", "FFG"]}, ValueError, ["desc", "one length", "0 letters in row 1"]),
    ("FrozenLake-v1", {"desc": "\n"}, ValueError, ["desc", "cells", "an empty row"]),
    ("FrozenLake-v1", {"desc": []}, ValueError, ["desc", "rows of letters", "got []"]),
    ("FrozenLake-v1", {"desc": ["SF\nHG"]}, ValueError, ["desc", "rows of letters", "got ['SF"]),
    ("FrozenLake-v1", {"desc": 5}, TypeError, ["desc", "rows of letters", "got 5"]),
    ("FrozenLake-v1", {"desc": [["S", 1]]}, TypeError, ["desc", "rows of letters", "['S', 1]"]),
    ("FrozenLake-v1", {"map_name": "5x5"}, ValueError, ["map_name", "'4x4', '8x8'", "got '5x5'"]),
    ("FrozenLake-v1", {"map_name": None}, ValueError, ["map_name", "'4x4', '8x8'", "got None"]),
    ("FrozenLake-v1", {"map_name": ["4x4"]}, ValueError, ["map_name", "'4x4', '8x8'", "got ['4x4']"]),
    ("FrozenLake-v1", {"map_name": "8x8", "size": 4}, ValueError, ["size", "'8x8'", "got 4"]),
    ("FrozenLake-v1", {"size": 5}, ValueError, ["size", "4 or 8", "got 5"]),
    ("FrozenLake-v1", {"size": "4"}, TypeError, ["size", "an int", "got '4'"]),
    ("FrozenLake-v1", {"success_rate": 1.5}, ValueError, ["success_rate", "from 0 to 1", "got 1.5"]),
    ("FrozenLake-v1", {"success_rate": float("nan")}, ValueError, ["success_rate", "from 0 to 1", "got nan"]),
    ("FrozenLake-v1", {"is_slippery": 1}, TypeError, ["is_slippery", "True or False", "got 1"]),
    ("FrozenLake-v1", {"reward_schedule": (1, 0)}, ValueError, ["reward_schedule", "three numbers", "got (1, 0)"]),
    ("FrozenLake-v1", {"reward_schedule": 1}, ValueError, ["reward_schedule", "three numbers", "got 1"]),
    ("FrozenLake-v1", {"reward_schedule": (1, "a", 0)}, TypeError, ["hole_reward", "a number", "got 'a'"]),
    ("NChain-v0", {"n": 0}, ValueError, ["n must be", "from 1 to", "got 0"]),
    ("NChain-v0", {"n": 2**31}, ValueError, ["n must be", "from 1 to", "got 2147483648"]),
    ("NChain-v0", {"slip": -0.1}, ValueError, ["slip", "from 0 to 1", "got -0.1"]),
    ("NChain-v0", {"slip": 1.1}, ValueError, ["slip", "from 0 to 1", "got 1.1"]),
    ("NChain-v0", {"slip": "0.1"}, TypeError, ["slip", "a number", "got '0.1'"]),
    ("Taxi-v4", {"rainy_probability": 2}, ValueError, ["rainy_probability", "from 0 to 1", "got 2"]),
    ("Taxi-v4", {"fickle_probability": -1}, ValueError, ["fickle_probability", "from 0 to 1", "got -1"]),
    ("Taxi-v4", {"is_rainy": "yes"}, TypeError, ["is_rainy", "True or False", "got 'yes'"]),
    ("Taxi-v4", {"map_name": "4x4"}, TypeError, ["unknown option 'map_name'"]),
    ("Catch-v0", {"height": 1}, ValueError, ["height", "from 2 to 1024", "got 1"]),
    ("Catch-v0", {"width": 0}, ValueError, ["width", "from 1 to 1024", "got 0"]),
    ("Blackjack-v1", {"sab": None}, TypeError, ["sab", "True or False", "got None"]),
    ("CliffWalking-v1", {"is_slippery": 0.5}, TypeError, ["is_slippery", "True or False", "got 0.5"]),
]


@pytest.mark.parametrize("make", [envpool.make_spec, envpool.make_gymnasium])
@pytest.mark.parametrize(("task_id", "options", "error", "words"), WRONG, ids=str)
def test_wrong_options(make, task_id, options, error, words):
    with pytest.raises(error) as caught:
        make(task_id, **options)
    message = str(caught.value)
    assert message.startswith(f"[{task_id}] ")
    assert all(word in message for word in words), message


@pytest.mark.parametrize(
    "desc",
    [
        ISLAND,
        tuple(ISLAND),
        [row.encode() for row in ISLAND],
        [list(row) for row in ISLAND],
        np.asarray(ISLAND, dtype="c"),
        "\n".join(ISLAND),
        "\n".join(ISLAND).encode() + b"\n",
    ],
    ids=lambda desc: type(desc).__name__,
)
def test_a_map_in_all_its_forms(desc):
    for more in ({}, {"map_name": None}, {"map_name": "4x4"}):
        spec = envpool.make_spec("FrozenLake-v1", desc=desc, **more)
        assert spec.observation_space == gymnasium.spaces.Discrete(18)
    again = envpool.make_spec("FrozenLake-v1", **spec.config._asdict())
    assert again.config == spec.config


def test_maps_by_name():
    assert envpool.make_spec("FrozenLake-v1", map_name="8x8", desc=None).observation_space.n == 64
    assert envpool.make_spec("FrozenLake8x8-v1", map_name="4x4").observation_space.n == 16
    assert envpool.make_spec("FrozenLake8x8-v1").observation_space.n == 64


def test_a_large_map_and_one_of_a_single_row():
    rows = ["S" + "F" * 999, *["F" * 1000] * 998, "F" * 999 + "G"]
    pool = envpool.make_gymnasium("FrozenLake-v1", desc=rows, is_slippery=False, max_episode_steps=0)
    step = alone(pool)
    pool.reset()
    assert pool.observation_space.n == 10**6
    for _ in range(999):
        step(1)
    obs, *_ = step(2)
    assert obs == 999 * 1000 + 1


def test_environments_of_a_pool_may_differ():
    pool = envpool.make_gymnasium(
        "FrozenLake-v1", num_envs=2, env_options=[{"is_slippery": False}, {"reward_schedule": (0, -1, -1)}]
    )
    pool.reset()
    _, reward, _, _, info = pool.step(np.array([0, 0]))
    assert reward.tolist() == [0, -1]
    np.testing.assert_array_equal(info["prob"], np.array([1, 1 / 3], np.float32))


@pytest.mark.parametrize(
    ("task_id", "one", "other"),
    [
        ("FrozenLake-v1", {"size": 8}, {"size": 4}),
        ("FrozenLake-v1", {"desc": "SF\nFG"}, {"desc": "SH\nFG"}),
        ("Catch-v0", {"height": 80, "width": 80}, {"height": 3, "width": 3}),
    ],
)
def test_a_snapshot_of_another_map_is_refused(task_id, one, other):
    pools = [envpool.make_gymnasium(task_id, num_envs=1, **options) for options in (one, other, one)]
    for pool in pools:
        pool.reset()
    state = pools[0].snapshot(0)
    with pytest.raises(ValueError, match=rf"\[{task_id}\] restore: state must be"):
        pools[1].restore(0, state)
    pools[2].restore(0, state)


# ---- bits ----

# Of 300 steps of 64 environments, on every machine. Whoever changes them changes everyone's trajectories.
GOLDEN = {
    "Blackjack": "aad5f7fa0bf1e277",
    "Catch": "94499e6b2c140310",
    "CliffWalking": "76d1c03221b676c7",
    "FrozenLake": "921635531c094787",
    "NChain": "118dc43ab4ca9c71",
    "Taxi": "b560ad16ec080651",
}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_bits(library, name):
    options = {"CliffWalking": {"is_slippery": True}, "Taxi": {"is_rainy": True, "fickle_passenger": True}}
    engine = Engine(library, name, **options.get(name, {}))
    categories = {"Blackjack": 2, "Catch": 3, "CliffWalking": 4, "FrozenLake": 4, "NChain": 2, "Taxi": 6}[name]
    states, digest = engine.reset(64, seed=3), hashlib.sha256()
    for step in range(300):
        bits = (np.arange(step * 64, step * 64 + 64, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(33)
        reward, terminated = engine.step(states, bits % categories, seed=step)
        fresh = engine.reset(64, seed=step)
        states[terminated] = fresh[terminated]
        digest.update(b"".join(field.tobytes() for field in engine.observe(states)))
        digest.update(reward.tobytes() + terminated.tobytes())
    assert digest.hexdigest()[:16] == GOLDEN[name]
