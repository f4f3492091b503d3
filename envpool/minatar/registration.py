# SPDX-License-Identifier: Apache-2.0
"""Registers MinAtar under the ids that the package minatar registers with gymnasium, and under gymnax's ids."""

from __future__ import annotations

from envpool.python.family import Family
from envpool.registration import register_family

# For each game, its description and its time limit in gymnax.
_GAMES = {
    "Asterix": ("Collect treasures and keep away from enemies.", 1000),
    "Breakout": ("Break bricks with a ball, and keep it in play.", 1000),
    "Freeway": ("Cross a road again and again.", 2500),
    "Seaquest": ("Rescue divers with a submarine, shoot fish and enemies, and surface in time.", 1000),
    "SpaceInvaders": ("Shoot down wave after wave of aliens.", 1000),
}


class MinAtar(Family):
    """MinAtar."""

    def reference(self, task_id: str) -> str:
        """Returns where the dynamics of an id come from."""
        return "minatar 1.0.15" + (
            "; id, options and time limit of gymnax 0.0.9" if task_id.endswith("-MinAtar") else ""
        )


_FAMILY = MinAtar("minatar")


for _game, (_doc, _limit) in _GAMES.items():
    register_family(f"MinAtar/{_game}-v0", _FAMILY, f"MinAtar{_game}", doc=_doc)
    register_family(f"MinAtar/{_game}-v1", _FAMILY, f"MinAtar{_game}", doc=_doc, use_minimal_action_set=True)
    register_family(
        f"{_game}-MinAtar",
        _FAMILY,
        f"MinAtar{_game}",
        max_episode_steps=_limit,
        doc=_doc,
        use_minimal_action_set=True,
        sticky_action_prob=0.0,
        obs_dtype="float32",
    )
