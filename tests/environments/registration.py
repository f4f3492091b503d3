# SPDX-License-Identifier: Apache-2.0
"""Registers the test environments; `list_all_envs` names them once this module is imported."""

import ctypes
import os

from envpool.registration import register
from tests.support.libraries import library
from tests.support.waiting import until

LIBRARY = library("testing")
INCLUDE = os.environ.get("ENVPOOL_SOURCE_DIR", "")  # the headers of these environments are not installed

register("Counter-v0", LIBRARY, "Counter", include=INCLUDE, doc="counts its steps; action 1 ends the episode")
register(
    "Counter-v1",
    LIBRARY,
    "Counter",
    include=INCLUDE,
    max_episode_steps=5,
    reward_threshold=5.0,
    aliases=["counter"],
    colour="green",
)
register("AllTypes-v0", LIBRARY, "AllTypes", include=INCLUDE, max_episode_steps=20, doc="every kind of array")
register(
    "Crowd-v0",
    LIBRARY,
    "Crowd",
    doc="a number of players that changes at every reset",
    include=INCLUDE,
)
register("Faulty-v0", LIBRARY, "Faulty", doc="throws, sleeps and hangs on command")


def release() -> None:
    """Releases hanging environments, and environments that are told to hang later."""
    ctypes.CDLL(LIBRARY).testing_release(1)


def allow_hanging() -> None:
    """Makes environments hang again if they are told to."""
    ctypes.CDLL(LIBRARY).testing_release(0)


def wait_until_hanging(number: int) -> None:
    """Waits until exactly this number of environments hang."""
    until(lambda: ctypes.CDLL(LIBRARY).testing_hanging() == number, f"{number} environments hang")
