# SPDX-License-Identifier: Apache-2.0
"""Registers the id Mujoco-v0, for custom models."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from envpool.mujoco.family import MujocoFamily
from envpool.mujoco.packages import model_source
from envpool.python.family import Family
from envpool.python.options import wrong_type, wrong_value
from envpool.registration import register_family

TASK_ID = "Mujoco-v0"
EXAMPLE = "two_link_arm.xml"


class CustomModel(MujocoFamily):
    """The family of custom models."""

    PART = "generic"
    MODELS = "with the given model"

    def class_of(self, task_id: str) -> str:
        """Returns the prefix of the names of the id's classes."""
        return "Mujoco"

    def is_in_working_directory(self, name: str, path: str) -> bool:
        """Returns whether a path is that of a file there."""
        return Family.is_in_working_directory(self, name, path)

    def prepare(self, task_id: str, options: dict[str, Any]) -> dict[str, Any]:
        """Finds the model.

        Paths are relative to the working directory. A file named EXAMPLE there replaces ours.

        Raises:
            ValueError: The file does not exist.
            TypeError: xml_file is not a str.
        """
        source = options["xml_file"]
        if not isinstance(source, str):
            raise wrong_type("xml_file", "a str", source)
        folder = Path(__file__).parent if source == EXAMPLE and not Path(EXAMPLE).exists() else Path()
        return {**options, "xml_file": model_source(source, folder)}

    def translate(self, task_id: str, caller_options: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the keywords, with a keyframe's number converted to text, because C++ declares a text.

        Raises:
            ValueError: The number is too large for C++.
        """
        caller_options = super().translate(task_id, caller_options)
        keyframe = caller_options.get("keyframe")
        if isinstance(keyframe, int) and not isinstance(keyframe, bool):
            if abs(keyframe) >= 2**31:
                raise wrong_value("keyframe", "the name or number of a keyframe", keyframe)
            return {**caller_options, "keyframe": str(keyframe)}
        return caller_options


_FAMILY = CustomModel()


register_family(
    TASK_ID,
    _FAMILY,
    "Mujoco",
    max_episode_steps=1000,
    doc="A custom model: any robot that MuJoCo can load, without a task.",
    xml_file=EXAMPLE,
)
