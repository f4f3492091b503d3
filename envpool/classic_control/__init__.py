# SPDX-License-Identifier: Apache-2.0
"""Classic control: CartPole, Pendulum, MountainCar, MountainCarContinuous, Acrobot."""
