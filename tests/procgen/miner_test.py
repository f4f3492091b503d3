# SPDX-License-Identifier: Apache-2.0
"""Tests rules of Miner that matter in few levels, in states that are made for them."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

import envpool

jax = pytest.importorskip("jax")

pytestmark = pytest.mark.skipif(importlib.util.find_spec("envpool_assets") is None, reason="needs envpool-assets")

BOULDER, DIAMOND, FALLING_DIAMOND, DIRT, SPACE = 1, 2, 4, 9, 100
LEFT, NOTHING, RIGHT = 1, 4, 7
SIDE = 10


@pytest.fixture(scope="module")
def world():
    """Returns a function that plays actions in an empty world with the given things, and returns what each step returns.

    The exit is in the upper right corner, and the step before has left one diamond.
    """
    env, params = envpool.jax.make("MinerEasy-v0", num_levels=1)
    key = jax.random.key(0)
    _, begun = env.reset(key, params)

    def play(things, actions, robot):
        cell = np.full(np.shape(begun.cell), DIRT, np.uint8)
        cell[: SIDE * SIDE] = SPACE
        for (x, y), kind in things.items():
            cell[y * SIDE + x] = kind
        places = dict(zip(("x", "y", "exit_x", "exit_y"), map(np.uint8, (*robot, SIDE - 1, SIDE - 1)), strict=True))
        state = begun.replace(cell=cell, diamonds_left=np.int32(1), **places)
        steps = []
        for action in actions:
            _, state, reward, done, _ = env.step(key, state, np.int32(action), params)
            steps.append((state, float(reward), bool(done)))
        return steps

    return play


def test_diamonds_that_fall_are_left(world):
    steps = world({(5, 6): DIAMOND}, [NOTHING] * 3, robot=(9, 9))
    assert [(int(state.diamonds_left), reward, done) for state, reward, done in steps] == [(1, 0, False)] * 3
    assert steps[-1][0].cell[3 * SIDE + 5] == FALLING_DIAMOND


def test_the_exit_opens_a_step_after_the_last_diamond(world):
    steps = world({}, [NOTHING] * 2, robot=(9, 9))
    assert [step[1:] for step in steps] == [(0, False), (10, True)]


def test_a_diamond_that_rolls_to_the_right_counts_twice(world):
    things = {(0, 0): BOULDER, (0, 1): DIAMOND}
    state = world(things, [NOTHING], robot=(9, 5))[0][0]
    assert (int(state.diamonds_left), int(state.cell[1])) == (2, FALLING_DIAMOND)


@pytest.mark.parametrize("kind", [BOULDER, DIAMOND])
def test_only_what_falls_hits(world, kind):
    assert not any(done for *_, done in world({(4, 1): kind}, [NOTHING] * 3, robot=(4, 0)))
    assert [done for *_, done in world({(4, 3): kind}, [NOTHING] * 3, robot=(4, 0))] == [False, False, True]


@pytest.mark.parametrize(
    ("things", "action", "robot", "moved_to", "boulder"),
    [
        ({(5, 0): BOULDER}, RIGHT, (4, 0), 5, 6),
        ({(5, 0): BOULDER, (6, 0): DIRT}, RIGHT, (4, 0), 4, 5),
        ({(5, 0): BOULDER}, LEFT, (6, 0), 5, 4),
        ({(0, 0): BOULDER}, LEFT, (1, 0), 1, 0),
        ({(9, 0): BOULDER}, RIGHT, (8, 0), 8, 9),
    ],
)
def test_boulders_are_pushed_into_empty_cells(world, things, action, robot, moved_to, boulder):
    state = world(things, [action], robot=robot)[0][0]
    assert (int(state.x), int(state.cell[boulder])) == (moved_to, BOULDER)
