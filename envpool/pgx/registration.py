# SPDX-License-Identifier: Apache-2.0
"""Registers the games of pgx under EnvPool's ids."""

from __future__ import annotations

from envpool.python.family import Family
from envpool.registration import register_family


class Pgx(Family):
    """The games of pgx."""

    def reference(self, task_id: str) -> str:
        """Returns the version of pgx, which the dynamics follow."""
        return "pgx 2.6.0"


_FAMILY = Pgx("pgx")

for _name, _doc in {
    "TicTacToe": "Get three marks in line on a board of 3 by 3 cells.",
    "ConnectFour": "Drop discs into columns to get four in line.",
    "Othello": "Turn over the other player's discs to have more at the end.",
    "Chess": "Give mate to the other player's king.",
    "GardnerChess": "Give mate to the other player's king on a board of 5 by 5 squares.",
    "Hex": "Connect two opposite sides of a board of 11 by 11 hexagons.",
    "KuhnPoker": "Bet one chip on one of three cards.",
    "LeducHoldem": "Bet chips on one of six cards and a public card.",
    "Play2048": "Slide tiles to merge them, up to 2048 and beyond.",
}.items():
    register_family(f"{_name}-v1", _FAMILY, _name, doc=_doc)
