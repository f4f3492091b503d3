# SPDX-License-Identifier: Apache-2.0
"""Craftax and Craftax-Classic: survive and make progress in a world of blocks."""

from envpool.python.compat.import_paths import members

__getattr__, __dir__ = members(__name__)
