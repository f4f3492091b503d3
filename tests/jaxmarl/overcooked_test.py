# SPDX-License-Identifier: Apache-2.0
"""Overcooked beside JaxMARL's: every array of every step."""

from __future__ import annotations

import collections
import itertools
import os
import re

import numpy as np
import pytest

import envpool

pytest.importorskip("jaxmarl", reason="JaxMARL is not installed")
from tests.jaxmarl.kitchens import LAYOUTS, THINGS, Cooks, Reference, held_by, status_of
from tests.support.chi_square import ChiSquare

WORLDS = int(os.environ.get("ENVPOOL_TEST_JAXMARL", "8"))  # episodes of each case
LARGE = "WWWWWWWWWWWWWWWWWW\nO                O\nW A   WPWPW      W\nW                W\nWW  WBWXW    A   W\nWWWWWWWWWWWWWWWWWW"

GOALS = "WWPOBW\nX A  X\nX  A X\nWXXXXW"  # where both can deliver in the same step


def of_cooks(env, array):
    return np.asarray(array).reshape(env.config["num_envs"], 2, *np.shape(array)[1:])


@pytest.mark.parametrize("random_reset", [False, True])
@pytest.mark.parametrize("layout", [*LAYOUTS, LARGE, GOALS], ids=[*LAYOUTS, "large", "goals"])
def test_episodes_equal_those_of_jaxmarl(layout, random_reset):
    worlds, max_steps = (max(WORLDS, 400), 20) if layout == GOALS else (WORLDS, 120)
    options = {"random_reset": random_reset, "max_steps": 400 if layout == "cramped_room" else max_steps}
    env = envpool.make_gymnasium("Overcooked-v0", num_envs=worlds, seed=3, layout=layout, **options)
    reference = Reference(layout, **options)
    obs = of_cooks(env, env.reset()[0])
    reference.put(obs[:, 0])
    np.testing.assert_array_equal(obs, reference.observe())
    cooks = Cooks(obs[:, 0], seed=5, randomness=0.15)
    seen = {"reward": set(), "shaped_reward": set()}
    for step in range(1, options["max_steps"] + 1):
        actions = cooks.act(obs[:, 0]).astype(np.int32)
        obs, reward, terminated, truncated, info = env.step(actions.reshape(-1))
        obs = of_cooks(env, obs)
        shaped = of_cooks(env, info["players"]["shaped_reward"])
        expected = reference.step(actions)
        np.testing.assert_array_equal(obs, expected["obs"], f"step {step}")
        np.testing.assert_array_equal(of_cooks(env, reward), expected["reward"])
        np.testing.assert_array_equal(shaped, expected["shaped_reward"])
        np.testing.assert_array_equal(np.repeat(terminated[:, None], 2, 1), expected["done"])
        assert not truncated.any()
        seen["reward"] |= set(reward.tolist())
        seen["shaped_reward"] |= set(shaped.ravel().tolist())
    assert terminated.all()
    if layout != GOALS:
        assert seen["reward"] >= {0, 20} and seen["shaped_reward"] == {0, 3, 5}
    elif random_reset:
        assert 40 in seen["reward"]


def test_cooks_begin_in_all_directions_and_random_kitchens_in_all_states():
    fit = ChiSquare()
    obs = of_cooks(env := envpool.make_gymnasium("Overcooked-v0", num_envs=4000, seed=1), env.reset()[0])
    directions = obs[:, 0, :, :, 2:10].any(axis=(1, 2))
    pairs = [(int(one[:4].argmax()), int(one[4:].argmax())) for one in directions]
    fit.add(collections.Counter(pairs), dict.fromkeys(itertools.product(range(4), repeat=2), 1 / 16))

    env = envpool.make_gymnasium("Overcooked-v0", num_envs=20_000, seed=2, layout="coord_ring", random_reset=True)
    obs = of_cooks(env, env.reset()[0])[:, 0]
    cells = obs.reshape(len(obs), -1, 26)
    floors = np.flatnonzero(~cells[0, :, 10:16].any(axis=1)).tolist()
    places = list(zip(cells[..., 0].argmax(1).tolist(), cells[..., 1].argmax(1).tolist(), strict=True))
    fit.add(collections.Counter(places), dict.fromkeys(itertools.permutations(floors, 2), 1 / 56))
    pots = np.flatnonzero(cells[0, :, 10])
    pairs = [tuple(status_of(planes) for planes in one) for one in cells[:, pots]]
    fit.add(collections.Counter(pairs), dict.fromkeys(itertools.product(range(24), repeat=2), 1 / 576))
    hands = [tuple(held_by(cells[i, place]) for place in two) for i, two in enumerate(places)]
    fit.add(collections.Counter(hands), dict.fromkeys(itertools.product(THINGS, repeat=2), 1 / 16))
    fit.check()


def test_cooks_without_places_begin_anywhere():
    grid = "WWPWWW\nO    B\nWWXWWW"
    env = envpool.make_gymnasium("Overcooked-v0", num_envs=2000, seed=1, layout=grid)
    obs = of_cooks(env, env.reset()[0])[:, 0, 1, 1:5, :2]
    assert {tuple(one.argmax(axis=0).tolist()) for one in obs} == set(itertools.permutations(range(4), 2))


BAD_LAYOUTS = {
    "": "expected the name of a layout or lines of letters, got ''",
    "large_room": "expected the name of a layout or lines of letters, got 'large_room'",
    "WWW\nW W\nWWW": "expected room for two cooks, got 1 cells of floor",
    "WWWW\nWA W\nWWWW": "expected two cooks A, or 0 and 1, or none, got one",
    "WWWWW\nWAAAW\nWWWWW": "expected two cooks A, or 0 and 1, or none, got a third one",
    "WWWWW\nW00 W\nWWWWW": "expected two cooks A, or 0 and 1, or none, got a third one",
    "WWWW\nWAA \nWWWW": "expected a border without floor, got a floor in row 1, column 3",
    "WWWW\nWA W\nWAWW": "expected a border without floor, got a floor in row 2, column 1",
    "WWWW\nWAA\nWWWW": "expected rows of equal length, got 3 letters in row 1 after 4 in row 0",
    "WWWW\n\nWWWW": "expected rows of equal length, got 0 letters in row 1 after 4 in row 0",
    "WWWW\nWAaW\nWWWW": "expected only the letters W, O, B, X, P, A, 0, 1 and spaces, got 'a' in row 1, column 2",
    "WWWW\nWAé\nWWWW": "expected only the letters W, O, B, X, P, A, 0, 1 and spaces, got '<byte 195>' in row 1",
    "WWWW\nWA\0W\nWWWW": "expected only the letters W, O, B, X, P, A, 0, 1 and spaces, got '<byte 0>' in row 1",
    "W" * 65 + "\n" + "W" * 65: "expected 1 to 64 rows and columns with at most 256 cells",
    "WWWW\n" * 65: "expected 1 to 64 rows and columns with at most 256 cells",
    "W" * 10**6 + "\n": "expected 1 to 64 rows and columns with at most 256 cells",
    "\n\n\n": "expected 1 to 64 rows and columns with at most 256 cells, got an empty row",
}


@pytest.mark.parametrize("layout", BAD_LAYOUTS, ids=[repr(layout[:20]) for layout in BAD_LAYOUTS])
def test_bad_layouts(layout):
    with pytest.raises(ValueError, match=r"^\[Overcooked-v0\] layout: " + re.escape(BAD_LAYOUTS[layout])):
        envpool.make_gymnasium("Overcooked-v0", layout=layout)
