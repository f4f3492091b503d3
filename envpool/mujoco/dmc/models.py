# SPDX-License-Identifier: Apache-2.0
"""Returns the models of dm_control's suite: its XML files with dm_control's edits. The package is never imported."""

from __future__ import annotations

import functools
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from envpool.mujoco.packages import folder_of
from envpool.python.errors import MissingPackageError, missing_package

VERSION = "1.0.50"  # as in pyproject.toml


def suite_model(domain: str, task: str, num_poles: int) -> str:
    """Returns the path of a task's model, or its XML if dm_control edits it.

    Raises:
        MissingPackageError: dm_control is not installed, or lacks the model.
    """
    folder = suite_folder()
    if not (folder / f"{domain}.xml").is_file():
        raise MissingPackageError(
            f"needs dm_control {VERSION}: there is no {domain}.xml in {folder}", name="dm_control"
        )
    return _source(folder, domain, task, num_poles)


def suite_folder() -> Path:
    """Returns the folder of dm_control's suite.

    Raises:
        MissingPackageError: dm_control is not installed.
    """
    package = folder_of("dm_control")
    if package is None:
        raise missing_package("dm_control", "the models of dm_control", f"pip install dm_control=={VERSION}")
    return package / "suite"


@functools.lru_cache(maxsize=64)
def _source(folder: Path, domain: str, task: str, num_poles: int) -> str:
    path = folder / f"{domain}.xml"
    if domain not in ("cartpole", "dog", "lqr", "manipulator", "quadruped", "stacker", "swimmer") or (
        domain == "cartpole" and num_poles == 1
    ):
        return str(path)
    root = ElementTree.parse(path).getroot()
    # XML in a string has no folder for relative paths.
    for include in root.iter("include"):
        include.set("file", str((folder / include.get("file", "")).resolve()))
    for compiler in root.iter("compiler"):
        for name in ("meshdir", "texturedir"):
            if compiler.get(name) is not None:
                compiler.set(name, f"{(folder / compiler.get(name, '')).resolve()}/")
    if domain == "cartpole":
        _cartpole(root, num_poles)
    elif domain == "dog":
        _dog(root, task)
    elif domain == "lqr":
        bodies, actuators = (2, 1) if task == "lqr_2_1" else (6, 2)
        _lqr(root, bodies, actuators)
    elif domain == "manipulator":
        _manipulator(root, task)
    elif domain == "quadruped":
        _quadruped(root, task)
    elif domain == "stacker":
        for box in range(4 if task.startswith("stack_4") else 2, 4):
            _remove(root, "body", f"box{box}")
    elif domain == "swimmer":
        _swimmer(root, int(task.removeprefix("swimmer")))
    return ElementTree.tostring(root, encoding="unicode")


def _child(parent: ElementTree.Element, tag: str, **attributes: str) -> ElementTree.Element:
    return ElementTree.SubElement(parent, tag, attributes)


def _find(root: ElementTree.Element, path: str) -> ElementTree.Element:
    element = root.find(path)
    if element is None:
        raise ValueError(f"expected a model of dm_control {VERSION}, got one without {path}")
    return element


def _remove(root: ElementTree.Element, tag: str, name: str) -> None:
    parent = _find(root, f".//{tag}[@name='{name}']/..")
    parent.remove(_find(parent, f"{tag}[@name='{name}']"))


def _cartpole(root: ElementTree.Element, poles: int) -> None:
    parent = _find(root, "./worldbody/body/body")
    for pole in range(2, poles + 1):
        parent = _child(parent, "body", name=f"pole_{pole}", pos="0 0 1", childclass="pole")
        _child(parent, "joint", name=f"hinge_{pole}")
        _child(parent, "geom", name=f"pole_{pole}")
    _find(root, "./worldbody/geom").set("pos", f"0 0 {1 - poles - 0.05}")
    cameras = root.findall("./worldbody/camera")
    cameras[0].set("pos", f"0 {-1 - 2 * poles} 1")
    cameras[1].set("pos", f"0 {-2 * poles} 2")


def _dog(root: ElementTree.Element, task: str) -> None:
    # The size of the floor is the distance that the dog can run in an episode of 15 s.
    size = {"stand": 15, "walk": 15, "trot": 45, "run": 135}.get(task, 10)
    _find(root, ".//geom[@name='floor']").set("size", f"{size} {size} .1")
    if task == "fetch":
        return
    for tag, name in (("body", "ball"), ("geom", "target"), ("camera", "ball"), ("camera", "head")):
        _remove(root, tag, name)
    for side in ("px", "nx", "py", "ny"):
        _remove(root, "geom", f"wall_{side}")


def _lqr(root: ElementTree.Element, bodies: int, actuators: int) -> None:
    parent = _find(root, "./worldbody")
    actuator, tendon = _child(root, "actuator"), _child(root, "tendon")
    for body in range(bodies):
        parent = _child(parent, "body", name=f"body_{body}", pos=".25 0 .1" if body == 0 else ".25 0 0")
        # Stiffness is drawn from 15 to 25 for each environment.
        _child(parent, "joint", name=f"joint_{body}", stiffness="20", damping="0")
        _child(parent, "geom", name=f"geom_{body}")
        _child(parent, "site", name=f"site_{body}")
        if body < actuators:
            _child(actuator, "motor", name=f"motor_{body}", joint=f"joint_{body}")
        if body < bodies - 1:
            spatial = _child(tendon, "spatial", name=f"tendon_{body}")
            _child(spatial, "site", site=f"site_{body}")
            _child(spatial, "site", site=f"site_{body + 1}")


def _manipulator(root: ElementTree.Element, task: str) -> None:
    prop, receptacle = ("peg", "slot") if "peg" in task else ("ball", "cup")
    needed_bodies = {prop, f"target_{prop}"} | ({receptacle} if task.startswith("insert") else set())
    for body in ("ball", "target_ball", "cup", "peg", "target_peg", "slot"):
        if body not in needed_bodies:
            _remove(root, "body", body)


def _quadruped(root: ElementTree.Element, task: str) -> None:
    sizes = {"walk": 10.0, "run": 100, "escape": 40}
    if task in sizes:
        _find(root, ".//geom[@name='floor']").set("size", f"{sizes[task]} {sizes[task]} .5")
    if task != "fetch":
        for wall in ("wall_px", "wall_py", "wall_nx", "wall_ny"):
            _remove(root, "geom", wall)
        _remove(root, "body", "ball")
        _remove(root, "site", "target")
    if task != "escape":
        _remove(root, "geom", "terrain")
        for parent in list(root.iter()):
            for finder in parent.findall("rangefinder"):
                parent.remove(finder)


def _swimmer(root: ElementTree.Element, links: int) -> None:
    parent = _find(root, "./worldbody/body")
    actuator, sensor = _child(root, "actuator"), _child(root, "sensor")
    limit = 360.0 / links
    for link in range(links - 1):
        parent = _child(parent, "body", name=f"segment_{link}", pos="0 .1 0")
        _child(parent, "geom", **{"class": "visual", "name": f"visual_{link}"})
        _child(parent, "geom", **{"class": "inertial", "name": f"inertial_{link}"})
        _child(parent, "site", name=f"site_{link}")
        _child(parent, "joint", name=f"joint_{link}", range=f"{-limit} {limit}")
        _child(actuator, "motor", name=f"motor_{link}", joint=f"joint_{link}")
        _child(sensor, "velocimeter", name=f"velocimeter_{link}", site=f"site_{link}")
        _child(sensor, "gyro", name=f"gyro_{link}", site=f"site_{link}")
    for camera in root.findall("./worldbody/body/camera"):
        if camera.get("mode") == "trackcom":
            position = [str(float(x) * (links / 6.0)) for x in camera.get("pos", "").split(" ")]
            camera.set("pos", " ".join(position))
