# SPDX-License-Identifier: Apache-2.0
"""Registers the environments of the behaviour suite under gymnax's ids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envpool.python.family import Family
from envpool.python.options import wrong_type, wrong_value
from envpool.registration import register_family


class BehaviourSuite(Family):
    """The behaviour suite."""

    def reference(self, task_id: str) -> str:
        """Returns where the dynamics of an id come from."""
        return "bsuite 0.3.5; id, options and time limit of gymnax 1.0.1"

    def translate(self, task_id: str, caller_options: Mapping[str, Any]) -> dict[str, Any]:
        """Translates reward_timestep of DiscountingChain from gymnax's sequence of ints to the text that C++ reads.

        Raises:
            TypeError: reward_timestep is not a sequence of ints.
            ValueError: an int of reward_timestep is out of range.
        """
        plain = dict(caller_options)
        steps = plain.get("reward_timestep")
        if steps is None or isinstance(steps, (str, bytes)):
            return plain
        steps = steps.tolist() if hasattr(steps, "tolist") else steps
        if not isinstance(steps, (tuple, list)) or not all(type(step) is int for step in steps):
            raise wrong_type("reward_timestep", "a sequence of ints, such as [1, 3, 10]", steps)
        if not all(1 <= step < 2**31 for step in steps):
            raise wrong_value("reward_timestep", "ints of at least 1 and less than 2**31", steps)
        plain["reward_timestep"] = " ".join(map(str, steps))
        return plain


_FAMILY = BehaviourSuite("bsuite")


register_family("Catch-bsuite", _FAMILY, "Catch", max_episode_steps=1000, doc="Catch a falling ball with a paddle.")
register_family(
    "DeepSea-bsuite",
    _FAMILY,
    "DeepSea",
    max_episode_steps=2000,
    doc="Find the only path to a treasure, although every step on it costs a little.",
)
register_family(
    "DiscountingChain-bsuite",
    _FAMILY,
    "DiscountingChain",
    doc="Choose the time of the only reward; a later one may be larger.",
)
register_family(
    "MemoryChain-bsuite",
    _FAMILY,
    "MemoryChain",
    max_episode_steps=1000,
    doc="Remember bits until one of them is queried.",
)
register_family(
    "SimpleBandit-bsuite",
    _FAMILY,
    "SimpleBandit",
    max_episode_steps=100,
    doc="Find the best of eleven arms that pay constant rewards.",
)
register_family(
    "UmbrellaChain-bsuite",
    _FAMILY,
    "UmbrellaChain",
    max_episode_steps=100,
    doc="Take or leave an umbrella, and learn at the end of the episode whether that was right.",
)
