# SPDX-License-Identifier: Apache-2.0
"""The environments of Jumanji: games and puzzles on grids."""

from envpool.python.compat.import_paths import members

__getattr__, __dir__ = members(__name__)
