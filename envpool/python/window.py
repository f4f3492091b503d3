# SPDX-License-Identifier: Apache-2.0
"""A pygame window that shows images and reads the keyboard."""

from __future__ import annotations

import importlib.util
import os
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

NAMES = ["up", "down", "left", "right", "space", "r", "q", *map(str, range(10))]


def can_open() -> bool:
    """Returns whether pygame is installed and a display is available."""
    return not why_no_window()


def why_no_window() -> str:
    """Returns why no window can be opened, as the end of a sentence, or "" if one can."""
    if importlib.util.find_spec("pygame") is None:
        return "the package pygame is not installed: pip install pygame"
    # SDL, which pygame uses, can draw to other displays than X11 and Wayland.
    if not any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")):
        return "there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set"
    return ""


class Window:
    """Shows images and reads the keyboard. As a context manager, it closes the window at the end."""

    def __init__(self, title: str, height: int, width: int) -> None:
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        import pygame

        self._pygame: Any = pygame
        pygame.display.init()
        scale = max(1, 640 // height)
        stretch = 2 if width < height else 1  # Atari's pixels are twice as wide as they are high
        self._size = (width * scale * stretch, height * scale)
        self._screen = pygame.display.set_mode(self._size)
        self._title = title

    def __enter__(self) -> Window:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def is_open(self) -> bool:
        """Returns whether the window is open; another window of this process may have replaced it."""
        return bool(self._pygame.display.get_init()) and self._pygame.display.get_surface() is self._screen

    def is_seen(self) -> bool:
        """Returns whether a real display shows the window; SDL falls back to a dummy driver without one."""
        return "SDL_VIDEODRIVER" in os.environ or self._pygame.display.get_driver() not in ("dummy", "offscreen")

    def close(self) -> None:
        """Closes the window."""
        self._pygame.display.quit()

    def keys(self) -> set[str]:
        """Returns the keys that are held down or were pressed since the last call, because a tap may be short."""
        pygame = self._pygame
        events = pygame.event.get()
        if any(event.type == pygame.QUIT for event in events):
            return {"q"}
        pressed = {event.key for event in events if event.type == pygame.KEYDOWN}
        held = pygame.key.get_pressed()
        codes = {name: pygame.key.key_code(name) for name in NAMES}
        return {name for name, code in codes.items() if held[code] or code in pressed}

    def wants_image(self) -> bool:
        """Returns True, because a window is fast enough to show every image."""
        return True

    def show(self, image: npt.NDArray[np.uint8], status: str) -> None:
        """Draws an image, and shows `status` in the title."""
        surface = self._pygame.surfarray.make_surface(image.swapaxes(0, 1))
        self._screen.blit(self._pygame.transform.scale(surface, self._size), (0, 0))
        self._pygame.display.set_caption(f"{self._title}  {status}")
        self._pygame.display.flip()
