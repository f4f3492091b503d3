# SPDX-License-Identifier: Apache-2.0
"""Compares our games with the package minatar: every action from equal states, with every outcome of random draws."""

import collections

import numpy as np
import pytest

import envpool
from tests.minatar.positions import random_state, states_of_episodes
from tests.minatar.states import (
    GAMES,
    SWIMMERS,
    Engine,
    Reference,
    Script,
    comparable,
    comparable_reference,
    to_ours,
)
from tests.support.chi_square import ChiSquare


def crosses(game, state, action):
    """Returns whether Freeway's chicken crosses the road in this step.

    The game then draws eight new cars, which have too many combinations to enumerate.
    """
    return game == "Freeway" and state["pos"] == 1 and state["move_timer"] == 0 and action == 2


def compare(game, states, samples=400, most_random=12, **options):
    """Compares every action from each state.

    After `most_random` objects have appeared at random, steps with random outcomes are compared less thoroughly.
    """
    reference, engine = Reference(game, **options), Engine(game, sticky_action_prob=0.0, **options)
    observing, fit, compared, random = Engine(game, obs_dtype="float32"), ChiSquare(), 0, 0
    for state in states:
        ours = to_ours(game, state)
        assert comparable(game, ours) == comparable_reference(game, state)
        spawns = sum(state.get(name) == 0 for name in ("spawn_timer", "e_spawn_timer", "d_spawn_timer"))
        random += spawns
        if spawns > 0 and random > (4 if spawns == 1 else 1) * most_random:
            continue  # Each of these states has hundreds of outcomes.
        for action in range(1 if spawns > 1 or (spawns and random > most_random) else 6):
            if crosses(game, state, action):
                continue
            outcomes = list(reference.outcomes(state, action))
            expected = collections.defaultdict(float)
            seen_by = {}
            for after, reward, terminal, obs, likely in outcomes:
                key = (comparable_reference(game, after), reward, terminal)
                expected[key] += likely
                seen_by[key] = obs
            count = 1 if len(expected) == 1 else samples if random <= most_random else 20
            copies = np.full(count, ours)
            rewards, ends = engine.step(copies, action, seed=compared)
            assert (copies["last_action"] == action).all()
            groups = collections.Counter(zip(map(bytes, copies), rewards.tolist(), ends.tolist(), strict=True))
            seen = collections.Counter()
            for (after, reward, terminal), times in groups.items():
                one = np.frombuffer(after, copies.dtype)
                key = (comparable(game, one[0]), reward, terminal)
                assert key in expected, (state, action, key, list(expected)[:3])
                seen[key] += times
                np.testing.assert_array_equal(engine.observe(one)[0], seen_by[key].astype(np.uint8))
                np.testing.assert_array_equal(observing.observe(one)[0], seen_by[key].astype(np.float32))
            if count == samples:
                fit.add(seen, dict(expected))
            compared += 1
    print(f"{game}: {compared} steps compared")
    if fit.freedom:
        fit.check()
    return compared


@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize("game", GAMES)
def test_every_action_from_states_of_episodes(game):
    assert compare(game, states_of_episodes(game, 400)) > 1500


@pytest.mark.every_day
@pytest.mark.parametrize("game", GAMES)
def test_every_action_from_random_states(game):
    rng = np.random.default_rng(1)
    first = Reference(game).get()
    assert compare(game, (random_state(game, first, rng) for _ in range(400))) > 1500


# ---- resets, the cars of Freeway, sticky actions, episodes ----


def uniform(values, outcomes):
    """Returns counts of values, and equal probabilities of the outcomes."""
    return dict(collections.Counter(values.tolist())), dict.fromkeys(outcomes, 1 / len(outcomes))


@pytest.mark.parametrize("game", ["Asterix", "Breakout", "Seaquest", "SpaceInvaders"])
def test_resets(game):
    reference = Reference(game)
    expected, script = collections.defaultdict(float), Script()
    reference.inner.random, more = script, True
    while more:
        reference.outer.reset()
        expected[comparable_reference(game, reference.get())] += 1 / np.prod(script.sizes or [1])
        more = script.advance()
    seen = collections.Counter(comparable(game, state) for state in Engine(game).reset(2000))
    assert set(seen) == set(expected)
    if len(expected) > 1:
        fit = ChiSquare()
        fit.add(seen, expected)
        fit.check()


class Cars:
    """A random generator that returns given speeds (1 to 5) and directions (right if more than 1/2)."""

    def __init__(self, speeds, sides):
        self.speeds, self.sides = speeds, sides

    def randint(self, *arguments):
        assert arguments == (1, 6, 8)
        return np.array(self.speeds)

    def rand(self, *arguments):
        assert arguments == (8,)
        return np.array(self.sides)


def test_freeway_draws_all_cars_uniformly_and_independently():
    """The package draws each car's speed and side, so the ten kinds of car are equally likely and independent."""
    reference, engine = Reference("Freeway"), Engine("Freeway", sticky_action_prob=0.0)
    rng = np.random.default_rng(2)
    start = None
    for _ in range(20):
        speeds, sides = rng.integers(1, 6, 8), rng.choice([0.25, 0.49, 0.51, 0.75], 8)
        reference.inner.random = Cars(speeds, sides)
        reference.outer.reset()
        start = reference.get()
        directions = {
            int(np.sign(car[3])) * (1 if side > 0.5 else -1) for car, side in zip(start["cars"], sides, strict=True)
        }
        assert len(directions) == 1
        assert [[car[0], car[1], car[2], abs(car[3])] for car in start["cars"]] == [
            [0, i + 1, speeds[i], speeds[i]] for i in range(8)
        ]
    fresh = engine.reset(20000)
    assert (fresh["column"] == 0).all() and (fresh["timer"] == fresh["speed"]).all()
    rest = {"pos": 9, "move_timer": 3, "steps_left": 2500}
    assert all((fresh[name] == start["terminate_timer" if name == "steps_left" else name]).all() for name in rest)

    state = random_state("Freeway", start, rng) | {"pos": 1, "move_timer": 0, "terminate_timer": 9}
    reference.put(state)
    reference.inner.random = Cars([5] * 8, [0.9] * 8)
    assert reference.outer.act(2) == (1, False)
    crossed = np.full(20000, to_ours("Freeway", state))
    reward, terminated = engine.step(crossed, 2)
    assert (reward == 1).all() and not terminated.any() and (crossed["pos"] == 9).all()
    for lane, car in enumerate(reference.get()["cars"]):
        before = state["cars"][lane]
        assert car == [before[0], lane + 1, 4, 5]  # No car has moved, because each waits at least one step.

    fit = ChiSquare()
    for cars in (fresh, crossed):
        lane = [
            (cars["speed"] >> np.uint64(8 * i) & 255) * 2 + (cars["right"] >> np.uint64(8 * i) & 255) for i in range(8)
        ]
        for i in range(8):
            fit.add(*uniform(lane[i].astype(int), range(2, 12)))
            both = lane[i].astype(int) * 12 + lane[i - 1].astype(int)
            fit.add(*uniform(both, [a * 12 + b for a in range(2, 12) for b in range(2, 12)]))
    fit.check()


def test_sticky_actions():
    """The package repeats the last action, which is initially 0, if a draw is less than the probability."""
    reference = Reference("Breakout", sticky_action_prob=0.25)

    class Draw:
        def rand(self):
            return self.value

    reference.outer.random = draw = Draw()
    for value, played in ((0.2499, 0), (0.25, 3), (0.9, 1), (0.0, 1)):
        draw.value = value
        reference.outer.act({0: 5, 3: 3, 1: 1}[played] if value else 4)
        assert reference.outer.last_action == played

    engine = Engine("Breakout", sticky_action_prob=0.25)
    states = engine.reset(40000)
    assert (states["last_action"] == 0).all()
    previous = states["last_action"].copy()
    fit = ChiSquare()
    for number, action in enumerate((3, 1, 3)):
        engine.step(states, action, seed=number)
        for before in np.unique(previous[previous != action]):
            now = states["last_action"][previous == before]
            fit.add(dict(collections.Counter(now.tolist())), {int(before): 0.25, action: 0.75})
        previous = states["last_action"].copy()
    fit.check()
    always = Engine("Breakout", sticky_action_prob=1.0)
    states = always.reset(9)
    always.step(states, 1)
    assert (states["pos"] == 4).all()


@pytest.mark.parametrize("game", ["Breakout", "SpaceInvaders"])
def test_episodes_of_a_pool_equal_those_of_the_package(game):
    """Whole episodes can be compared, because nothing in these two games is random except Breakout's reset."""
    pool = envpool.make_gymnasium(f"MinAtar/{game}-v1", num_envs=8, sticky_action_prob=0.0)
    rng, ends, rewards = np.random.default_rng(3), 0, 0
    obs, _ = pool.reset()
    references = []
    for row in obs:
        reference = Reference(game)
        while not np.array_equal(reference.outer.state(), row):
            reference.outer.reset()
        references.append(reference)
    minimal = references[0].outer.minimal_action_set()
    alive = np.ones(8, bool)
    for _ in range(2000):
        actions = rng.integers(0, len(minimal), 8)
        if game == "Breakout" and rng.random() < 0.95:  # The player follows the ball, so that few games are lost.
            ball = np.array([np.argwhere(reference.outer.state()[:, :, 1])[0][1] for reference in references])
            at = np.array([np.argwhere(reference.outer.state()[:, :, 0])[0][1] for reference in references])
            actions = np.where(ball < at, 1, np.where(ball > at, 2, 0))
        obs, reward, terminated, truncated, _ = pool.step(actions)
        for i in np.flatnonzero(alive):
            expected = references[i].outer.act(minimal[actions[i]])
            assert (reward[i], terminated[i]) == expected and not truncated[i]
            np.testing.assert_array_equal(obs[i], references[i].outer.state())
            rewards += reward[i]
            ends += terminated[i]
        alive &= ~terminated
        if not alive.any():
            break
    print(f"{rewards} rewards, {ends} ends")
    assert rewards > 30
    pool.close()


def test_an_episode_of_freeway_equals_that_of_the_package():
    reference, engine = Reference("Freeway"), Engine("Freeway", sticky_action_prob=0.0)
    ours = np.full(1, to_ours("Freeway", reference.get()))
    rng, length = np.random.default_rng(4), 0
    terminated = [False]
    while not terminated[0]:
        action = int(rng.choice([0, 2, 2, 4]))
        action = 0 if crosses("Freeway", vars(reference.inner), action) else action
        expected = reference.outer.act(action)
        reward, terminated = engine.step(ours, action)
        assert (reward[0], terminated[0]) == expected
        assert comparable("Freeway", ours[0]) == comparable_reference("Freeway", reference.get())
        length += 1
    assert length == 2501


@pytest.mark.parametrize("game", ["Asterix", "SpaceInvaders", "Seaquest"])
def test_without_difficulty_ramping(game):
    rng = np.random.default_rng(5)
    first = Reference(game).get()
    states = [random_state(game, first, rng) for _ in range(60)]
    if game == "Asterix":
        states = [state | {"ramp_timer": -1} for state in states]
    for state in states:
        state["ramping"] = False
        state |= {name: 1 for name in ("spawn_timer", "e_spawn_timer", "d_spawn_timer") if state.get(name) == 0}
    assert compare(game, states, difficulty_ramping=False) > 150


def test_the_lists_of_seaquest_never_overflow():
    """The game is played at its greatest speed, which has the most enemies at a time."""
    reference = Reference("Seaquest")
    most = dict.fromkeys(SWIMMERS, 0)
    engine = Engine("Seaquest", sticky_action_prob=0.0)
    states = engine.reset(200)
    states["spawn_speed"], states["spawn_timer"], states["move_speed"], states["ramp_index"] = 1, 0, 2, 30
    rng = np.random.default_rng(6)
    for step in range(1500):
        states["oxygen"] = 200
        engine.step(states, np.where(rng.random(200) < 0.3, 5, 0), seed=step)
        for name in most:
            most[name] = max(most[name], int(states[name]["count"].max()))
    print(most)
    assert reference.inner.e_spawn_speed == 20
    capacity = {name: states.dtype[name]["at"].shape[0] for name in most}
    assert all(most[name] < capacity[name] for name in most), (most, capacity)
