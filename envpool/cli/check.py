# SPDX-License-Identifier: Apache-2.0
"""`envpool check`: finds mistakes in the user's own environment."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import envpool
from envpool.cli.common import parse_options
from envpool.cli.own import name_of


def check(header: Path, option: Sequence[str], *, name: str, cxx: str) -> None:
    """Compiles and checks a header, and prints one line if there is no mistake; `app.py` describes the arguments."""
    started = time.monotonic()
    task_id = f"{name.rpartition('::')[2] or name_of(header)}-v0"
    envpool.compile(header, task_id, name=name, cxx=cxx or None, defaults=parse_options(option), check=True)
    print(f"{header}: no mistake found in {time.monotonic() - started:.1f} s")
