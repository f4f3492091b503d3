# SPDX-License-Identifier: Apache-2.0
"""gymnax's miscellaneous environments: FourRooms, MetaMaze, PointRobot, two bandits, Reacher, Swimmer, Pong."""
