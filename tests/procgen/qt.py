# SPDX-License-Identifier: Apache-2.0
"""Draws images with the Qt that the package procgen2 contains, by calling the functions of its shared object."""

from __future__ import annotations

import ctypes
import functools
from pathlib import Path

import numpy as np

from tests.procgen import reference

_SIDE = 64
_RGB32, _PREMULTIPLIED = 4, 6  # QImage::Format
_OBJECT_BYTES = 64  # at least the size of QImage and of QPainter


@functools.cache
def _library() -> ctypes.CDLL:
    packages = reference.folder().parent
    reference.library()  # which loads what Qt needs
    return ctypes.CDLL(str(next(Path(packages, "procgen2.libs").glob("libQt5Gui-*"))))


class _Image:
    """A QImage of an array of 32-bit pixels."""

    def __init__(self, pixels: np.ndarray, image_format: int) -> None:
        self._pixels = pixels
        self.memory = ctypes.create_string_buffer(_OBJECT_BYTES)
        height, width = pixels.shape
        _library()["_ZN6QImageC1EPhiiiNS_6FormatEPFvPvES2_"](
            self.memory, ctypes.c_void_p(pixels.ctypes.data), width, height, 4 * width, image_format, None, None
        )

    def __del__(self) -> None:
        _library()["_ZN6QImageD1Ev"](self.memory)


def _doubles(*values: float) -> ctypes.Array:
    return (ctypes.c_double * len(values))(*values)


def draw(
    image: np.ndarray, rectangles: np.ndarray, canvases: np.ndarray, *, turned: bool = False, opacity: float = 1
) -> None:
    """Draws an image on each of the canvases, in the way in which the reference draws it.

    Args:
        image: premultiplied pixels, u32[height, width].
        rectangles: for each canvas the left and upper edge, the width, the height and the angle in radians.
        canvases: u32[n, 64, 64], which is changed.
        turned: whether to draw as the reference draws turned images, around their middle.
        opacity: from 0 to 1.
    """
    lib = _library()
    source = _Image(image, _PREMULTIPLIED)
    whole = _doubles(0, 0, image.shape[1], image.shape[0])
    for canvas, (x, y, width, height, angle) in zip(canvases, rectangles.tolist(), strict=True):
        target = _Image(canvas, _RGB32)
        painter = ctypes.create_string_buffer(_OBJECT_BYTES)
        lib["_ZN8QPainterC1EP12QPaintDevice"](painter, target.memory)
        if opacity != 1:
            lib["_ZN8QPainter10setOpacityEd"](painter, ctypes.c_double(opacity))
        if turned:
            degrees = np.float32(np.float32(angle) * np.float32(180)) / np.float32(np.pi)
            lib["_ZN8QPainter9translateERK7QPointF"](painter, _doubles(x + width / 2, y + height / 2))
            lib["_ZN8QPainter6rotateEd"](painter, ctypes.c_double(float(degrees)))
            x, y = -width / 2, -height / 2
        lib["_ZN8QPainter9drawImageERK6QRectFRK6QImageS2_6QFlagsIN2Qt19ImageConversionFlagEE"](
            painter, _doubles(x, y, width, height), source.memory, whole, 0
        )
        lib["_ZN8QPainterD1Ev"](painter)
