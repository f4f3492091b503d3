# SPDX-License-Identifier: Apache-2.0
"""MuJoCo: gymnasium's environments, the DeepMind Control Suite, and custom models."""

from envpool.python.compat.import_paths import members

__getattr__, __dir__ = members(__name__)
