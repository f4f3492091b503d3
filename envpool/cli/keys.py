# SPDX-License-Identifier: Apache-2.0
"""Maps pressed keys to actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

# Names of keys: "up", "down", "left", "right", "space", "0".."9", "r", "q".
Keys = set[str]

# ALE's eighteen actions: for each direction, the action without FIRE and the action with FIRE.
_ATARI = {
    (0, 0): (0, 1),
    (0, 1): (2, 10),
    (1, 0): (3, 11),
    (-1, 0): (4, 12),
    (0, -1): (5, 13),
    (1, 1): (6, 14),
    (-1, 1): (7, 15),
    (1, -1): (8, 16),
    (-1, -1): (9, 17),
}


def directions(keys: Keys) -> tuple[int, int]:
    """Returns the horizontal and vertical direction: 1 for right and up, -1 for left and down."""
    return ("right" in keys) - ("left" in keys), ("up" in keys) - ("down" in keys)


def atari_action(keys: Keys, *, has_fire: bool = True) -> int:
    """Returns one of the eighteen actions, or of the nine actions of a game without FIRE."""
    plain, fire = _ATARI[directions(keys)]
    if not has_fire:
        return max(plain - 1, 0)
    return fire if "space" in keys else plain


def discrete_action(keys: Keys, count: int, held: int) -> int:
    """Returns the action of a digit key, or the first action for left and the last one for right.

    If no key is pressed, returns the middle action or, if the number of actions is even, the previous action `held`.
    """
    for key in keys:
        if key.isdigit() and int(key) < count:
            return int(key)
    x, y = directions(keys)
    if x or y:
        return 0 if x + y < 0 else count - 1
    return count // 2 if count % 2 else held


def action_for(env: Any) -> Callable[[Keys], Any]:
    """Returns a function from keys to a batch of one action. Raises ValueError if keys cannot express the action."""
    actors = env.spec.arrays.actors
    if actors > 1:
        raise ValueError(
            f"[{env.spec.id}] task_id: expected an environment with one action at a time, because all players use the same "
            f"keyboard, got one of up to {actors} players who act at the same time"
        )
    space = env.single_action_space
    kind = type(space).__name__
    config = env.config
    if config.get("full_action_space"):
        has_fire = space.n == 18
        return lambda keys: np.array([atari_action(keys, has_fire=has_fire)], np.int32)
    if kind == "Discrete":
        held = 0

        def choose(keys: Keys) -> Any:
            nonlocal held
            held = discrete_action(keys, int(space.n), held)
            return np.array([held], np.int32)

        return choose
    if kind == "Box" and space.shape in ((), (1,)):
        centre = np.clip(np.zeros(space.shape), space.low, space.high)
        by_direction = {-1: space.low, 0: centre, 1: space.high}
        return lambda keys: by_direction[directions(keys)[0]][None].astype(space.dtype)
    raise ValueError(f"[{env.spec.id}] action: expected a space that keys can express, got {space}")
