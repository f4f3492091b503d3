# SPDX-License-Identifier: Apache-2.0
"""Compares drawings of single images, scaled and turned, with those of the reference's Qt: every pixel."""

from __future__ import annotations

import ctypes
import os

import numpy as np
import pytest

from tests.procgen import qt, reference
from tests.support.libraries import library

# Drawings of each image in each case. Qt draws an image of one pixel in another way, but no game has any.
COUNT = max(int(os.environ.get("ENVPOOL_TEST_PROCGEN", "12")), 12) * 10
SIZES = [(2, 3), (16, 16), (31, 77), (128, 256), (300, 100)]

pytestmark = pytest.mark.skipif(reference.folder() is None, reason="needs procgen2")


def random_image(random, width, height):
    """Returns an image of which some pixels are opaque, some are partly so, and some are invisible."""
    alpha = random.choice([0, 255, 255, 128], (height, width)) ^ random.integers(0, 2, (height, width))
    alpha = np.where(random.random((height, width)) < 0.3, random.integers(0, 256, (height, width)), alpha)
    alpha[0, 0] = 200  # so that a small image is not invisible
    image = alpha << 24
    for shift in (16, 8, 0):
        image |= random.integers(0, 256, (height, width)) * alpha // 255 << shift
    return image.astype(np.uint32)


def places(random, count, on_ties):
    """Returns rectangles around and beyond the edges of the canvas; on ties, their edges are between or at pixels.

    Half of those on ties are moved by a rounding, with which the first or last pixel can be outside of the image. They do
    not begin at the last pixel of the canvas, where Qt draws a pixel even if none is left.
    """
    if on_ties:
        size, middle = random.integers(1, 60, (count, 2)) / 2, random.integers(-20, 280, (count, 2)) / 4
        moves = random.choice([0, 0, -1, 1], (count, 2)) * random.choice([1e-7, 1e-6, 1e-5], (count, 2))
        middle += np.where(middle - size / 2 < 63, moves, 0)
    else:
        size, middle = random.uniform(1, 30, (count, 2)), random.uniform(-5, 69, (count, 2))
    return np.concatenate([middle - size / 2, size], axis=1)


def angles(random, kind, count):
    right = np.float32(np.pi) / 2
    if kind == "any":
        return random.uniform(-9, 9, count).astype(np.float32)
    return (right * random.integers(-8, 9, count) / (2 if kind == "diagonal" else 1)).astype(np.float32)


@pytest.mark.parametrize("on_ties", [False, True])
@pytest.mark.parametrize("opacity", [1, 0.3])
@pytest.mark.parametrize("kind", ["none", "any", "right", "diagonal"])
@pytest.mark.parametrize("size", SIZES)
def test_equal_qt(size, kind, opacity, on_ties):
    random = np.random.default_rng([*size, len(kind), on_ties])
    image = random_image(random, *size)
    rectangles = np.zeros((COUNT, 5))
    rectangles[:, :4] = places(random, COUNT, on_ties)
    if kind != "none":
        rectangles[:, 4] = angles(random, kind, COUNT)
    before = random.integers(0, 1 << 24, (COUNT, 64, 64), np.uint32) | np.uint32(0xFF000000)
    theirs, ours = before.copy(), before.copy()
    qt.draw(image, rectangles, theirs, turned=kind != "none", opacity=opacity)
    _draw(image, rectangles, ours, turned=kind != "none", opacity=opacity)
    different = np.flatnonzero((ours != theirs).any((1, 2)))
    assert different.size == 0, (different.size, rectangles[different[0]].tolist())
    assert (ours != before).any((1, 2)).sum() > COUNT // 4


def _draw(image, rectangles, canvases, *, turned=False, opacity=1):
    functions = ctypes.CDLL(library("procgen_testing"))
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (image, rectangles, canvases)]
    functions.procgen_draw(
        pointers[0],
        *image.shape[::-1],
        pointers[1],
        int(turned),
        ctypes.c_float(opacity),
        len(rectangles),
        pointers[2],
    )


@pytest.mark.parametrize("size", SIZES)
def test_steps_that_are_almost_whole_numbers(size):
    """One rounding more or less in the step from pixel to pixel shows another pixel."""
    random = np.random.default_rng(size)
    rectangles = np.zeros((COUNT, 5))
    for axis in range(2):
        step = random.integers(max(size[axis] * 65536 // 60, 1), size[axis] * 65536 // 5, COUNT)
        first, pixel = random.integers(0, 20, COUNT), random.integers(0, 4, COUNT)
        source = np.round((0.5 + pixel) * step / 65536)  # the pixel of the image to which the step leads
        rectangles[:, axis] = first + 0.5 - (source * 65536 - pixel * step + random.integers(1, 4, COUNT)) / step
        rectangles[:, 2 + axis] = size[axis] * 65536 / step
    image, before = random_image(random, *size), np.full((COUNT, 64, 64), 0xFF000000, np.uint32)
    theirs, ours = before.copy(), before.copy()
    qt.draw(image, rectangles, theirs)
    _draw(image, rectangles, ours)
    assert np.flatnonzero((ours != theirs).any((1, 2))).size == 0
    assert (ours != before).any((1, 2)).sum() > COUNT // 2
