# SPDX-License-Identifier: Apache-2.0
"""The ids of tag, which follow WarpDrive's environments."""

from __future__ import annotations

from envpool.python.family import Family
from envpool.registration import register_family


class Tag(Family):
    """Tag."""

    def reference(self, task_id: str) -> str:
        """Returns where the dynamics of an id come from."""
        return "warp_drive 2.7.1, example_envs"


_FAMILY = Tag("tag")


register_family("TagContinuous-v0", _FAMILY, "TagContinuous", doc="Taggers chase runners in a square.")
register_family("TagGridWorld-v0", _FAMILY, "TagGridWorld", doc="Taggers chase one runner on a grid.")
