# SPDX-License-Identifier: Apache-2.0
"""Box2D: LunarLander, BipedalWalker and CarRacing, on a rigid-body solver of our own."""

from envpool.python.compat.import_paths import members

__getattr__, __dir__ = members(__name__)
