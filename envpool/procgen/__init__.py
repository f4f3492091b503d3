# SPDX-License-Identifier: Apache-2.0
"""Procgen: games whose levels are made from a seed, observed as images."""

from envpool.python.compat.import_paths import members

__getattr__, __dir__ = members(__name__)
