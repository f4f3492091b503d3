# SPDX-License-Identifier: Apache-2.0
"""Box2D: LunarLander and BipedalWalker, with a rigid-body solver of our own."""

from envpool.python.import_paths import members

__getattr__, __dir__ = members(__name__)
