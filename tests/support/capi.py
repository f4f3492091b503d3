# SPDX-License-Identifier: Apache-2.0
"""Calls an environment's functions (functions.h) through ctypes, without a pool."""

import ctypes
import hashlib

import numpy as np


class Option(ctypes.Structure):
    """The C struct abi::Option."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("kind", ctypes.c_int32),
        ("integer", ctypes.c_int64),
        ("real", ctypes.c_double),
        ("text", ctypes.c_char_p),
        ("size", ctypes.c_int64),
        ("numbers", ctypes.POINTER(ctypes.c_double)),
    ]


class Options(ctypes.Structure):
    """The C struct abi::Options, made from keyword arguments."""

    _fields_ = [("data", ctypes.POINTER(Option)), ("size", ctypes.c_int32)]

    def __init__(self, **values):
        entries = []
        for name, value in values.items():
            if isinstance(value, (str, bytes)):
                text = value.encode() if isinstance(value, str) else value
                entries.append(Option(name.encode(), 3, 0, 0, text, len(text)))
            else:
                kind = 0 if isinstance(value, bool) else 1 if isinstance(value, int) else 2
                entries.append(Option(name.encode(), kind, int(value), float(value), None, 0))
        self._entries = (Option * len(entries))(*entries)
        super().__init__(self._entries, len(entries))


def pointer(array):
    """Returns the address of an array's elements."""
    return array.ctypes.data_as(ctypes.c_void_p)


def mixed_bits(step, count):
    """Returns well-mixed 31-bit numbers, from which tests make the actions of a step."""
    return np.arange(step * count, (step + 1) * count, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(33)


def golden_hash(engine, act, before, after=lambda states: (), fresh=None):
    """Returns a hash of 300 steps of 64 environments, which is the same on every machine.

    Args:
        engine: the functions of an environment.
        act: returns the actions of a step, from well-mixed numbers.
        before: returns arrays of states that are hashed before rewards and ends.
        after: returns arrays of states that are hashed after these.
        fresh: returns states from which finished episodes continue, from the states and the number of the step; None:
            a reset with this number as seed.
    """
    fresh = fresh or (lambda states, step: engine.reset(64, seed=step))
    states, digest = engine.reset(64, seed=3), hashlib.sha256()
    for step in range(300):
        reward, terminated = engine.step(states, act(mixed_bits(step, 64)), seed=step)
        states[terminated] = fresh(states, step)[terminated]
        for array in (*before(states), reward, terminated, *after(states)):
            digest.update(array.tobytes())
    return digest.hexdigest()[:16]


class Calls:
    """The C functions of the environment whose table has a given name, with fixed options."""

    def __init__(self, library, table, **options):
        self.library, self.table, self.options = library, table, Options(**options)

    def call(self, what, *arguments, result=None):
        function = getattr(self.library, f"test_{what}")
        function.restype = result
        return function(self.table.encode(), ctypes.byref(self.options), *arguments)


class Functions(Calls):
    """One environment's functions, called with arrays of states. `table` is the table's name if it is not `name`."""

    def __init__(self, library, name, state, table=None, **options):
        super().__init__(library, table or name, **options)
        self.name, self.state = name, np.dtype(state)
        assert self.call("stride", result=ctypes.c_int64) == self.state.itemsize

    def reset(self, count, seed=0, episode=0, states=None):
        """Resets the given states, or new ones, and returns them."""
        states = np.zeros(count, self.state) if states is None else states
        self.call("reset", ctypes.c_uint64(seed), ctypes.c_uint32(episode), pointer(states), ctypes.c_int64(count))
        return states

    def step(self, states, actions, seed=0):
        """Steps the states with one action, or one per state. Returns rewards and whether each state is terminal."""
        count = len(states)
        actions = np.asarray(actions)
        actions = actions.astype(np.float32 if actions.dtype.kind == "f" else np.int32)
        if actions.ndim == 0 or len(actions) != count:
            actions = np.broadcast_to(actions, (count, *actions.shape))
        actions = np.ascontiguousarray(actions)
        reward, terminated = np.empty(count, np.float32), np.empty(count, np.uint8)
        outputs = pointer(reward), pointer(terminated)
        self.call("step", ctypes.c_uint64(seed), pointer(states), pointer(actions), *outputs, ctypes.c_int64(count))
        return reward, terminated.astype(bool)

    def observe_into(self, states, *fields):
        """Writes observations and infos into arrays with one row per state, given in the order of the spec."""
        places = (ctypes.c_void_p * len(fields))(*(field.ctypes.data for field in fields))
        self.call("observe", pointer(states), places, ctypes.c_int64(len(states)))
