# SPDX-License-Identifier: Apache-2.0
"""A window as a screen and a keyboard, with pygame."""

from __future__ import annotations

import importlib.util
import os
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

NAMES = ["up", "down", "left", "right", "space", "r", "q", *map(str, range(10))]


def can_open() -> bool:
    """Whether there is a display, and pygame."""
    return not why_no_window()


def why_no_window() -> str:
    """Returns what a window lacks here, as the end of a sentence, or "" if a window can open."""
    if importlib.util.find_spec("pygame") is None:
        return "the package pygame is not installed: pip install pygame"
    # SDL, which pygame draws with, takes another display where one is named.
    if not any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")):
        return "there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set"
    return ""


class Window:
    """The screen and the keyboard."""

    def __init__(self, title: str, height: int, width: int) -> None:
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        import pygame

        self._pygame: Any = pygame
        pygame.display.init()
        scale = max(1, 640 // height)
        stretch = 2 if width < height else 1  # a console's 160 columns are as wide as they are on a television
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
        """Closes it."""
        self._pygame.display.quit()

    def keys(self) -> set[str]:
        """Keys that are held now, or were pressed since it was last asked: a tap may be shorter than a step."""
        pygame = self._pygame
        events = pygame.event.get()
        if any(event.type == pygame.QUIT for event in events):
            return {"q"}
        pressed = {event.key for event in events if event.type == pygame.KEYDOWN}
        held = pygame.key.get_pressed()
        codes = {name: pygame.key.key_code(name) for name in NAMES}
        return {name for name, code in codes.items() if held[code] or code in pressed}

    def wants_picture(self) -> bool:
        """Always: a window is quick."""
        return True

    def show(self, picture: npt.NDArray[np.uint8], status: str) -> None:
        """Draws it."""
        surface = self._pygame.surfarray.make_surface(picture.swapaxes(0, 1))
        self._screen.blit(self._pygame.transform.scale(surface, self._size), (0, 0))
        self._pygame.display.set_caption(f"{self._title}  {status}")
        self._pygame.display.flip()
