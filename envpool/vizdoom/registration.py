# SPDX-License-Identifier: Apache-2.0
"""The ids of ViZDoom, in EnvPool's form and in the form of the package's own gymnasium environments.

The engine and its data come from the package vizdoom, which is never imported.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from envpool.python.errors import MissingPackageError, missing_package
from envpool.python.family import Family
from envpool.python.options import wrong_value
from envpool.registration import register_family

VERSION = "1.3.2"  # the engine's shared memory has another layout in other versions
_SETTINGS = Path(__file__).with_name("settings")
_INSTALL = f"pip install vizdoom=={VERSION}"

# The scenarios of the package that have both settings and a WAD file of the same name. EnvPool's ids come from these
# names.
SCENARIOS = {
    "basic": "Kill a monster that stands still, in a room.",
    "basic_audio": "The same as Basic, with sounds that are not observed.",
    "basic_notifications": "The same as Basic, with messages that are not observed.",
    "cig": "A deathmatch arena, without other players.",
    "deadly_corridor": "Get through a corridor full of monsters to the vest at its end.",
    "deathmatch": "Fight monsters that keep coming, in an arena with weapons and items.",
    "defend_the_center": "Turn around and shoot the monsters that come from all sides.",
    "defend_the_line": "Shoot the monsters that come from the other side of a room.",
    "health_gathering": "Walk over an acid floor from one medkit to the next.",
    "health_gathering_supreme": "Walk through a maze with an acid floor, from one medkit to the next.",
    "multi_duel": "A small deathmatch arena, without other players.",
    "my_way_home": "Find the way through rooms to a vest.",
    "predict_position": "Hit a moving monster with the only rocket.",
    "rocket_basic": "The same as Basic, with a rocket launcher and without autoaim.",
    "simpler_basic": "The same as Basic, with a gray screen.",
    "take_cover": "Step aside from fireballs.",
}
# EnvPool's other scenarios, by id: the settings, which are in this package, the WAD file, and a description. The
# package vizdoom has the WAD files of the first two under other names. The package ASSETS has the other WAD files.
_OTHERS = {
    "D1Basic-v1": ("navigation.cfg", "health_gathering.wad", "The same as HealthGathering, on a small gray screen."),
    "D2Navigation-v1": (
        "navigation.cfg",
        "health_gathering_supreme.wad",
        "The same as HealthGatheringSupreme, on a small gray screen.",
    ),
    "D3Battle-v1": ("battle.cfg", "D3_battle.wad", "Fight monsters in an arena, and collect medkits and ammunition."),
    "D4Battle2-v1": ("battle.cfg", "D4_battle2.wad", "The same as D3Battle, in a maze."),
}
ASSETS = "envpool-assets"  # the package with EnvPool's data
_ARENAS = ("cig", "multi_duel")  # Their only start positions are those of a deathmatch.

# gymnasium's ids, without those whose observations contain audio or text.
_GYMNASIUM = {
    "Basic": "basic",
    "DeadlyCorridor": "deadly_corridor",
    "DefendCenter": "defend_the_center",
    "DefendLine": "defend_the_line",
    "HealthGathering": "health_gathering",
    "MyWayHome": "my_way_home",
    "PredictPosition": "predict_position",
    "TakeCover": "take_cover",
    "Deathmatch": "deathmatch",
    "HealthGatheringSupreme": "health_gathering_supreme",
}


def _package() -> Path:
    """Returns the folder of the package.

    Raises:
        MissingPackageError: the package is not installed, or has another version.
    """
    spec = importlib.util.find_spec("vizdoom")
    if spec is None or not spec.submodule_search_locations:
        raise missing_package("vizdoom", "the engine of ViZDoom", _INSTALL)
    folder = Path(next(iter(spec.submodule_search_locations)))
    if not (folder / "vizdoom").is_file():
        raise MissingPackageError(f"needs the engine of ViZDoom, which is not in {folder}: {_INSTALL}", name="vizdoom")
    try:
        found = importlib.metadata.version("vizdoom")
    except importlib.metadata.PackageNotFoundError:
        return folder  # not installed by pip; the engine's own version is checked when it starts
    if found != VERSION:
        raise MissingPackageError(
            f"needs ViZDoom {VERSION}, found {found}: install it with: {_INSTALL}", name="vizdoom"
        )
    return folder


def _pairs(option: str, entries: Mapping[Any, Any], numbers: int) -> str:
    """Returns a dict of numbers as the text that C++ takes, such as "HEALTH:0.5:-1,ARMOR:1:0"."""
    parts = []
    for key, value in entries.items():
        values = value if isinstance(value, (tuple, list)) else (value,)
        if len(values) != numbers or not all(
            isinstance(number, (int, float)) and not isinstance(number, bool) for number in values
        ):
            raise wrong_value(option, f"{numbers} number{'s' * (numbers > 1)} for {key!r}", value)
        if not isinstance(key, (str, int)) or any(mark in str(key) for mark in ":,"):
            raise wrong_value(option, "names as keys", key)
        parts.append(":".join([str(key), *(repr(float(number)) for number in values)]))
    return ",".join(parts)


class ViZDoom(Family):
    """The family of ViZDoom."""

    PATHS = ("cfg_path", "wad_path", "vzd_path", "iwad_path", "lmp_save_dir")

    def translate(self, task_id: str, caller_options: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the options with paths and dicts as text.

        Raises:
            ValueError: a dict does not have the expected form.
        """
        plain = dict(caller_options)
        for name in self.PATHS:
            if isinstance(plain.get(name), os.PathLike):
                plain[name] = os.fsdecode(plain[name])
        for name, numbers in (("reward_config", 2), ("selected_weapon_reward_config", 1), ("delta_button_config", 3)):
            if isinstance(plain.get(name), Mapping):
                plain[name] = _pairs(name, plain[name], numbers)
        return plain

    def prepare(self, task_id: str, options: dict[str, Any]) -> dict[str, Any]:
        """Returns the options with the absolute paths of the engine and its data.

        Raises:
            ValueError: a file does not exist.
            MissingPackageError: the package is not installed, or has another version.
        """
        folder = _package()
        found = dict(options)
        found["vzd_path"] = _file("vzd_path", options["vzd_path"] or folder / "vizdoom", folder)
        found["iwad_path"] = _file("iwad_path", options["iwad_path"] or folder / "freedoom2.wad", folder)
        found["cfg_path"] = _file("cfg_path", options["cfg_path"], folder / "scenarios", _SETTINGS)
        if wad := options["wad_path"]:
            if task_id in _OTHERS and wad == _OTHERS[task_id][1]:
                wad = _map_of_envpool(wad, folder / "scenarios")
            found["wad_path"] = _file("wad_path", wad, folder / "scenarios")
        return found

    def reference(self, task_id: str) -> str:
        """Returns where the dynamics and the form of an id come from."""
        form = "gymnasium 1.4.0" if task_id.startswith("Vizdoom") and task_id != "VizdoomCustom-v1" else "EnvPool 1.2.5"
        return f"vizdoom {VERSION}, step by step; options and form of {form}"


def _file(option: str, path_or_name: str | Path, folder: Path, *others: Path) -> str:
    """Returns the absolute path of the user's file or, if it does not exist, of the package's file of that name."""
    own = Path(path_or_name).expanduser()
    for path in (own, folder / own, *(other / own for other in others)):
        if path_or_name and path.is_file():
            return str(path.resolve())
    raise wrong_value(option, f"a file, or the name of one in {folder}", str(path_or_name))


def _map_of_envpool(name: str, scenarios: Path) -> Path:
    """Returns the path of a WAD file of EnvPool's.

    Raises:
        MissingPackageError: neither package contains it.
    """
    folders = [scenarios]
    spec = importlib.util.find_spec(ASSETS.replace("-", "_"))
    folders += [Path(folder, "vizdoom", "maps") for folder in (spec and spec.submodule_search_locations) or ()]
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    raise MissingPackageError(
        f"needs EnvPool's map {name}, which is not installed: pip install {ASSETS}, or pass its path as wad_path",
        name=ASSETS.replace("-", "_"),
    )


_FAMILY = ViZDoom("vizdoom")


def _register() -> None:
    for scenario, doc in SCENARIOS.items():
        register_family(
            "".join(word.capitalize() for word in scenario.split("_")) + "-v1",
            _FAMILY,
            "Vizdoom",
            max_episode_steps=525,
            doc=doc,
            cfg_path=f"{scenario}.cfg",
            game_args="-deathmatch" if scenario in _ARENAS else "",
        )
    for task_id, (settings, wad, doc) in _OTHERS.items():
        register_family(task_id, _FAMILY, "Vizdoom", max_episode_steps=525, doc=doc, cfg_path=settings, wad_path=wad)
    register_family(
        "VizdoomCustom-v1",
        _FAMILY,
        "Vizdoom",
        max_episode_steps=525,
        doc="A scenario of the user's: cfg_path names its settings.",
    )
    for name, scenario in _GYMNASIUM.items():
        for form, most in (("", 1), ("-MultiBinary", 0)):
            register_family(
                f"Vizdoom{name}{form}-v1",
                _FAMILY,
                "VizdoomGym",
                doc=SCENARIOS[scenario],
                cfg_path=f"{scenario}.cfg",
                max_buttons_pressed=most,
            )


_register()
