# SPDX-License-Identifier: Apache-2.0
"""Resizes rendered images, arranges them in a grid, and shows them in a window for `render_mode="human"`."""

from __future__ import annotations

import importlib.util
import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from envpool.python.distribution import pip_install
from envpool.python.errors import missing_package

if TYPE_CHECKING:
    from envpool.python.window import Window

Images = npt.NDArray[np.uint8]


def resized(images: Images, height: int, width: int) -> Images:
    """Resizes images. Each pixel of the result is the mean of the area that it covers.

    Args:
        images: uint8 of shape (n, rows, columns, 3).
        height: rows of the result; 0 keeps the number of rows.
        width: columns of the result; 0 keeps the number of columns.

    Returns:
        uint8 of shape (n, height, width, 3).
    """
    count, rows, columns, channels = images.shape
    height, width = height or rows, width or columns
    if (height, width) == (rows, columns):
        return images
    tall = _means(height, rows) @ images.reshape(count, rows, -1).astype(np.float32)
    whole = _means(width, columns) @ tall.reshape(count, height, columns, channels)
    result: Images = np.rint(whole).astype(np.uint8)
    return result


def _means(size: int, old: int) -> npt.NDArray[np.float32]:
    """Returns the weight of each of `old` pixels in each of `size` new pixels along one axis. Each row sums to 1."""
    edges = np.arange(size + 1) * (old / size)
    pixels = np.arange(old)
    overlap = np.minimum(edges[1:, None], pixels + 1) - np.maximum(edges[:-1, None], pixels)
    shares: npt.NDArray[np.float32] = (np.maximum(overlap, 0) * (size / old)).astype(np.float32)
    return shares


def grid(images: Images) -> Images:
    """Arranges images in a nearly square grid with black lines between them.

    The height and width of the grid are even, as video codecs require.
    """
    count, height, width, _ = images.shape
    columns = math.ceil(math.sqrt(count))
    rows = math.ceil(count / columns)
    sheet = np.zeros((rows * (height + 2), columns * (width + 2), 3), np.uint8)
    for index, image in enumerate(images):
        row, column = divmod(index, columns)
        sheet[row * (height + 2) :, column * (width + 2) :][:height, :width] = image
    return np.pad(sheet, ((0, sheet.shape[0] % 2), (0, sheet.shape[1] % 2), (0, 0)))


class HumanViewer:
    """Shows the images of a pool with `render_mode="human"`. The window opens with the first image."""

    def __init__(self, label: str) -> None:
        """Raises MissingPackageError if pygame is not installed, and RuntimeError if no window can be opened."""
        from envpool.python.window import why_no_window

        if importlib.util.find_spec("pygame") is None:
            raise missing_package("pygame", "pygame", pip_install("pygame"), f"[{label}] render_mode 'human'")
        if reason := why_no_window():
            raise RuntimeError(f"[{label}] render_mode 'human' needs a window, and {reason}")
        self._label = label
        self._window: Window | None = None
        self._size = (0, 0)
        self._dismissed = False

    def show(self, images: Images) -> None:
        """Draws images side by side, unless the user has closed the window.

        Raises:
            RuntimeError: the display cannot be used.
        """
        from envpool.python.window import Window

        if self._dismissed:
            return
        image = images[0] if len(images) == 1 else grid(images)
        size = image.shape[0], image.shape[1]
        try:
            if self._window is None or self._size != size or not self._window.is_open():
                self._window, self._size = Window(self._label, *size), size
            if not self._window.is_seen():
                self.close()
                raise RuntimeError(
                    f"[{self._label}] render_mode 'human' needs a window, and the display that DISPLAY or "
                    "WAYLAND_DISPLAY names cannot be opened"
                )
            self._window.show(image, "")
            pressed = self._window.keys()
            if "q" in pressed:
                self._dismissed = True
                self.close()
        except Exception as error:
            if type(error).__module__.partition(".")[0] != "pygame":
                raise
            raise RuntimeError(f"[{self._label}] render_mode 'human' needs a window: {error}") from None

    def close(self) -> None:
        """Closes the window, unless another window of this process has replaced it."""
        if self._window is not None and self._window.is_open():
            self._window.close()
        self._window = None
