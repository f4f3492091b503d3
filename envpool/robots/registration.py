# SPDX-License-Identifier: Apache-2.0
"""Has the robots registered, among gymnasium's other MuJoCo environments."""

import envpool.mujoco.gym.registration  # noqa: F401
