# SPDX-License-Identifier: Apache-2.0
"""Atari 2600 games, whose frames are identical to those of ale-py 0.12.1."""

from envpool.python.compat.import_paths import members

__getattr__, __dir__ = members(__name__)
