# SPDX-License-Identifier: Apache-2.0
"""Makes references compute sines and cosines with the functions of core/math/math.h."""

import ctypes

import numpy as np

from tests.support import libraries
from tests.support.capi import pointer


def use_our_sines(monkeypatch, module):
    """Replaces the functions sin and cos of a module, such as jax.numpy, with our functions for float32."""
    library = ctypes.CDLL(libraries.library("core_testing"))

    def ours(name):
        def function(x):
            x = np.ascontiguousarray(x, np.float32)
            y = np.empty_like(x)
            library[f"sincos_{name}_f32"](pointer(x), pointer(y), ctypes.c_int64(x.size))
            return y

        return function

    monkeypatch.setattr(module, "sin", ours("sin"))
    monkeypatch.setattr(module, "cos", ours("cos"))
