# SPDX-License-Identifier: Apache-2.0
"""What the tests that call an environment's functions through ctypes, without a pool, pass to them."""

import ctypes

import numpy as np


class Option(ctypes.Structure):
    """abi::Option."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("kind", ctypes.c_int32),
        ("integer", ctypes.c_int64),
        ("real", ctypes.c_double),
        ("text", ctypes.c_char_p),
        ("size", ctypes.c_int64),
    ]


class Options(ctypes.Structure):
    """abi::Options, from keywords."""

    _fields_ = [("data", ctypes.POINTER(Option)), ("size", ctypes.c_int32)]

    def __init__(self, **values):
        made = []
        for name, value in values.items():
            if isinstance(value, (str, bytes)):
                text = value.encode() if isinstance(value, str) else value
                made.append(Option(name.encode(), 3, 0, 0, text, len(text)))
            else:
                kind = 0 if isinstance(value, bool) else 1 if isinstance(value, int) else 2
                made.append(Option(name.encode(), kind, int(value), float(value), None, 0))
        self.kept = (Option * len(made))(*made)
        super().__init__(self.kept, len(made))


def pointer(array):
    """Where an array's elements lie."""
    return array.ctypes.data_as(ctypes.c_void_p)


class Functions:
    """One environment's functions, on arrays of states of a dtype."""

    def __init__(self, library, name, state, **options):
        self.name, self.state, self.options, self.library = name, state, Options(**options), library
        assert getattr(library, f"{name}_size")() == state.itemsize

    def _call(self, what, *arguments):
        return getattr(self.library, f"{self.name}_{what}")(ctypes.byref(self.options), *arguments)

    def reset(self, count, seed=0):
        states = np.zeros(count, self.state)
        self._call("reset", ctypes.c_uint64(seed), pointer(states), ctypes.c_int64(count))
        return states
