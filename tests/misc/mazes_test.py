# SPDX-License-Identifier: Apache-2.0
"""Compares FourRooms and MetaMaze with gymnax 0.0.9: steps from equal states, failed moves, and resets."""

import collections
import itertools

import numpy as np
import pytest
from scipy import stats

from tests.misc.reference import SMALLEST_P, Engine, Reference, check_observations, check_uniform, states_with


def all_cases(cells, actions=4):
    """Returns every combination of cell, goal and action."""
    cases = list(itertools.product(cells, cells, range(actions)))
    return {"pos": np.array([case[0] for case in cases]), "goal": np.array([case[1] for case in cases])}, np.array(
        [case[2] for case in cases]
    )


@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize(
    ("maze_size", "rf_size", "params"),
    [
        (9, 3, {}),
        (7, 3, {"punishment": -0.5, "reward": 3.0, "normalize_time": True}),
        (5, 7, {"punishment": 0.25}),
        (1, 3, {}),
        (3, 5, {}),
    ],
)
def test_meta_maze_equals_gymnax(maze_size, rf_size, params):
    engine = Engine("MetaMaze", maze_size=maze_size, rf_size=rf_size, **params)
    reference = Reference("MetaMaze-misc", params, maze_size=maze_size, rf_size=rf_size)
    cells = np.asarray(reference.env.coords).tolist()
    parts, actions = all_cases(cells)
    parts |= {"time": np.arange(len(actions)) % 199}
    states = states_with(engine, **parts)
    rewards, ends = engine.step(states, actions)
    obs, after, their_rewards, _ = reference.step(reference.states(**parts), actions)
    np.testing.assert_array_equal(rewards, their_rewards)
    for name in ("goal", "last_action", "last_reward", "time"):
        np.testing.assert_array_equal(states[name], getattr(after, name), name)
    reached = their_rewards > params.get("reward", 10) / 2
    assert reached.any()
    np.testing.assert_array_equal(states["pos"][~reached], np.asarray(after.pos)[~reached])
    # An episode ends only if the agent is moved to a random cell that is the goal.
    np.testing.assert_array_equal(ends, (states["pos"] == states["goal"]).all(1) & reached)
    check_observations(engine, reference, states, time=rf_size**2 + 5)
    # The agent is moved to each open cell, including the goal, with equal probability.
    start = np.repeat(np.flatnonzero(reached)[:1], 40000)
    again = states_with(engine, pos=parts["pos"][start], goal=parts["goal"][start])
    _, ends = engine.step(again, actions[start[0]], seed=3)
    check_uniform(map(tuple, again["pos"].tolist()), map(tuple, cells))
    assert ends.mean() == pytest.approx(1 / len(cells), rel=0.2)


def test_meta_maze_starts_in_the_middle():
    for maze_size, rf_size in itertools.product((1, 5, 7, 9), (3, 5, 9)):
        engine = Engine("MetaMaze", maze_size=maze_size, rf_size=rf_size)
        reference = Reference("MetaMaze-misc", maze_size=maze_size, rf_size=rf_size)
        states = engine.reset(5000)
        middle = len(reference.env.env_map) // 2
        assert (states["pos"] == middle).all()
        assert rf_size != 3 or (np.asarray(reference.env.center_position) == middle).all()
        assert not any(states[name].any() for name in ("last_action", "last_reward", "time"))
        check_uniform(map(tuple, states["goal"].tolist()), map(tuple, np.asarray(reference.env.coords).tolist()))


@pytest.mark.parametrize("visual", [False, True])
def test_four_rooms_equal_gymnax(visual):
    engine = Engine("FourRooms", fail_prob=0.0, use_visual_obs=visual)
    reference = Reference("FourRooms-misc", {"fail_prob": 0.0}, use_visual_obs=visual)
    parts, actions = all_cases(np.asarray(reference.env.coords).tolist())
    assert len(actions) == 104 * 104 * 4
    chosen = slice(None, None, 7) if visual else slice(None)
    parts, actions = {name: part[chosen] for name, part in parts.items()}, actions[chosen]
    states = states_with(engine, **parts)
    rewards, ends = engine.step(states, actions)
    obs, after, their_rewards, done = reference.step(reference.states(**parts), actions)
    for name in parts:
        np.testing.assert_array_equal(states[name], getattr(after, name))
    np.testing.assert_array_equal(rewards, their_rewards)
    np.testing.assert_array_equal(ends, done)
    ours = engine.observe(states)
    if visual:  # gymnax shows the agent at (column, row).
        ours = np.stack([ours[..., 0], ours[..., 1].swapaxes(1, 2)], -1)
    np.testing.assert_array_equal(ours, obs)


def test_four_rooms_images_show_the_agent_in_its_cell():
    engine = Engine("FourRooms", use_visual_obs=True, resample_init_pos=True)
    states = engine.reset(300)
    walls, agent = np.moveaxis(engine.observe(states), 3, 0)
    np.testing.assert_array_equal(np.argwhere(agent)[:, 1:], states["pos"])
    assert not (walls * agent).any()


@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize("fail_prob", [0.0, 1 / 3, 0.5, 0.75])
def test_four_rooms_moves_fail_with_the_distribution_of_gymnax(fail_prob):
    engine, count = Engine("FourRooms", fail_prob=fail_prob), 20000
    reference = Reference("FourRooms-misc", {"fail_prob": fail_prob})
    parts = {"pos": np.full((count, 2), 3), "goal": np.full((count, 2), 9)}
    for action in range(4):
        states = states_with(engine, **parts)
        engine.step(states, action, seed=action)
        seen = collections.Counter(map(tuple, states["pos"].tolist()))
        around = [(2, 3), (3, 4), (4, 3), (3, 2)]
        chances = [1 - fail_prob if a == action else fail_prob / 3 for a in range(4)]
        assert set(seen) <= {cell for cell, chance in zip(around, chances, strict=True) if chance}
        kept = [i for i in range(4) if chances[i]]
        if len(kept) > 1:
            expected = [count * chances[i] for i in kept]
            assert stats.chisquare([seen[around[i]] for i in kept], expected).pvalue > SMALLEST_P
        _, after, _, _ = reference.step(reference.states(**parts), np.full(count, action))
        theirs = collections.Counter(map(tuple, np.asarray(after.pos).tolist()))
        if len(kept) > 1:
            table = [[counter[around[i]] for i in kept] for counter in (seen, theirs)]
            assert stats.chi2_contingency(table).pvalue > SMALLEST_P


@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize("params", [{"resample_init_pos": p, "resample_goal_pos": g} for p in (0, 1) for g in (0, 1)])
def test_four_rooms_resets_have_the_distribution_of_gymnax(params):
    params = {name: bool(value) for name, value in params.items()}
    fixed = {"goal_fixed_row": 3, "goal_fixed_column": 6, "pos_fixed_row": 11, "pos_fixed_column": 11}
    engine = Engine("FourRooms", **params, **fixed)
    reference = Reference("FourRooms-misc", params, goal_fixed=[3, 6], pos_fixed=[11, 11])
    cells = [tuple(cell) for cell in np.asarray(reference.env.coords).tolist()]
    states = engine.reset(60000)
    pos, goal = ([*map(tuple, states[name].tolist())] for name in ("pos", "goal"))
    check_uniform(goal, cells if params["resample_goal_pos"] else [(3, 6)])
    if not params["resample_init_pos"]:
        assert set(pos) == {(11, 11)}
    elif params["resample_goal_pos"]:
        assert not any(p == g for p, g in zip(pos, goal, strict=True))
        check_uniform(pos, cells)
    else:
        check_uniform(pos, [cell for cell in cells if cell != (3, 6)])
    _, theirs = reference.reset(20000)
    assert {*map(tuple, np.asarray(theirs.goal).tolist())} == set(goal)
    assert {*map(tuple, np.asarray(theirs.pos).tolist())} == set(pos)
