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

for _task_id in ("Craftax-Classic-Symbolic-v1", "Craftax/Classic-Symbolic-v1"):
    register_family(
        _task_id,
        _FAMILY,
        "CraftaxClassicSymbolic",
        max_episode_steps=10_000,
        doc="Gather, build, fight and survive in a world of blocks, and achieve 22 things.",
    )
