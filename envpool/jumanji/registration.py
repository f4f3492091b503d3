# SPDX-License-Identifier: Apache-2.0
"""Registers the environments of Jumanji, each under Jumanji's id and under EnvPool's second one."""

from __future__ import annotations

from envpool.python.family import Family, ImportPath
from envpool.registration import register_family


class Jumanji(Family):
    """The environments of Jumanji."""

    def reference(self, task_id: str) -> str:
        """Returns the version of Jumanji, which the dynamics follow."""
        return "jumanji 1.1.2"

    def import_paths(self, task_id: str, table: str) -> list[ImportPath]:
        """Returns the import paths of the classes of an id."""
        return [ImportPath("envpool.jumanji", table + ("PartlyScrambled" if "partly-scrambled" in task_id else ""))]


_FAMILY = Jumanji("jumanji")

for _name, _table, _doc in (
    ("Cleaner-v0", "Cleaner", "Clean a maze with three agents."),
    ("Game2048-v1", "Game2048", "Slide tiles to merge them, up to 2048 and beyond."),
    ("Maze-v0", "Maze", "Walk to a cell of a maze."),
    ("Minesweeper-v0", "Minesweeper", "Explore all cells without a mine."),
    ("RubiksCube-v0", "RubiksCube", "Solve Rubik's cube."),
    ("SlidingTilePuzzle-v0", "SlidingTilePuzzle", "Slide numbered tiles into order."),
    ("Snake-v1", "Snake", "Eat fruits and grow, without biting yourself."),
):
    for _prefix in ("", "Jumanji/"):
        register_family(_prefix + _name, _FAMILY, _table, doc=_doc)

for _prefix in ("", "Jumanji/"):
    register_family(
        f"{_prefix}RubiksCube-partly-scrambled-v0",
        _FAMILY,
        "RubiksCube",
        doc="Solve Rubik's cube after seven random turns.",
        num_scrambles_on_reset=7,
        time_limit=20,
    )
