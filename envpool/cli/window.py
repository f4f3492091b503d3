# SPDX-License-Identifier: Apache-2.0
"""A window as a screen and a keyboard, with pygame."""

from __future__ import annotations

import importlib.util
import os
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt


def can_open() -> bool:
    """Whether there is a display, and pygame."""
    display = any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
    return display and importlib.util.find_spec("pygame") is not None


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
        self._pygame.display.quit()

    def keys(self) -> set[str]:
        """Keys that are held now."""
        pygame = self._pygame
        if any(event.type == pygame.QUIT for event in pygame.event.get()):
            return {"q"}
        held = pygame.key.get_pressed()
        names = ["up", "down", "left", "right", "space", "r", "q", *map(str, range(10))]
        return {name for name in names if held[pygame.key.key_code(name)]}

    def wants_picture(self) -> bool:
        """Always: a window is quick."""
        return True

    def show(self, picture: npt.NDArray[np.uint8], status: str) -> None:
        """Draws it."""
        surface = self._pygame.surfarray.make_surface(picture.swapaxes(0, 1))
        self._screen.blit(self._pygame.transform.scale(surface, self._size), (0, 0))
        self._pygame.display.set_caption(f"{self._title}  {status}")
        self._pygame.display.flip()
