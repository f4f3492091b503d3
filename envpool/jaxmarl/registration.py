# SPDX-License-Identifier: Apache-2.0
"""Registers the environments of JaxMARL."""

from __future__ import annotations

from envpool.python.family import Family
from envpool.registration import register_family


class JaxMarl(Family):
    """The environments of JaxMARL."""

    def reference(self, task_id: str) -> str:
        """Returns the version of JaxMARL, which the dynamics follow."""
        return "jaxmarl 0.2.0, environments/overcooked"


_FAMILY = JaxMarl("jaxmarl")

register_family("Overcooked-v0", _FAMILY, "Overcooked", doc="Two cooks deliver onion soups.")
