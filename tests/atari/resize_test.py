# SPDX-License-Identifier: Apache-2.0
"""Tests that every pixel of resize.h equals cv2.resize's, with scalar and with SIMD code.

Run as a program, with ENVPOOL_TEST_LIB_DIR set as `make test` does, this file times both paths and cv2.
"""

import ctypes
import functools
import itertools
import time

import numpy as np
import pytest

from tests.support import libraries

cv2 = pytest.importorskip("cv2")

KERNELS = ["copy", "box", "area", "fixed"]
HEIGHTS = [210, 214, 220, 230, 250]
SIZES = [
    *[(84, 84), (42, 42), (64, 64), (96, 96), (105, 80), (110, 84), (128, 128), (210, 160)],
    *[(250, 200), (300, 400), (37, 91), (91, 37), (70, 40), (42, 32), (30, 20), (10, 16), (1, 1)],
    *[(105, 160), (420, 320), (84, 160), (84, 161), (211, 84), (209, 159), (1, 160), (210, 1)],
    *[(7, 11), (5, 600), (600, 5), (214, 160), (220, 160), (230, 160), (250, 160), (125, 80)],
    *[(2, 3), (210, 80), (125, 160)],
]
CV2 = {"area": cv2.INTER_AREA, "linear": cv2.INTER_LINEAR}
PATHS = ["scalar", "dispatched"]


def _address(array):
    return ctypes.c_void_p(None if array is None else array.ctypes.data)


class Resizer:
    """The plan of one geometry and the three resize functions, on arrays."""

    def __init__(self, library, source, target, interpolation):
        self.library = library
        self.target = target
        self.source = source
        args = (*source, *target, int(interpolation == "linear"))
        size = library.resize_plan(*args, None, 0)
        assert size > 0, args
        # A plan must be relocatable, so this one is used at another address than the one at which it was built.
        buffer = np.zeros(size + 64, np.uint8)
        start = -buffer.ctypes.data % 64
        self.plan = buffer[start : start + size]
        library.resize_plan(*args, _address(self.plan), size)
        self.kernel = KERNELS[library.resize_plan_kernel(_address(self.plan))]

    def _run(self, function, shape, *args, path):
        # Guard bytes on both sides detect vector stores outside of the result.
        count = int(np.prod(shape))
        out = np.full(count + 128, 0xA5, np.uint8)
        function(_address(self.plan), *args, _address(out[64:]), int(path == "scalar"))
        assert (out[:64] == 0xA5).all(), "wrote before the result"
        assert (out[64 + count :] == 0xA5).all(), "wrote past the result"
        return out[64 : 64 + count].reshape(shape)

    def gray(self, image, path):
        assert image.shape == self.source and image.strides[1] == 1
        stride = ctypes.c_longlong(image.strides[0])
        return self._run(self.library.resize_gray, self.target, _address(image), stride, path=path)

    def indexed_max(self, a, b, table, path):
        args = (_address(a), _address(b), _address(table))
        return self._run(self.library.resize_indexed_max, self.target, *args, path=path)

    def rgb_max(self, a, b, table, path):
        args = (_address(a), _address(b), _address(table))
        return self._run(self.library.resize_rgb_max, (3, *self.target), *args, path=path)


def load():
    """Loads resize_capi.cc."""
    loaded = ctypes.CDLL(libraries.library("atari_testing"))
    number, size, address = ctypes.c_int, ctypes.c_longlong, ctypes.c_void_p
    loaded.resize_plan.argtypes = [*[number] * 5, address, size]
    loaded.resize_plan.restype = size
    return loaded


@pytest.fixture(scope="module")
def library():
    return load()


def images(height, width, rng):
    """Returns images that together reach every branch: noise, extremes, sparse, flat bands, ramps."""
    shape = (height, width)
    yield rng.integers(0, 256, shape, np.uint8)
    yield rng.choice(np.array([0, 255], np.uint8), shape)
    yield np.where(rng.random(shape) < 0.02, rng.integers(0, 256, shape), 0).astype(np.uint8)
    bands = np.repeat(rng.integers(0, 256, (height // 7 + 1, width), np.uint8), 7, axis=0)[:height]
    yield np.ascontiguousarray(bands)
    ragged = np.cumsum(rng.random(height) < 0.3)
    yield np.ascontiguousarray(rng.integers(0, 256, (height, width), np.uint8)[ragged])
    y, x = np.mgrid[:height, :width]
    yield ((x + y) % 256).astype(np.uint8)
    yield (x * 255 // max(width - 1, 1)).astype(np.uint8)
    yield np.full(shape, 255, np.uint8)


def even(image):
    return image & 0xFE


def expected(image, target, interpolation):
    return cv2.resize(image, (target[1], target[0]), interpolation=CV2[interpolation])


def expected_rgb(image, target, interpolation):
    """Resizes an image of shape (height, width, 3) with cv2; the result has the shape (3, height, width)."""
    return np.moveaxis(expected(image, target, interpolation), -1, 0)


@pytest.mark.parametrize("interpolation", CV2)
@pytest.mark.parametrize("height", HEIGHTS)
def test_gray_equals_cv2(library, height, interpolation):
    rng = np.random.default_rng(height)
    kernels = set()
    for target in SIZES:
        resizer = Resizer(library, (height, 160), target, interpolation)
        kernels.add(resizer.kernel)
        for image in images(height, 160, rng):
            want = expected(image, target, interpolation)
            for path in PATHS:
                np.testing.assert_array_equal(resizer.gray(image, path), want, f"{target} {path}")
    assert "fixed" in kernels and (interpolation == "linear" or "area" in kernels)


@pytest.mark.parametrize("interpolation", CV2)
def test_any_geometry_equals_cv2(library, interpolation):
    """Random geometries, including sources that are too narrow for SIMD."""
    rng = np.random.default_rng(1)
    for _ in range(400):
        source = tuple(int(v) for v in rng.integers(1, 300, 2))
        target = tuple(int(v) for v in rng.integers(1, 300, 2))
        if rng.random() < 0.3:
            target = tuple(max(1, side // int(rng.integers(1, 6))) for side in source)
        image = rng.integers(0, 256, source, np.uint8)
        want = expected(image, target, interpolation)
        resizer = Resizer(library, source, target, interpolation)
        for path in PATHS:
            got = resizer.gray(image, path)
            np.testing.assert_array_equal(got, want, f"{source} {target} {path}")


@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize("interpolation", CV2)
@pytest.mark.parametrize("height", [210, 250])
def test_indexed_max_and_rgb_max_equal_cv2(library, height, interpolation):
    rng = np.random.default_rng(height + 1)
    gray = rng.integers(0, 256, 256, np.uint8)
    rgb = rng.integers(0, 256, (256, 3), np.uint8)
    for target in SIZES:
        resizer = Resizer(library, (height, 160), target, interpolation)
        frames = list(images(height, 160, rng))
        for number, a in enumerate(frames):
            b = frames[(number + 3) % len(frames)].copy()
            b[: height // 2] = a[: height // 2]
            if number % 2 == 0:  # most of the console's colours are even; odd ones must work as well
                a, b = even(a), even(b)
            for second in (b, a, None):
                other = a if second is None else second
                want = expected(np.maximum(gray[a], gray[other]), target, interpolation)
                want_rgb = expected_rgb(np.maximum(rgb[a], rgb[other]), target, interpolation)
                for path in PATHS:
                    np.testing.assert_array_equal(resizer.indexed_max(a, second, gray, path), want)
                    np.testing.assert_array_equal(resizer.rgb_max(a, second, rgb, path), want_rgb)


WIDE = {  # screens of ViZDoom: four columns of the result need more than 16 bytes of a row
    ((240, 320), (84, 84)): 5,
    ((240, 320), (64, 67)): 6,
    ((300, 400), (84, 84)): 6,
}


@pytest.mark.parametrize(("source", "target"), WIDE)
def test_wide_rows_equal_cv2(library, source, target):
    """Compares with SIMD code in which each tap has loads of its own."""
    rng = np.random.default_rng(3)
    resizer = Resizer(library, source, target, "area")
    assert library.resize_plan_vector_depth(_address(resizer.plan)) == WIDE[source, target]
    for image in images(*source, rng):
        want = expected(image, target, "area")
        for path in PATHS:
            np.testing.assert_array_equal(resizer.gray(image, path), want, path)


def test_rows_may_be_strided(library):
    wide = np.random.default_rng(2).integers(0, 256, (210, 320), np.uint8)
    image = wide[:, 77:237]
    want = expected(np.ascontiguousarray(image), (84, 84), "area")
    resizer = Resizer(library, (210, 160), (84, 84), "area")
    for path in PATHS:
        np.testing.assert_array_equal(resizer.gray(image, path), want)


def test_geometries_take_their_kernels(library):
    """The expected kernels are selected. Comparisons of pixels cannot show this."""
    kernels = {
        ((84, 84), "area"): "area",
        ((84, 84), "linear"): "fixed",
        ((105, 80), "area"): "box",
        ((105, 80), "linear"): "box",
        ((70, 40), "linear"): "fixed",
        ((210, 160), "area"): "copy",
        ((300, 400), "area"): "fixed",
    }
    for (target, interpolation), kernel in kernels.items():
        assert Resizer(library, (210, 160), target, interpolation).kernel == kernel
    for height in HEIGHTS:
        resizer = Resizer(library, (height, 160), (84, 84), "area")
        assert library.resize_plan_vector_depth(_address(resizer.plan)) == 3


def test_sizes_out_of_range_are_rejected(library):
    for sizes in [(0, 160, 84, 84), (210, 160, 84, 0), (513, 160, 84, 84), (210, 160, 84, 16385)]:
        assert library.resize_plan(*sizes, 0, None, 0) == -1


GAMES = [
    *["pong", "breakout", "space_invaders", "seaquest", "montezuma_revenge", "beam_rider"],
    *["freeway", "zaxxon", "carnival", "pooyan", "journey_escape", "air_raid"],
]  # the last four have 214, 220, 230 and 250 rows
REAL_SIZES = [(84, 84), (105, 80), (96, 96), (64, 64), (210, 160), (250, 200)]


def play(name):
    """Plays random actions; returns the gray and RGB palettes, and pairs of successive frames of palette indices."""
    ale_py = pytest.importorskip("ale_py")
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    ale = ale_py.ALEInterface()
    ale.setInt("random_seed", 1)
    ale.loadROM(ale_py.roms.get_rom_path(name))
    rng = np.random.default_rng(3)
    actions = ale.getMinimalActionSet()
    gray, rgb, pairs = np.zeros(256, np.uint8), np.zeros((256, 3), np.uint8), []
    before = ale.getScreen()
    for step in range(600):
        ale.act(actions[rng.integers(len(actions))])
        if ale.game_over():
            ale.reset_game()
        screen = ale.getScreen()
        gray[screen] = ale.getScreenGrayscale()
        rgb[screen] = ale.getScreenRGB()
        if step % 25 == 0:
            pairs.append((np.ascontiguousarray(before), np.ascontiguousarray(screen)))
        before = screen.copy()
    return gray, rgb, pairs


@pytest.fixture(scope="module", params=GAMES)
def game(request):
    return play(request.param)


@pytest.mark.sampled(one_in=4)
@pytest.mark.parametrize("interpolation", CV2)
@pytest.mark.parametrize("target", REAL_SIZES)
def test_real_frames_equal_cv2(library, game, target, interpolation):
    gray, rgb, pairs = game
    resizer = Resizer(library, pairs[0][0].shape, target, interpolation)
    for a, b in pairs:
        want = expected(np.maximum(gray[a], gray[b]), target, interpolation)
        want_rgb = expected_rgb(np.maximum(rgb[a], rgb[b]), target, interpolation)
        for path in PATHS:
            np.testing.assert_array_equal(resizer.indexed_max(a, b, gray, path), want)
            np.testing.assert_array_equal(resizer.rgb_max(a, b, rgb, path), want_rgb)


def best_us(call, times):
    """Returns the microseconds of one call in the best of five rounds."""
    rounds = []
    for _ in range(5):
        start = time.perf_counter()
        call()
        rounds.append(time.perf_counter() - start)
    return min(rounds) / times * 1e6


def benchmark():
    """Prints the microseconds per image of cv2's resize alone, and of ours with lookup and maximum."""
    times, out = 20, np.zeros(84 * 84, np.uint8)
    cv2.setNumThreads(1)
    library = load()
    for name, interpolation in itertools.product(GAMES, CV2):
        gray, _, pairs = play(name)
        resizer = Resizer(library, pairs[0][0].shape, (84, 84), interpolation)
        took = {"cv2": [], "ours": [], "scalar": []}
        for a, b in pairs:
            args = [_address(array) for array in (resizer.plan, a, b, gray, out)]
            image = np.maximum(gray[a], gray[b])
            ours = functools.partial(library.resize_indexed_max_repeat, *args)
            reference = functools.partial(expected, image, (84, 84), interpolation)
            took["cv2"].append(best_us(lambda call=reference: [call() for _ in range(20)], times))
            took["ours"].append(best_us(functools.partial(ours, 0, times), times))
            took["scalar"].append(best_us(functools.partial(ours, 1, times), times))
        line = " ".join(f"{key} {np.mean(values):6.2f}" for key, values in took.items())
        print(f"{name:18}{interpolation:7} {line}")


if __name__ == "__main__":
    benchmark()
