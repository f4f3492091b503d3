# SPDX-License-Identifier: Apache-2.0
"""gymnasium's MuJoCo environments on MuJoCo's library."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from envpool.mujoco.family import MujocoFamily
from envpool.mujoco.gym.environments import ENVIRONMENTS
from envpool.mujoco.packages import folder_of, model_source
from envpool.python.options import is_sequence, wrong_type, wrong_value
from envpool.python.registry import Registration

_RANGES = {
    f"{stem}_range"
    for stem in (
        "healthy_state",
        "healthy_z",
        "healthy_angle",
        "velocity",
        "observation",
        "contact_force",
        "contact_cost",
        "cylinder_x",
        "cylinder_y",
    )
}
_RENAMED = {environment.name: environment.renamed for environment in ENVIRONMENTS}


def assets() -> Path:
    """Returns the folder of gymnasium's models; a folder that does not exist if gymnasium is not installed."""
    return (folder_of("gymnasium") or Path()) / "envs" / "mujoco" / "assets"


class GymMujoco(MujocoFamily):
    """gymnasium's MuJoCo environments."""

    PART = "gym"
    MODELS = "gymnasium 1.4.0, envs/mujoco"
    BACKENDS: tuple[str, ...] = ("mujoco",)
    OPTION_DOCS: Mapping[str, str] = {"backend": "What simulates the robot: 'mujoco' is MuJoCo's library."}

    def class_of(self, task_id: str) -> str:
        """Returns the prefix of the names of the id's classes in EnvPool."""
        return "Gym" + task_id.rpartition("-")[0]

    def choose(self, registration: Registration, caller_options: Mapping[str, Any]) -> tuple[Registration, str]:
        """Checks the option `backend`.

        Raises:
            TypeError, ValueError: There is no such backend.
        """
        backend = caller_options.get("backend", self.BACKENDS[0])
        expected = " or ".join(map(repr, self.BACKENDS))
        if not isinstance(backend, str):
            raise wrong_type("backend", expected, backend)
        if backend not in self.BACKENDS:
            raise wrong_value("backend", expected, backend)
        return registration, ""

    def prepare(self, task_id: str, options: dict[str, Any]) -> dict[str, Any]:
        """Finds the model by the name of one of gymnasium's files, or by a path.

        EnvPool has equivalent copies of gymnasium's files, whose names end with "_envpool.xml"; these names work too.

        Raises:
            ValueError: The file does not exist.
        """
        name = options["xml_file"]
        if isinstance(name, str) and name.endswith("_envpool.xml") and not (assets() / name).exists():
            plain = name.removesuffix("_envpool.xml") + ".xml"
            name = plain if "/" not in name and (assets() / plain).is_file() else name
        del options["backend"]
        return {**options, "xml_file": model_source(name, assets())}

    def translate(self, task_id: str, caller_options: Mapping[str, Any]) -> dict[str, Any]:
        """Translates gymnasium's options into the declared ones.

        Raises:
            TypeError: A range is not a pair.
            ValueError: An option is given by two names, or the number of a body is too large for C++.
        """
        renamed = _RENAMED[task_id.rpartition("-")[0]]
        caller_options, result = super().translate(task_id, caller_options), {}

        def put(name: str, value: Any, alias: str) -> None:
            if name in caller_options or name in result:
                raise ValueError(f"{alias} and {name} are the same option: give only one of them")
            result[name] = value

        for alias, value in caller_options.items():
            name = renamed.get(alias, alias)
            if name in _RANGES:
                if not is_sequence(value) or len(value) != 2:
                    raise wrong_type(alias, "a pair of numbers (low, high)", value)
                stem = name.removesuffix("_range")
                put(f"{stem}_min", value[0], alias)
                put(f"{stem}_max", value[1], alias)
            elif name == "main_body" and isinstance(value, int) and not isinstance(value, bool):
                if abs(value) >= 2**31:
                    raise wrong_value("main_body", "the name or number of a body", value)
                result[name] = str(value)
            elif name == "xml_file" and isinstance(value, os.PathLike):
                result[name] = os.fspath(value)
            elif name != alias:
                put(name, value, alias)
            else:
                result[name] = value
        return result
