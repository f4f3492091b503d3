# SPDX-License-Identifier: Apache-2.0
"""The ids of tag, after WarpDrive's environments."""

from __future__ import annotations

from envpool.registration import register_family

_FAMILY = "tag"


def reference(task_id: str) -> str:
    """Where the dynamics of an id come from."""
    return "warp_drive 2.7.1, example_envs"


register_family("TagContinuous-v0", _FAMILY, "TagContinuous", doc="Taggers chase runners over a square.")
register_family("TagGridWorld-v0", _FAMILY, "TagGridWorld", doc="Taggers chase one runner over a grid.")
