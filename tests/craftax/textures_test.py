# SPDX-License-Identifier: Apache-2.0
"""Tests how textures are read from PNG files, and what Craftax-Classic does with bad ones."""

from __future__ import annotations

import importlib.util
import io
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import envpool
from envpool.craftax import textures

PIXELS = "Craftax-Classic-Pixels-v1"
REFUSALS = (ValueError, IndexError, KeyError, zlib.error)


def folder() -> Path:
    package = importlib.util.find_spec("craftax")
    assert package is not None and package.submodule_search_locations
    return Path(next(iter(package.submodule_search_locations)))


def png_of(image: Image.Image, **options: int) -> bytes:
    file = io.BytesIO()
    image.save(file, "png", **options)
    return file.getvalue()


def test_all_files_of_craftax_are_read_as_pillow_reads_them():
    paths = [*folder().glob("craftax_classic/assets/*.png"), *folder().glob("craftax/assets/*.png")]
    assert len(paths) > 200
    for path in paths:
        assert textures.rgba(path.read_bytes()) == Image.open(path).convert("RGBA").tobytes(), path
    assert len(textures.read_textures()) == 46 * 16 * 16 * 4


@pytest.mark.parametrize(("mode", "bits"), [("RGB", 8), ("RGBA", 8), ("P", 8), ("P", 4), ("P", 2), ("P", 1)])
def test_random_files_are_read_as_pillow_reads_them(mode, bits):
    rng = np.random.default_rng(bits)
    for smooth in (False, True) * 4:  # other filters predict smooth rows best
        noise = rng.integers(0, 256, (16, 16, 4))
        pixels = (np.cumsum(noise % 5, axis=1) + np.cumsum(noise % 7, axis=0)) % 256 if smooth else noise
        image = Image.fromarray(pixels.astype(np.uint8)).convert("RGB" if mode == "P" else mode)
        image = image.quantize(2**bits) if mode == "P" else image
        png = png_of(image, **({"bits": bits} if mode == "P" else {}))
        assert textures.rgba(png) == image.convert("RGBA").tobytes()


def test_bad_files_are_refused():
    rng, good = np.random.default_rng(0), (folder() / "craftax_classic" / "assets" / "cow.png").read_bytes()
    refused = 0
    for size in range(len(good)):  # the last bytes have no pixels
        try:
            assert textures.rgba(good[:size]) == textures.rgba(good) and size > len(good) // 2
        except REFUSALS:
            assert size < len(good) - 12
    for _ in range(800):
        png = bytearray(good)
        for at in rng.integers(0, len(png), rng.integers(1, 4)):
            png[at] = rng.integers(0, 256)
        try:
            assert len(textures.rgba(bytes(png))) == 1024
        except REFUSALS:
            refused += 1
    assert 150 < refused < 800
    for other in (Image.new("RGBA", (17, 16)), Image.new("L", (16, 16)), Image.new("LA", (16, 16))):
        with pytest.raises(REFUSALS):
            textures.rgba(png_of(other))
    huge = zlib.compress(bytes(10_000_000))  # decompression ends where the rows end
    assert textures.rgba(good[:33] + len(huge).to_bytes(4, "big") + b"IDAT" + huge + bytes(4)) == bytes(1024)


def test_missing_and_wrong_textures_are_named(monkeypatch, tmp_path):
    with pytest.raises(ValueError, match=r"\[Craftax-Classic-Pixels-v1\] textures: expected 47104 bytes, got 3"):
        envpool.make(PIXELS, textures=b"abc")
    with pytest.raises(TypeError, match="textures"):
        envpool.make(PIXELS, textures=3)
    assets = tmp_path / "craftax" / "craftax_classic" / "assets"
    assets.mkdir(parents=True)
    (tmp_path / "craftax" / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.partition(".")[0] == "craftax"]:
        monkeypatch.delitem(sys.modules, name)
    textures.read_textures.cache_clear()
    for content, reason in ((None, "No such file or directory"), (b"", "expected a PNG file")):
        if content is not None:
            (assets / "debug_tile.png").write_bytes(content)
        with pytest.raises(envpool.MissingPackageError) as raised:
            envpool.make(PIXELS)
        text = str(raised.value)
        assert text.startswith(
            f"[{PIXELS}] no texture: {assets / 'debug_tile.png'} cannot be read: {reason}; install it"
        )
        assert text.endswith("pip install --no-deps craftax==1.6.1")
    monkeypatch.undo()
    textures.read_textures.cache_clear()
    assert envpool.make(PIXELS).reset()[0].shape == (1, 63, 63, 3)


def test_own_textures_are_drawn():
    white = bytes([255]) * 46 * 16 * 16 * 4
    own, usual = envpool.make(PIXELS, textures=white), envpool.make(PIXELS)
    obs, other = own.reset()[0], usual.reset()[0]
    assert len(np.unique(obs[:, :49].reshape(-1, 3), axis=0)) == 1 and len(np.unique(other[:, :49])) > 10
