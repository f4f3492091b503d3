# SPDX-License-Identifier: Apache-2.0
"""Registers the test environments, which `list_all_envs` does not name before this module is imported."""

import ctypes
import os

from envpool.registration import register
from envpool.testing.libraries import library

LIBRARY = library("testing")

register("Counter-v0", LIBRARY, "Counter", doc="counts its steps; action 1 ends the episode")
register(
    "Counter-v1", LIBRARY, "Counter", max_episode_steps=5, reward_threshold=5.0, aliases=["counter"], colour="green"
)
register("AllTypes-v0", LIBRARY, "AllTypes", max_episode_steps=20, doc="every kind of array")
register(
    "Crowd-v0",
    LIBRARY,
    "Crowd",
    doc="several players, not always as many",
    include=os.environ.get("ENVPOOL_SOURCE_DIR", ""),
)
register("Faulty-v0", LIBRARY, "Faulty", doc="throws, sleeps and hangs on command")


def release(on: bool = True) -> None:
    """Lets go of environments that hang, or (False) makes the next ones hang again."""
    ctypes.CDLL(LIBRARY).testing_release(int(on))
