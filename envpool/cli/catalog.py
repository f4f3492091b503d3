# SPDX-License-Identifier: Apache-2.0
"""`envpool list`."""

from __future__ import annotations

import sys

from envpool.cli.common import Failure
from envpool.python.registry import find, list_all_envs


def show(text: str) -> None:
    """Prints the ids that contain `text`: a table for people, one a line for programs."""
    ids = [task_id for task_id in list_all_envs() if text.lower() in task_id.lower()]
    if not ids:
        raise Failure(f"no environment's id contains {text!r}")
    if not sys.stdout.isatty():
        print("\n".join(ids), flush=True)
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, show_header=False)
    for task_id in ids:
        table.add_row(task_id, find(task_id).doc)
    Console().print(table)
