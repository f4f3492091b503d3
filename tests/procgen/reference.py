# SPDX-License-Identifier: Apache-2.0
"""The reference: the shared object of the package procgen2, which has a C interface, without the package's Python code.

The code needs NumPy 1 and gym3, which the tests do not have.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
from pathlib import Path

import numpy as np

_U8, _I32 = 1, 2  # data types of options
_SPACES = {"observation": 1, "action": 2, "info": 3}
_MODES = {"easy": 0, "hard": 1, "extreme": 2, "memory": 10}


class _Option(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char * 128),
        ("dtype", ctypes.c_int),
        ("count", ctypes.c_int),
        ("data", ctypes.c_void_p),
    )


class _Options(ctypes.Structure):
    _fields_ = (("items", ctypes.POINTER(_Option)), ("count", ctypes.c_int))


class _Buffers(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_void_p) for name in ("ob", "rew", "first", "info", "ac"))


def folder() -> Path | None:
    """Returns the folder of the package procgen2; None if it is not installed."""
    spec = importlib.util.find_spec("procgen")
    return Path(next(iter(spec.submodule_search_locations))) if spec and spec.submodule_search_locations else None


@functools.cache
def library() -> ctypes.CDLL:
    """Returns the shared object."""
    library = ctypes.CDLL(str(folder() / "data" / "prebuilt" / "libenv.so"))
    library.libenv_make.restype = ctypes.c_void_p
    for name in ("libenv_set_buffers", "libenv_observe", "libenv_act", "libenv_close"):
        getattr(library, name).restype = None
    return library


class Reference:
    """Environments of the reference, which choose their levels from a seed.

    Attributes:
        obs, reward, first: what the last step returned, one row for each environment.
        level_seed, prev_level_seed, prev_level_complete: the infos of the last step.
    """

    def __init__(self, game: str, num_envs: int, mode: str = "easy", seed: int = 0, **options) -> None:
        values = {
            "env_name": game.encode(),
            "num_levels": 0,
            "start_level": 0,
            "num_actions": 15,
            "use_sequential_levels": False,
            "debug_mode": 0,
            "rand_seed": seed,
            "num_threads": 0,
            "render_human": False,
            "resource_root": f"{folder()}/data/assets/".encode(),
            "center_agent": True,
            "use_generated_assets": False,
            "use_monochrome_assets": False,
            "restrict_themes": False,
            "use_backgrounds": True,
            "paint_vel_info": False,
            "distribution_mode": _MODES[mode],
            **options,
        }
        self._lib = library()
        kept = [self._option(name, value) for name, value in values.items()]
        items = (_Option * len(kept))(*(option for option, _ in kept))
        self._env = ctypes.c_void_p(self._lib.libenv_make(num_envs, _Options(items, len(kept))))
        self.obs = np.zeros((num_envs, 64, 64, 3), np.uint8)
        self.reward = np.zeros(num_envs, np.float32)
        self.first = np.zeros(num_envs, np.uint8)
        self.action = np.zeros(num_envs, np.int32)
        self.prev_level_seed = np.zeros(num_envs, np.int32)
        self.prev_level_complete = np.zeros(num_envs, np.uint8)
        self.level_seed = np.zeros(num_envs, np.int32)
        infos = (self.prev_level_seed, self.prev_level_complete, self.level_seed)
        self._pointers = [self._rows(arrays) for arrays in ((self.obs,), infos, (self.action,))]
        ob, info, ac = (ctypes.cast(pointers, ctypes.c_void_p) for pointers in self._pointers)
        buffers = _Buffers(ob, self.reward.ctypes.data, self.first.ctypes.data, info, ac)
        self._lib.libenv_set_buffers(self._env, ctypes.byref(buffers))
        self._lib.libenv_observe(self._env)

    @staticmethod
    def _option(name: str, value) -> tuple[_Option, np.ndarray]:
        if isinstance(value, bytes):
            data, dtype = np.frombuffer(value, np.uint8).copy(), _U8
        elif isinstance(value, bool):
            data, dtype = np.array([value], np.uint8), _U8
        else:
            data, dtype = np.array([value], np.int32), _I32
        return _Option(name.encode(), dtype, data.size, data.ctypes.data), data

    @staticmethod
    def _rows(arrays) -> ctypes.Array:
        addresses = [array[row : row + 1].ctypes.data for array in arrays for row in range(len(array))]
        return (ctypes.c_void_p * len(addresses))(*addresses)

    def step(self, action: np.ndarray) -> None:
        """Steps all environments. An environment whose episode ends is in its next level afterwards."""
        self.action[:] = action
        self._lib.libenv_act(self._env)
        self._lib.libenv_observe(self._env)

    def close(self) -> None:
        """Frees the environments."""
        self._lib.libenv_close(self._env)
