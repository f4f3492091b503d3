# SPDX-License-Identifier: Apache-2.0
"""ViZDoom: games in three dimensions, played from the screen. Each environment has a process that runs the engine."""

from envpool.python.compat.import_paths import members

__getattr__, __dir__ = members(__name__)
