# SPDX-License-Identifier: Apache-2.0
"""The games of pgx: boards and cards for two players who take turns, and 2048."""

from envpool.python.compat.import_paths import members

__getattr__, __dir__ = members(__name__)
