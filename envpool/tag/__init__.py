# SPDX-License-Identifier: Apache-2.0
"""Tag: WarpDrive's two games of runners and taggers, with up to 1,024 players."""

from envpool.python.compat.import_paths import members

__getattr__, __dir__ = members(__name__)
