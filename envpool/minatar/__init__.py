# SPDX-License-Identifier: Apache-2.0
"""MinAtar: Asterix, Breakout, Freeway, SpaceInvaders and Seaquest."""

from envpool.python.compat.import_paths import members

__getattr__, __dir__ = members(__name__)
