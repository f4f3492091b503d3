# SPDX-License-Identifier: Apache-2.0
"""Makes pools and arrays on a GPU, for tests that cannot use a GPU array library."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import envpool
from tests.standin.driver import Driver

DRIVER = functools.cache(Driver)


def make(task_id: str = "CartPole-v1", num_envs: int = 4, **options: Any) -> Any:
    """Makes a small pool on the GPU with gymnasium's interface."""
    return envpool.make_gymnasium(task_id, num_envs=num_envs, **{"seed": 3, "device": "cuda", **options})


class OnDevice:
    """An array in device memory that other libraries can import through __cuda_array_interface__, like Numba's arrays.

    Attributes:
        shape: the array's shape.
        dtype: the array's dtype.
        address: the address of the first element on the device.
        stream: the stream on which it is computed, numbered as in __cuda_array_interface__.
    """

    def __init__(self, array: np.ndarray, stream: int = 1, driver: Driver | None = None) -> None:
        self.shape, self.dtype, self.stream = array.shape, array.dtype, stream
        self.address = (driver or DRIVER()).upload(array)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        data = (self.address, False)
        return {"version": 3, "typestr": self.dtype.str, "shape": self.shape, "data": data, "stream": self.stream}
