# SPDX-License-Identifier: Apache-2.0
"""Compares tag with a NumPy implementation of WarpDrive's rules: moves, tags, rewards, ends and observations.

The environment's functions are called with one world, through support/functions.h. In every step, the NumPy rules are
applied to the world before the step. Expected tags and observations are computed from the positions after the
environment's own moves, so that the last bit of a sine makes no difference.
"""

import itertools

import numpy as np
import pytest
from scipy import stats

from tests.tag.worlds import Continuous, GridWorld

F32 = np.float32
SMALLEST_P = 1e-3  # the smallest accepted p-value; seeds are fixed, so a test that passes once always passes


# ---- continuous: the rules ----


def levels(low, high, count):
    return np.concatenate([[0], np.linspace(float(F32(low)), float(F32(high)), count)]).astype(F32)


def expected_move(rules, before, actions):
    """Returns the positions of all players after a move, and whether each of them crossed the border."""
    live, tagger = before["in_game"], before["tagger"]
    turns = levels(rules["min_turn"], rules["max_turn"], rules["num_turn_levels"])
    pushes = levels(rules["min_acceleration"], rules["max_acceleration"], rules["num_acceleration_levels"])
    skill = np.where(tagger == 1, F32(rules["skill_level_tagger"]), F32(rules["skill_level_runner"]))
    top = F32(rules["max_speed"]) * skill
    direction = (before["direction"] + turns[actions[:, 1]]) % F32(2 * np.pi) * live
    acceleration = before["acceleration"] + pushes[actions[:, 0]]
    speed = np.clip(before["speed"] + acceleration, F32(0), top) * live
    acceleration = np.where((speed > 0) & (speed < top), acceleration, F32(0))
    x = before["x"] + speed * np.cos(direction.astype(np.float64)).astype(F32)
    y = before["y"] + speed * np.sin(direction.astype(np.float64)).astype(F32)
    side = F32(rules["grid_length"])
    outside = (x < 0) | (x > side) | (y < 0) | (y > side)
    clipped = {"x": np.clip(x, 0, side), "y": np.clip(y, 0, side)}
    return {**clipped, "speed": speed, "acceleration": acceleration, "direction": direction}, outside


def distances(x, y, others, i):
    return np.sqrt((x[others] - x[i]) ** 2 + (y[others] - y[i]) ** 2)


def tags(rules, x, y, tagger, live):
    """Yields the (runner, tagger) of every tag, in order of the runners."""
    taggers = np.flatnonzero(tagger)
    margin = F32(rules["tagging_distance"] * np.float64(F32(rules["grid_length"])))
    for runner in np.flatnonzero((tagger == 0) & (live == 1)):
        away = distances(x, y, taggers, runner)
        if away.min() < margin:
            yield runner, taggers[away.argmin()]


def expected_rewards(rules, before, after, outside, steps):
    """Returns the rewards of all players, and who is in the game after the step."""
    tagger, live = before["tagger"], before["in_game"].copy()
    reward = np.zeros(len(tagger), F32)
    for i in np.flatnonzero(live):
        reward[i] = F32(rules["edge_hit_penalty"]) * outside[i]
        reward[i] += F32(rules["step_penalty_for_tagger" if tagger[i] else "step_reward_for_runner"])
    for runner, by in list(tags(rules, after["x"], after["y"], tagger, live)):
        reward[runner] += F32(rules["tag_penalty_for_runner"])
        reward[by] += F32(rules["tag_reward_for_tagger"])
        if rules["runner_exits_game_after_tagged"]:
            live[runner] = 0
    if steps == rules["episode_length"]:
        reward[(tagger == 0) & (live == 1)] += F32(rules["end_of_game_reward_for_runner"])
    return reward, live


def expected_observations(rules, world, visible, steps):
    """Returns the observations of all players; `visible` says who is in the game."""
    players = len(visible)
    side, speed = F32(rules["grid_length"]), F32(rules["max_speed"]) + F32(1e-10)
    diagonal = F32(side * np.sqrt(2.0))
    norms = {"x": diagonal, "y": diagonal, "speed": speed, "acceleration": speed, "direction": F32(2 * np.pi)}
    scaled = np.stack([world[name] / norm for name, norm in norms.items()])
    kinds = np.stack([world["tagger"], visible])
    everyone = np.arange(players)
    rows = []
    for i in range(players):
        if rules["use_full_observation"]:
            others, size = np.delete(everyone, i), players - 1
        else:
            others = np.flatnonzero((visible == 1) & (everyone != i))
            away, size = distances(world["x"], world["y"], others, i), rules["num_other_agents_observed"]
            others = others[np.argsort(away, kind="stable")][:size]
        row = np.zeros((7, size), F32)
        if visible[i]:
            row[:5, : len(others)] = scaled[:, others] - scaled[:, [i]]
        if visible[i] or rules["use_full_observation"]:
            row[5:, : len(others)] = kinds[:, others]
        rows.append([*row.ravel(), F32(steps) / F32(rules["episode_length"]) * visible[i]])
    return np.array(rows, F32)


GAMES = {
    "default": {},
    "two": {"num_runners": 1, "use_full_observation": False, "num_other_agents_observed": 2},
    "five": {"num_taggers": 2, "num_runners": 3, "tagging_distance": 0.1, "edge_hit_penalty": -0.5},
    "turns": {"max_turn": 40.0, "min_turn": -15.5, "num_turn_levels": 7, "num_acceleration_levels": 1},
    "still": {"num_acceleration_levels": 0, "num_turn_levels": 0, "max_speed": 0.0, "tagging_distance": 0.2},
    "stays": {
        "num_taggers": 4,
        "num_runners": 5,
        "runner_exits_game_after_tagged": False,
        "tagging_distance": 0.3,
        "step_penalty_for_tagger": -0.1,
        "step_reward_for_runner": 0.1,
        "use_full_observation": False,
        "num_other_agents_observed": 4,
    },
    "skill": {
        "num_taggers": 3,
        "num_runners": 9,
        "skill_level_tagger": 2.0,
        "skill_level_runner": 0.7,
        "max_acceleration": 0.05,
        "min_acceleration": -0.05,
        "tagging_distance": 0.08,
        "episode_length": 60,
        "use_full_observation": False,
        "num_other_agents_observed": 11,
    },
    "unshuffled": {"num_taggers": 3, "shuffle_roles": False, "tagging_distance": 0.05, "grid_length": 3.7},
    "hundred": {
        "num_taggers": 10,
        "num_runners": 90,
        "grid_length": 20.0,
        "tagging_distance": 0.02,
        "episode_length": 30,
        "use_full_observation": False,
        "num_other_agents_observed": 5,
    },
    "many seen": {
        "num_taggers": 5,
        "num_runners": 75,
        "tagging_distance": 0.1,
        "episode_length": 30,
        "use_full_observation": False,
        "num_other_agents_observed": 60,
    },
    "thousand": {
        "num_taggers": 40,
        "num_runners": 960,
        "grid_length": 50.0,
        "episode_length": 8,
        "use_full_observation": False,
        "num_other_agents_observed": 10,
    },
    "all of them": {"num_taggers": 512, "num_runners": 512, "episode_length": 2},
}


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize("game", GAMES)
def test_continuous_follows_the_rules(game, library):
    random = np.random.default_rng(len(game))
    left = borders = ends = 0
    world = Continuous(library, **GAMES[game])
    rules, episodes = world.rules, 1 if world.players > 100 else 2 if world.players > 50 else 6
    for episode in range(episodes):
        world.reset(seed=3, episode=episode)
        np.testing.assert_array_equal(
            world.observe()[0], expected_observations(rules, world.state(), np.ones(world.players, F32), 0)
        )
        over, steps = False, 0
        while not over:
            before, actions = world.state(), world.random_actions(random)
            reward, over = world.step(actions)
            steps += 1
            after, (expected, outside) = world.state(), expected_move(rules, before, actions)
            for name, value in expected.items():
                # The environment's sines have an error of at most one ulp, which is multiplied by the speed.
                slack = 2 * np.spacing(F32(rules["grid_length"])) if name in "xy" else 0
                np.testing.assert_allclose(after[name], value, rtol=0, atol=slack, err_msg=name)
            expected, live = expected_rewards(rules, before, after, outside, steps)
            np.testing.assert_array_equal(reward, expected)
            np.testing.assert_array_equal(after["in_game"], live)
            left, borders = left + (before["in_game"] != live).sum(), borders + outside.sum()
            assert over == (steps == rules["episode_length"] or not (live * (1 - before["tagger"])).any())
            obs, tagger, done = world.observe()
            np.testing.assert_array_equal(obs, expected_observations(rules, after, before["in_game"], steps))
            np.testing.assert_array_equal(tagger, before["tagger"] == 1)
            np.testing.assert_array_equal(done, (live == 0) | over)
        ends += steps < rules["episode_length"]
    if game in ("five", "skill", "hundred", "thousand", "unshuffled"):
        assert left > 0 and borders > 0
    if game == "five":
        assert ends > 0


NO_ACTION = np.zeros((100, 2), int)


def test_of_equally_near_players_the_first_counts(library):
    world = Continuous(
        library, num_taggers=3, num_runners=3, use_full_observation=False, num_other_agents_observed=3,
        tagging_distance=0.2, runner_exits_game_after_tagged=False,
    )  # fmt: skip
    world.place([1, 3, 2, 9, 9, 2], [5, 5, 6, 9, 9, 5], np.array([1, 1, 1, 0, 0, 0]))
    reward, over = world.step(NO_ACTION[:6])
    assert not over
    # All three taggers are at distance 1, so the first one gets the reward.
    assert reward.tolist() == [1, 0, 0, 0, 0, -1]
    obs, _, _ = world.observe()
    nearest = obs[5][:21].reshape(7, 3)
    diagonal = 10 * np.sqrt(2)
    np.testing.assert_allclose(nearest[0] * diagonal, [-1, 1, 0], atol=1e-5)
    np.testing.assert_allclose(nearest[1] * diagonal, [0, 0, 1], atol=1e-5)
    assert obs[3][:3].tolist()[0] == 0  # The player at the same position comes first.


def test_one_tagger_tags_several_and_the_last_tag_ends_the_game(library):
    world = Continuous(library, num_taggers=1, num_runners=3, tagging_distance=0.1)
    world.place([5, 5.5, 5, 1], [5, 5, 5.9, 1], np.array([1, 0, 0, 0]))
    reward, over = world.step(NO_ACTION[:4])
    assert reward.tolist() == [2, -1, -1, 0] and not over
    obs, _, done = world.observe()
    assert done.tolist() == [False, True, True, False]
    assert obs[0].reshape(-1)[18:21].tolist() == [1, 1, 1], "an observation showed a tag of its own step"
    world["x"][3], world["y"][3] = 5, 5
    reward, over = world.step(NO_ACTION[:4])
    assert reward.tolist() == [1, 0, 0, -1] and over
    obs, _, done = world.observe()
    assert done.all()
    assert obs[0].reshape(-1)[18:21].tolist() == [0, 0, 1]
    assert not obs[1, :15].any() and obs[1, -1] == 0


def test_a_player_that_left_does_not_move_and_is_not_tagged_again(library):
    world = Continuous(library, num_taggers=1, num_runners=2, tagging_distance=0.1, edge_hit_penalty=-1.0)
    world.place([0, 0, 9], [0, 0.5, 9], np.array([1, 0, 0]))
    assert world.step(NO_ACTION[:3])[0].tolist() == [1, -1, 0]
    for _ in range(3):
        reward, _ = world.step(np.array([[0, 0], [10, 10], [0, 0]]))
        assert reward.tolist() == [0, 0, 0]
        assert (world["x"][1], world["y"][1], world["speed"][1]) == (0, 0.5, 0)


@pytest.mark.parametrize("crowd", ["corner", "one point", "line", "lattice"])
def test_the_nearest_players_of_extreme_distributions(crowd, library):
    """Some distributions have all players in one cell, and hundreds of equal distances."""
    world = Continuous(
        library, num_taggers=5, num_runners=295, use_full_observation=False, num_other_agents_observed=7,
        tagging_distance=0.0,
    )  # fmt: skip
    random, n = np.random.default_rng(1), 300
    tagger = (np.arange(n) < 5).astype(int)
    x, y = {
        "corner": lambda: (10 - random.random(n) ** 4 * 0.1, 10 - random.random(n) * 0.1),
        "one point": lambda: (np.full(n, 10), np.full(n, 0)),
        "line": lambda: (np.arange(n) / 30, np.full(n, 10)),
        "lattice": lambda: (np.arange(n) % 20 / 2, np.arange(n) // 20 / 2),
    }[crowd]()
    world.place(x, y, tagger)
    world["in_game"][10:40] = 0
    before = world.state()
    world.step(np.zeros((n, 2), int))
    np.testing.assert_array_equal(
        world.observe()[0], expected_observations(world.rules, world.state(), before["in_game"], 1)
    )


def test_distribution_of_continuous_resets(library):
    world = Continuous(library, num_taggers=3, num_runners=9, grid_length=4.0)
    draws = [world.reset(seed=1, episode=episode).state() for episode in range(2000)]
    columns = {name: np.stack([draw[name] for draw in draws]) for name in ("x", "y", "direction", "tagger")}
    for name in ("x", "y"):
        assert stats.kstest(columns[name].ravel() / 4, "uniform").pvalue > SMALLEST_P
    assert (columns["tagger"].sum(1) == 3).all()
    # All players are taggers equally often, and all pairs of players are taggers together equally often.
    together = columns["tagger"].T @ columns["tagger"]
    assert stats.chisquare(np.diag(together)).pvalue > SMALLEST_P
    assert stats.chisquare([together[i, j] for i, j in itertools.combinations(range(12), 2)]).pvalue > SMALLEST_P
    values, counts = np.unique(columns["direction"], return_counts=True)
    np.testing.assert_array_equal(values, (np.arange(4) * np.pi / 2).astype(F32))
    assert stats.chisquare(counts).pvalue > SMALLEST_P
    for i, j in itertools.combinations(("x", "y", "direction", "tagger"), 2):
        assert abs(np.corrcoef(columns[i].ravel(), columns[j].ravel())[0, 1]) < 0.02
    assert all(not draw[name].any() for draw in draws for name in ("speed", "acceleration"))


# ---- grid: the rules ----

DIRECTIONS = np.array([[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]])


def grid_step(rules, before, actions):
    to = np.stack([before["x"], before["y"]]) + DIRECTIONS[actions].T
    x, y = np.clip(to, 0, rules["grid_length"])
    outside = (x != to[0]) | (y != to[1])
    tagged = ((x[:-1] == x[-1]) & (y[:-1] == y[-1])).any()
    cost = rules["step_cost_for_tagger"]
    reward = np.full(len(x), rules["tag_reward_for_tagger"] if tagged else -cost)
    reward[-1] = -rules["tag_penalty_for_runner"] if tagged else cost
    return {"x": x, "y": y}, (reward - rules["wall_hit_penalty"] * outside).astype(F32), tagged


def expected_grid_observations(rules, world, steps):
    players = len(world["x"])
    positions = np.stack([world["x"], world["y"]]) / rules["grid_length"]
    is_runner, time = np.arange(players) == players - 1, steps / rules["episode_length"]
    rows = []
    for i in range(players):
        if rules["use_full_observation"]:
            rows.append(np.concatenate([*positions, is_runner, np.arange(players) == i, [time]]))
            continue
        apart = (world["x"][:-1] - world["x"][-1]) ** 2 + (world["y"][:-1] - world["y"][-1]) ** 2
        rows.append([*positions[:, i], *positions[:, -1 if i < players - 1 else apart.argmin()], is_runner[i], time])
    return np.array(rows, F32)


GRID_GAMES = {
    "default": {},
    "two": {"num_taggers": 1, "grid_length": 2, "use_full_observation": False},
    "four": {"num_taggers": 4, "tag_penalty_for_runner": 5.0, "random_start": True, "use_full_observation": False},
    "small": {"num_taggers": 3, "grid_length": 3, "random_start": True, "wall_hit_penalty": 0.37},
    "hundred": {"num_taggers": 99, "grid_length": 60, "random_start": True, "use_full_observation": False},
    "thousand": {"num_taggers": 1023, "grid_length": 32767, "episode_length": 2, "random_start": True},
}


@pytest.mark.parametrize("game", GRID_GAMES)
def test_grid_follows_the_rules(game, library):
    world = GridWorld(library, **GRID_GAMES[game])
    rules, random = world.rules, np.random.default_rng(len(game))
    tags = borders = 0
    for episode in range(1 if world.players > 500 else 10):
        world.reset(seed=5, episode=episode)
        np.testing.assert_array_equal(world.observe()[0], expected_grid_observations(rules, world.state(), 0))
        over, steps = False, 0
        while not over:
            before, actions = world.state(), random.integers(0, 5, world.players)
            reward, over = world.step(actions)
            steps += 1
            after, (positions, expected, tagged) = world.state(), grid_step(rules, before, actions)
            for name, value in positions.items():
                np.testing.assert_array_equal(after[name], value)
            np.testing.assert_array_equal(reward, expected)
            assert over == (tagged or steps == rules["episode_length"])
            obs, tagger, done = world.observe()
            np.testing.assert_array_equal(obs, expected_grid_observations(rules, after, steps))
            assert tagger.tolist() == [True] * (world.players - 1) + [False]
            assert (done == over).all()
            borders += (np.stack([before["x"], before["y"]]) + DIRECTIONS[actions].T != [after["x"], after["y"]]).sum()
        tags += tagged
    assert borders > 0 or game == "thousand"
    assert tags > 0 or game == "thousand"


def test_distribution_of_grid_resets(library):
    world = GridWorld(library, num_taggers=4, grid_length=9).reset()
    assert world["x"].tolist() == world["y"].tolist() == [4, 4, 4, 4, 0]
    world = GridWorld(library, num_taggers=6, grid_length=5, random_start=True)
    draws = [world.reset(seed=2, episode=episode).state() for episode in range(3000)]
    x, y = (np.stack([draw[name] for draw in draws]) for name in "xy")
    assert not x[:, -1].any() and not y[:, -1].any()
    x, y = x[:, :-1], y[:, :-1]
    assert x.min() == y.min() == 1 and x.max() == y.max() == 4
    assert stats.chisquare(np.histogram2d(x.ravel(), y.ravel(), 4)[0].ravel()).pvalue > SMALLEST_P
    assert stats.chi2_contingency(np.histogram2d(x[:, 0], x[:, 1], 4)[0]).pvalue > SMALLEST_P
