# SPDX-License-Identifier: Apache-2.0
"""Plays games with the installed package envpool and records everything it returns.

peer_test.py calls `play` for our package, and runs this file with the interpreter of the released EnvPool. The file may
therefore use only features that both packages have. Run as a program, it reads cases as JSON from standard input,
{"name": {"task": ...}}, and writes the recording of each case to name.npz in the folder that is the first argument.
"""

from __future__ import annotations

import hashlib
import json
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import envpool

NUM_ENVS = 2


def digests(screens: Any) -> Any:
    """Returns a digest of 16 bytes for each environment's observation."""
    rows = [hashlib.blake2b(np.ascontiguousarray(row).tobytes(), digest_size=16).digest() for row in screens]
    return np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), 16)


def play(task: str, steps: int, options: dict[str, Any], transform: Callable[[Any], Any] = lambda obs: obs) -> Any:
    """Plays random actions and returns everything that reset and step return, with one row per step.

    Args:
        task: the id.
        steps: the number of steps, including resets between episodes.
        options: the options of the environments.
        transform: a function applied to the observations before they are recorded as digests.
    """
    env = envpool.make_gymnasium(task, num_envs=NUM_ENVS, seed=1, **options)
    rng = np.random.default_rng(zlib.crc32(task.encode()))
    rows: list[dict[str, Any]] = []

    def record(obs: Any, info: dict[str, Any], **outcome: Any) -> None:
        obs = transform(obs)
        infos = {f"info {name}": np.array(value) for name, value in info.items() if isinstance(value, np.ndarray)}
        rows.append({"shape": np.array(obs.shape), "obs": digests(obs), **infos, **outcome})

    obs, info = env.reset()
    none = np.zeros(NUM_ENVS, bool)
    record(obs, info, reward=np.zeros(NUM_ENVS, np.float32), terminated=none, truncated=none)
    action = np.zeros(NUM_ENVS, np.int32)
    for _ in range(steps):
        wanted = rng.integers(env.action_space.n, size=NUM_ENVS).astype(np.int32)
        action = np.where(rng.random(NUM_ENVS) < 0.4, wanted, action)
        obs, reward, terminated, truncated, info = env.step(action)
        record(obs, info, reward=reward.copy(), terminated=terminated.copy(), truncated=truncated.copy())
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]}


if __name__ == "__main__":
    for name, case in json.load(sys.stdin).items():
        np.savez(Path(sys.argv[1], f"{name}.npz"), **play(**case))
