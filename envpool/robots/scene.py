# SPDX-License-Identifier: Apache-2.0
"""Draws the robots of our solver with MuJoCo's renderer, which is optional."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from envpool._core import DevicePool, Pool
from envpool.mujoco.gym.environments import model_of
from envpool.mujoco.gym.family import GymMujoco, assets
from envpool.python.construction import Construction
from envpool.python.errors import labelled, missing_package
from envpool.python.family import Value
from envpool.python.registry import Registration


class _Scenes(GymMujoco):
    """The family of `Scene`, an environment that shows a robot in given positions."""

    def translate(self, task_id: str, caller_options: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the options as they are."""
        return dict(caller_options)

    def prepare(self, task_id: str, options: dict[str, Any]) -> dict[str, Any]:
        """Returns the options as they are."""
        return options


class SceneRenderer:
    """MuJoCo's renderer for a pool of robots.

    Args:
        construction: the checked options of the pool.
        images: the options of images, by name.

    Raises:
        MissingPackageError: MuJoCo, or gymnasium with the robots' models, is not installed.
        ValueError: an option of the images is not allowed.
    """

    def __init__(self, construction: Construction, images: Mapping[str, Value]) -> None:
        table = construction.registration.table
        model = assets() / model_of(table)
        with labelled(construction.label):
            if not model.is_file():
                raise missing_package("gymnasium", "gymnasium, which has the robots' models,", "pip install gymnasium")
        registration = Registration(construction.label, _Scenes(), "", "Scene")
        options = {**images, "xml_file": str(model), "robot": table, "num_envs": 1, "render_mode": "rgb_array"}
        scene = Construction(registration, options)
        self._size = scene.arrays.render_size
        self._pool = scene.make_pool([])
        self._pool.reset()
        self._pool.recv()
        self._lock = threading.Lock()  # the scene shows one robot at a time
        self._positions = next(part for part in json.loads(construction.table.parts()) if part["name"] == "qpos")

    def render(self, pool: Pool | DevicePool, env_ids: npt.NDArray[np.int32]) -> npt.NDArray[np.uint8]:
        """Returns images of environments, uint8 of shape (n, height, width, 3)."""
        images = np.empty((len(env_ids), *self._size, 3), np.uint8)
        positions = self._positions_of(pool, env_ids)
        with self._lock:
            for image, qpos in zip(images, positions, strict=True):
                self._pool.step(qpos[None])
                image[:] = self._pool.render(np.zeros(1, np.int32))[0]
        return images

    def _positions_of(self, pool: Any, env_ids: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
        """Returns qpos of environments."""
        if hasattr(pool, "states"):  # on a GPU
            positions: npt.NDArray[np.float64] = pool.states()["qpos"].numpy()[env_ids]
            return positions
        part = self._positions
        return np.asarray(pool.read_states(env_ids, part["offset"], 8 * part["count"], "render").view(np.float64))

    def close(self) -> None:
        """Frees the renderer."""
        self._pool.close()
