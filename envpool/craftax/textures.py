# SPDX-License-Identifier: Apache-2.0
"""Reads the textures of Craftax-Classic from the package craftax, which is never imported."""

from __future__ import annotations

import functools
import importlib.util
import zlib
from collections.abc import Iterator
from pathlib import Path

from envpool.python.errors import MissingPackageError, missing_package

_INSTALL = "pip install --no-deps craftax==1.6.1"
_SIDE = 16  # pixels
# In the order of enum Texture (classic_art.h). The second, for what is outside the world, is not used.
_NAMES = (
    *("debug_tile", "debug_tile", "grass", "water", "stone", "tree", "wood", "path", "coal", "iron", "diamond"),
    *("table", "furnace", "sand", "lava", "plant_on_grass", "ripe_plant_on_grass"),
    *("player-left", "player-right", "player-up", "player-down", "player-sleep"),
    *("zombie", "cow", "skeleton", "arrow-up"),
    *("health", "food", "drink", "energy", "sapling"),
    *("wood_pickaxe", "stone_pickaxe", "iron_pickaxe", "wood_sword", "stone_sword", "iron_sword"),
    *map(str, range(1, 10)),
)


@functools.lru_cache(maxsize=1)
def read_textures() -> bytes:
    """Returns the textures of the installed package craftax, as RGBA pixels.

    Raises:
        MissingPackageError: craftax is not installed, or has other textures.
    """
    package = importlib.util.find_spec("craftax")
    if package is None or not package.submodule_search_locations:
        raise missing_package("craftax", "the textures of craftax", _INSTALL)
    folder = Path(next(iter(package.submodule_search_locations)), "craftax_classic", "assets")
    return b"".join(_read(folder / f"{name}.png") for name in _NAMES)


def _read(path: Path) -> bytes:
    try:
        return rgba(path.read_bytes())
    except (OSError, ValueError, IndexError, KeyError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise MissingPackageError(
            f"no texture: {path} cannot be read: {reason}; install it with: {_INSTALL}", name="craftax"
        ) from None


def rgba(png: bytes) -> bytes:
    """Returns the pixels of a PNG file of 16 by 16 pixels, four bytes each, without an alpha channel opaque.

    Raises:
        ValueError, IndexError, KeyError, zlib.error: this is not such a file.
    """
    chunks = _chunks(png)
    header = b"".join(data for name, data in chunks if name == b"IHDR")
    palette = b"".join(data for name, data in chunks if name == b"PLTE")
    width, height = int.from_bytes(header[:4], "big"), int.from_bytes(header[4:8], "big")
    depth, color, interlaced = header[8], header[9], header[12]
    channels = {2: 3, 3: 1, 6: 4}[color]  # RGB, a palette, RGBA
    if (width, height) != (_SIDE, _SIDE) or interlaced or (color != 3 and depth != 8) or depth not in (1, 2, 4, 8):
        raise ValueError(f"expected {_SIDE} x {_SIDE} pixels in rows, with 8 bits for each channel")
    row_bytes = _SIDE * depth * channels // 8
    data = zlib.decompressobj().decompress(
        b"".join(data for name, data in chunks if name == b"IDAT"), _SIDE * (1 + row_bytes)
    )
    rows = _unfiltered(data, row_bytes, max(depth * channels // 8, 1))
    if color == 6:
        return bytes(rows)
    if color == 2:
        pixels = [bytes(rows[i : i + 3]) for i in range(0, len(rows), 3)]
    else:
        indices = [byte >> shift & (1 << depth) - 1 for byte in rows for shift in range(8 - depth, -1, -depth)]
        pixels = [palette[3 * i : 3 * i + 3] for i in indices]
    if any(len(pixel) != 3 for pixel in pixels):
        raise ValueError("expected a color for each number of the palette")
    return b"".join(pixel + b"\xff" for pixel in pixels)


def _chunks(png: bytes) -> list[tuple[bytes, bytes]]:
    """Returns the names and contents of the parts of a PNG file."""

    def parts() -> Iterator[tuple[bytes, bytes]]:
        at = 8
        while at + 12 <= len(png):
            size = int.from_bytes(png[at : at + 4], "big")
            yield png[at + 4 : at + 8], png[at + 8 : at + 8 + size]
            at += 12 + size

    if png[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError("expected a PNG file")
    return list(parts())


def _unfiltered(data: bytes, row_bytes: int, pixel_bytes: int) -> bytearray:
    """Returns rows whose bytes a PNG file stores as differences from what it predicts."""
    if len(data) != _SIDE * (1 + row_bytes):
        raise ValueError(f"expected {_SIDE * (1 + row_bytes)} bytes of rows, got {len(data)}")
    result = bytearray()
    above = bytearray(row_bytes)
    for begin in range(0, len(data), 1 + row_bytes):
        kind, row = data[begin], bytearray(data[begin + 1 : begin + 1 + row_bytes])
        for i in range(row_bytes):
            left = row[i - pixel_bytes] if i >= pixel_bytes else 0
            corner = above[i - pixel_bytes] if i >= pixel_bytes else 0
            row[i] = row[i] + (0, left, above[i], (left + above[i]) // 2, _nearest(left, above[i], corner))[kind] & 255
        result += row
        above = row
    return result


def _nearest(left: int, above: int, corner: int) -> int:
    """Returns the one of three bytes that is nearest to left + above - corner, the first of several."""
    guess = left + above - corner
    return min((left, above, corner), key=lambda byte: abs(guess - byte))
