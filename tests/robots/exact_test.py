# SPDX-License-Identifier: Apache-2.0
"""Compares our robots with MuJoCo's library, bit for bit over whole episodes.

MuJoCo's bits depend on the sine of the C library, so the library runs with ours, which is preloaded. The ids in the
library are compared with gymnasium in tests/mujoco. ENVPOOL_TEST_ROBOTS sets the number of steps.
"""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
import pytest

import envpool
from envpool.python.registry import find
from tests.robots.model_library import run_with_our_sine
from tests.support.samples import DAY

pytest.importorskip("mujoco")

STEPS = int(os.environ.get("ENVPOOL_TEST_ROBOTS", 250))
IDS = [name for name in envpool.list_all_envs() if find(name).family == "robots"]
RUNNER = {
    "forward_reward_weight": 2.0,
    "ctrl_cost_weight": 0.3,
    "exclude_current_positions_from_observation": False,
    "reset_noise_scale": 0.3,
}
WALKER = {
    **RUNNER,
    "reset_noise_scale": 0.01,
    "healthy_reward": 0.7,
    "healthy_z_range": (0.8, 1.24),
    "healthy_angle_range": (-0.1, 0.15),
}
ON = {"terminate_when_unhealthy": False}
MORE: list[tuple[str, dict[str, Any]]] = [
    ("Ant-v3", {"post_constraint": True, "contact_cost_weight": 0.01}),
    ("Ant-v4", {"use_contact_forces": True, **ON}),
    ("Ant-v5", {"frame_skip": 3, "healthy_z_range": (0.3, 0.9), "contact_force_range": (-3.0, 2.0), **ON}),
    ("Ant-v5", {**RUNNER, "include_cfrc_ext_in_observation": False}),
    ("HalfCheetah-v4", RUNNER),
    ("HalfCheetah-v5", {**RUNNER, "frame_skip": 2, "reset_noise_scale": 0}),
    ("HalfCheetah-v5", {"reset_noise_scale": 1e5}),  # unstable: MuJoCo begins again at the initial state
    ("Hopper-v4", {**WALKER, "healthy_state_range": (-3.0, 3.0)}),
    ("Hopper-v5", {"frame_skip": 7, "reset_noise_scale": 0.5, **ON}),
    ("Humanoid-v3", {"post_constraint": True, **ON}),
    ("Humanoid-v4", {**RUNNER, "use_contact_force": True, "contact_cost_weight": 0.01}),
    ("Humanoid-v5", {"frame_skip": 3, "healthy_z_range": (0.3, 1.5), "contact_cost_range": (0.01, 0.5), **ON}),
    ("Humanoid-v5", {"include_cinert_in_observation": False, "include_qfrc_actuator_in_observation": False}),
    ("Humanoid-v5", {"reset_noise_scale": 3.0, "max_episode_steps": 8, **ON}),  # limbs within each other
    ("Humanoid-v5", {"reset_noise_scale": 1e5, **ON}),  # unstable
    ("HumanoidStandup-v2", {"post_constraint": True}),
    ("HumanoidStandup-v4", {**RUNNER, "impact_cost_weight": 0.01}),
    ("HumanoidStandup-v5", {"uph_cost_weight": 2.0, "impact_cost_range": (-1.0, 0.5), "frame_skip": 2}),
    ("HumanoidStandup-v5", {"include_cvel_in_observation": False, "include_cfrc_ext_in_observation": False}),
    ("HumanoidStandup-v5", {"reset_noise_scale": 3.0, "max_episode_steps": 8}),
    ("InvertedDoublePendulum-v5", {"healthy_reward": 3.0, "reset_noise_scale": 0.9, "constraint_obs_dim": 3}),
    ("InvertedPendulum-v5", {"reset_noise_scale": 2, "frame_skip": 1, "healthy_z_range": (-5.0, 5.0)}),
    ("Reacher-v5", {"reward_dist_weight": 3.0, "reward_control_weight": 0.3, "frame_skip": 4}),
    ("Swimmer-v4", RUNNER),
    ("Swimmer-v5", {**RUNNER, "frame_skip": 2}),
    ("Walker2d-v4", {**WALKER, "healthy_angle_range": (-0.4, 0.2), **ON}),
    ("Walker2d-v5", {**WALKER, "frame_skip": 2, "reset_noise_scale": 0.5, **ON}),
]


def differences(comparisons: list[Any], *, preload: bool = True) -> list[str]:
    """Runs comparisons in a process of its own, with or without our sine and cosine."""
    output = run_with_our_sine("tests.robots.library_episodes", json.dumps(comparisons), preload=preload)
    return list(json.loads(output))


def test_all_robots_are_compared() -> None:
    assert len(IDS) == 30
    assert {name.rpartition("-")[0] for name in IDS} == {name.rpartition("-")[0] for name, _ in MORE}


@pytest.mark.parametrize("robot", sorted({name.rpartition("-")[0] for name in IDS}))
def test_every_version_and_option_has_the_bits_of_the_library(robot: str) -> None:
    cases: list[tuple[str, dict[str, Any]]] = [(name, {}) for name in IDS if name.startswith(f"{robot}-")]
    cases += [(name, options) for name, options in MORE if name.startswith(f"{robot}-")]
    limit = {"max_episode_steps": 120}
    steps = STEPS // 3 if robot.startswith("Humanoid") else STEPS  # a step of MuJoCo's takes several times as long
    comparisons = [
        (name, {**limit, **options}, policy, steps, DAY) for name, options in cases for policy in ("random", "gait")
    ]
    assert differences(comparisons) == []


def test_without_our_sine_the_library_differs() -> None:
    """Checks that the comparison can fail: without the preload, trajectories part in the last bits."""
    assert differences([("Ant-v5", {}, "random", 250, DAY)], preload=False) != []


@pytest.mark.parametrize("task_id", [name for name in IDS if name.endswith("-v5")])
def test_lanes_have_the_bits_of_single_robots(task_id: str) -> None:
    """Compares groups of robots, which are stepped in lanes, with pools of one, which are not."""
    options: dict[str, Any] = {"num_threads": 1, "seed": DAY, "max_episode_steps": 60}
    random = np.random.default_rng(DAY)
    with envpool.make(task_id, num_envs=8, **options) as pool:
        single = [envpool.make(task_id, first_stream=i, **options) for i in range(8)]
        pool.reset()
        for one in single:
            one.reset()
        for _ in range(150):
            action = random.uniform(-1.1, 1.1, (8, *pool.action_space.shape)) * pool.action_space.high
            results = pool.step(action)
            for i, one in enumerate(single):
                own = one.step(action[i : i + 1])
                assert own[0][0].tobytes() == results[0][i].tobytes(), task_id
                assert own[1][0] == results[1][i] and own[2][0] == results[2][i]
        for one in single:
            one.close()
