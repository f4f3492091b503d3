# SPDX-License-Identifier: Apache-2.0
"""Shows images in a terminal, two pixels per character, and reads its keyboard.

Terminals report a key when it is pressed and repeatedly while it is held, but do not report its release. A key
therefore counts as held for a short time after each report.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import sys
import time
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

_HOLD = 0.2  # seconds that a key counts as held after its last report
_SECONDS_PER_IMAGE = 1 / 20  # slow enough for an ssh connection
_SHADES = " .:-=+*#%@"
_SEQUENCES = {
    b"\x1b[A": "up",
    b"\x1b[B": "down",
    b"\x1b[C": "right",
    b"\x1b[D": "left",
    b"\x1bOA": "up",
    b"\x1bOB": "down",
    b"\x1bOC": "right",
    b"\x1bOD": "left",
    b" ": "space",
    b"w": "up",
    b"s": "down",
    b"d": "right",
    b"a": "left",
    b"\x03": "q",
    b"\x04": "q",
}

Image = npt.NDArray[np.uint8]


def parse_keys(data: bytes) -> list[str]:
    """Returns the names of the keys in the terminal's input."""
    keys = []
    while data:
        for sequence, name in _SEQUENCES.items():
            if data.startswith(sequence):
                keys.append(name)
                data = data[len(sequence) :]
                break
        else:
            keys.append(chr(data[0]).lower())
            data = data[1:]
    return keys


def fit(image: Image, columns: int, rows: int) -> Image:
    """Scales an image down to at most `columns` by 2 * `rows` pixels by averaging, and keeps its proportions."""
    height, width, _ = image.shape
    scale = min(columns / width, 2 * rows / height, 1)
    to_height, to_width = max(2, int(height * scale) // 2 * 2), max(1, int(width * scale))
    down = np.linspace(0, height, to_height, endpoint=False).astype(int)
    right = np.linspace(0, width, to_width, endpoint=False).astype(int)
    sums = np.add.reduceat(np.add.reduceat(image.astype(np.uint32), down, 0), right, 1)
    counts = np.outer(np.diff(down, append=height), np.diff(right, append=width))
    small: Image = (sums // counts[:, :, None]).astype(np.uint8)
    return small


def lines_of(image: Image, *, colour: bool) -> list[str]:
    """Returns an image as lines of text: half blocks with two colours each, or characters for shades of gray."""
    if not colour:
        gray = image.reshape(-1, 2, *image.shape[1:]).mean((1, 3)).astype(int) * len(_SHADES) // 256
        return ["".join(_SHADES[shade] for shade in row) for row in gray.tolist()]
    lines = []
    for upper, lower in zip(image[::2].tolist(), image[1::2].tolist(), strict=True):
        parts = []
        last = None
        for above, below in zip(upper, lower, strict=True):
            if (above, below) != last:
                parts.append("\x1b[38;2;{};{};{};48;2;{};{};{}m".format(*above, *below))
                last = (above, below)
            parts.append("\u2580")
        lines.append("".join(parts) + "\x1b[0m")
    return lines


class Terminal:
    """Shows images and reads keys. As a context manager, it restores the terminal at the end."""

    def __init__(self) -> None:
        self._colour = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        self._shown: list[str] = []
        self._size = (0, 0)
        self._next = 0.0
        self._pressed: dict[str, float] = {}
        self._input = sys.stdin.fileno() if sys.stdin.isatty() else -1
        self._before: Any = None
        self._on_termination: Any = None

    def __enter__(self) -> Terminal:
        if self._input >= 0:
            import termios
            import tty

            self._before = termios.tcgetattr(self._input)
            tty.setraw(self._input, termios.TCSANOW)
        # By default, this signal ends the process at once, and the terminal would stay as it is.
        self._on_termination = signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
        self._write("\x1b[?1049h\x1b[?25l")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._write("\x1b[0m\x1b[?25h\x1b[?1049l")
        if self._before is not None:
            import termios

            termios.tcsetattr(self._input, termios.TCSADRAIN, self._before)
        signal.signal(signal.SIGTERM, self._on_termination or signal.SIG_DFL)

    def keys(self) -> set[str]:
        """Returns the keys that are held down."""
        now = time.monotonic()
        while self._input >= 0 and select.select([self._input], [], [], 0)[0]:
            data = os.read(self._input, 1024)
            if not data:  # The terminal was closed.
                return {"q"}
            self._pressed.update(dict.fromkeys(parse_keys(data), now + _HOLD))
        return {key for key, until in self._pressed.items() if until > now}

    def wants_image(self) -> bool:
        """Returns whether the next image is due."""
        return time.monotonic() >= self._next

    def show(self, image: Image, status: str) -> None:
        """Draws the lines that have changed."""
        self._next = time.monotonic() + _SECONDS_PER_IMAGE
        size = shutil.get_terminal_size()
        if size != self._size:
            self._size, self._shown = size, []
            self._write("\x1b[2J")
        columns, rows = max(size[0], 4), max(size[1], 2)
        lines = [*lines_of(fit(image, columns, rows - 1), colour=self._colour), status[:columns] + "\x1b[K"]
        old = self._shown + [""] * (len(lines) - len(self._shown))
        changed = [f"\x1b[{row};1H{line}" for row, line in enumerate(lines, 1) if line != old[row - 1]]
        self._shown = lines
        self._write("".join(changed))

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()
