# SPDX-License-Identifier: Apache-2.0
"""Tests the images of Craftax in full where the comparison with craftax (full_test.py) does not reach.

It replays craftax's noise, and steps states with lights that are not part of an environment's state.
"""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from scipy import stats

import envpool
from tests.craftax.full.states import SIDE, STATE
from tests.support import libraries
from tests.support.capi import Functions
from tests.support.chi_square import SMALLEST_P

pytest.importorskip("jax")  # which the module with STATE needs

IMAGE, TEXTURES = (130, 110, 3), 126
DARK = {2: 0, 5: 1, 7: 2, 8: 3}  # the numbers of the dark floors
PATH, TORCH, DESCEND, PLACE_TORCH = 7, 1, 18, 28
PIXELS = np.dtype([("game", STATE), ("lights", "f4", (4, SIDE, SIDE)), ("noise", "u4", 4)], align=True)


def functions(**options):
    library = ctypes.CDLL(libraries.library("craftax_testing"))
    return Functions(library, "CraftaxPixels", PIXELS, **{"textures": bytes([255]) * TEXTURES * 1024, **options})


def images_of(ours, states):
    """Returns the images of states."""
    images = np.full((len(states), *IMAGE), 7, np.float32)
    ours.observe_into(states, images, np.zeros((len(states), 67), np.uint8))
    return images


def on_floor(floor, count=20):
    """Returns states of players who have come to a floor by its ladder, which has been opened."""
    ours = functions()
    states = ours.reset(count, seed=floor)
    game = states["game"]
    game["defeated"] = 8
    for _ in range(floor):
        level = game["level"][0]
        game["y"], game["x"] = np.divmod(game["ladder_down"][:, level].astype(int), SIDE)
        ours.step(states, DESCEND, seed=3)
        game["mobs"]["alive"] = game["mobs"]["occupying"] = 0
    assert (game["level"] == floor).all()
    return ours, states


def test_images_are_of_the_worlds_that_are_observed_as_numbers():
    options = {"num_envs": 8, "seed": 4, "max_episode_steps": 60}
    pixels, symbolic = (envpool.make(f"Craftax-{kind}-v1", **options) for kind in ("Pixels", "Symbolic"))
    assert pixels.reset()[0].shape == (8, *IMAGE)
    symbolic.reset()
    rng = np.random.default_rng(0)
    for _ in range(150):
        actions = rng.integers(0, 43, 8)
        (obs, *results, info), (_, *other_results, other_info) = (env.step(actions) for env in (pixels, symbolic))
        for one, other in zip(results, other_results, strict=True):
            assert np.array_equal(one, other)
        assert np.array_equal(info["achievements"], other_info["achievements"])
        assert obs.min() >= 0 and obs.max() <= 1


@pytest.mark.parametrize("floor", DARK)
def test_lights_are_set_with_a_floor_and_by_torches(floor):
    ours, states = on_floor(floor)
    game, lights = states["game"], states["lights"][:, DARK[floor]]
    bits = np.arange(SIDE, dtype=np.uint64)

    def lit():
        return game["lit"][:, DARK[floor], :, None] >> bits & np.uint64(1) == 1

    assert np.array_equal(lights > 0.05, lit()) and lights.any(axis=(1, 2)).all()
    game["y"], game["x"], game["direction"] = 40, 20, 4
    game["cell"][:, floor, 41, 20] = PATH
    game["item"][:, 8] = 3
    before = lights.copy()
    ours.step(states, PLACE_TORCH, seed=1)
    assert (game["cell"][:, floor, 41, 20] == PATH + 64 * TORCH).all()
    rows, columns = np.mgrid[0:SIDE, 0:SIDE]
    distance = np.sqrt(((rows - 41) ** 2 + (columns - 20) ** 2).astype(np.float32))
    reach = (abs(rows - 41) <= 4) & (abs(columns - 20) <= 4)
    added = np.where(reach, np.maximum(1 - distance / np.float32(5), 0), 0)
    np.testing.assert_array_equal(lights, np.minimum(before + added, np.float32(1)))
    assert np.array_equal(lights > 0.05, lit())
    after = lights.copy()
    game["asleep"] = False
    ours.step(states, PLACE_TORCH, seed=2)  # There is one already.
    assert np.array_equal(lights, after)


def test_lights_darken_blocks():
    ours, states = on_floor(2, 1)
    states["game"]["cell"][:, 2] = PATH
    y, x = states["game"]["y"][0], states["game"]["x"][0]
    states["game"]["y"], states["game"]["x"] = y, x = 20, 20
    lights = np.random.default_rng(0).random((9, 11), np.float32)
    states["lights"][0, 0, y - 4 : y + 5, x - 5 : x + 6] = lights
    image = images_of(ours, states)[0, :90].reshape(9, 10, 11, 10, 3)
    np.testing.assert_array_equal(image, np.broadcast_to((lights * 255 / 255)[:, None, :, None, None], image.shape))
    for bad in (np.nan, -1.0, 5.0, np.inf):
        states["lights"][:] = bad
        image = images_of(ours, states)
        assert image.min() >= 0 and image.max() <= 1


def test_noise_is_uniform_and_new_in_each_step():
    """With black textures, noise is all that differs between the pixels of a night."""
    ours = functions(textures=bytes(TEXTURES * 1024))
    states = ours.reset(20, seed=9)
    light = states["game"]["light"] = np.float32(0.1)
    images = []
    for time in (0, 1, 2, 2, 2**31 - 1):
        states["game"]["time"] = time
        images.append(images_of(ours, states))
    assert np.array_equal(images[2], images[3])
    rows, columns = np.mgrid[0:90, 0:110]
    strength = 2 * (0.5 - light) * np.sqrt((rows - 45) ** 2 + (columns - 55) ** 2) / np.sqrt(45**2 + 55**2)
    seen = strength > 0.05
    # Red has half of the night's share: the noise, from 32 to 127, times its strength.
    noise = [(image[:, :90, :, 0] * 255 / (1 - light) * 2)[:, seen] / strength[seen] for image in images]
    uniform = (np.array([noise[i] for i in (0, 1, 2, 4)]) - 32) / 95
    assert stats.kstest(uniform.ravel(), "uniform").pvalue > SMALLEST_P
    pairs = [(uniform[0], uniform[1]), (uniform[1], uniform[2]), (uniform[:, 0], uniform[:, 1])]
    pairs.append((uniform[..., :-1], uniform[..., 1:]))
    for one, other in pairs:
        assert abs(np.corrcoef(one.ravel(), other.ravel())[0, 1]) < 5 / np.sqrt(one.size)


def test_rendered_images_are_the_observations():
    env = envpool.make("Craftax-Pixels-v1", num_envs=3, render_mode="rgb_array")
    env.reset()
    obs = env.step(np.array([1, 2, 3]))[0]
    images = np.asarray(env.render(env_ids=[0, 1, 2]))
    assert images.shape == (3, 390, 330, 3)
    np.testing.assert_array_equal(images[:, ::3, ::3], np.floor(obs * 255 + 0.5).astype(np.uint8))
    assert len({image.tobytes() for image in images}) == 3
