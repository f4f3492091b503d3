# SPDX-License-Identifier: Apache-2.0
"""Tests the sizes of rendered images, and the window of `render_mode="human"`."""

import os
import subprocess
import sys

import numpy as np
import pytest

import envpool
from envpool.python.images import grid, resized

IMAGES = np.random.default_rng(0).integers(0, 256, (2, 12, 8, 3), np.uint8)


def test_the_same_size():
    assert resized(IMAGES, 0, 0) is IMAGES
    assert resized(IMAGES, 12, 8) is IMAGES


def test_smaller_images_are_means():
    half = resized(IMAGES, 6, 4)
    means = IMAGES.reshape(2, 6, 2, 4, 2, 3).mean((2, 4))
    assert half.dtype == np.uint8 and half.shape == (2, 6, 4, 3)
    assert np.abs(half - means).max() <= 0.5 + 1e-5
    # A mean that lies halfway between two numbers may be rounded to either, because float32 sums are not exact.
    assert np.abs(resized(IMAGES, 1, 1)[:, 0, 0] - IMAGES.mean((1, 2))).max() <= 0.5 + 1e-5


def test_larger_images_repeat_pixels():
    assert np.array_equal(resized(IMAGES, 36, 16), IMAGES.repeat(3, 1).repeat(2, 2))
    assert np.array_equal(resized(IMAGES, 0, 16), IMAGES.repeat(2, 2))


@pytest.mark.parametrize("size", [(5, 3), (7, 8), (13, 1), (100, 77)])
def test_a_uniform_image_stays_uniform(size):
    plain = np.full((1, 12, 8, 3), 201, np.uint8)
    assert np.array_equal(resized(plain, *size), np.full((1, *size, 3), 201))


@pytest.mark.parametrize("interface", ["gymnasium", "dm", "gym"])
def test_options_give_the_size(interface):
    options = {"render_mode": "rgb_array", "render_env_id": [0, 1], "seed": 1, "num_envs": 2, "env_type": interface}
    whole = envpool.make("CartPole-v1", **options)
    small = envpool.make("CartPole-v1", **options, render_width=100, render_height=50, render_camera_id=3)
    whole.reset(), small.reset()
    assert whole.render().shape == (2, 400, 600, 3)
    assert np.array_equal(small.render(), resized(whole.render(), 50, 100))
    assert envpool.make("CartPole-v1", **{**options, "render_width": 100}).config["render_width"] == 100
    vector = envpool.make_vec("CartPole-v1", 2, render_mode="rgb_array", render_height=20)
    vector.reset()
    assert [image.shape for image in vector.render()] == [(20, 600, 3)] * 2


def test_grid():
    sheet = grid(IMAGES)
    assert sheet.shape == (14, 20, 3)
    assert np.array_equal(sheet[:12, :8], IMAGES[0]) and np.array_equal(sheet[:12, 10:18], IMAGES[1])


# ---- a window ----


def run(code, **variables):
    clean = {key: value for key, value in os.environ.items() if "DISPLAY" not in key and not key.startswith("SDL")}
    program = [sys.executable, "-c", "import envpool, numpy as np\n" + code]
    return subprocess.run(program, capture_output=True, text=True, env={**clean, **variables}, timeout=60)


SHOWN = """
import pygame
env = envpool.make({make})
env.reset()
assert pygame.display.get_surface() is None
assert env.render() is None
screen = pygame.surfarray.array3d(pygame.display.get_surface())
print(screen.shape, len(np.unique(screen)) > 1, pygame.display.get_caption()[0].split()[0])
env.step(np.zeros(2, np.int32))
env.render()
pygame.event.post(pygame.event.Event(pygame.QUIT))
env.render(); env.render()
print(pygame.display.get_surface())
env.close(); env.close()
"""


@pytest.mark.parametrize("interface", ["gymnasium", "dm", "gym"])
def test_human_opens_a_window(interface):
    pytest.importorskip("pygame")
    make = f"'CartPole-v1', {interface!r}, num_envs=2, render_mode='human'"
    result = run(SHOWN.format(make=make), SDL_VIDEODRIVER="dummy")
    assert result.stdout.splitlines()[-2:] == ["(600, 400, 3) True CartPole-v1", "None"], result.stderr


def test_two_windows_take_turns():
    pytest.importorskip("pygame")
    code = """
first, second = (envpool.make(name, num_envs=2, render_mode="human") for name in ("CartPole-v1", "Pong-v5"))
for pool in (first, second, first, second):
    pool.reset(); assert pool.render() is None
first.close(); second.render(); second.close()
vector = envpool.make_vec("CartPole-v1", 3, render_mode="human"); vector.reset(); print(vector.render())
"""
    result = run(code, SDL_VIDEODRIVER="dummy")
    assert result.stdout.splitlines()[-1:] == ["None"], result.stderr


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({}, "there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set"),
        ({"DISPLAY": ":987"}, "cannot be opened"),
    ],
)
def test_errors_without_a_display(variables, words):
    pytest.importorskip("pygame")
    code = "env = envpool.make('CartPole-v1', render_mode='human'); env.reset(); env.render()"
    result = run(code, **variables)
    assert result.returncode == 1
    last = result.stderr.strip().splitlines()[-1]
    assert last.startswith("RuntimeError: [CartPole-v1] render_mode 'human' needs a window") and words in last, last
    assert envpool.make_spec("CartPole-v1", render_mode="human").config.render_mode == "human"
