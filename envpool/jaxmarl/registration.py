# SPDX-License-Identifier: Apache-2.0
"""Registers the environments of JaxMARL."""

from __future__ import annotations

from envpool.python.family import Family
from envpool.registration import register_family


class JaxMarl(Family):
    """The environments of JaxMARL."""

    def reference(self, task_id: str) -> str:
        """Returns the version of JaxMARL, which the dynamics follow."""
        game = "hanabi" if task_id.startswith("Hanabi") else "overcooked"
        return f"jaxmarl 0.2.0, environments/{game}"


_FAMILY = JaxMarl("jaxmarl")

register_family("Overcooked-v0", _FAMILY, "Overcooked", doc="Two cooks deliver onion soups.")
register_family("Hanabi-v0", _FAMILY, "Hanabi", doc="Players who see all cards but their own build fireworks.")
