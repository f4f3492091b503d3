# SPDX-License-Identifier: Apache-2.0
"""Tests what Craftax and Craftax-Classic do with textures that are missing, bad or the caller's own."""

from __future__ import annotations

import io
import re
import sys

import numpy as np
import pytest
from PIL import Image

import envpool
from envpool.craftax import textures

PIXELS = "Craftax-Classic-Pixels-v1"
# Ids, the number of their textures, the folder that has them, and the shape of an image.
GAMES = [
    (PIXELS, 46, "craftax_classic", (63, 63, 3)),
    ("Craftax-Pixels-v1", 126, "craftax", (130, 110, 3)),
]
with io.BytesIO() as _file:
    Image.new("RGBA", (17, 16)).save(_file, "png")
    WIDE = _file.getvalue()


@pytest.mark.parametrize(("task_id", "count", "game", "shape"), GAMES)
def test_missing_and_wrong_textures_are_named(monkeypatch, tmp_path, task_id, count, game, shape):
    with pytest.raises(ValueError, match=rf"\[{task_id}\] textures: expected {count * 1024} bytes, got 3"):
        envpool.make(task_id, textures=b"abc")
    with pytest.raises(TypeError, match="textures"):
        envpool.make(task_id, textures=3)
    assets = tmp_path / "craftax" / game / "assets"
    assets.mkdir(parents=True)
    (tmp_path / "craftax" / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.partition(".")[0] == "craftax"]:
        monkeypatch.delitem(sys.modules, name)
    textures.read_textures.cache_clear()
    for content, reason in (
        (None, "No such file or directory"),
        (b"", "cannot identify image file .*"),
        (WIDE, "expected 16 x 16 pixels, got 17 x 16"),
    ):
        if content is not None:
            (assets / "debug_tile.png").write_bytes(content)
        with pytest.raises(envpool.MissingPackageError) as raised:
            envpool.make(task_id)
        begin = re.escape(f"[{task_id}] no texture: {assets / 'debug_tile.png'} cannot be read: ")
        assert re.match(
            begin + reason + "; install it with: .*pip install --no-deps craftax==1.6.1$", str(raised.value)
        )
    monkeypatch.undo()
    textures.read_textures.cache_clear()
    assert envpool.make(task_id).reset()[0].shape == (1, *shape)


@pytest.mark.parametrize(("task_id", "count", "game", "shape"), GAMES)
def test_own_textures_are_drawn(task_id, count, game, shape):
    white = bytes([255]) * count * 16 * 16 * 4
    own, usual = envpool.make(task_id, textures=white), envpool.make(task_id)
    obs, other = own.reset()[0], usual.reset()[0]
    assert len(np.unique(obs[:, :49].reshape(-1, 3), axis=0)) == 1 and len(np.unique(other[:, :49])) > 10
