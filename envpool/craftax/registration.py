# SPDX-License-Identifier: Apache-2.0
"""Registers Craftax-Classic under the ids of craftax and EnvPool."""

from __future__ import annotations

from envpool.python.family import Family
from envpool.registration import register_family


class Craftax(Family):
    """Craftax-Classic."""

    def reference(self, task_id: str) -> str:
        """Returns where the dynamics of an id come from."""
        return "craftax 1.6.1"


_FAMILY = Craftax("craftax")

# An id of craftax that ends in "AutoReset-v1" starts the next episode in the step that ends one.
for _suffix, _mode in (("", "next_step"), ("-AutoReset", "same_step")):
    for _prefix in ("Craftax-", "Craftax/"):
        register_family(
            f"{_prefix}Classic-Symbolic{_suffix}-v1",
            _FAMILY,
            "CraftaxClassicSymbolic",
            max_episode_steps=10_000,
            autoreset_mode=_mode,
            doc="Gather, build, fight and survive in a world of blocks, and achieve 22 things.",
        )
