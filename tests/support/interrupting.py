# SPDX-License-Identifier: Apache-2.0
"""Raises KeyboardInterrupt wherever Python could run the handler of Ctrl-C in a call."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import gymnasium
import numpy as np

import envpool

PACKAGE = os.path.dirname(envpool.__file__)
TASK = "Pendulum-v1"  # an episode has 200 steps, whatever the actions are

ENTRY_POINTS: dict[str, Callable[..., Any]] = {
    "gymnasium": lambda **options: envpool.make_gymnasium(TASK, num_envs=2, **options),
    "gym": lambda **options: envpool.make_gym(TASK, num_envs=2, step_api="classic", **options),
    "vec": lambda **options: envpool.make_vec(TASK, num_envs=2, **options),
    "dm": lambda **options: envpool.make_dm(TASK, num_envs=2, **options),
    "single": lambda **options: gymnasium.make(f"envpool/{TASK}", **options),
    "sb3": lambda **options: envpool.make_sb3(TASK, 2, **options),
}


def interrupted_after(opcodes: int, call: Callable[[], Any]) -> bool:
    """Calls a function, and raises KeyboardInterrupt before the given opcode of the package's Python code.

    Returns whether the function was interrupted; False if it ended before.
    """
    left = opcodes

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def check_interrupts(face: str, *, stride: int = 1, **options: Any) -> None:
    """Interrupts steps and resets of a pool at all opcodes, or at one in `stride`. The next step must work each time."""
    env = ENTRY_POINTS[face](**options)
    action = np.zeros(1 if face == "single" else (2, 1), np.float32)
    env.reset()
    for call in (lambda: env.step(action), env.reset):
        interrupts = 0
        for opcode in itertools.count(1, stride):
            if not interrupted_after(opcode, call):
                break
            interrupts += 1
            env.step(action)
            if opcode % 50 < stride:
                env.reset()  # before the time limit
        assert interrupts * stride >= 10
    env.close()
