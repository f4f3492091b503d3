# SPDX-License-Identifier: Apache-2.0
"""Compares Pong with gymnax 0.0.9: steps from equal states."""

import numpy as np
import pytest

from tests.misc.reference import COUNT, Engine, Reference, jnp, parts_of, states_with


def random_games(engine, seed=0):
    """Returns the parts of random states. Some of these states are never reached in a game."""
    height, width, _ = engine.observation_space.shape
    half, rng = 2 if height > 8 else 1, np.random.default_rng(seed)
    row, column = height / 2 % 1, width / 2 % 1
    random_positions = lambda: np.stack(  # noqa: E731
        [rng.integers(-4, height + 4, COUNT) + row, rng.integers(-1, width + 2, COUNT) + column], 1
    )
    near = rng.random(COUNT) < 0.7  # These balls are next to a paddle.
    balls = random_positions()
    balls[near, 1] = np.where(rng.random(near.sum()) < 0.5, rng.integers(0, 4), width - rng.integers(1, 5)) + column
    paddles = rng.integers(half, height - half, (COUNT, 2))
    balls[near, 0] = paddles[near, rng.integers(0, 2)] + rng.integers(-4, 5, near.sum()) + row
    velocity = np.stack([rng.integers(-3, 4, COUNT), rng.choice([-2, -1, 1, 2], COUNT)], 1)
    return {
        "paddle_centers": paddles,
        "ball_position": balls,
        "last_ball_position": random_positions(),
        "ball_velocity": velocity,
    }


GAMES = [
    ({}, {}),
    ({"width": 12, "height": 9, "paddle_half_height": 2}, {"ball_max_y_speed": 2, "paddle_y_speed": 2}),
    ({"width": 5, "height": 6, "paddle_half_height": 1}, {"use_ai_policy": False, "paddle_y_speed": 3}),
]


@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize("rounding", ["towards_zero", "nearest"])
@pytest.mark.parametrize(("options", "params"), GAMES, ids=str)
def test_steps_equal_those_of_gymnax(options, params, rounding):
    """gymnax 0.0.9 truncates the ball's speed, because it stores the speed in an array of ints.

    To test rounding to the nearest integer, the test replaces this array with one of floats and rounds the speed.
    """
    engine = Engine("Pong", rounding=rounding, **options, **params)
    reference = Reference("Pong-misc", params, **options)
    if rounding == "nearest":
        reference.initial = reference.initial.replace(ball_velocity=jnp.zeros(2, jnp.float32))
    parts = random_games(engine)
    for action in range(3):
        states = states_with(engine, **parts)
        rewards, ends = engine.step(states, action)
        obs, after, their_rewards, done = reference.step(reference.states(**parts), np.full(COUNT, action))
        expected = parts_of(after, parts)
        if rounding == "nearest":
            expected["ball_velocity"] = np.round(expected["ball_velocity"])
        assert (expected["ball_velocity"] != parts["ball_velocity"]).any(1).sum() > COUNT / 20
        for name, theirs in expected.items():
            np.testing.assert_array_equal(states[name], theirs, name)
        np.testing.assert_array_equal(ends, done)
        assert 20 < done.sum() < COUNT - 20
        np.testing.assert_array_equal(rewards, their_rewards)
        np.testing.assert_array_equal(engine.observe(states), obs)
    first = engine.reset(1)
    np.testing.assert_array_equal(engine.observe(first)[0], reference.reset(1)[0][0])


def test_reflect_top_reflects_the_ball_at_the_upper_edge():
    open_field, closed_field = Engine("Pong"), Engine("Pong", reflect_top=True)
    parts = random_games(open_field)
    ours, theirs = states_with(open_field, **parts), states_with(closed_field, **parts)
    open_field.step(ours, 0)
    closed_field.step(theirs, 0)
    above = parts["ball_position"][:, 0] + parts["ball_velocity"][:, 0] < 0
    assert above.any()
    np.testing.assert_array_equal(ours[~above], theirs[~above])
    np.testing.assert_array_equal(
        theirs["ball_position"][above, 0], -(parts["ball_position"] + parts["ball_velocity"])[above, 0]
    )
