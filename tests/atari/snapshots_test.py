# SPDX-License-Identifier: Apache-2.0
"""Tests snapshots of Atari games: their size, and that games continue from them bit for bit."""

import numpy as np
import pytest

import envpool
from tests.atari.memory_test import GAMES

# Screens that continue unfinished frames, a cartridge with more memory, colour, and the console's memory.
CASES = [
    ("Seaquest-v5", {}),
    ("Pitfall2-v5", {}),
    ("Asteroids-v5", {}),
    ("ElevatorAction-v5", {}),
    ("Pong-v5", {"gray_scale": False, "stack_num": 3}),
    ("Pong-v5", {"img_height": 83, "img_width": 79, "stack_num": 1}),
    ("Pong-v5", {"img_height": 1, "img_width": 3}),
    ("Breakout-v5", {"obs_type": "ram", "frame_skip": 1}),
    ("ALE/Frostbite-v5", {}),
    ("ALE/Pong-v5", {"obs_type": "ram"}),
]


def played(task_id, steps=60, **options):
    env = envpool.make_gymnasium(task_id, num_envs=2, seed=5, **options)
    env.reset()
    rng = np.random.default_rng(1)
    for _ in range(steps):
        env.step(rng.integers(0, env.action_space.n, 2).astype(np.int32))
    return env, rng


@pytest.mark.sampled(one_in=8, always=["Seaquest-v5", "ElevatorAction-v5"])
@pytest.mark.parametrize("task_id", GAMES)
def test_a_snapshot_is_at_most_half_as_large_as_the_state(task_id):
    env, _ = played(task_id)
    assert max(map(len, env.snapshot())) <= env._pool.state_bytes(0) / 2


def test_seaquest_takes_15_kilobytes():
    """A snapshot took 114,352 bytes while it contained the stack of images and the screens as they are."""
    env, _ = played("Seaquest-v5", 200)
    assert env._pool.state_bytes(0) > 114_000
    assert max(map(len, env.snapshot())) < 15_000


@pytest.mark.parametrize(("task_id", "options"), CASES, ids=lambda value: str(value))
def test_a_restored_game_continues_identically(task_id, options):
    env, rng = played(task_id, **options)
    state = env.snapshot(0)
    actions = rng.integers(0, env.action_space.n, 60).astype(np.int32)
    original = []
    for action in actions:
        obs, reward, *_, info = env.step(np.array([action, 0], np.int32))
        original.append((obs[0].tobytes(), reward[0], info["lives"][0]))
    env.restore(1, state)
    assert env.snapshot(1) == state
    for action, expected in zip(actions, original, strict=True):
        obs, reward, *_, info = env.step(np.array([0, action], np.int32))
        assert (obs[1].tobytes(), reward[1], info["lives"][1]) == expected
