# SPDX-License-Identifier: Apache-2.0
"""Registers toy text under the ids of gymnasium and EnvPool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envpool.python.family import Family
from envpool.python.options import shown, wrong_type, wrong_value
from envpool.registration import register_family

_SIZES = {"4x4": 4, "8x8": 8}


class ToyText(Family):
    """Toy text."""

    def reference(self, task_id: str) -> str:
        """Returns where the dynamics of an id come from."""
        if task_id == "Catch-v0":
            return "EnvPool 1.2.5, after the behaviour suite"
        if task_id == "FrozenLake-misc":
            return "gymnax 1.0.1, environments/misc"
        if task_id == "NChain-v0":
            return "gym before 0.21, EnvPool 1.2.5"
        return "gymnasium 1.4.0, envs/toy_text"

    def translate(self, task_id: str, caller_options: Mapping[str, Any]) -> dict[str, Any]:
        """Translates gymnasium's and gymnax's keywords for FrozenLake to the options that C++ declares.

        Raises:
            TypeError: desc is not a sequence of rows of letters.
            ValueError: map_name is unknown or contradicts size; desc or reward_schedule has the wrong form.
        """
        plain = dict(caller_options)
        if not task_id.startswith("FrozenLake"):
            return plain
        desc = plain.get("desc")
        has_desc = desc is not None and not (isinstance(desc, str) and desc == "")  # "" is the default
        if "map_name" in plain:
            name = plain.pop("map_name")
            if not (isinstance(name, str) and name in _SIZES) and not (name is None and has_desc):
                raise wrong_value("map_name", f"one of {', '.join(map(repr, _SIZES))}", name)
            if name is not None and plain.setdefault("size", _SIZES[name]) != _SIZES[name]:
                raise wrong_value("size", f"the size of map_name {name!r}", plain["size"])
        if has_desc:
            plain["desc"] = _lines(plain["desc"])
        else:
            plain.pop("desc", None)
        if "reward_schedule" in plain:
            rewards = plain.pop("reward_schedule")
            if not isinstance(rewards, (tuple, list)) or len(rewards) != 3:
                raise wrong_value("reward_schedule", "three numbers, for G, H and F", rewards)
            for name, reward in zip(("goal_reward", "hole_reward", "frozen_reward"), rewards, strict=True):
                plain.setdefault(name, reward)
        if task_id == "FrozenLake-misc" and _is_8x8(plain):
            plain.setdefault("max_episode_steps", 200)  # as in gymnax, which knows one id for all maps
        return plain


_FAMILY = ToyText("toy_text")


def _lines(desc: Any) -> str | bytes:
    """Joins rows of letters into lines."""
    if isinstance(desc, (str, bytes)) and desc:
        return desc
    if isinstance(desc, Mapping) or not hasattr(desc, "__iter__"):
        raise wrong_type("desc", "rows of letters, such as ['SF', 'HG']", desc)
    rows = [row if isinstance(row, (str, bytes)) else _joined(row) for row in desc]
    lines = [row.decode("latin-1") if isinstance(row, bytes) else row for row in rows]
    if not any(lines) or any("\n" in line for line in lines):
        raise wrong_value("desc", "rows of letters, such as ['SF', 'HG']", desc)
    return "\n".join(lines)


def _is_8x8(plain: Mapping[str, Any]) -> bool:
    """Returns whether the options name a map of 8 by 8 cells."""
    desc = plain.get("desc")
    if not desc:
        return bool(plain.get("size") == 8)
    lines = (desc.decode("latin-1") if isinstance(desc, bytes) else desc).removesuffix("\n").split("\n")
    return [len(line) for line in lines] == [8] * 8


def _joined(row: Any) -> str:
    """Joins the letters of a row that is a list or a NumPy array."""
    letters = list(row) if hasattr(row, "__iter__") else [row]
    if not all(isinstance(letter, (str, bytes)) for letter in letters):
        raise TypeError(f"desc: expected rows of letters, such as ['SF', 'HG'], got the row {shown(row)}")
    return "".join(letter.decode("latin-1") if isinstance(letter, bytes) else letter for letter in letters)


register_family("Catch-v0", _FAMILY, "Catch", doc="Catch a falling ball with a paddle.")
register_family(
    "FrozenLake-v1",
    _FAMILY,
    "FrozenLake",
    max_episode_steps=100,
    reward_threshold=0.7,
    doc="Cross a frozen lake of 4 by 4 cells, or of a custom map, without falling into a hole.",
)
register_family(
    "FrozenLake8x8-v1",
    _FAMILY,
    "FrozenLake",
    max_episode_steps=200,
    reward_threshold=0.85,
    doc="Cross a frozen lake of 8 by 8 cells without falling into a hole.",
    size=8,
)
register_family(
    "FrozenLake-misc",
    _FAMILY,
    "FrozenLake",
    max_episode_steps=100,
    doc="Cross a frozen lake of 4 by 4 cells, or of another map, without falling into a hole, with gymnax's time limits.",
    prob_name="p",
)
for _task_id in ("Taxi-v3", "Taxi-v4"):
    register_family(
        _task_id,
        _FAMILY,
        "Taxi",
        max_episode_steps=200,
        reward_threshold=8.0,
        doc="Pick up a passenger and take them to their destination.",
    )
register_family(
    "NChain-v0",
    _FAMILY,
    "NChain",
    max_episode_steps=1000,
    doc="Go to the end of a chain for a large reward, although returning to its start pays a small one at once.",
)
register_family("CliffWalking-v0", _FAMILY, "CliffWalking", doc="Walk along a cliff without falling off.")
register_family(
    "CliffWalking-v1",
    _FAMILY,
    "CliffWalking",
    aliases=("tabular/CliffWalking-v0",),
    doc="Walk along a cliff without falling off.",
)
register_family(
    "CliffWalkingSlippery-v1",
    _FAMILY,
    "CliffWalking",
    doc="Walk along a cliff on slippery ground without falling off.",
    is_slippery=True,
)
register_family(
    "Blackjack-v1",
    _FAMILY,
    "Blackjack",
    aliases=("tabular/Blackjack-v0",),
    doc="Draw cards to come close to 21 without exceeding it, against a dealer.",
)
