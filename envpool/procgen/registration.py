# SPDX-License-Identifier: Apache-2.0
"""Registers the games of Procgen under the ids of EnvPool and of the package procgen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envpool.procgen.art import read_art
from envpool.python.family import Family, ImportPath, Value
from envpool.python.options import wrong_value
from envpool.registration import register_family

# The names of the games in Procgen.
_GAMES = (
    "bigfish",
    "bossfight",
    "caveflyer",
    "chaser",
    "climber",
    "coinrun",
    "dodgeball",
    "fruitbot",
    "heist",
    "jumper",
    "leaper",
    "maze",
    "miner",
    "ninja",
    "plunder",
    "starpilot",
)
_MODES = {0: "easy", 1: "hard", 2: "extreme", 10: "memory", 20: "exploration"}  # by EnvPool's number


def _game_of(task_id: str) -> str:
    """Returns the name in Procgen of the game of an id, such as MazeEasy-v0 or procgen-maze-v0."""
    return next(game for game in _GAMES if game in task_id.lower())


class Procgen(Family):
    """The games of Procgen."""

    def reference(self, task_id: str) -> str:
        """Returns where the dynamics of an id come from."""
        return "procgen2 0.10.7"

    def import_paths(self, task_id: str, table: str) -> list[ImportPath]:
        """Returns the import paths of the classes of an id. All games have the same ones."""
        return [ImportPath("envpool.procgen", "Procgen")]

    def translate(self, task_id: str, caller_options: Mapping[str, Any]) -> dict[str, Any]:
        """Translates EnvPool's options: numbers of modes, and options that only games have that are not included.

        Raises:
            ValueError: an option asks for what is not supported.
        """
        plain = dict(caller_options)
        mode = plain.get("distribution_mode")
        if type(mode) is int:
            if mode not in _MODES:
                raise wrong_value("distribution_mode", f"one of {', '.join(map(str, _MODES))}", mode)
            plain["distribution_mode"] = _MODES[mode]
        for name, why in (
            ("use_generated_assets", "images that are generated are not supported"),
            ("use_easy_jump", "the game coinrun_old is not included"),
        ):
            if plain.pop(name, False):
                raise wrong_value(name, f"False, because {why}", caller_options[name])
        return plain

    def add_data(self, task_id: str, options: dict[str, Value]) -> dict[str, Value]:
        """Adds the images of the game to the options.

        Raises:
            MissingPackageError: no package has them.
        """
        game = _game_of(task_id)
        if game == "coinrun" and options["distribution_mode"] == "easy":
            game = "coinrun_easy"  # all levels have the same background, and the others are large
        return {**options, "art": options["art"] or read_art(game)}


_FAMILY = Procgen("procgen")


def _register(game: str, table: str, doc: str, modes: str) -> None:
    for mode in modes.split():
        register_family(f"{game}{mode.capitalize()}-v0", _FAMILY, table, doc=doc, distribution_mode=mode)
    register_family(
        f"procgen-{game.lower()}-v0", _FAMILY, table, doc=doc, distribution_mode="hard", channel_first=False
    )


_register("Bigfish", "ProcgenBigfish", "Eat smaller fish, and avoid larger ones.", "easy hard")
_register("Bossfight", "ProcgenBossfight", "Shoot at a large enemy, and avoid its bullets.", "easy hard")
_register("Caveflyer", "ProcgenCaveflyer", "Fly through a cave to a goal.", "easy hard memory exploration")
_register("Chaser", "ProcgenChaser", "Collect all orbs in a maze, and avoid the enemies.", "easy hard extreme")
_register("Climber", "ProcgenClimber", "Jump up platforms and collect all crystals.", "easy hard exploration")
_register("Coinrun", "ProcgenCoinrun", "Run and jump past saws and enemies to a coin.", "easy hard exploration")
_register(
    "Dodgeball",
    "ProcgenDodgeball",
    "Throw balls at all enemies, avoid theirs and the walls, and leave.",
    "easy hard extreme memory",
)
_register("Fruitbot", "ProcgenFruitbot", "Collect fruit between walls, and avoid other food.", "easy hard")
_register(
    "Heist", "ProcgenHeist", "Find keys to open the doors of a maze, and take a gem.", "easy hard memory exploration"
)
_register("Jumper", "ProcgenJumper", "Jump through a cave to a carrot.", "easy hard memory exploration")
_register("Leaper", "ProcgenLeaper", "Leap over a road and a river to a finish line.", "easy hard extreme exploration")
_register("Maze", "ProcgenMaze", "Walk through a maze to a piece of cheese.", "easy hard memory exploration")
_register("Miner", "ProcgenMiner", "Dig for diamonds, below boulders that fall.", "easy hard memory")
_register("Ninja", "ProcgenNinja", "Jump from ledge to ledge, past bombs, to a mushroom.", "easy hard exploration")
_register("Plunder", "ProcgenPlunder", "Shoot at ships of one kind.", "easy hard")
_register("Starpilot", "ProcgenStarpilot", "Fly through space, and shoot at what comes.", "easy hard extreme")
