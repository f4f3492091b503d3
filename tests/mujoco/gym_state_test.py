# SPDX-License-Identifier: Apache-2.0
"""Tests that a snapshot contains the whole state, so that any environment continues from it bit for bit."""

import numpy as np
import pytest

from tests.mujoco.gym_reference import IDS, make

EXTRA = [
    ("Ant-v4", {"use_contact_force": True}),
    ("Ant-v5", {"frame_skip": 1, "main_body": 3}),
    ("Humanoid-v3", {"post_constraint": True}),
    ("Reacher-v5", {"reward_after_step": False, "frame_skip": 1}),
]


def play(pool, actions):
    results = []
    for action in actions:
        observation, reward, terminated, truncated, info = pool.step(action)
        info = {key: value for key, value in info.items() if key != "env_id"}
        arrays = [observation, reward, terminated, truncated, *(info[key] for key in sorted(info) if key != "players")]
        results.append([np.array(array)[0].tobytes() for array in arrays])
    return results


@pytest.mark.parametrize(
    ("task_id", "options"),
    [*((task_id, {}) for task_id in IDS), *EXTRA],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_restored_snapshot_continues_identically(task_id, options):
    with (
        make(task_id, seed=1, max_episode_steps=12, **options) as pool,
        make(task_id, seed=7, max_episode_steps=12, **options) as other,
    ):
        space = pool.action_space
        rng = np.random.default_rng(0)
        actions = rng.uniform(space.low, space.high, (40, 1, *space.shape))
        pool.reset()
        other.reset()
        play(pool, actions[:5])
        play(other, actions[10:13])
        state = pool.snapshot(0)
        expected = play(pool, actions[5:])  # spans several episodes
        pool.restore(0, state)
        assert play(pool, actions[5:]) == expected
        other.restore(0, state)
        assert other.snapshot(0) == state
        assert play(other, actions[5:]) == expected


def test_restore_refuses_a_snapshot_of_another_environment():
    with make("Hopper-v5") as pool, make("Walker2d-v5") as other:
        pool.reset()
        other.reset()
        with pytest.raises(ValueError, match=r"\[Walker2d-v5\] restore: state: expected a snapshot"):
            other.restore(0, pool.snapshot(0))
