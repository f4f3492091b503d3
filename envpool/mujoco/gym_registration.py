# SPDX-License-Identifier: Apache-2.0
"""Ids of gymnasium's MuJoCo environments: time limits and thresholds as gymnasium registers them."""

from __future__ import annotations

from envpool.registration import register_family

register_family(
    "HalfCheetah-v5",
    "mujoco",
    "HalfCheetah",
    max_episode_steps=1000,
    reward_threshold=4800.0,
    doc="A two-legged cat in a plane that is paid for running.",
)
