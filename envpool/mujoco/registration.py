# SPDX-License-Identifier: Apache-2.0
"""Registers all MuJoCo ids."""

# `list_all_envs` lists the ids in this order.
# isort: off
import envpool.mujoco.gym.registration
import envpool.mujoco.dmc.registration
import envpool.mujoco.generic.registration  # noqa: F401
