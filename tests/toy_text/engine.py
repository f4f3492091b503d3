# SPDX-License-Identifier: Apache-2.0
"""Calls the functions of toy text with arrays of states, without a pool, and helps to compare their outcomes."""

import collections
import ctypes

import numpy as np

from tests.support import libraries
from tests.support.capi import Functions

CUSTOM_MAP = ["FFSFHS", "GFHFFF", "SFFHFG"]  # a map of FrozenLake with three starts and two goals
REFERENCES = {"FrozenLake": "FrozenLake-v1", "CliffWalking": "CliffWalking-v1", "Taxi": "Taxi-v4"}

# The memory layout of each State.
HAND = [(name, "u1") for name in ("hard", "ace", "cards")]
STATES = {
    "Blackjack": np.dtype([("player", HAND), ("dealer", HAND), ("shown", "u1")]),
    "Catch": np.dtype([(name, "i4") for name in ("ball_row", "ball_column", "paddle")]),
    "CliffWalking": np.dtype([("row", "i4"), ("column", "i4"), ("probability", "f4")]),
    "FrozenLake": np.dtype([("row", "i4"), ("column", "i4"), ("probability", "f4")]),
    "NChain": np.dtype([("position", "i4")]),
    "Taxi": np.dtype(
        [(name, "i4") for name in ("row", "column", "passenger", "destination")]
        + [("probability", "f4"), ("fickle", "u1")],
        align=True,
    ),
}
# The dtype and shape of each field of an environment's observations and infos.
PROB = ("f4", ())
FIELDS = {
    "Blackjack": [("i4", (3,))],
    "Catch": [("f4", (10, 5))],
    "CliffWalking": [("i4", ()), PROB],
    "FrozenLake": [("i4", ()), PROB],
    "NChain": [("i4", ())],
    "Taxi": [("i4", ()), PROB, ("?", (6,))],
}


class Engine(Functions):
    def __init__(self, name, **options):
        super().__init__(ctypes.CDLL(libraries.library("toy_text_testing")), name, STATES[name], **options)

    def observe(self, states, shape=None):
        fields = [
            np.empty((len(states), *(field_shape if shape is None else shape)), dtype)
            for dtype, field_shape in FIELDS[self.name]
        ]
        self.observe_into(states, *fields)
        return fields


def merged(pairs):
    """Returns a dict with the total probability of each outcome."""
    total = collections.defaultdict(float)
    for outcome, probability in pairs:
        if probability > 0:
            total[outcome] += probability
    return dict(total)


def state_at(name, state, columns):
    """Converts gymnasium's number of a state to our State."""
    ours = np.zeros((), STATES[name])
    if name == "Taxi":
        state, ours["destination"] = divmod(state, 4)
        state, ours["passenger"] = divmod(state, 5)
        ours["row"], ours["column"] = divmod(state, 5)
    else:
        ours["row"], ours["column"] = divmod(state, columns)
    return ours


def only_env(pool):
    """Returns a function that steps a pool's only environment with an action."""

    def step(action):
        obs, reward, terminated, truncated, info = pool.step(np.array([action]))
        return obs[0], reward[0], bool(terminated[0]), bool(truncated[0]), info

    return step
