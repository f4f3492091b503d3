# SPDX-License-Identifier: Apache-2.0
"""Registers all MuJoCo ids."""

# The order determines that of `list_all_envs`.
# isort: off
import envpool.mujoco.gym.registration
import envpool.mujoco.dmc.registration
import envpool.mujoco.generic.registration  # noqa: F401
