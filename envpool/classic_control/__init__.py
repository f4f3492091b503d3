# SPDX-License-Identifier: Apache-2.0
"""Classic control: CartPole, Pendulum, MountainCar, MountainCarContinuous and Acrobot."""

from envpool.python.compat.import_paths import members

__getattr__, __dir__ = members(__name__)
