# SPDX-License-Identifier: Apache-2.0
"""Pools on a GPU and arrays in its memory, for tests that have no library of arrays on a GPU."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import envpool
from envpool.testing.cuda import Driver

DRIVER = functools.cache(Driver)


def make(task_id: str = "CartPole-v1", num_envs: int = 4, **options: Any) -> Any:
    """Makes a small pool on the GPU, with gymnasium's form."""
    return envpool.make_gymnasium(task_id, num_envs=num_envs, **{"seed": 3, "device": "cuda", **options})


class OnDevice:
    """An array in the device's memory that other libraries can take, as Numba's users have them.

    Attributes:
        shape: of the array.
        dtype: likewise.
        address: where it is on the device.
        stream: on which it is computed, as __cuda_array_interface__ numbers streams.
    """

    def __init__(self, array: np.ndarray, stream: int = 1, driver: Driver | None = None) -> None:
        self.shape, self.dtype, self.stream = array.shape, array.dtype, stream
        self.address = (driver or DRIVER()).upload(array)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        data = (self.address, False)
        return {"version": 3, "typestr": self.dtype.str, "shape": self.shape, "data": data, "stream": self.stream}
