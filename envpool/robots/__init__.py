# SPDX-License-Identifier: Apache-2.0
"""Robots: MuJoCo's robots on a solver of our own, with the bits of MuJoCo 3.17.0."""

from envpool.python.compat.import_paths import members

__getattr__, __dir__ = members(__name__)
