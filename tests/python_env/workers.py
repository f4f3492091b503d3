# SPDX-License-Identifier: Apache-2.0
"""Finds the worker processes of pools of Python environments."""

from __future__ import annotations

from pathlib import Path

from tests.support.waiting import until


def workers(parent: int) -> list[int]:
    """Returns the process ids of the workers that a process has started and that still run."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            state, owner = (folder / "stat").read_text().rsplit(") ", 1)[1].split()[:2]
            if state != "Z" and int(owner) == parent and b"python_env/worker.py" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except (OSError, ValueError, IndexError):
            continue
    return found


def wait_until_dead(processes: list[int]) -> None:
    """Waits until the processes have ended."""

    def dead(process: int) -> bool:
        try:
            return not Path(f"/proc/{process}/cmdline").read_bytes()
        except OSError:
            return True

    until(lambda: all(map(dead, processes)), "no worker runs")
