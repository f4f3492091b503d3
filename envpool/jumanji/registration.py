# SPDX-License-Identifier: Apache-2.0
"""Registers the environments of Jumanji, each under Jumanji's id and under EnvPool's second one."""

from __future__ import annotations

from envpool.jumanji.puzzles import read_puzzles
from envpool.python.family import Family, ImportPath, Value
from envpool.registration import register_family


class Jumanji(Family):
    """The environments of Jumanji."""

    def reference(self, task_id: str) -> str:
        """Returns the version of Jumanji, which the dynamics follow."""
        return "jumanji 1.1.2"

    def import_paths(self, task_id: str, table: str) -> list[ImportPath]:
        """Returns the import paths of the classes of an id."""
        return [ImportPath("envpool.jumanji", table + ("PartlyScrambled" if "partly-scrambled" in task_id else ""))]

    def add_data(self, task_id: str, options: dict[str, Value]) -> dict[str, Value]:
        """Adds the puzzles of the package jumanji to the options of Sudoku.

        Raises:
            MissingPackageError: jumanji is not installed.
        """
        if "puzzles" not in options:
            return options
        difficulty = "very-easy" if "very-easy" in task_id else "mixed"
        return {**options, "puzzles": options["puzzles"] or read_puzzles(difficulty)}


_FAMILY = Jumanji("jumanji")

for _name, _table, _doc in (
    ("Cleaner-v0", "Cleaner", "Clean a maze with three agents."),
    ("Connector-v2", "Connector", "Connect ten agents with their targets by paths that do not cross."),
    ("Connector-v3", "Connector", "Connect ten agents with their targets by paths that do not cross."),
    ("Game2048-v1", "Game2048", "Slide tiles to merge them, up to 2048 and beyond."),
    ("LevelBasedForaging-v0", "LevelBasedForaging", "Collect food together with another agent."),
    ("Maze-v0", "Maze", "Walk to a cell of a maze."),
    ("Minesweeper-v0", "Minesweeper", "Explore all cells without a mine."),
    ("RobotWarehouse-v0", "RobotWarehouse", "Carry requested shelves to the goals of a warehouse with four robots."),
    ("RubiksCube-v0", "RubiksCube", "Solve Rubik's cube."),
    ("SlidingTilePuzzle-v0", "SlidingTilePuzzle", "Slide numbered tiles into order."),
    ("Snake-v1", "Snake", "Eat fruits and grow, without biting yourself."),
    ("Sudoku-v0", "Sudoku", "Fill in a Sudoku puzzle of any difficulty."),
    ("Sudoku-very-easy-v0", "Sudoku", "Fill in an easy Sudoku puzzle."),
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
