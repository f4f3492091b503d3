# SPDX-License-Identifier: Apache-2.0
"""Registers the Atari ids, and reads their ROMs from the package ale-py, which is never imported."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from envpool.python.errors import MissingPackageError, missing_package
from envpool.python.family import Family
from envpool.python.options import wrong_value
from envpool.registration import register_family

# The names of ale-py's ROM files without ".bin", and the MD5 checksums for which the rules in games/ are written.
ROMS = {
    "adventure": "4b27f5397c442d25f0c418ccdacf1926",
    "air_raid": "35be55426c1fec32dfb503b4f0651572",
    "alien": "f1a0a23e6464d954e3a9579c4ccd01c8",
    "amidar": "acb7750b4d0c4bd34969802a7deb2990",
    "assault": "de78b3a064d374390ac0710f95edde92",
    "asterix": "89a68746eff7f266bbf08de2483abe55",
    "asteroids": "ccbd36746ed4525821a8083b0d6d2c2c",
    "atlantis": "9ad36e699ef6f45d9eb6c4cf90475c9f",
    "atlantis2": "826481f6fc53ea47c9f272f7050eedf7",
    "backgammon": "8556b42aa05f94bc29ff39c39b11bff4",
    "bank_heist": "00ce0bdd43aed84a983bef38fe7f5ee3",
    "basic_math": "819aeeb9a2e11deb54e6de334f843894",
    "battle_zone": "41f252a66c6301f1e8ab3612c19bc5d4",
    "beam_rider": "79ab4123a83dc11d468fb2108ea09e2e",
    "berzerk": "136f75c4dd02c29283752b7e5799f978",
    "blackjack": "0a981c03204ac2b278ba392674682560",
    "bowling": "c9b7afad3bfd922e006a6bfc1d4f3fe7",
    "boxing": "c3ef5c4653212088eda54dc91d787870",
    "breakout": "f34f08e5eb96e500e851a80be3277a56",
    "carnival": "028024fb8e5e5f18ea586652f9799c96",
    "casino": "b816296311019ab69a21cb9e9e235d12",
    "centipede": "91c2098e88a6b13f977af8c003e0bca5",
    "chopper_command": "c1cb228470a87beb5f36e90ac745da26",
    "crazy_climber": "55ef7b65066428367844342ed59f956c",
    "crossbow": "8cd26dcf249456fe4aeb8db42d49df74",
    "darkchambers": "106855474c69d08c8ffa308d47337269",
    "defender": "0f643c34e40e3f1daafd9c524d3ffe64",
    "demon_attack": "f0e0addc07971561ab80d9abe1b8d333",
    "donkey_kong": "36b20c427975760cb9cf4a47e41369e4",
    "double_dunk": "368d88a6c071caba60b4f778615aae94",
    "earthworld": "5aea9974b975a6a844e6df10d2b861c4",
    "elevator_action": "71f8bacfbdca019113f3f0801849057e",
    "enduro": "94b92a882f6dbaa6993a46e2dcc58402",
    "entombed": "6b683be69f92958abe0e2a9945157ad5",
    "et": "615a3bf251a38eb6638cdc7ffbde5480",
    "fishing_derby": "b8865f05676e64f3bec72b9defdacfa7",
    "flag_capture": "30512e0e83903fc05541d2f6a6a62654",
    "freeway": "8e0ab801b1705a740b476b7f588c6d16",
    "frogger": "081e2c114c9c20b61acf25fc95c71bf4",
    "frostbite": "4ca73eb959299471788f0b685c3ba0b5",
    "galaxian": "211774f4c5739042618be8ff67351177",
    "gopher": "c16c79aad6272baffb8aae9a7fff0864",
    "gravitar": "8ac18076d01a6b63acf6e2cab4968940",
    "hangman": "f16c709df0a6c52f47ff52b9d95b7d8d",
    "haunted_house": "f0a6e99f5875891246c3dbecbf2d2cea",
    "hero": "fca4a5be1251927027f2c24774a02160",
    "human_cannonball": "7972e5101fa548b952d852db24ad6060",
    "ice_hockey": "a4c08c4994eb9d24fb78be1793e82e26",
    "jamesbond": "e51030251e440cffaab1ac63438b44ae",
    "journey_escape": "718ae62c70af4e5fd8e932fee216948a",
    "kaboom": "5428cdfada281c569c74c7308c7f2c26",
    "kangaroo": "4326edb70ff20d0ee5ba58fa5cb09d60",
    "keystone_kapers": "6c1f3f2e359dbf55df462ccbcdd2f6bf",
    "king_kong": "0dd4c69b5f9a7ae96a7a08329496779a",
    "klax": "eed9eaf1a0b6a2b9bc4c8032cb43e3fb",
    "koolaid": "534e23210dd1993c828d944c6ac4d9fb",
    "krull": "4baada22435320d185c95b7dd2bcdb24",
    "kung_fu_master": "5b92a93b23523ff16e2789b820e2a4c5",
    "laser_gates": "8e4cd60d93fcde8065c1a2b972a26377",
    "lost_luggage": "2d76c5d1aad506442b9e9fb67765e051",
    "mario_bros": "e908611d99890733be31733a979c62d8",
    "miniature_golf": "df62a658496ac98a3aa4a6ee5719c251",
    "montezuma_revenge": "3347a6dd59049b15a38394aa2dafa585",
    "mr_do": "aa7bb54d2c189a31bb1fa20099e42859",
    "ms_pacman": "87e79cd41ce136fd4f72cc6e2c161bee",
    "name_this_game": "36306070f0c90a72461551a7a4f3a209",
    "othello": "113cd09c9771ac278544b7e90efe7df2",
    "pacman": "fc2233fc116faef0d3c31541717ca2db",
    "phoenix": "7e52a95074a66640fcfde124fffd491a",
    "pitfall": "3e90cf23106f2e08b2781e41299de556",
    "pitfall2": "6d842c96d5a01967be9680080dd5be54",
    "pong": "60e0ea3cbe0913d39803477945e9e5ec",
    "pooyan": "4799a40b6e889370b7ee55c17ba65141",
    "private_eye": "ef3a4f64b6494ba770862768caf04b86",
    "qbert": "484b0076816a104875e00467d431c2d2",
    "riverraid": "393948436d1f4cc3192410bb918f9724",
    "road_runner": "ce5cc62608be2cd3ed8abd844efb8919",
    "robotank": "4f618c2429138e0280969193ed6c107e",
    "seaquest": "240bfbac5163af4df5ae713985386f92",
    "sir_lancelot": "dd0cbe5351551a538414fb9e37fc56e8",
    "skiing": "b76fbadc8ffb1f83e2ca08b6fb4d6c9f",
    "solaris": "e72eb8d4410152bdcb69e7fba327b420",
    "space_invaders": "72ffbef6504b75e69ee1045af9075f66",
    "space_war": "b702641d698c60bcdc922dbd8c9dd49c",
    "star_gunner": "a3c1c70024d7aabb41381adbfb6d3b25",
    "superman": "a9531c763077464307086ec9a1fd057d",
    "surround": "4d7517ae69f95cfbc053be01312b7dba",
    "tennis": "42cdd6a9e42a3639e190722b8ea3fc51",
    "tetris": "b0e1ee07fbc73493eac5651a52f90f00",
    "tic_tac_toe_3d": "0db4f4150fecf77e4ce72ca4d04c052f",
    "time_pilot": "fc2104dd2dadf9a6176c1c1c8f87ced9",
    "trondead": "fb27afe896e7c928089307b32e5642ee",
    "turmoil": "7a5463545dfb2dcfdafa6074b2f2c15e",
    "tutankham": "085322bae40d904f53bdcc56df0593fc",
    "up_n_down": "a499d720e7ee35c62424de882a3351b6",
    "venture": "3e899eba0ca8cd2972da1ae5479b4f0d",
    "video_checkers": "539d26b6e9df0da8e7465f0f5ad863b7",
    "video_chess": "f0b7db930ca0e548c41a97160b9f6275",
    "video_cube": "3f540a30fdee0b20aed7288e4a5ea528",
    "video_pinball": "107cc025334211e6d29da0b6be46aec7",
    "wizard_of_wor": "7e8aa18bc9502eb57daaf5e7c1e94da7",
    "word_zapper": "ec3beb6d8b5689e867bafb5d5f507491",
    "yars_revenge": "c5930d0e8cdae3e037349bfa08e871be",
    "zaxxon": "eea0da9b987d661264cce69a7c13c3bd",
}

# The ROMs of the games that only several players can play.
ROMS_FOR_SEVERAL = {
    "combat": "0ef64cdbecccb7049752a3de0b7ade14",
    "joust": "3276c777cbe97cdd2b4a63ffc16b7151",
    "maze_craze": "ed2218b3075d15eaa34e3356025ccca3",
    "warlords": "cbe5a166550a8129a5e6d374901dffad",
}


class Multiplayer(NamedTuple):
    """A game of PettingZoo.

    Attributes:
        rom: the file name of its ROM, without ".bin".
        doc: what it is called.
        options: the options that select the mode.
        modes: the mode for each combination of their values, the defaults first.
    """

    rom: str
    doc: str
    options: tuple[str, ...]
    modes: dict[tuple[Any, ...], int]

    def mode(self, values: Sequence[Any]) -> int:
        """Returns the mode for values of the options. Raises ValueError if there is none."""
        for position, (name, value) in enumerate(zip(self.options, values, strict=True)):
            known = sorted({key[position] for key in self.modes})
            if value not in known:
                raise wrong_value(name, " or ".join(map(repr, known)), value)
        return self.modes[tuple(values)]


def _players(rom: str, doc: str, modes: Mapping[int, int]) -> Multiplayer:
    return Multiplayer(rom, doc, ("num_players",), {(count,): mode for count, mode in modes.items()})


MULTIPLAYER: dict[str, Multiplayer] = {
    "atari/basketball_pong-v3": _players("pong", "Basketball of the Atari 2600 game Video Olympics", {2: 45, 4: 49}),
    "atari/boxing-v2": _players("boxing", "The Atari 2600 game Boxing", {2: 2}),
    "atari/combat_plane-v2": Multiplayer(
        "combat",
        "Planes of the Atari 2600 game Combat",
        ("game_version", "guided_missile"),
        {("bi-plane", True): 15, ("bi-plane", False): 16, ("jet", True): 21, ("jet", False): 22},
    ),
    "atari/combat_tank-v2": Multiplayer(
        "combat",
        "Tanks of the Atari 2600 game Combat",
        ("has_maze", "is_invisible", "billiard_hit"),
        {
            (has_maze, is_invisible, billiard_hit): first + has_maze
            for is_invisible, billiard_hit, first in (
                (False, True, 8),
                (False, False, 1),
                (True, False, 10),
                (True, True, 13),
            )
            for has_maze in (True, False)
        },
    ),
    "atari/double_dunk-v3": _players("double_dunk", "The Atari 2600 game Double Dunk", {2: 16}),
    "atari/entombed_competitive-v3": _players("entombed", "The Atari 2600 game Entombed, as opponents", {2: 2}),
    "atari/entombed_cooperative-v3": _players("entombed", "The Atari 2600 game Entombed, as partners", {2: 3}),
    "atari/flag_capture-v2": _players("flag_capture", "The Atari 2600 game Flag Capture", {2: 1}),
    "atari/foozpong-v3": _players("pong", "Foozpong of the Atari 2600 game Video Olympics", {4: 21, 2: 19}),
    "atari/ice_hockey-v2": _players("ice_hockey", "The Atari 2600 game Ice Hockey", {2: 1}),
    "atari/joust-v3": _players("joust", "The Atari 2600 game Joust", {2: 1}),
    "atari/mario_bros-v3": _players("mario_bros", "The Atari 2600 game Mario Bros", {2: 2}),
    "atari/maze_craze-v3": Multiplayer(
        "maze_craze",
        "The Atari 2600 game Maze Craze",
        ("game_version", "visibilty_level"),  # the option's name in PettingZoo
        {
            (version, level): 4 * variant + level
            for version, variant in (("robbers", 1), ("race", 0), ("capture", 11))
            for level in range(4)
        },
    ),
    "atari/othello-v3": _players("othello", "The Atari 2600 game Othello", {2: 4}),
    "atari/pong-v3": _players("pong", "The Atari 2600 game Pong", {2: 4, 4: 6}),
    "atari/quadrapong-v4": _players("pong", "Quadrapong of the Atari 2600 game Video Olympics", {4: 33}),
    "atari/space_invaders-v2": _players("space_invaders", "The Atari 2600 game Space Invaders", {2: 34}),
    "atari/space_war-v2": _players("space_war", "The Atari 2600 game Space War", {2: 1}),
    "atari/surround-v2": _players("surround", "The Atari 2600 game Surround", {2: 1}),
    "atari/tennis-v3": _players("tennis", "The Atari 2600 game Tennis", {2: 2}),
    "atari/video_checkers-v4": _players("video_checkers", "The Atari 2600 game Video Checkers", {2: 10}),
    "atari/volleyball_pong-v3": _players("pong", "Volleyball of the Atari 2600 game Video Olympics", {4: 41, 2: 39}),
    "atari/warlords-v3": _players("warlords", "The Atari 2600 game Warlords", {4: 1}),
    "atari/wizard_of_wor-v3": _players("wizard_of_wor", "The Atari 2600 game Wizard of Wor", {2: 1}),
}

atari_game_list = list(ROMS)  # EnvPool has a variable of this name


class AtariFamily(Family):
    """The family of Atari games, which accepts options in gymnasium's form and adds the ROM of each game."""

    PATHS = ("rom_path",)
    OPTION_DOCS: Mapping[str, str] = {
        "num_players": "Number of players, which selects the mode; ignored if mode is given.",
        "game_version": "'bi-plane' or 'jet'; 'robbers', 'race' or 'capture'. Selects the mode; ignored if mode is given.",
        "guided_missile": "Missiles can be steered; ignored if mode is given.",
        "has_maze": "The tanks are in a maze; ignored if mode is given.",
        "is_invisible": "Tanks are only visible while they fire or hit a wall; ignored if mode is given.",
        "billiard_hit": "Shots count only after they have bounced off a wall; ignored if mode is given.",
        "visibilty_level": "From 0, the whole maze is visible, to 3, none of it is; ignored if mode is given.",
    }

    def reference(self, task_id: str) -> str:
        """Returns where the dynamics, options and form of an id come from."""
        if task_id in MULTIPLAYER:
            return "multi-agent-ale-py 0.1.12, frame by frame; options and form of PettingZoo 1.27.0"
        form = "gymnasium 1.4.0" if task_id.startswith("ALE/") else "EnvPool 1.2.5"
        return f"ale-py 0.12.1, frame by frame; options and form of {form}"

    def agent_names(self, task_id: str, count: int) -> list[str]:
        """Returns the names of the agents of an id in PettingZoo."""
        return ["first_0", "second_0", "third_0", "fourth_0"][:count]

    def translate(self, task_id: str, caller_options: Mapping[str, Any]) -> dict[str, Any]:
        """Converts values that the C++ options do not accept: None, pairs of frame skips, and paths.

        Raises:
            ValueError: a pair of frame skips is not a valid range.
        """
        plain = dict(caller_options)
        for name in ("mode", "difficulty", "max_num_frames_per_episode"):
            if name in plain and plain[name] is None:
                plain[name] = -1
        if isinstance(plain.get("rom_path"), os.PathLike):
            plain["rom_path"] = os.fspath(plain["rom_path"])
        skip = plain.get("frameskip")
        if isinstance(skip, (tuple, list)):
            if len(skip) != 2 or not all(isinstance(end, int) for end in skip) or not 1 <= skip[0] < skip[1] <= 1001:
                raise wrong_value("frameskip", "an int or a pair (low, high) with 1 <= low < high", skip)
            plain["frameskip"] = skip[0]
            plain["frameskip_max"] = skip[1] - 1
        return plain

    def prepare(self, task_id: str, options: dict[str, Any]) -> dict[str, Any]:
        """Adds the bytes of the ROM to the options, and the mode for a number of players.

        Args:
            task_id: the id of the environment.
            options: all options of the environment.

        Raises:
            ValueError: there is no such game, it has no mode for this number of players, or the file at rom_path cannot
                be read.
            MissingPackageError: ale-py is not installed, or its ROM is not the expected one.
        """
        if task_id in MULTIPLAYER:
            game = MULTIPLAYER[task_id]
            values = [options[name] for name in game.options]
            options = {name: value for name, value in options.items() if name not in game.options}
            if options["mode"] == -1:
                options["mode"] = game.mode(values)
        if options.get("rom"):
            if options.get("rom_path"):
                raise ValueError("rom: expected only one of rom and rom_path, got both")
            return options
        name = "game" if "game" in options else "task"
        known = {**ROMS, **ROMS_FOR_SEVERAL} if task_id in MULTIPLAYER else ROMS
        if options[name] not in known:
            raise wrong_value(name, f"one of {', '.join(known)}", options[name])
        if options.get("rom_path"):
            return {**options, "rom": _read_file(options["rom_path"])}
        return {**options, "rom": _read_rom(options[name])}


_FAMILY = AtariFamily("atari")
_LARGEST_ROM = 1 << 16  # more than any supported cartridge holds; larger files are not read


def _read_file(path: str | bytes) -> bytes:
    """Reads a ROM file that the user supplies. C++ checks later whether it is a supported cartridge."""
    shown, rom = os.fsdecode(path), b""
    try:
        is_special = os.path.exists(path) and not os.path.isfile(path)
        if not is_special:
            with open(path, "rb") as file:
                rom = file.read(_LARGEST_ROM + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ValueError(f"rom_path: expected a ROM file that can be read, got {shown!r}: {reason}") from None
    if is_special:
        raise ValueError(f"rom_path: expected a ROM file, got {shown!r}, which is not a file")
    if not rom:
        raise ValueError(f"rom_path: expected a ROM file, got {shown!r}, which is empty")
    if len(rom) > _LARGEST_ROM:
        raise ValueError(f"rom_path: expected a ROM file, got {shown!r}, which is too large for one")
    return rom


@functools.lru_cache(maxsize=8)
def _read_rom(task: str) -> bytes:
    package = importlib.util.find_spec("ale_py")
    if package is None or not package.submodule_search_locations:
        raise missing_package("ale_py", "the ROMs of ale-py", "pip install ale-py")
    path = Path(next(iter(package.submodule_search_locations)), "roms", f"{task}.bin")
    try:
        rom = path.read_bytes()
    except OSError:
        raise MissingPackageError(
            f"no ROM: {path} cannot be read; install it with: pip install -U ale-py", name="ale_py"
        ) from None
    digest = hashlib.md5(rom, usedforsecurity=False).hexdigest()
    expected = {**ROMS, **ROMS_FOR_SEVERAL}[task]
    if digest != expected:
        raise MissingPackageError(
            f"wrong ROM: the MD5 of {path} is {digest}, not {expected}; "
            "replace it with: pip install --force-reinstall ale-py",
            name="ale_py",
        )
    return rom


def _register() -> None:
    names = {task: "".join(word.capitalize() for word in task.split("_")) for task in ROMS}
    docs = {task: f"The Atari 2600 game {' '.join(word.capitalize() for word in task.split('_'))}" for task in ROMS}
    for task, name in names.items():
        register_family(
            f"{name}-v5",
            _FAMILY,
            "Atari",
            max_episode_steps=27000,
            doc=f"{docs[task]}, with EnvPool's interface.",
            task=task,
        )
    for task, name in names.items():
        name = name.replace("3d", "3D")  # the one name that gymnasium spells differently
        register_family(f"ALE/{name}-v5", _FAMILY, "Ale", doc=f"{docs[task]}, with gymnasium's interface.", game=task)
    for task_id, game in MULTIPLAYER.items():
        values = dict(zip(game.options, next(iter(game.modes)), strict=True))
        count = values.get("num_players", 2)
        doc = f"{game.doc}, for {'two' if count == 2 else 'four'} players."
        register_family(task_id, _FAMILY, "MultiplayerAtari", doc=doc, game=game.rom, mode=-1, **values)


_register()
