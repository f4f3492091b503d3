# SPDX-License-Identifier: Apache-2.0
"""gymnasium's MuJoCo robots on our own solver, and the choice between it and MuJoCo's library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from envpool.mujoco.gym.environments import model_of
from envpool.mujoco.gym.family import GymMujoco
from envpool.python.errors import MissingPackageError
from envpool.python.family import Family, Value
from envpool.python.options import as_number, shown, wrong_value
from envpool.python.registry import Registration

if TYPE_CHECKING:
    from envpool.python.construction import Construction
    from envpool.robots.scene import SceneRenderer
else:  # for `typing.get_type_hints`; these modules import NumPy, which is slow
    Construction = SceneRenderer = Any

# Options of the library that change what is simulated or observed, with the values for which our solver does the same.
_LIBRARY_ONLY: Mapping[str, Value] = {"frame_stack": 1, "from_pixels": False}
# Options of images, which MuJoCo's renderer draws for both backends.
_IMAGES: Mapping[str, Value] = {
    "render_width": 0,
    "render_height": 0,
    "render_camera_id": -1,
    "camera_name": "",
    "default_camera_config": "",
    "max_geom": 1000,
    "shadow_size": -1,
    "antialias": -1,
    "gymnasium_v5_render_camera": True,
}
_BODIES = {"torso": 1, "front_left_leg": 2, "front_right_leg": 5, "back_leg": 8, "right_back_leg": 11}  # of the Ant


def defaults_of(table: str) -> dict[str, Value]:
    """Returns the defaults of the options that our solver's robots have in addition to what C++ declares."""
    unused: dict[str, Value] = {} if _reads_forces(table) else {"post_constraint": True}
    return {"backend": "envpool", "xml_file": model_of(table), **_LIBRARY_ONLY, **unused, **_IMAGES}


def _reads_forces(robot: str) -> bool:
    """Returns whether C++ declares the option post_constraint, because the robot's task reads contact forces."""
    return robot.startswith(("Ant", "Humanoid"))


class Robots(GymMujoco):
    """gymnasium's robots, which our own solver simulates unless an option needs MuJoCo's library."""

    BACKENDS = ("envpool", "mujoco")
    OPTION_DOCS = {
        "backend": "What simulates the robot: 'envpool' is our solver, 'mujoco' is MuJoCo's library.",
        "xml_file": "Model: name of one of gymnasium's files, a path, or XML; another one than the id's needs the library.",
        "frame_stack": "Number of stacked observations, the oldest first; more than 1 needs the library.",
        "from_pixels": "Observe pixels; needs the library.",
        "post_constraint": "Compute contact forces after a step, which this robot does not use.",
        "render_width": "Width of an image; 0 means 480.",
        "render_height": "Height of an image; 0 means 480.",
        "render_camera_id": "Number of a camera of the model; -1 is the free camera.",
        "camera_name": "Name of a camera of the model.",
        "default_camera_config": "Settings of the free camera, such as 'distance=3 lookat=0,0,1'.",
        "max_geom": "Maximum number of geoms in an image.",
        "shadow_size": "Side of the shadow map; 0: no shadows, -1: the model's.",
        "antialias": "Samples per pixel; 0: one, -1: the model's.",
        "gymnasium_v5_render_camera": "Use gymnasium's free camera; otherwise the model's camera 'track'.",
    }

    def __init__(self) -> None:
        Family.__init__(self, "robots")

    def library(self) -> str:
        """Returns the name of our solver's shared object."""
        return Family.library(self)

    def require(self) -> None:
        """Requires nothing."""

    def reference(self, task_id: str) -> str:
        """Returns where the dynamics of an id come from."""
        return "gymnasium 1.4.0, envs/mujoco, with MuJoCo 3.17.0 and our sine and cosine"

    def where_option_is(self, name: str) -> str:
        """Returns that MuJoCo's library has more fields of the model."""
        if not name.startswith("model."):
            return ""
        return "environments that are made with backend='mujoco' have more fields of the model"

    def choose(self, registration: Registration, caller_options: Mapping[str, Any]) -> tuple[Registration, str]:
        """Chooses between our solver and MuJoCo's library.

        Returns:
            The registration, and why the library was chosen.

        Raises:
            TypeError, ValueError: There is no such backend, or our solver is to take an option that needs the library.
        """
        super().choose(registration, caller_options)
        backend = caller_options.get("backend")
        reason = _needs_library({**registration.defaults, **caller_options}, model_of(registration.table))
        if reason and backend == "envpool":
            raise ValueError(f"{reason}: give backend='mujoco', or no backend")
        if backend == "mujoco":
            reason = "backend='mujoco' selects MuJoCo's library"
        if not reason:
            return registration, ""
        for name in caller_options:
            if name.startswith("model."):
                raise ValueError(
                    f"{name}: expected an option of our own solver, got one that set_options and reset, but not make, take "
                    f"with MuJoCo's library: {reason}"
                )
        defaults = {**registration.defaults, "backend": "mujoco"}
        table = registration.table.removesuffix("Old")
        return registration._replace(origin=GymMujoco(), table=table, defaults=defaults), reason

    def translate(self, task_id: str, caller_options: Mapping[str, Any]) -> dict[str, Any]:
        """Translates gymnasium's options into the declared ones, as for the library, and the name of a body.

        Raises:
            TypeError: A range is not a pair.
            ValueError: An option is given by two names, or there is no such body.
        """
        options = super().translate(task_id, caller_options)
        body = options.get("main_body")
        if isinstance(body, str):
            number = int(body) if body.removeprefix("-").isdecimal() else _BODIES.get(body)
            if number is None:
                expected = f"the number of a body from 0 to 13, or one of {', '.join(map(repr, _BODIES))}"
                raise wrong_value("main_body", expected, body)
            options["main_body"] = number
        return options

    def prepare(self, task_id: str, options: dict[str, Value]) -> dict[str, Value]:
        """Leaves out the options that C++ does not declare."""
        ours = {"backend", "xml_file", *_LIBRARY_ONLY, *_IMAGES}
        if not _reads_forces(task_id):
            ours.add("post_constraint")
        return {name: value for name, value in options.items() if name not in ours}

    def renderer(self, construction: Construction) -> SceneRenderer | None:
        """Returns MuJoCo's renderer. Without it, if MuJoCo or gymnasium is missing, images are simple drawings.

        Raises:
            MissingPackageError: Options of images need MuJoCo's renderer, which is missing.
        """
        from envpool.robots.scene import SceneRenderer

        images = {name: construction.config[name] for name in _IMAGES}
        try:
            return SceneRenderer(construction, images)
        except MissingPackageError:
            if images != _IMAGES:
                raise
            return None


def _needs_library(options: Mapping[str, Any], model: str) -> str:
    """Returns which option's value needs MuJoCo's library, as a clause; an empty string if none does."""
    path = options.get("xml_file")
    if path not in (model, model.removesuffix(".xml") + "_envpool.xml"):
        return f"xml_file={shown(path)} needs MuJoCo's library"
    for name, value in _LIBRARY_ONLY.items():
        if as_number(options[name], type(value).__name__) != value:
            return f"{name}={shown(options[name])} needs MuJoCo's library"
    return ""
