# SPDX-License-Identifier: Apache-2.0
"""Registers the ids of the DeepMind Control Suite with EnvPool's names, such as CheetahRun-v1."""

from __future__ import annotations

from typing import Any

from envpool.mujoco.dmc.models import suite_folder, suite_model
from envpool.mujoco.family import MujocoFamily
from envpool.mujoco.packages import model_source
from envpool.python.options import wrong_value
from envpool.registration import register_family

# For each domain of dm_control, the simulation steps for each action, and the tasks.
TASKS: dict[str, tuple[int, str]] = {
    "acrobot": (1, "swingup swingup_sparse"),
    "ball_in_cup": (10, "catch"),
    "cartpole": (1, "balance balance_sparse swingup swingup_sparse two_poles three_poles"),
    "cheetah": (1, "run"),
    "dog": (3, "stand walk trot run fetch"),
    "finger": (2, "spin turn_easy turn_hard"),
    "fish": (10, "upright swim"),
    "hopper": (4, "stand hop"),
    "humanoid": (5, "stand walk run run_pure_state"),
    "humanoid_CMU": (10, "stand walk run"),
    "lqr": (1, "lqr_2_1 lqr_6_2"),
    "manipulator": (10, "bring_ball bring_peg insert_ball insert_peg"),
    "pendulum": (1, "swingup"),
    "point_mass": (1, "easy hard"),
    "quadruped": (4, "walk run escape fetch"),
    "reacher": (1, "easy hard"),
    "stacker": (10, "stack_2 stack_4"),
    "swimmer": (15, "swimmer6 swimmer15"),
    "walker": (10, "stand walk run"),
}

# Domains, tasks and time limits. EnvPool has a variable of this name.
dmc_mujoco_envs = [(domain, task, 1000) for domain, (_, tasks) in TASKS.items() for task in tasks.split()]


def id_of(domain: str, task: str) -> str:
    """Returns the id of a dm_control task."""
    return f"{_words(domain)}{_words(task)}-v1"


def _words(name: str) -> str:
    return "".join(word[0].upper() + word[1:] for word in name.split("_"))


class ControlSuite(MujocoFamily):
    """The DeepMind Control Suite."""

    PART = "dmc"
    MODELS = "dm_control 1.0.50, suite"
    RELEASES = ("3.17.0",)
    WHY_NOT_OTHERS = "with which no task of dm_control 1.0.50 can be loaded"

    def prepare(self, task_id: str, options: dict[str, Any]) -> dict[str, Any]:
        """Sets the model, as a path or XML, and removes the options that serve only to select it.

        Raises:
            MissingPackageError: dm_control is not installed.
            ValueError: an option is out of range.
        """
        prepared = dict(options)
        domain, task = prepared["domain_name"], prepared["task_name"]
        poles = prepared.pop("num_poles", {"two_poles": 2, "three_poles": 3}.get(task, 1))
        if not 1 <= poles <= 100:
            raise wrong_value("num_poles", "an int from 1 to 100", poles)
        if prepared.pop("sparse", False):
            prepared["task_name"] += "_sparse"
        if not prepared.pop("fully_observable", True):
            prepared["task_name"] += "_partial"
        if prepared["xml_file"]:
            prepared["xml_file"] = model_source(prepared["xml_file"], suite_folder())
        else:
            prepared["xml_file"] = suite_model(domain, task, poles)
        return prepared

    def class_of(self, task_id: str) -> str:
        """Returns the prefix of the names of the id's classes in EnvPool."""
        return "Dmc" + _words(DOMAINS[task_id])


def _options_of(domain: str, task: str) -> dict[str, Any]:
    if task == "three_poles":
        return {"num_poles": 3, "sparse": False}
    if domain in ("manipulator", "stacker"):
        return {"fully_observable": True}
    return {}


DOMAINS = {id_of(domain, task): domain for domain, (_, tasks) in TASKS.items() for task in tasks.split()}


_FAMILY = ControlSuite()

for _domain, (_frame_skip, _tasks) in TASKS.items():
    for _task in _tasks.split():
        register_family(
            id_of(_domain, _task),
            _FAMILY,
            "ControlSuite",
            max_episode_steps=1000,
            doc=f"{_task} of {_domain} in the DeepMind Control Suite.",
            domain_name=_domain,
            task_name=_task,
            frame_skip=_frame_skip,
            **_options_of(_domain, _task),
        )
