# SPDX-License-Identifier: Apache-2.0
"""Chooses moves with the keyboard, in games that wait for their players."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from envpool.cli.keys import Keys, directions

_WORDS = {"left": (-1, 0), "right": (1, 0), "up": (0, 1), "down": (0, -1)}


class Moves:
    """Moves of an environment that says which actions are legal.

    A digit makes the move with that number. The arrow keys make the moves that are named after them or, if there are
    none, choose one of the legal moves, which the space bar then makes. All players use the same keyboard.
    """

    def __init__(self, env: Any) -> None:
        (field,) = env.spec.arrays.actions
        named = {word: int(number) for number, word in re.findall(r"(\d+) (?:\w+ )*?(left|right|up|down)\b", field.doc)}
        self._by_direction = {_WORDS[word]: number for word, number in named.items()} if len(named) == 4 else {}
        boards = [part.shape for part in env.spec.arrays.infos if part.name == "board"]
        self._columns = boards[0][-1] if boards else 1
        self._before: Keys = set()
        self.chosen = 0

    def first_legal(self, info: dict[str, Any]) -> int:
        """Returns the legal move with the lowest number."""
        return int(np.argmax(info["action_mask"][0]))

    def made(self, keys: Keys, info: dict[str, Any]) -> int | None:
        """Returns the move that was made with the keys that have just been pressed; None if none was made."""
        pressed, self._before = keys - self._before, set(keys)
        legal = np.flatnonzero(info["action_mask"][0])
        if self.chosen not in legal and len(legal) > 0:  # no move is legal after the end of some games
            self.chosen = int(legal[0])
        digits = [int(key) for key in pressed if key.isdigit() and int(key) < len(info["action_mask"][0])]
        if digits:
            return digits[0]
        x, y = directions(pressed)
        if (x, y) in self._by_direction:
            return self._by_direction[x, y]
        step = x - y * self._columns
        ahead = legal[(legal - self.chosen) * np.sign(step) > 0]
        if len(ahead):
            self.chosen = int(ahead[np.argmin(np.abs(ahead - self.chosen - step))])
        return self.chosen if "space" in pressed else None

    def status(self, info: dict[str, Any]) -> str:
        """Returns who moves and which move is chosen."""
        mover = f"player {info['current_player'][0]}, " if "current_player" in info else ""
        return f"{mover}move {self.chosen}"


def waits(env: Any) -> bool:
    """Whether an environment waits for its players: it says which actions are legal, and has one action at a time."""
    arrays = env.spec.arrays
    masked = any(field.name == "action_mask" for field in arrays.infos)
    return masked and arrays.actors == 1 and len(arrays.actions) == 1 and not arrays.actions[0].shape
