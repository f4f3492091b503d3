# SPDX-License-Identifier: Apache-2.0
"""Checks limits on the memory of games and on the time to make a thousand of them, which benchmark/light.py measures.

The memory of an environment includes its console with two screens, its stack, and its rows in two batches: the batch
that is being written and the one that the caller holds.
"""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np
import pytest

import envpool
from envpool.atari.registration import ROMS

pytest.importorskip("ale_py")

MOST_BYTES = 190_000
MOST_CONSOLE_BYTES = 91_000  # of a console and its two screens of 210 rows
# This game stores a third screen, of 210 x 160 bytes: see GameTraits::unfinished_frames.
MORE_BYTES = {"TicTacToe3d-v5": 210 * 160}
GAMES = ["".join(word.capitalize() for word in name.split("_")) + "-v5" for name in ROMS]

STEPPED = """
import sys
import numpy as np
import envpool
from tests.support.memory import allocated_bytes

env = envpool.make_gymnasium(sys.argv[1], num_envs=int(sys.argv[2]))
held = env.reset()
for _ in range(5):
    held = env.step(np.zeros(len(env), np.int32))
print(allocated_bytes())
"""


def counted_bytes(task_id: str) -> int:
    """Returns the bytes of an environment's state and rows."""
    env = envpool.make_gymnasium(task_id, num_envs=1)
    env.reset()
    obs, *arrays, info = env.step(np.zeros(1, np.int32))
    arrays += [array for array in info.values() if isinstance(array, np.ndarray)]
    return int(env._pool.state_bytes(0)) + 2 * sum(array.nbytes for array in (obs, *arrays))


@pytest.mark.parametrize("task_id", GAMES)
def test_every_game_stays_within_its_limit(task_id: str) -> None:
    assert counted_bytes(task_id) <= MOST_BYTES + MORE_BYTES.get(task_id, 0)


def test_a_console_takes_as_much_memory_as_its_screens_need() -> None:
    def console_bytes(task_id: str) -> int:
        env = envpool.make_gymnasium(task_id, num_envs=1)
        return int(env._pool.state_bytes(0))

    assert console_bytes("ALE/Pong-v5") <= MOST_CONSOLE_BYTES
    # AirRaid has the European standard: 250 rows.
    assert console_bytes("ALE/AirRaid-v5") - console_bytes("ALE/Pong-v5") == 2 * (250 - 210) * 160


def test_allocated_memory_equals_the_counted_bytes() -> None:
    """The allocated memory of a pool grows by the counted bytes per environment."""

    def allocated(num_envs: int) -> int:
        program = [sys.executable, "-c", STEPPED, "Pong-v5", str(num_envs)]
        return int(subprocess.run(program, check=True, capture_output=True, text=True).stdout)

    each = (allocated(1200) - allocated(200)) / 1000
    assert each <= MOST_BYTES
    assert each == pytest.approx(counted_bytes("Pong-v5"), rel=0.03)


@pytest.mark.parametrize("each", [False, True])
def test_the_rom_is_parsed_once(each: bool) -> None:
    """Making a thousand environments does not parse the ROM for each, which would take 150 times as long as making one.

    That also holds if each environment has its own options, here one of two sets.
    """

    def cpu_seconds(num_envs: int) -> float:
        kinds = [{"mode": 0}, {"mode": 1, "frame_skip": 2}]
        options = {"env_options": [kinds[index % 2] for index in range(num_envs)]} if each else {}
        before = time.process_time()
        env = envpool.make_gymnasium("Pong-v5", num_envs=num_envs, **options)
        seconds = time.process_time() - before
        env.close()
        return seconds

    pairs = [(cpu_seconds(1), cpu_seconds(1000)) for _ in range(5)]
    one, thousand = (min(times) for times in zip(*pairs, strict=True))
    assert thousand < 50 * one
