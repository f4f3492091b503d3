# SPDX-License-Identifier: Apache-2.0
"""Registers gymnax's miscellaneous environments under gymnax's ids, and a maze whose levels are options."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

from envpool.python.family import Family
from envpool.python.options import wrong_type, wrong_value
from envpool.registration import register_family


class Misc(Family):
    """gymnax's miscellaneous environments, and a maze whose levels are options."""

    def reference(self, task_id: str) -> str:
        """Returns where the dynamics of an id come from."""
        if task_id.startswith("UEDMaze"):
            return "jaxued 0.0.1, environments/maze"
        return "gymnax 1.0.1 and 0.0.9, environments/misc"

    def translate(self, task_id: str, caller_options: Mapping[str, Any]) -> dict[str, Any]:
        """Translates the cells of FourRooms from gymnax's form, (row, column), to the options that C++ declares.

        Raises:
            TypeError: goal_fixed or pos_fixed is not a sequence of ints.
            ValueError: goal_fixed or pos_fixed does not have two elements.
        """
        plain = dict(caller_options)
        if not task_id.startswith("FourRooms"):
            return plain
        for name in ("goal_fixed", "pos_fixed"):
            cell = plain.pop(name, None)
            if cell is None:
                continue
            try:
                numbers = [operator.index(number) for number in cell]
            except TypeError:
                raise wrong_type(name, "two ints, a row and a column", cell) from None
            if len(numbers) != 2:
                raise wrong_value(name, "two ints, a row and a column", cell)
            for part, number in zip(("row", "column"), numbers, strict=True):
                plain.setdefault(f"{name}_{part}", number)
        return plain


_FAMILY = Misc("misc")


register_family(
    "FourRooms-misc",
    _FAMILY,
    "FourRooms",
    max_episode_steps=500,
    doc="Walk through the doors between four rooms to a goal, with moves that may fail.",
)
register_family(
    "MetaMaze-misc",
    _FAMILY,
    "MetaMaze",
    max_episode_steps=200,
    doc="Find an invisible goal in a maze again and again, from random cells.",
)
register_family(
    "PointRobot-misc",
    _FAMILY,
    "PointRobot",
    max_episode_steps=100,
    doc="Move a point to an invisible goal on a half circle, again and again.",
)
register_family(
    "BernoulliBandit-misc",
    _FAMILY,
    "BernoulliBandit",
    max_episode_steps=100,
    doc="Find out which of two arms pays more often.",
)
register_family(
    "GaussianBandit-misc",
    _FAMILY,
    "GaussianBandit",
    max_episode_steps=100,
    doc="Find out whether an arm with random rewards has a positive mean.",
)
register_family(
    "Reacher-misc",
    _FAMILY,
    "Reacher",
    max_episode_steps=100,
    doc="Move the end of an arm with two joints to a goal.",
)
register_family(
    "Swimmer-misc",
    _FAMILY,
    "Swimmer",
    max_episode_steps=500,
    doc="Glide to a goal and keep away from urchins.",
)
register_family(
    "Pong-misc",
    _FAMILY,
    "Pong",
    max_episode_steps=1000,
    doc="Keep a ball in play with a paddle.",
)
register_family(
    "UEDMaze-v0",
    _FAMILY,
    "Maze",
    max_episode_steps=250,
    doc="Find the goal of a maze whose walls, start and goal are options, so that every episode can have its own level.",
)
