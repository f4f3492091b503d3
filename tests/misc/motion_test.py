# SPDX-License-Identifier: Apache-2.0
"""Compares steps from equal states, and resets, of PointRobot, Reacher and Swimmer with gymnax 0.0.9."""

import functools

import numpy as np
import pytest
from scipy import stats

from tests.misc.reference import (
    COUNT,
    SMALLEST_P,
    Engine,
    Reference,
    check_observations,
    check_same_distribution,
    parts_of,
    states_with,
)


@functools.cache
def swimmer_parts(urchins):
    rng = np.random.default_rng(urchins)
    shapes = {"urchin_xys": (urchins, 2), "xy": (2,), "xy_vel": (2,), "goal_xy": (2,)}
    return {name: rng.uniform(-1.5, 1.5, (COUNT, *shape)).astype("f4") for name, shape in shapes.items()}


@functools.cache
def reacher_parts():
    rng = np.random.default_rng(1)
    return {
        "angles": rng.uniform(-10, 10, (COUNT, 2)).astype("f4"),
        "angle_vels": rng.uniform(-5, 5, (COUNT, 2)).astype("f4"),
        "goal_xy": rng.uniform(-2, 2, (COUNT, 2)).astype("f4"),
    }


@functools.cache
def robot_parts():
    rng = np.random.default_rng(2)
    return {
        "pos": rng.uniform(-1, 1, (COUNT, 2)).astype("f4"),
        "goal": rng.uniform(-1, 1, (COUNT, 2)).astype("f4"),
        "goals_reached": rng.integers(0, 5, COUNT),
        "time": rng.integers(0, 99, COUNT),
    }


def random_actions(scale=1.5):
    return np.random.default_rng(3).uniform(-scale, scale, (COUNT, 2)).astype("f4")


# Our sin, cos and exp differ from gymnax's by about 2 ulps. For results of at most 1, this is 2e-7. If XLA fuses
# multiplications with additions, a step from states of magnitude 10 differs by 2e-6.
ROUNDING, FUSED = 2e-7, 2e-6


@pytest.mark.parametrize("fused", [False, True], ids=["exact", "fused"])
@pytest.mark.parametrize(("urchins", "dt"), [(5, 0.05), (1, 0.05), (9, 0.3)])
def test_swimmer_equals_gymnax(urchins, dt, fused):
    engine = Engine("Swimmer", num_urchins=urchins, dt=dt)
    reference = Reference("Swimmer-misc", {"dt": dt}, fused, num_urchins=urchins)
    parts = swimmer_parts(urchins)
    states, actions = states_with(engine, **parts), random_actions()
    rewards, ends = engine.step(states, actions)
    obs, after, their_rewards, _ = reference.step(reference.states(**parts), actions)
    assert not ends.any()
    for name, theirs in parts_of(after, parts).items():
        np.testing.assert_allclose(states[name], theirs, rtol=0, atol=FUSED if fused else 0)
    np.testing.assert_allclose(engine.observe(states), obs, rtol=0, atol=FUSED if fused else 0)
    np.testing.assert_allclose(rewards, their_rewards, rtol=0, atol=FUSED if fused else ROUNDING)


@pytest.mark.parametrize("fused", [False, True], ids=["exact", "fused"])
@pytest.mark.parametrize("params", [{}, {"torque_scale": 2.5, "dt": 0.1}], ids=str)
def test_reacher_equals_gymnax(params, fused):
    engine, reference = Engine("Reacher", **params), Reference("Reacher-misc", params, fused)
    parts = reacher_parts()
    states, actions = states_with(engine, **parts), random_actions()
    rewards, ends = engine.step(states, actions)
    obs, after, their_rewards, _ = reference.step(reference.states(**parts), actions)
    assert not ends.any()
    for name, theirs in parts_of(after, parts).items():
        np.testing.assert_allclose(states[name], theirs, rtol=0, atol=FUSED if fused else 0)
    np.testing.assert_allclose(engine.observe(states)[:, :4], obs[:, :4], rtol=0, atol=FUSED if fused else ROUNDING)
    np.testing.assert_allclose(engine.observe(states)[:, 4:], obs[:, 4:], rtol=0, atol=FUSED if fused else 0)
    np.testing.assert_allclose(rewards, their_rewards, rtol=0, atol=FUSED if fused else 2 * ROUNDING)


def test_reacher_with_other_numbers_of_joints():
    """gymnax cannot make these arms, so the test computes their steps in double precision."""
    for joints in (1, 3, 7):
        engine, rng = Engine("Reacher", num_joints=joints), np.random.default_rng(joints)
        states = engine.reset(500, seed=joints)
        before, actions = states.copy(), rng.uniform(-1, 1, (500, joints)).astype("f4")
        rewards, _ = engine.step(states, actions)
        velocities = before["angle_vels"] + 0.05 * actions.astype(float)
        angles = before["angles"] + 0.05 * velocities
        end = np.stack([np.cos(angles).sum(1), np.sin(angles).sum(1)], 1)
        expected = np.exp(-((end - before["goal_xy"]) ** 2).sum(1))
        np.testing.assert_allclose(rewards, expected, rtol=0, atol=1e-5)
        obs = np.concatenate([np.cos(angles), np.sin(angles), velocities, before["goal_xy"]], 1)
        np.testing.assert_allclose(engine.observe(states), obs, rtol=0, atol=2e-6)


@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize("fused", [False, True], ids=["exact", "fused"])
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"dense_reward": True, "max_force": 0.75, "goal_radius": 0.5},
        {"circle_radius": 2.5, "center_init": True, "normalize_time": False},
    ],
    ids=str,
)
def test_point_robot_equals_gymnax(params, fused):
    engine, reference = Engine("PointRobot", **params), Reference("PointRobot-misc", params, fused)
    parts = robot_parts()
    states, actions = states_with(engine, **parts), random_actions(0.9)
    rewards, ends = engine.step(states, actions)
    obs, after, their_rewards, _ = reference.step(reference.states(**parts), actions)
    assert not ends.any()
    reached = states["goals_reached"] > parts["goals_reached"]
    assert 20 < reached.sum() < COUNT - 20
    np.testing.assert_array_equal(states["goals_reached"], after.goals_reached)
    np.testing.assert_array_equal(states["last_action"], actions)
    same = ~reached | params.get("center_init", False)  # The other points are moved to random starts.
    np.testing.assert_array_equal(states["pos"][same], np.asarray(after.pos)[same])
    assert (np.hypot(*states["pos"][reached].T) <= params.get("circle_radius", 1) * 1.000001).all()
    np.testing.assert_allclose(rewards, their_rewards, rtol=0, atol=FUSED if fused else 0)
    np.testing.assert_allclose(engine.observe(states)[same], obs[same], rtol=0, atol=FUSED if fused else 1.2e-7)
    check_observations(engine, reference, states, time=5)


@pytest.mark.parametrize("params", [{}, {"circle_radius": 3.0}, {"center_init": True}], ids=str)
def test_point_robot_starts_have_the_distribution_of_gymnax(params):
    engine, reference = Engine("PointRobot", **params), Reference("PointRobot-misc", params)
    states, (_, theirs) = engine.reset(20000), reference.reset(20000)
    radius = params.get("circle_radius", 1)
    np.testing.assert_allclose(np.hypot(*states["goal"].T), radius, rtol=3e-7)
    assert stats.kstest(np.arctan2(*states["goal"].T[::-1]) / np.pi, "uniform").pvalue > SMALLEST_P
    for axis in range(2):
        check_same_distribution(states["goal"][:, axis], np.asarray(theirs.goal)[:, axis])
    again = states_with(
        engine, pos=np.zeros((20000, 2)), goal=np.zeros((20000, 2))
    )  # All points are on the goal, so that new starts are drawn.
    engine.step(again, np.zeros((20000, 2)))
    assert (again["goals_reached"] == 1).all()
    for starts in (states["pos"], again["pos"]):
        if params.get("center_init"):
            assert not starts.any()
            continue
        assert stats.kstest(np.hypot(*starts.T) / radius, "uniform").pvalue > SMALLEST_P
        assert stats.kstest(np.arctan2(*starts.T[::-1]) / np.pi, "uniform").pvalue > SMALLEST_P
        for axis in range(2):
            check_same_distribution(starts[:, axis], np.asarray(theirs.pos)[:, axis])


@pytest.mark.parametrize("name", ["Reacher", "Swimmer"])
def test_resets_have_the_distribution_of_gymnax(name):
    engine, reference = Engine(name), Reference(f"{name}-misc")
    states, (_, theirs) = engine.reset(20000), reference.reset(20000)
    columns = []
    for part in (name for name in states.dtype.names if name not in ("cos", "sin")):
        ours, reference_part = states[part].reshape(20000, -1), np.asarray(getattr(theirs, part)).reshape(20000, -1)
        assert ours.shape == reference_part.shape
        for column in range(ours.shape[1]):
            if part == "xy_vel":
                assert not ours.any() and not reference_part.any()
                continue
            check_same_distribution(ours[:, column], reference_part[:, column])
            columns.append(ours[:, column])
    correlation = np.corrcoef(columns) - np.eye(len(columns))
    assert np.abs(correlation).max() < 4.5 / np.sqrt(20000)
