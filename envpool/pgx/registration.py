# SPDX-License-Identifier: Apache-2.0
"""Registers the games of pgx under EnvPool's ids."""

from __future__ import annotations

from envpool.python.family import Family, ImportPath
from envpool.registration import register_family


class Pgx(Family):
    """The games of pgx."""

    def reference(self, task_id: str) -> str:
        """Returns the version of pgx, which the dynamics follow."""
        return "pgx 2.6.0; EnvPool 1.2.7 for the rules that pgx lacks" if "Chinese" in task_id else "pgx 2.6.0"

    def import_paths(self, task_id: str, table: str) -> list[ImportPath]:
        """Returns the import paths of the classes of an id. All boards of Go have the same ones."""
        return [ImportPath("envpool.pgx", "Go" if "Go" in table else table)]


_FAMILY = Pgx("pgx")

for _name, _doc in {
    "TicTacToe": "Get three marks in line on a board of 3 by 3 cells.",
    "ConnectFour": "Drop discs into columns to get four in line.",
    "Othello": "Turn over the other player's discs to have more at the end.",
    "Chess": "Give mate to the other player's king.",
    "GardnerChess": "Give mate to the other player's king on a board of 5 by 5 squares.",
    "AnimalShogi": "Catch the other player's lion on a board of 4 by 3 cells.",
    "Shogi": "Give mate to the other player's king, and drop captured pieces.",
    "Hex": "Connect two opposite sides of a board of 11 by 11 hexagons.",
    "Backgammon": "Move fifteen checkers by the numbers of two dice, and off the board.",
    "KuhnPoker": "Bet one chip on one of three cards.",
    "LeducHoldem": "Bet chips on one of six cards and a public card.",
    "SparrowMahjong": "Draw and discard tiles to complete a hand of two sets before two other players.",
    "Play2048": "Slide tiles to merge them, up to 2048 and beyond.",
}.items():
    register_family(f"{_name}-v1", _FAMILY, _name, doc=_doc)

# EnvPool's classes for Go have the options of the last id, unless an id is given.
for _side in (9, 13, 19):
    _size = f"{_side}x{_side}"
    register_family(
        f"ChineseGo{_size}-v1",
        _FAMILY,
        f"ChineseGo{_size}",
        doc=f"Go on a board of {_side} by {_side} points, where no move may repeat a position.",
    )
    register_family(
        f"Go{_size}-v1", _FAMILY, f"Go{_size}", doc=f"Surround more of a board of {_side} by {_side} points."
    )
