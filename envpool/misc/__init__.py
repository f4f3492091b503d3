# SPDX-License-Identifier: Apache-2.0
"""gymnax's miscellaneous environments: FourRooms, MetaMaze, PointRobot, two bandits, Reacher, Swimmer and Pong."""

from envpool.python.compat.import_paths import members

__getattr__, __dir__ = members(__name__)
