# SPDX-License-Identifier: Apache-2.0
"""Makes the checkout's folder tests/ importable as ``tests``, for scripts that import this file.

The checkout itself does not become importable, because its folder envpool would replace the installed package.
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "tests_on_path"

FOLDER.mkdir(parents=True, exist_ok=True)
with contextlib.suppress(FileExistsError):
    (FOLDER / "tests").symlink_to(ROOT / "tests")
sys.path.append(str(FOLDER))
